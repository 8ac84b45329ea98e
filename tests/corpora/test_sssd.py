"""SSSD: exactly two channels, one speaker each, supervisions for text alone."""

import gzip

import pytest

from corpora.layouts import encoded, faults, label, lines, put, read, said, sssd
from tact.corpora.reasons import Reason
from tact.errors import InputError


def recording(**more):
    source = {"type": "file", "channels": [0, 1], "source": "/far/away/s1_mixed.flac"}
    return {"id": "s1", "sources": [source], "duration": 10.0, **more}


def test_supervisions_become_rows_of_text_in_time_order_and_audio_is_found_by_name(tmp_path):
    put(tmp_path / "original/s1_mixed.flac", encoded("FLAC"))

    tables = read(sssd(tmp_path), "sssd")

    assert said(tables, "sssd:s1", "sssd:hash0") == [
        ("so I was", 1000, 3500, "word"),
        ("later", 6000, 7000, "word"),
    ]
    assert set(tables.words["source"]) == {"utterance"}
    assert set(tables.recordings["path"]) == {"original/s1_mixed.flac"}
    assert set(tables.recordings["channel"]) == {0, 1}
    assert faults(tables) == []


def test_a_span_past_the_end_of_the_audio_is_cut(tmp_path):
    put(tmp_path / "original/s1_mixed.flac", encoded("FLAC", seconds=5.0))

    tables = read(sssd(tmp_path), "sssd")

    assert faults(tables) == [("s1-2", Reason.PAST_END)]
    tables = read(sssd(tmp_path, supervisions=[label(0, 4.0, 3.0, 0)]), "sssd")
    assert said(tables, "sssd:s1", "sssd:hash0") == [("so I was", 4000, 5000, "word")]
    assert faults(tables) == [("s1-0", Reason.CUT)]


def test_aligned_words_are_taken_where_every_supervision_has_them(tmp_path):
    rows = [
        label(0, 1.0, 1.0, 0, alignment={"word": [["so", 1.0, 0.3, None], ["I", 1.5, 0.2, None]]}),
        label(1, 4.0, 1.0, 1, alignment={"word": [["yes", 4.1, 0.5, 0.9]]}),
    ]

    tables = read(sssd(tmp_path, supervisions=rows), "sssd")

    assert set(tables.words["source"]) == {"forced"}
    assert said(tables, "sssd:s1", "sssd:hash0") == [
        ("so", 1000, 1300, "word"),
        ("I", 1500, 1700, "word"),
    ]
    tables = read(sssd(tmp_path, supervisions=[*rows, label(2, 7.0, 1.0, 0)]), "sssd")
    assert set(tables.words["source"]) == {"utterance"}


def test_a_nameless_channel_gets_a_speaker_of_its_own(tmp_path):
    rows = [
        label(0, 1.0, 1.0, 0, speaker=""),
        label(1, 2.0, 1.0, 1, speaker=None),
        label(2, 5.0, 1.0, 0, speaker="") | {"recording_id": "s2"},
    ]
    sessions = [recording(), recording(id="s2")]

    tables = read(sssd(tmp_path, recordings=sessions, supervisions=rows), "sssd")

    assert tables.recordings["speaker"].nunique() == 4
    assert "sssd:s1-channel-0" in set(tables.recordings["speaker"])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        pytest.param(recording(sources=[]), Reason.CHANNELS, id="no-source"),
        pytest.param(recording(sources=recording()["sources"] * 2), Reason.CHANNELS, id="sources"),
        pytest.param(recording(sources=[{"channels": [0, 1, 2]}]), Reason.CHANNELS, id="three"),
        pytest.param(recording(sources=[{"channels": [0]}]), Reason.CHANNELS, id="one-channel"),
        pytest.param(recording(sources=[{"channels": ["a", "b"]}]), Reason.CHANNELS, id="letters"),
        pytest.param(recording(sources=[{"channels": [1, 1]}]), Reason.SPEAKERS, id="twice-one"),
    ],
)
def test_a_session_of_other_than_one_source_of_two_channels_is_left_out(tmp_path, row, reason):
    tables = read(sssd(tmp_path, recordings=[row], supervisions=[]), "sssd")

    assert ("sssd:s1", reason) in faults(tables)
    assert len(tables.recordings) == 0


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([label(0, 1, 1, 0), label(1, 3, 1, 0, speaker="other")], id="two-on-one"),
        pytest.param([label(0, 1, 1, 0), label(1, 3, 1, 1, speaker="hash0")], id="one-on-two"),
        pytest.param([label(0, 1, 1, 0), label(1, 3, 1, 2)], id="third-channel"),
    ],
)
def test_channels_that_do_not_tell_two_people_apart_are_left_out(tmp_path, rows):
    tables = read(sssd(tmp_path, supervisions=rows), "sssd")

    assert faults(tables) == [("sssd:s1", Reason.SPEAKERS)]
    assert len(tables.recordings) == 0


def test_a_session_without_supervisions_is_kept_for_its_audio(tmp_path):
    put(tmp_path / "original/s1_mixed.flac", encoded("FLAC"))

    tables = read(sssd(tmp_path, supervisions=[]), "sssd")

    assert faults(tables) == [("sssd:s1", Reason.EMPTY)]
    assert len(tables.recordings) == 2
    assert tables.recordings["annotation_path"].isna().all()


def test_supervisions_of_no_session_and_lines_that_are_not_json_are_named(tmp_path):
    sssd(tmp_path)
    page = lines([label(0, 1, 1, 0), label(1, 3, 1, 1, recording_id="s9")]) + "nonsense\n"
    put(tmp_path / "lhotse_manifests_48/supervisions.jsonl.gz", gzip.compress(page.encode()))

    assert faults(read(tmp_path, "sssd")) == [
        ("sssd:s9", Reason.MISSING),
        ("supervisions.jsonl.gz line 3", Reason.UNREADABLE),
    ]


def test_lost_supervisions_leave_the_sessions(tmp_path):
    sssd(tmp_path)
    (tmp_path / "lhotse_manifests_48/supervisions.jsonl.gz").unlink()

    tables = read(tmp_path, "sssd")

    assert ("supervisions.jsonl.gz", Reason.UNREADABLE) in faults(tables)
    assert len(tables.recordings) == 2


def test_the_48_khz_manifests_are_preferred(tmp_path):
    sssd(tmp_path)
    put(
        tmp_path / "lhotse_manifests/recordings.jsonl.gz",
        gzip.compress(lines([recording(id="sixteen")]).encode()),
    )

    assert set(read(tmp_path, "sssd").recordings["conversation"]) == {"sssd:s1"}


@pytest.mark.parametrize("channels", [1, None])
def test_a_file_that_is_broken_or_has_one_channel_leaves_its_session_out(tmp_path, channels):
    content = encoded("FLAC", channels=channels) if channels else encoded("FLAC")[:2000]
    put(tmp_path / "original/s1_mixed.flac", content)

    tables = read(sssd(tmp_path), "sssd")

    assert faults(tables) == [("sssd:s1", Reason.BAD_AUDIO)]
    assert len(tables.recordings) == 0


@pytest.mark.parametrize("content", [None, b"plain"])
def test_a_root_without_recordings_is_an_error(tmp_path, content):
    put(tmp_path / "lhotse_manifests_48/supervisions.jsonl.gz", gzip.compress(b""))
    if content:
        put(tmp_path / "lhotse_manifests_48/recordings.jsonl.gz", content)

    with pytest.raises(InputError, match=r"recordings\.jsonl\.gz"):
        read(tmp_path, "sssd")
