"""What the doctor says of a corpus: reachable, allowed, on disk, complete, space, next step."""

import json

import pytest

from mirror import Mirror, serving
from one_source import GATE, settings
from tact.cli import main

SHARD = "data/train/shard-000001.tar"


def ask(config, corpus, capsys):
    """Give what the doctor says of a corpus's one source, by line."""
    capsys.readouterr()
    assert main([*config, "doctor", corpus]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    return dict(line.strip().split(": ", 1) for line in lines)


def fill(root, *names, data=b"x"):
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def test_the_doctor_tells_the_gate_from_the_network(tmp_path, hub, monkeypatch, capsys):
    config = settings(tmp_path, "otospeech", "hub", "org/data", ["*.tar"], size_gb=1)
    assert main([*config, "doctor", "otospeech"]) == 0
    shut = capsys.readouterr().out
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert main([*config, "doctor", "otospeech"]) == 0
    open_ = capsys.readouterr().out
    main([*config, "fetch", "otospeech"])
    (tmp_path / "root/data/train/shard-000001.tar").write_bytes(b"short")
    capsys.readouterr()
    assert main([*config, "doctor", "otospeech"]) == 0
    lost = capsys.readouterr().out

    assert "reachable: yes" in shut
    assert "allowed: no: HF_TOKEN is not set" in shut
    assert "next step: accept the terms" in shut
    assert "allowed: yes" in open_
    assert f"next step: tact fetch otospeech --source r --to {tmp_path}/root" in open_
    assert "complete: no: 1 of 5 lost" in lost


def test_a_dataset_that_the_hub_does_not_have_is_an_address_to_mend(
    tmp_path, hub, monkeypatch, capsys
):
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    found = ask(settings(tmp_path, "otospeech", "hub", "org/renamed"), "otospeech", capsys)

    assert found["reachable"] == "yes"
    assert found["allowed"] == "no: there is nothing at its address (org/renamed)"
    assert found["next step"].startswith("mend its address in corpora.otospeech.sources")


def test_a_mirror_without_the_annotations_is_an_address_to_mend(tmp_path, capsys):
    with serving(Mirror({})) as mirror:
        found = ask(settings(tmp_path, "ami", "ami", mirror.url), "ami", capsys)

    assert found["allowed"].startswith("no: there is nothing at its address (http://127.0.0.1")
    assert found["next step"].startswith("mend its address")


def test_lists_alone_are_no_corpus(tmp_path, capsys):
    with serving(Mirror({})) as mirror:
        config = settings(tmp_path, "seamless", "seamless", mirror.url)
        bare = ask(config, "seamless", capsys)
        fill(tmp_path / "root", "filelist.csv")
        listed = ask(config, "seamless", capsys)

    get = f"tact fetch seamless --source r --to {tmp_path}/root"
    assert bare["next step"] == f"{GATE}, then: {get} --count 100"
    assert listed["complete"] == "no: no transcripts (*.jsonl or *.tar), no sound (*.wav or *.tar)"
    assert listed["next step"] == get


@pytest.mark.parametrize(
    ("names", "complete", "tail"),
    [
        (
            ("corpusResources/meetings.xml",),
            "no: no words (*.words.xml), no sound (*.Headset-*.wav)",
            "root",
        ),
        (
            ("corpusResources/meetings.xml", "words/a.A.words.xml"),
            "no: no sound (*.Headset-*.wav)",
            "or words alone: snakemake --cores all ami",
        ),
        (("amicorpus/a.Headset-0.wav",), "no: no meetings (meetings.xml), no words", "root"),
        (
            ("meetings.xml", "words/a.A.words.xml", "amicorpus/a.Headset-0.wav"),
            "every kind of file is there; how many there should be is not known",
            "snakemake --cores all ami",
        ),
    ],
)
def test_each_kind_of_file_must_be_there(tmp_path, capsys, names, complete, tail):
    fill(tmp_path / "root", *names)
    with serving(Mirror({"AMICorpusAnnotations/ami_public_manual_1.6.2.zip": b"z"})) as mirror:
        found = ask(settings(tmp_path, "ami", "ami", mirror.url), "ami", capsys)

    assert found["complete"].startswith(complete)
    assert found["next step"].endswith(tail)


def test_a_root_that_is_a_file_is_said(tmp_path, capsys):
    (tmp_path / "root").write_text("not a folder")
    found = ask(settings(tmp_path, "sssd", "local", None), "sssd", capsys)

    assert found["on disk"] == f"no: {tmp_path}/root is a file, not a folder"
    assert found["next step"] == f"move {tmp_path}/root, or set corpora.sssd.root to a folder"


def test_too_little_space_is_said_with_the_part_that_fits(tmp_path, hub, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    config = settings(tmp_path, "otospeech", "hub", "org/data", size_gb=1e9)
    found = ask(config, "otospeech", capsys)

    assert found["space"].endswith("GB free: too little")
    assert "--hours H, for the part that fits" in found["next step"]


def test_a_corpus_of_ones_own_is_held_against_its_list(tmp_path, capsys):
    root = tmp_path / "root"
    own = tmp_path / "own.yaml"
    entry = {
        "adapter": "generic", "root": str(root), "language": "en", "licence": "CC0",
        "rights": "audio", "obtain": "record two people", "activity": "words",
        "contiguous_words": False, "clip_target_s": 26.0, "shards": 1, "labels": None,
        "judge": None,
    }  # fmt: skip
    own.write_text(json.dumps({"corpora": {"own": entry}}))
    config = [*settings(tmp_path, "ami", "local", None), "--config", str(own)]
    listing = "conversation,speaker,channel,audio,timing\nc,a,0,c.wav,c.csv\nc,b,1,c.wav,d.csv\n"

    nothing = ask(config, "own", capsys)
    fill(root, "c.wav", "d.csv")
    unlisted = ask(config, "own", capsys)
    (root / "recordings.csv").write_text(listing)
    short = ask(config, "own", capsys)
    fill(root, "c.csv")
    whole = ask(config, "own", capsys)

    assert nothing["next step"] == "record two people"
    assert unlisted["complete"] == "no: no list (recordings.csv)"
    assert short["complete"] == "no: no 1 of 3 files of recordings.csv (first: c.csv)"
    assert whole["next step"] == "snakemake --cores all own"
