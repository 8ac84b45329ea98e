"""Seamless: two files of one interaction, in either layout, with all that is known to be wrong."""

import pytest

from corpora.layouts import (
    SEAMLESS_ID,
    SEAMLESS_WORDS,
    faults,
    put,
    read,
    said,
    seamless,
    segment,
    tar,
    wav,
)
from tact.corpora.reasons import Reason
from tact.errors import InputError

TALK = f"seamless:{SEAMLESS_ID}"
ANN, BOB = "seamless:V00_P0947", "seamless:V00_P1275A"


@pytest.mark.parametrize("meta", ["metadata/", ""])
def test_two_files_of_one_interaction_are_paired_and_marks_stand_alone(tmp_path, meta):
    tables = read(seamless(tmp_path, meta=meta), "seamless")

    assert set(tables.recordings["conversation"]) == {TALK}
    assert list(tables.recordings.sort_values("channel")["speaker"]) == [ANN, BOB]
    assert set(tables.recordings["release"]) == {"naturalistic"}
    assert said(tables, TALK, ANN) == [
        ("hi", 1000, 1200, "word"),
        (",", 1200, 1200, "punctuation"),
        ("you", 1300, 1600, "word"),
        ("?", 1600, 1600, "punctuation"),
    ]
    assert said(tables, TALK, BOB) == [("fine", 2000, 2400, "word")]
    assert faults(tables) == []


def test_the_same_comes_out_of_a_tar(tmp_path):
    members = {
        f"{SEAMLESS_ID}_{person}.json": {
            "id": f"{SEAMLESS_ID}_{person}",
            "metadata:transcript": segments,
            "metadata:vad": [{"start": 1.0, "end": 2.0}],
            "annotations:3P-IS": [],
        }
        for person, segments in SEAMLESS_WORDS.items()
    }
    tar(tmp_path / "naturalistic/dev/0000/0001.tar", members | {"notes.txt": b"x"})

    from_tar = read(tmp_path, "seamless")

    loose = read(seamless(tmp_path / "loose"), "seamless")
    columns = ["conversation", "speaker", "position", "start_ms", "end_ms", "text", "kind"]
    assert from_tar.words[columns].equals(loose.words[columns])
    path = from_tar.recordings["annotation_path"].iloc[0]
    assert path == f"naturalistic/dev/0000/0001.tar::{SEAMLESS_ID}_P0947.json"


def test_annotations_are_no_transcripts(tmp_path):
    seamless(tmp_path)
    name = f"{SEAMLESS_ID}_P0947.json"
    put(tmp_path / f"naturalistic/dev/annotations/3P-IS/{name}", '{"annotation": "x"}\n')

    assert len(said(read(tmp_path, "seamless"), TALK, ANN)) == 4


def test_words_are_cut_at_the_end_of_the_shorter_file(tmp_path):
    words = {"P1": [segment(("so", 1.0, 1.5), ("long", 2.8, 3.4), ("late", 3.6, 3.8))],
             "P2": [segment(("yes", 2.0, 2.4))]}  # fmt: skip
    seamless(tmp_path, words=words)
    for person, seconds in (("P1", 5.0), ("P2", 3.0)):
        wav(tmp_path / f"naturalistic/dev/audio/{SEAMLESS_ID}_{person}.wav", seconds=seconds)

    tables = read(tmp_path, "seamless")

    assert said(tables, TALK, "seamless:V00_P1") == [
        ("so", 1000, 1500, "word"),
        ("long", 2800, 3000, "word"),
    ]
    assert sorted(tables.recordings["duration_ms"]) == [3000, 5000]
    assert [reason for _, reason in faults(tables)] == [
        Reason.CUT, Reason.PAST_END, Reason.UNEVEN
    ]  # fmt: skip


@pytest.mark.parametrize("people", [["P1"], ["P1", "P2", "P3"]])
def test_other_than_two_people_are_left_out(tmp_path, people):
    words = {person: [segment(("so", 1.0, 1.5))] for person in people}

    tables = read(seamless(tmp_path, words=words), "seamless")

    assert faults(tables) == [(TALK, Reason.SPEAKERS)]
    assert len(tables.recordings) == 0


def test_a_word_without_times_is_named_and_an_empty_vad_is_spared(tmp_path):
    words = {"P1": [segment(("so", 1.0, 1.5), ("um", None, None))], "P2": []}

    tables = read(seamless(tmp_path, words=words, vad=()), "seamless")

    assert faults(tables) == [
        (f"{SEAMLESS_ID}_P1 word 1", Reason.UNTIMED),
        (TALK, Reason.EMPTY_VAD),
    ]
    assert len(tables.recordings) == 2


def test_a_person_without_transcript_leaves_the_interaction_out(tmp_path):
    seamless(tmp_path)
    (tmp_path / f"naturalistic/dev/metadata/transcript/{SEAMLESS_ID}_P0947.jsonl").unlink()

    tables = read(tmp_path, "seamless")

    assert faults(tables) == [(TALK, Reason.MISSING)]
    assert len(tables.recordings) == 0


def test_a_truncated_wav_leaves_the_interaction_out(tmp_path):
    seamless(tmp_path)
    path = tmp_path / f"naturalistic/dev/audio/{SEAMLESS_ID}_P0947.wav"
    wav(path)
    path.write_bytes(path.read_bytes()[:-5000])

    tables = read(tmp_path, "seamless")

    assert faults(tables) == [(TALK, Reason.BAD_AUDIO)]
    assert len(tables.recordings) == 0


def spoken(n_own, n_shared, *, late_s=0.0, prefix="w"):
    rows = [(f"shared{n}", n + late_s, n + late_s + 0.4) for n in range(n_shared)]
    rows += [(f"{prefix}{n}", 100.0 + n, 100.4 + n) for n in range(n_own)]
    return [segment(*rows)]


@pytest.mark.parametrize(
    ("ann", "bob", "bled"),
    [
        pytest.param(spoken(20, 10), spoken(20, 10, late_s=0.1, prefix="v"), True, id="a-third"),
        pytest.param(spoken(30, 10), spoken(30, 10, prefix="v"), False, id="a-quarter"),
        pytest.param(spoken(20, 10), spoken(20, 10, late_s=3.0, prefix="v"), False, id="echoed"),
        pytest.param(spoken(0, 15), spoken(0, 15), False, id="too-few-words-to-tell"),
    ],
)
def test_a_transcript_of_the_partner_s_words_is_left_out(tmp_path, ann, bob, bled):
    tables = read(seamless(tmp_path, words={"P1": ann, "P2": bob}), "seamless")

    assert faults(tables) == ([(TALK, Reason.BLED)] if bled else [])
    assert len(tables.recordings) == (0 if bled else 2)


def test_one_number_of_two_vendors_is_two_people(tmp_path):
    for vendor in ("V00", "V03"):
        for person in ("P1", "P2"):
            name = f"{vendor}_S1_I1_{person}"
            rows = '{"words": [{"word": "so", "start": 1.0, "end": 1.5}]}\n'
            put(tmp_path / f"transcript/{name}.jsonl", rows)

    tables = read(tmp_path, "seamless")

    assert tables.recordings["conversation"].nunique() == 2
    assert tables.recordings["speaker"].nunique() == 4


def test_a_root_without_ids_is_an_error(tmp_path):
    put(tmp_path / "filelist.csv", "file_id\n")

    with pytest.raises(InputError, match=r"seamless has no V_S_I_P files in"):
        read(tmp_path, "seamless")
