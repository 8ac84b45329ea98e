"""What is written in each native layout is read back as it was made."""

import csv
import gzip
import hashlib
import json
import re
import tarfile
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from made_world import SETTINGS, studio
from tact import activity, audio, corpora
from tact.simulate.world import LAYOUTS

SIZES = {"ami": {"conversations": 5, "minutes": 3.0, "speakers": 8}}


def make(tmp_path, corpus, **changes):
    made = studio(corpus, **(SIZES.get(corpus, {}) | changes))
    return list(LAYOUTS[corpus](tmp_path / corpus, made)), tmp_path / corpus


def digests(root):
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("corpus", LAYOUTS)
def test_speech_that_is_read_is_the_speech_that_was_made(tmp_path, corpus):
    talks, root = make(tmp_path, corpus)

    read = corpora.read(root, corpus=corpus, settings=SETTINGS.corpora[corpus])
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)

    assert set(
        ipus[["conversation", "speaker", "start_ms", "end_ms"]].itertuples(index=False, name=None)
    ) == {
        (f"{corpus}:{talk.conversation}", f"{corpus}:{u.speaker}", u.start_ms, u.end_ms)
        for talk in talks
        for u in talk.utterances
    }
    assert read.recordings["conversation"].nunique() == len(talks)
    assert set(read.speakers["speaker"]) == {f"{corpus}:{s}" for t in talks for s in t.speakers}


@pytest.mark.parametrize("corpus", ["candor", "otospeech", "ami", "probes"])
def test_words_and_marks_that_are_read_are_those_that_were_said(tmp_path, corpus):
    talks, root = make(tmp_path, corpus)
    talk = talks[1]
    speaker = talk.speakers[0]

    words = corpora.read(root, corpus=corpus, settings=SETTINGS.corpora[corpus]).words
    mine = words["conversation"].eq(f"{corpus}:{talk.conversation}") & words["speaker"].eq(
        f"{corpus}:{speaker}"
    )
    heard = words[mine & words["kind"].isin(["word", "punctuation"])].sort_values("position")

    assert heard["text"].tolist() == [
        word.text for u in talk.utterances if u.speaker == speaker for word in u.words
    ]


@pytest.mark.parametrize("corpus", LAYOUTS)
def test_the_same_seed_gives_the_same_bytes_and_another_seed_does_not(tmp_path, corpus):
    small = {"conversations": 4, "minutes": 1.0}
    _, first = make(tmp_path / "first", corpus, **small)
    _, again = make(tmp_path / "again", corpus, **small)
    _, other = make(tmp_path / "other", corpus, **small, seed=2)

    assert digests(first) == digests(again)
    assert digests(first) != digests(other)


def test_a_conversation_does_not_depend_on_how_many_others_there_are(tmp_path):
    few, _ = make(tmp_path / "few", "candor", conversations=2)
    many, _ = make(tmp_path / "many", "candor", conversations=5)

    assert many[:2] == few


def test_candor_has_its_files_and_columns(tmp_path):
    (talk, *_), root = make(tmp_path, "candor")
    folder = root / talk.conversation
    with (folder / "transcription/transcript_backbiter.csv").open(newline="") as file:
        turns = list(csv.DictReader(file))
    spoken = json.loads((folder / "transcription/transcribe_output.json").read_text())
    (left, _) = spoken["results"]["channel_labels"]["channels"]

    assert re.fullmatch(r"[0-9a-f-]{36}", talk.conversation)
    assert json.loads((folder / "processed/channel_map.json").read_text()) == dict(
        zip("LR", talk.speakers, strict=True)
    )
    assert {"id", "sessionId", "createdAt", "speakers", "files"} == set(
        json.loads((folder / "metadata.json").read_text())
    )
    assert left["channel_label"] == "ch_0"
    assert isinstance(left["items"][0]["start_time"], str)
    assert {item["type"] for item in left["items"]} == {"pronunciation", "punctuation"}
    assert not any("start_time" in i for i in left["items"] if i["type"] == "punctuation")
    assert set(turns[0]) >= {"turn_id", "interval", "delta", "overlap", "backchannel_count"}
    assert turns[0]["interval"] == ""
    assert all(
        float(later["interval"]) == pytest.approx(float(later["start"]) - float(earlier["stop"]))
        for earlier, later in pairwise(turns)
    )
    heard = sum(int(turn["backchannel_count"]) for turn in turns)
    assert heard == sum(u.backchannel for u in talk.utterances)


def test_sssd_manifests_have_lhotse_keys_and_absolute_sources(tmp_path):
    talks, root = make(tmp_path, "sssd")
    folder = root / "lhotse_manifests_48"
    recordings, supervisions = (
        [json.loads(line) for line in gzip.decompress((folder / name).read_bytes()).splitlines()]
        for name in ("recordings.jsonl.gz", "supervisions.jsonl.gz")
    )

    assert [row["id"] for row in recordings] == [talk.conversation for talk in talks]
    assert recordings[0]["sources"][0]["source"].startswith("/")
    assert len(supervisions) == sum(len(talk.utterances) for talk in talks)
    assert set(supervisions[0]) >= {"id", "recording_id", "start", "duration", "channel", "speaker"}


def test_otospeech_has_sessions_in_one_release_or_both(tmp_path):
    _, root = make(tmp_path, "otospeech", conversations=9, minutes=0.5)
    names = {}
    for release in root.glob("*/data/train"):
        with tarfile.open(release / "shard-000000.tar") as tar:
            names[release.parent.parent.name] = {n.partition(".")[0] for n in tar.getnames()}
    raw, processed = sorted(names.values(), key=len, reverse=True)

    assert set(names) == {"otoSpeech-full-duplex-280h", "otoSpeech-full-duplex-processed-141h"}
    assert len(raw & processed) == 2
    assert len(processed - raw) == 1
    assert all(re.fullmatch(r"[0-9a-f]{32}", name) for name in raw | processed)


def test_seamless_names_pair_by_interaction_and_keep_a_person_with_one_vendor(tmp_path):
    talks, root = make(tmp_path, "seamless", conversations=24, speakers=12, minutes=0.2)
    names = [path.stem for path in root.rglob("metadata/transcript/*.jsonl")]
    parts = [re.fullmatch(r"V(\d+)_S(\d+)_I(\d+)_P(\w+)", name).groups() for name in names]
    vendors = {participant: vendor for vendor, _, _, participant in parts}

    assert len(names) == 2 * len(talks)
    assert {part[:3] for part in parts} == {
        re.fullmatch(r"V(\d+)_S(\d+)_I(\d+)", talk.conversation).groups() for talk in talks
    }
    assert all(vendors[participant] == vendor for vendor, _, _, participant in parts)
    assert any(participant.endswith("A") for *_, participant in parts)
    assert len((root / "filelist.csv").read_text().splitlines()) == 1 + len(names)


def test_ami_acts_span_words_that_exist_and_a_held_floor_lies_inside_one(tmp_path):
    talks, root = make(tmp_path, "ami")
    read = corpora.read(root, corpus="ami", settings=SETTINGS.corpora["ami"])
    acts = {
        (act.conversation, act.speaker, act.end_ms): act
        for act in read.acts.itertuples(index=False)
    }
    asked = [(t, c) for t in talks for c in t.candidates if c.intent == "ans"]
    ends = {
        intent: [
            (f"ami:{t.conversation}", f"ami:{c.focal}", c.t0_ms) in acts
            for t in talks
            for c in t.candidates
            if c.intent == intent
        ]
        for intent in ("ans", "hold")
    }

    assert all(
        acts[f"ami:{t.conversation}", f"ami:{c.focal}", c.t0_ms].act == "el.inf" for t, c in asked
    )
    assert all(ends["ans"])
    assert sum(ends["hold"]) < 0.5 * len(ends["hold"])
    assert read.acts["answers"].any()
    assert set(read.quarantine["reason"]) == {"untimed", "no length"}


def test_ami_agents_are_not_always_in_the_order_of_the_channels(tmp_path):
    _, root = make(tmp_path, "ami")
    tree = ElementTree.parse(root / "ami_public_manual_1.6.2/corpusResources/meetings.xml")
    orders = [
        [seat.get("channel") for seat in meeting.iter("speaker")]
        for meeting in tree.getroot().iter("meeting")
    ]

    assert orders[0] == ["0", "1", "2", "3"]
    assert orders[2] == ["1", "2", "3", "0"]


def test_probes_carry_the_script_and_nothing_that_was_drawn_to_answer_it(tmp_path):
    (talk, *_), root = make(tmp_path, "probes")
    written = json.loads((root / f"{talk.conversation}.json").read_text())
    spoken = {word for u in talk.utterances for word in u.words}

    assert [
        (talk.speakers[row["channel"]], row["t0_ms"], row["intent"]) for row in written["script"]
    ] == sorted(((c.focal, c.t0_ms, c.intent) for c in talk.candidates), key=_place(talk))
    assert "response" not in json.dumps(written)
    assert len(written["words"]) >= len(spoken)


@pytest.mark.parametrize(
    ("corpus", "suffix", "rate_hz"),
    [
        ("candor", ".mp3", 48_000),
        ("sssd", ".flac", 48_000),
        ("ami", ".wav", 16_000),
        ("probes", ".wav", 16_000),
    ],
)
def test_with_audio_each_conversation_has_its_sound(tmp_path, corpus, suffix, rate_hz):
    talks, root = make(
        tmp_path, corpus, conversations=1, minutes=0.05, speakers=4, words_only=False
    )
    files = sorted(root.rglob(f"*{suffix}"))

    assert len(files) == (4 if corpus == "ami" else 1)
    for path in files:
        header = audio.probe(path)
        assert header.sample_rate_hz == rate_hz
        assert header.n_samples == talks[0].duration_ms * rate_hz // 1000


def test_seamless_audio_differs_in_length_and_has_its_broken_interactions(tmp_path):
    talks, root = make(
        tmp_path, "seamless", conversations=1, minutes=0.05, speakers=2, words_only=False
    )
    read = corpora.read(root, corpus="seamless", settings=SETTINGS.corpora["seamless"])
    longer = read.recordings.loc[
        read.recordings["conversation"] == f"seamless:{talks[0].conversation}", "n_samples"
    ]
    empty = [path for path in root.rglob("metadata/vad/*.jsonl") if not path.read_text()]

    assert longer.nunique() == 2
    assert len(empty) == 1
    assert {"empty vad", "untimed", "unreadable audio"} <= set(read.quarantine["reason"])


def test_candor_with_audio_has_one_conversation_without_words(tmp_path):
    talks, root = make(
        tmp_path, "candor", conversations=1, minutes=0.05, speakers=2, words_only=False
    )
    read = corpora.read(root, corpus="candor", settings=SETTINGS.corpora["candor"])

    assert read.recordings["conversation"].unique() == [f"candor:{talks[0].conversation}"]
    assert read.quarantine["detail"].tolist() == ["transcribe_output.json"]


def _place(talk):
    order = {(u.speaker, u.end_ms): number for number, u in enumerate(talk.utterances) if u.intent}
    return lambda row: order[row[0], row[1]]
