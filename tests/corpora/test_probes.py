"""Probes: words, people and the script of intents."""

import pytest

from corpora.layouts import PROBE_PEOPLE, faults, probe, put, read, said, wav
from tact.corpora.reasons import Reason
from tact.errors import InputError

TALK = "probes:script001"


def write(root, **more):
    put(root / "script001.json", probe(**more))
    put(root / "probes.json", PROBE_PEOPLE)
    return root


def test_words_people_and_script_are_read(tmp_path):
    wav(tmp_path / "script001.wav", channels=2)

    tables = read(write(tmp_path, audio="script001.wav"), "probes")

    assert said(tables, TALK, "probes:probe01") == [
        ("so", 1000, 1400, "word"),
        ("?", 1400, 1400, "punctuation"),
    ]
    assert set(tables.recordings["path"]) == {"script001.wav"}
    act = tables.acts.iloc[0]
    assert (act["speaker"], act["start_ms"], act["end_ms"]) == ("probes:probe01", 1000, 1400)
    assert (act["act"], act["answers"]) == ("script:ans", False)
    ages = tables.speakers.set_index("speaker")["age"]
    assert dict(ages) == {"probes:probe01": "40-49", "probes:probe02": "20-29"}
    assert faults(tables) == []


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"channel": 0, "start_ms": 1000, "t0_ms": 1400, "intent": "shout"}, Reason.UNTYPED_ACT),
        ({"channel": 2, "start_ms": 1000, "t0_ms": 1400, "intent": "ans"}, Reason.UNPLACED_ACT),
        ({"channel": 0, "start_ms": 1500, "t0_ms": 1400, "intent": "ans"}, Reason.UNPLACED_ACT),
        ({"channel": 0, "start_ms": None, "t0_ms": 1400, "intent": "ans"}, Reason.UNPLACED_ACT),
    ],
)
def test_a_bad_row_of_the_script_is_named(tmp_path, row, reason):
    tables = read(write(tmp_path, script=[row]), "probes")

    assert faults(tables) == [("script001 script 0", reason)]
    assert len(tables.acts) == 0
    assert len(tables.recordings) == 2


@pytest.mark.parametrize("seconds", [0.0, 5.0])
def test_broken_or_mono_audio_leaves_the_conversation_out(tmp_path, seconds):
    wav(tmp_path / "script001.wav", channels=1, seconds=seconds)

    tables = read(write(tmp_path, audio="script001.wav"), "probes")

    reason = Reason.CHANNELS if seconds else Reason.BAD_AUDIO
    assert faults(tables) == [(TALK, reason)]
    assert len(tables.recordings) == len(tables.acts) == 0


def test_audio_outside_the_folder_is_not_followed(tmp_path):
    wav(tmp_path / "secret.wav", channels=2)
    write(tmp_path / "root", audio="../secret.wav")

    assert faults(read(tmp_path / "root", "probes")) == [(TALK, Reason.BAD_AUDIO)]


def test_people_may_be_missing(tmp_path):
    put(tmp_path / "script001.json", probe())

    tables = read(tmp_path, "probes")

    assert faults(tables) == [("probes.json", Reason.UNREADABLE)]
    assert len(tables.speakers) == 2


def test_an_empty_root_is_an_error(tmp_path):
    put(tmp_path / "probes.json", PROBE_PEOPLE)

    with pytest.raises(InputError, match=r"probes has no JSON in"):
        read(tmp_path, "probes")
