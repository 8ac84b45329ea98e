"""Whole fetches from local stand-ins of the hub, AMI's mirror, Seamless and signed addresses."""

import hashlib
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

import pytest

from fuzzing import runs
from mirror import Mirror, serving
from one_source import GATE, settings, there
from tact import tables
from tact.cli import main
from tact.errors import InputError
from tact.fetch.unpack import Limits, unpack


def test_a_dataset_of_the_hub_comes_whole_through_cuts(tmp_path, hub, monkeypatch, capsys):
    mirror, store = hub
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    mirror.fault = lambda path, n: "cut" if n == 0 else None
    config = settings(tmp_path, "otospeech", "hub", "org/data", files=["data/*.tar"])

    assert main([*config, "fetch", "otospeech"]) == 0
    assert there(tmp_path / "root") == {
        name: data for name, data in mirror.files.items() if name.endswith(".tar")
    }
    assert sum(store.sent.values()) == 5 * 150_000
    assert "5 files, 5 new, 750000 bytes, 0 missing" in capsys.readouterr().out
    assert all(b"hf_right" not in p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())

    assert main([*config, "fetch", "otospeech"]) == 0
    assert "5 files, 0 new" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value", "n"),
    [("--count", "2", 2), ("--hours", "1.5", 2), ("--split", "train", 5)],
)
def test_a_part_of_a_dataset_is_whole_shards(tmp_path, hub, monkeypatch, option, value, n):
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    config = settings(
        tmp_path, "otospeech", "hub", "org/data", ["data/*.tar"], size_gb=0.00075, hours=5
    )

    assert main([*config, "fetch", "otospeech", option, value]) == 0
    assert sorted(there(tmp_path / "root")) == [f"data/train/shard-{k:06d}.tar" for k in range(n)]


@pytest.mark.parametrize("token", [None, "hf_wrong"])
def test_a_gate_that_is_not_passed_is_one_line_with_the_way_through(
    tmp_path, hub, monkeypatch, capsys, token
):
    if token:
        monkeypatch.setenv("HF_TOKEN", token)
    config = settings(tmp_path, "otospeech", "hub", "org/data", ["*"])

    assert main([*config, "fetch", "otospeech"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert GATE in said
    assert "hf_wrong" not in said
    assert there(tmp_path / "root") == {}


MEETINGS = """<?xml version="1.0" encoding="ISO-8859-1"?>
<nite:root xmlns:nite="http://nite.sourceforge.net/">
 <meeting observation="ES2002a"><speaker channel="0"/><speaker channel="1"/></meeting>
 <meeting observation="EN2001a"><speaker channel="4"/></meeting>
</nite:root>"""


def zipped(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def test_ami_is_unpacked_and_then_its_headsets_come_but_for_one_that_is_absent(tmp_path, capsys):
    annotations = zipped(
        {"corpusResources/meetings.xml": MEETINGS, "words/ES2002a.A.words.xml": "<x/>"}
    )
    base = "AMICorpusMirror/amicorpus"
    sound = {f"ES2002a/audio/ES2002a.Headset-{k}.wav": bytes([k]) * 1000 for k in (0, 1)}
    mirror = Mirror(
        {"AMICorpusAnnotations/ami_public_manual_1.6.2.zip": annotations}
        | {f"{base}/{name}": data for name, data in sound.items()}
        | {f"{base}/EN2001a/audio/EN2001a.Headset-4.wav": 404}
    )
    with serving(mirror):
        config = settings(tmp_path, "ami", "ami", mirror.url)
        out = tmp_path / "quarantine.parquet"
        assert main([*config, "fetch", "ami", "--quarantine", str(out)]) == 0
        said = capsys.readouterr().out
        assert main([*config, "fetch", "ami", "--count", "1"]) == 0

    found = there(tmp_path / "root")
    assert "fetch ami: 3 files, 3 new" in said
    assert found["ami_public_manual_1.6.2/words/ES2002a.A.words.xml"] == b"<x/>"
    assert {k: v for k, v in found.items() if k.startswith("amicorpus")} == {
        f"amicorpus/{name}": data for name, data in sound.items()
    }
    rows = tables.read(out, "quarantine")
    assert rows["item"].tolist() == ["amicorpus/EN2001a/audio/EN2001a.Headset-4.wav"]


def test_ami_without_a_network_says_at_once_what_could_not_be_had(tmp_path, capsys):
    out = tmp_path / "quarantine.parquet"
    config = settings(tmp_path, "ami", "ami", "http://nowhere.invalid")
    begun = time.monotonic()

    assert main([*config, "fetch", "ami", "--quarantine", str(out)]) == 2
    assert time.monotonic() - begun < 20
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "first: ami_public_manual_1.6.2.zip (the host nowhere.invalid cannot be found" in said
    assert "mend the network" in said
    assert tables.read(out, "quarantine")["reason"].tolist() == ["not reachable"]


def test_what_lacks_is_written_where_a_later_batch_is_behind_a_gate(tmp_path, capsys):
    (tmp_path / "root/corpusResources").mkdir(parents=True)
    (tmp_path / "root/corpusResources/meetings.xml").write_text(MEETINGS)
    out = tmp_path / "quarantine.parquet"
    base = "AMICorpusMirror/amicorpus/EN2001a/audio/EN2001a.Headset-4.wav"
    with serving(Mirror({base: 401})) as mirror:
        config = settings(tmp_path, "ami", "ami", mirror.url)
        assert main([*config, "fetch", "ami", "--quarantine", str(out)]) == 2

    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "first: ami_public_manual_1.6.2.zip (404" in said
    assert GATE in said
    assert tables.read(out, "quarantine")["item"].tolist() == ["ami_public_manual_1.6.2.zip"]


@pytest.mark.parametrize("end", ["http://nowhere.invalid", "http://127.0.0.1:1"])
def test_a_hub_that_is_not_there_is_one_line(tmp_path, end):
    config = settings(tmp_path, "otospeech", "hub", "org/data", ["*"])
    quick = "import huggingface_hub.utils._http as h; h.time.sleep = lambda s: None;"
    code = f"{quick} import sys; from tact.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", code, *config, "fetch", "otospeech"],
        env={**os.environ, "HF_ENDPOINT": end},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "mend the network" in done.stderr


def test_seamless_comes_in_pairs_from_either_place_of_its_transcripts(tmp_path):
    ids = ["V00_S1_I2_P0947", "V00_S1_I2_P1275A", "V00_S9_I2_P0001", "V00_S9_I2_P0002"]
    files = {}
    for k, name in enumerate(ids):
        base, head = "improvised/dev", "metadata/" if k % 2 else ""
        files[f"{base}/audio/{name}.wav"] = bytes(100 + k)
        files[f"{base}/{head}transcript/{name}.jsonl"] = f"{k}\n".encode()
        files[f"{base}/{head}vad/{name}.jsonl"] = b"{}\n"
        files[f"{base}/{'' if k % 2 else 'metadata/'}vad/{name}.jsonl"] = 403
    root = tmp_path / "root"
    root.mkdir()
    rows = "".join(f"{name},improvised,dev,0,0\n" for name in ids)
    (root / "filelist.csv").write_text("file_id,label,split,batch_idx,archive_idx\n" + rows)
    with serving(Mirror(files)) as mirror:
        config = settings(tmp_path, "seamless", "seamless", mirror.url)
        assert main([*config, "fetch", "seamless", "--count", "1"]) == 0
        first = set(there(root))
        assert main([*config, "fetch", "seamless"]) == 0

    kinds = (("audio", "wav"), ("transcript", "jsonl"), ("vad", "jsonl"))
    pair = {f"improvised/dev/{k}/{name}.{end}" for name in ids[:2] for k, end in kinds}
    assert first == pair | {"filelist.csv"}
    found = there(root)
    assert len(found) == 13
    assert [found[f"improvised/dev/transcript/{name}.jsonl"] for name in ids] == [
        b"0\n", b"1\n", b"2\n", b"3\n"
    ]  # fmt: skip


def test_seamless_without_its_list_says_where_to_get_it(tmp_path, capsys):
    config = settings(tmp_path, "seamless", "seamless", "http://127.0.0.1:1")

    assert main([*config, "fetch", "seamless"]) == 2
    assert f"filelist.csv; {GATE}" in capsys.readouterr().err


def test_signed_addresses_come_from_a_list_and_stay_out_of_the_ledger(tmp_path):
    part = zipped({"0a/metadata.json": "{}"})
    digest = hashlib.sha256(part).hexdigest()
    with serving(Mirror({"processed_media_part_001.zip": part, "x/y.csv": b"a\n"})) as mirror:
        listed = tmp_path / "urls.csv"
        listed.write_text(
            "url,path,size,sha256\n"
            f"{mirror.url}/processed_media_part_001.zip?X-Signature=s3cr3t,,{len(part)},{digest}\n"
            f"{mirror.url}/x/y.csv?X-Signature=s3cr3t,tables/y.csv,,\n"
        )
        config = settings(tmp_path, "candor", "local", "")
        assert main([*config, "fetch", "candor", "--urls", str(listed)]) == 0

    assert there(tmp_path / "root") == {
        "processed_media_part_001.zip": part,
        "processed_media_part_001/0a/metadata.json": b"{}",
        "tables/y.csv": b"a\n",
    }
    state = tmp_path / "root/.fetch"
    assert all(b"s3cr3t" not in path.read_bytes() for path in state.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["otospeech", "--source", "nope"], "no source 'nope'; known: r"),
        (["sssd"], "no address; ask the authors"),
        (["probes"], "probes has no source in the config"),
        (["otospeech", "--list", "absent.txt"], "no file absent.txt; give a file"),
        (["otospeech", "--list", "."], "fetch: . is a folder; give a file with one name a line"),
        (["otospeech", "--urls", "absent.csv"], "no file absent.csv; give a CSV with a column url"),
        (["otospeech", "--urls", "."], "fetch: . is a folder; give a CSV with a column url"),
        (["otospeech", "--count", "0"], "--count"),
        (["otospeech", "--jobs", "1000"], "--jobs"),
    ],
)
def test_what_cannot_be_fetched_is_one_line(tmp_path, capsys, arguments, says):
    config = settings(tmp_path, "otospeech", "local", "")

    assert main([*config, "fetch", *arguments, "--to", str(tmp_path / "to")]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1


def test_a_name_that_the_source_lacks_is_told(tmp_path, hub, monkeypatch, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    (tmp_path / "names").write_text("data/train/shard-000001.tar\nshard-9\n")
    config = settings(tmp_path, "otospeech", "hub", "org/data", ["data/*.tar"])

    assert main([*config, "fetch", "otospeech", "--list", str(tmp_path / "names")]) == 2
    assert "1 of 2 names are not in the source (first: 'shard-9')" in capsys.readouterr().err


def tarred(*members):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, kind, data in members:
            member = tarfile.TarInfo(name)
            member.type, member.size = kind, len(data)
            member.linkname = "/etc/passwd"
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


REG = tarfile.REGTYPE
BAD = {
    "escape.zip": zipped({"../x": "1"}),
    "absolute.zip": zipped({"/x": "1"}),
    "hidden.zip": zipped({".fetch/ledger.jsonl": "1"}),
    "escape.tar": tarred(("a/../../x", REG, b"1")),
    "link.tar": tarred(("a", tarfile.SYMTYPE, b"")),
    "hard.tar": tarred(("a", tarfile.LNKTYPE, b"")),
    "device.tar": tarred(("a", tarfile.CHRTYPE, b"")),
    "twice.tar": tarred(("a", REG, b"1"), ("a", REG, b"2")),
    "large.zip": zipped({"a": bytes(2_000_000)}),
    "many.tar": tarred(*((f"f{k}", REG, b"") for k in range(60))),
    "cut.zip": zipped({"a": "1" * 500})[:200],
    "cut.tar": tarred(("a", REG, b"1" * 5000))[:2000],
    "text.zip": b"no archive at all",
}


@pytest.mark.parametrize("name", BAD)
def test_an_archive_that_may_not_be_trusted_leaves_nothing(tmp_path, name):
    (tmp_path / name).write_bytes(BAD[name])

    with pytest.raises((InputError, OSError)):
        unpack(tmp_path / name, tmp_path / "to", limits=Limits(1_000_000, 50))

    assert sorted(path.name for path in tmp_path.rglob("*")) == [name]


def test_archives_cut_or_changed_at_random_never_leave_half(tmp_path):
    rng = random.Random(3)
    whole = [zipped({f"d/{k}": str(k) * 300 for k in range(5)}),
             tarred(*((f"d/{k}", REG, b"x" * 300) for k in range(5)))]  # fmt: skip
    for number in range(runs(400)):
        data = bytearray(rng.choice(whole))
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        data = data[: rng.randrange(len(data) // 2, len(data) + 1)]
        (tmp_path / "x").write_bytes(data)
        target = tmp_path / f"to{number}"
        try:
            unpack(tmp_path / "x", target, limits=Limits(100_000, 50))
        except (InputError, OSError):
            assert not target.exists()
        shutil.rmtree(target, ignore_errors=True)
        assert not list(tmp_path.glob(".*unpacking"))
