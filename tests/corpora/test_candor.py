"""CANDOR: two sources must agree on who is where; words come from the channels."""

import pytest

from corpora.layouts import CANDOR_ID, aws, candor, encoded, faults, put, read, said
from tact.corpora.reasons import Reason
from tact.errors import InputError

TALK = f"candor:{CANDOR_ID}"


def test_left_is_channel_0_and_words_stand_at_their_times(tmp_path):
    put(tmp_path / CANDOR_ID / f"processed/{CANDOR_ID}.mp3", encoded("MP3"))

    tables = read(candor(tmp_path), "candor")

    rows = tables.recordings.set_index("channel")
    assert list(rows.loc[[0, 1], "speaker"]) == ["candor:ann", "candor:bob"]
    assert set(rows["sample_rate_hz"]) == {48_000}
    assert set(rows["duration_ms"]) == {10_000}
    assert set(rows["split_group"]) == {"candor:ann+bob"}
    assert said(tables, TALK, "candor:ann") == [
        ("hi", 1000, 1200, "word"),
        ("there", 1250, 1600, "word"),
        (".", 1600, 1600, "punctuation"),
    ]
    assert faults(tables) == []


def test_a_person_may_say_na_and_be_of_no_age(tmp_path):
    tables = read(candor(tmp_path), "candor")

    assert said(tables, TALK, "candor:bob") == [("NA", 2000, 2400, "word")]
    speakers = tables.speakers.set_index("speaker")
    assert list(speakers.loc["candor:ann", ["gender", "age"]]) == ["female", "30-39"]
    assert speakers.loc["candor:bob", "gender"] == "male"
    assert speakers.loc[["candor:bob"], "age"].isna().all()


def test_folders_may_lie_deep_and_a_conversation_in_several_trees(tmp_path):
    candor(tmp_path / "a/processed-hub", leave_out=["survey.csv"])
    candor(
        tmp_path / "b",
        leave_out=[
            "metadata.json",
            "processed/channel_map.json",
            "transcription/transcribe_output.json",
        ],
    )

    tables = read(tmp_path, "candor")

    assert set(tables.recordings["conversation"]) == {TALK}
    assert set(tables.speakers["gender_source"]) == {"survey.csv"}
    assert faults(tables) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        pytest.param({"channel_map": {"L": "bob", "R": "ann"}}, Reason.CHANNELS, id="swapped"),
        pytest.param({"channel_map": {"L": "ann", "R": "ann"}, "metadata": {}}, Reason.SPEAKERS,
                     id="one-person"),
        pytest.param({"channel_map": {"L": "ann"}, "metadata": {}}, Reason.SPEAKERS, id="no-right"),
        pytest.param({"channel_map": {}, "metadata": []}, Reason.SPEAKERS, id="nobody"),
        pytest.param({"transcribe_output": "{"}, Reason.UNREADABLE, id="words-broken"),
        pytest.param({"transcribe_output": {"results": {}}}, Reason.CHANNELS, id="no-channels"),
    ],
)  # fmt: skip
def test_a_conversation_that_does_not_add_up_is_left_out(tmp_path, changed, reason):
    tables = read(candor(tmp_path, **changed), "candor")

    assert (TALK, reason) in faults(tables)
    assert len(tables.recordings) == len(tables.words) == 0


@pytest.mark.parametrize("lost", ["metadata.json", "processed/channel_map.json", "survey.csv"])
def test_what_can_be_spared_is_missed_in_a_row_only(tmp_path, lost):
    tables = read(candor(tmp_path, leave_out=[lost]), "candor")

    assert faults(tables) == [(TALK, Reason.MISSING)]
    assert len(tables.recordings) == 2


def test_words_cannot_be_spared(tmp_path):
    tables = read(candor(tmp_path, leave_out=["transcription/transcribe_output.json"]), "candor")

    assert faults(tables) == [(TALK, Reason.MISSING)]
    assert len(tables.recordings) == 0


def test_broken_metadata_leaves_the_channel_map_to_count(tmp_path):
    tables = read(candor(tmp_path, metadata="{"), "candor")

    assert faults(tables) == [(TALK, Reason.UNREADABLE)]
    assert len(tables.recordings) == 2


def test_a_survey_row_of_a_stranger_is_named(tmp_path):
    tables = read(candor(tmp_path, survey="user_id,sex,age\nzoe,female,30\n"), "candor")

    assert faults(tables) == [(TALK, Reason.UNKNOWN_SPEAKER)]
    assert set(tables.speakers["speaker"]) == {"candor:ann", "candor:bob"}


@pytest.mark.parametrize("content", [b"no audio", encoded("MP3", channels=1)])
def test_broken_or_mono_audio_leaves_the_conversation_out(tmp_path, content):
    put(tmp_path / CANDOR_ID / f"processed/{CANDOR_ID}.mp3", content)

    tables = read(candor(tmp_path), "candor")

    assert faults(tables) == [(TALK, Reason.BAD_AUDIO)]
    assert len(tables.recordings) == 0


def test_a_bad_word_is_named_by_its_place(tmp_path):
    channels = [
        {"channel_label": "ch_0", "items": [aws("hi", "2.0", "1.0"), aws("so", "3.0", "3.5")]},
        {"channel_label": "ch_1", "items": []},
    ]
    words = {"results": {"channel_labels": {"channels": channels}}}

    tables = read(candor(tmp_path, transcribe_output=words), "candor")

    assert faults(tables) == [(f"{CANDOR_ID} ch_0 item 0", Reason.BACKWARDS)]
    assert said(tables, TALK, "candor:ann") == [("so", 3000, 3500, "word")]


def test_a_conversation_without_audio_is_named_where_others_have_it(tmp_path):
    other = "11111111-1658-4747-99c1-2839e736b481"
    put(tmp_path / CANDOR_ID / f"processed/{CANDOR_ID}.mp3", encoded("MP3"))
    candor(tmp_path, folder=other)

    tables = read(candor(tmp_path), "candor")

    assert faults(tables) == [(f"candor:{other}", Reason.NO_AUDIO)]
    assert tables.recordings["conversation"].nunique() == 2


def test_an_empty_root_says_how_to_get_the_corpus(tmp_path):
    put(tmp_path / "README.txt", "x")

    with pytest.raises(InputError, match=r"candor has no metadata\.json in .*ask for betterup"):
        read(tmp_path, "candor")
