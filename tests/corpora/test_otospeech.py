"""otoSpeech: sessions inside tars, two releases, redactions, and the optional words."""

import hashlib

import pytest

from corpora.layouts import (
    OTO_CLEAN,
    OTO_RAW,
    OTO_WORDS,
    encoded,
    faults,
    oto_json,
    put,
    read,
    said,
    tar,
)
from tact import audio
from tact.corpora.reasons import Reason
from tact.errors import InputError

SESSION = "0123456789abcdef0123456789abcdef"
TALK = f"otospeech:{SESSION}"


def session(name=SESSION, *, flac=None, words=OTO_WORDS, **stated):
    members = {f"{name}.json": oto_json(**stated)}
    if flac is not None:
        members[f"{name}.flac"] = flac
    if words is not None:
        members[f"{name}.words.csv"] = words
    return members


def test_a_session_is_read_inside_its_tar(tmp_path):
    tar(tmp_path / OTO_RAW, session(flac=encoded("FLAC")))

    tables = read(tmp_path, "otospeech")

    rows = tables.recordings.set_index("channel")
    assert set(rows["path"]) == {f"{OTO_RAW}::{SESSION}.flac"}
    assert list(rows.loc[[0, 1], "speaker"]) == ["otospeech:p1", f"otospeech:{SESSION}-1"]
    assert set(rows["release"]) == {"otoSpeech-full-duplex-280h"}
    assert set(rows["sample_rate_hz"]) == {48_000}
    assert said(tables, TALK, "otospeech:p1") == [
        ("hello", 1000, 1500, "word"),
        ("?", 1500, 1500, "punctuation"),
    ]
    assert list(tables.speakers.set_index("speaker")["gender"].sort_index()) == ["male", "female"]
    assert faults(tables) == []


def test_the_path_of_a_member_opens_and_its_hash_is_that_of_its_bytes(tmp_path):
    content = encoded("FLAC")
    put(tmp_path / "alone.flac", content)
    tar(tmp_path / OTO_RAW, session(flac=content))

    row = read(tmp_path, "otospeech").recordings.iloc[0]

    assert audio.probe(tmp_path / row["path"]) == audio.probe(tmp_path / "alone.flac")
    assert row["sha256"] == hashlib.sha256(content).hexdigest()


def test_of_two_releases_the_one_as_recorded_counts_and_the_rate_is_the_file_s_own(tmp_path):
    only = "f" * 32
    tar(tmp_path / OTO_CLEAN, session(flac=encoded("FLAC", rate_hz=44_100))
        | session(only, flac=encoded("FLAC", rate_hz=44_100)))  # fmt: skip
    tar(tmp_path / OTO_RAW, session(flac=encoded("FLAC")))

    tables = read(tmp_path, "otospeech")

    rates = tables.recordings.groupby("conversation")["sample_rate_hz"].first()
    assert dict(rates) == {TALK: 48_000, f"otospeech:{only}": 44_100}
    assert faults(tables) == [(TALK, Reason.DUPLICATE)]


def test_a_broken_first_copy_lets_the_second_count(tmp_path):
    tar(tmp_path / OTO_RAW, session(flac=encoded("FLAC")[:5000]))
    tar(tmp_path / OTO_CLEAN, session(flac=encoded("FLAC", rate_hz=44_100)))

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [(TALK, Reason.BAD_AUDIO)]
    assert set(tables.recordings["sample_rate_hz"]) == {44_100}


def test_a_redacted_span_is_a_row_and_an_item_on_both_channels(tmp_path):
    spans = [{"start_sec": 3.2, "end_sec": 4.0}, {"start_sec": None}]
    tar(tmp_path / OTO_RAW, session(redacted_segments=spans))

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [(TALK, Reason.REDACTED), (TALK, Reason.UNTIMED)]
    assert "3.200 to 4.000 s" in set(tables.quarantine["detail"])
    for speaker in ("otospeech:p1", f"otospeech:{SESSION}-1"):
        assert ("[redacted]", 3200, 4000, "other") in said(tables, TALK, speaker)


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        pytest.param({"speakers": [{}]}, Reason.SPEAKERS, id="one-person"),
        pytest.param({"speakers": None}, Reason.SPEAKERS, id="no-people"),
        pytest.param({"speakers": [{"id": "p"}, {"id": "p"}]}, Reason.SPEAKERS, id="same-person"),
    ],
)
def test_a_session_of_other_than_two_people_is_left_out(tmp_path, stated, reason):
    tar(tmp_path / OTO_RAW, session(**stated))

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [(TALK, reason)]
    assert len(tables.recordings) == 0


def test_people_are_followed_by_their_profile_ids_only_where_that_is_wanted(tmp_path):
    people = {"speakers": [{"profile_id": "p1", "gender": "female"}, {"profile_id": "p2"}]}
    other = "c" * 32
    again = {name.replace(SESSION, other): body for name, body in session(**people).items()}
    tar(tmp_path / OTO_RAW, session(**people) | again)

    linked = read(tmp_path, "otospeech")
    apart = read(tmp_path, "otospeech", link_speakers=False)

    assert set(linked.recordings["speaker"]) == {"otospeech:p1", "otospeech:p2"}
    assert set(apart.recordings["speaker"]) == {
        f"otospeech:{name}-{side}" for name in (SESSION, other) for side in (0, 1)
    }
    assert not apart.speakers["speaker"].str.contains("p1").any()
    assert apart.speakers["gender"].tolist().count("female") == 2


def test_a_session_whose_redactions_are_not_known_is_left_out(tmp_path):
    tar(tmp_path / OTO_RAW, {f"{SESSION}.flac": encoded("FLAC")})
    assert faults(read(tmp_path, "otospeech")) == [(TALK, Reason.MISSING)]

    tar(tmp_path / OTO_RAW, {f"{SESSION}.json": b"{", f"{SESSION}.flac": encoded("FLAC")})
    assert faults(read(tmp_path, "otospeech")) == [(TALK, Reason.UNREADABLE)]


@pytest.mark.parametrize("flac", [b"", b"no audio", encoded("FLAC", channels=1)])
def test_broken_or_mono_audio_leaves_the_session_out(tmp_path, flac):
    tar(tmp_path / OTO_RAW, session(flac=flac))

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [(TALK, Reason.BAD_AUDIO)]
    assert len(tables.recordings) == 0


def test_words_may_lie_beside_the_tars(tmp_path):
    tar(tmp_path / OTO_RAW, session(words=None))
    put(tmp_path / f"words/{SESSION}.words.csv", OTO_WORDS)

    tables = read(tmp_path, "otospeech")

    assert ("yes", 2000, 2300, "word") in said(tables, TALK, f"otospeech:{SESSION}-1")


def test_a_bad_row_of_words_is_named_and_a_broken_file_costs_only_the_words(tmp_path):
    rows = b"channel,start,end,text\n2,1.0,1.5,hello\n0,2.0,1.0,so\n1,3.0,3.5,yes\n"
    tar(tmp_path / OTO_RAW, session(words=rows) | session("e" * 32, words=b"\xff\xfe"))

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [
        (f"{SESSION}.words.csv line 2", Reason.CHANNELS),
        (f"{SESSION}.words.csv line 3", Reason.BACKWARDS),
        (f"otospeech:{'e' * 32}", Reason.UNREADABLE),
    ]
    assert tables.recordings["conversation"].nunique() == 2


def test_a_tar_cut_short_is_named_and_what_came_before_is_read(tmp_path):
    tar(tmp_path / OTO_RAW, session(words=None) | {f"{'e' * 32}.flac": encoded("FLAC")})
    whole = (tmp_path / OTO_RAW).read_bytes()
    (tmp_path / OTO_RAW).write_bytes(whole[:4000])

    tables = read(tmp_path, "otospeech")

    assert faults(tables) == [(OTO_RAW, Reason.UNREADABLE)]
    assert set(tables.recordings["conversation"]) == {TALK}


def test_a_root_without_tars_is_an_error(tmp_path):
    put(tmp_path / "README.md", "x")

    with pytest.raises(InputError, match=r"otospeech has no tars in .*accept the terms"):
        read(tmp_path, "otospeech")
