"""Generic corpora: whatever is wrong with a row or a file is named, and the rest is read."""

import time
from contextlib import suppress

import pytest

from corpora.layouts import faults, put, wav
from corpora.timing_files import (
    dyad,
    eaf,
    listed,
    long_textgrid,
    read,
    rttm,
    short_textgrid,
    timing_csv,
)
from tact.corpora import raw, timing
from tact.corpora.reasons import Reason
from tact.errors import InputError

TALK = "nl:c1"
WORDS = {"Ann": [(1.0, 1.25, "hoe"), (1.3, 1.5, "gaat"), (1.5, 1.752, "het")],
         "Ben": [(2.0, 2.4, "goed")]}  # fmt: skip


@pytest.mark.parametrize(
    ("row", "reason", "n_kept"),
    [
        ("2,1,nee,Ann,", Reason.BACKWARDS, 0),
        ("-2,1,nee,Ann,", Reason.BEFORE_START, 0),
        ("1,1,nee,Ann,", Reason.NO_LENGTH, 0),
        ("12,13,nee,Ann,", Reason.PAST_END, 0),
        ("9,11,nee,Ann,", Reason.CUT, 1),
        ("0.5,1.1,nee,Ann,", Reason.OVERLAP, 1),
        ("een,2,nee,Ann,", Reason.UNTIMED, 0),
        ("nan,2,nee,Ann,", Reason.UNTIMED, 0),
        ("4,5,nee,Zoe,", Reason.UNKNOWN_SPEAKER, 0),
        ("4,5,nee,,", Reason.UNKNOWN_SPEAKER, 0),
        ("4,5,nee,Ann,answer", Reason.UNTYPED_ACT, 1),
    ],
    ids=lambda value: str(value) if isinstance(value, Reason) else "",
)
def test_a_bad_row_of_a_timing_file_is_named_and_the_rest_is_read(tmp_path, row, reason, n_kept):
    page = "start_s,end_s,text,speaker,intent\n1.0,1.5,ja,Ann,\n2.0,2.5,ja,Ben,\n"
    tables = read(dyad(tmp_path, "c1.csv", page + row + "\n"))

    assert [why for _, why in faults(tables)] == [reason]
    assert len(tables.words) == 2 + n_kept
    assert len(tables.recordings) == 2


def test_a_speaker_of_whom_a_file_says_nothing_is_named(tmp_path):
    tables = read(dyad(tmp_path, "c1.TextGrid", long_textgrid({"Ann": WORDS["Ann"], "ben": []})))

    assert faults(tables) == [(TALK, Reason.EMPTY)]


SOUND = timing_csv(WORDS)
LATIN = long_textgrid({"Ann": [(1.0, 2.0, "één")]}).encode("latin-1")


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("c1", "Ann", 0, "", "t.csv", 10)], Reason.SPEAKERS),
        ([("c1", "Ann", 0, "", "t.csv", 10), ("c1", "", 1, "", "t.csv", 10)], Reason.SPEAKERS),
        ([("c1", "Ann", "left", "", "t.csv", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.CHANNELS),
        ([("c1", "Ann", 0, "two.wav", "t.csv", ""), ("c1", "Ben", 0, "two.wav", "t.csv", "")],
         Reason.CHANNELS),
        ([("c1", "Ann", 0, "one.wav", "t.csv", ""), ("c1", "Ben", 1, "one.wav", "t.csv", "")],
         Reason.CHANNELS),
        ([("c1", "Ann", 0, "t.csv", "t.csv", ""), ("c1", "Ben", 1, "t.csv", "t.csv", "")],
         Reason.BAD_AUDIO),
        ([("c1", "Ann", 0, "no.wav", "t.csv", ""), ("c1", "Ben", 1, "two.wav", "t.csv", "")],
         Reason.MISSING),
        ([("c1", "Ann", 0, "", "no.csv", 10), ("c1", "Ben", 1, "", "t.csv", 10)], Reason.MISSING),
        ([("c1", "Ann", 0, "", "folder", 10), ("c1", "Ben", 1, "", "t.csv", 10)], Reason.MISSING),
        ([("c1", "Ann", 0, "", "x" * 300, 10), ("c1", "Ben", 1, "", "t.csv", 10)], Reason.MISSING),
        ([("c1", "Ann", 0, "", "", 10), ("c1", "Ben", 1, "", "t.csv", 10)], Reason.MISSING),
        ([("c1", "Ann", 0, "", "../t.csv", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.OUTSIDE),
        ([("c1", "Ann", 0, "/etc/passwd", "t.csv", ""), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.OUTSIDE),
        ([("c1", "Ann", 0, "", "C:\\t.csv", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.OUTSIDE),
        ([("c1", "Ann", 0, "", "t.csv::x", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.OUTSIDE),
        ([("c1", "Ann", 0, "", "t.csv", ""), ("c1", "Ben", 1, "", "t.csv", "")], Reason.UNTIMED),
        ([("c1", "Ann", 0, "", "t.csv", -1), ("c1", "Ben", 1, "", "t.csv", "")], Reason.UNTIMED),
        ([("c1", "Ann", 0, "", "t.lab", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.UNREADABLE),
        ([("c1", "Ann", 0, "", "latin.TextGrid", 10), ("c1", "Ben", 1, "", "t.csv", 10)],
         Reason.UNREADABLE),
    ],
)  # fmt: skip
def test_a_conversation_that_cannot_be_read_is_left_out_whole(tmp_path, rows, reason):
    for name in ("t.csv", "t.lab", "folder/t.csv", "../t.csv"):
        put(tmp_path / "root" / name, SOUND)
    put(tmp_path / "root/latin.TextGrid", LATIN)
    wav(tmp_path / "root/two.wav", channels=2)
    wav(tmp_path / "root/one.wav", channels=1)
    tables = read(listed(tmp_path / "root", *rows))

    assert faults(tables) == [(TALK, reason)]
    assert len(tables.recordings) == len(tables.words) == 0


def test_a_repeated_row_and_one_without_a_conversation_are_left_out(tmp_path):
    put(tmp_path / "c1.csv", SOUND)
    row = ("c1", "Ann", 0, "", "c1.csv", 10)
    ben = ("c1", "Ben", 1, "", "c1.csv", 10)
    tables = read(listed(tmp_path, row, ben, row, ("", *row[1:])))

    assert len(tables.recordings) == 2
    assert faults(tables) == [
        ("recordings.csv line 4", Reason.REPEATED), ("recordings.csv line 5", Reason.UNREADABLE)
    ]  # fmt: skip


def test_two_conversations_may_not_name_one_file(tmp_path):
    rows = [(name, who, k, "", "c1.csv", 10) for name in ("c1", "c2")
            for k, who in enumerate(("Ann", "Ben"))]  # fmt: skip
    put(tmp_path / "c1.csv", SOUND)

    assert faults(read(listed(tmp_path, *rows))) == [("nl:c2", Reason.DUPLICATE)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"nl has no recordings\.csv \(columns conversation, speaker, channel"),
        ("conversation,speaker\nc1,Ann\n", r"no column 'channel'; its first line names convers"),
        ("conversation;speaker;channel\nc1;Ann;0\n", r"with commas between; mend the file"),
        ("conversation,speaker,channel\n", r"has no row; write one per conversation and speaker"),
        ("", r"no column 'conversation'"),
        ("conversation,speaker,channel\nc1,Zoë,0\n".encode("latin-1"), r"save it as UTF-8"),
        (b"conversation,speaker,channel\n\0,Ann,0\n", r"save it as UTF-8"),
        ('conversation,speaker,channel\n"' + "x" * 200_000, r"recordings\.csv is not CSV"),
    ],
    ids=["none", "column", "semicolons", "no row", "empty", "latin", "null", "quote"],
)
def test_a_bad_recordings_csv_is_one_line_with_its_cure(tmp_path, content, message):
    put(tmp_path / "x.wav", b"")
    if content is not None:
        put(tmp_path / "recordings.csv", content)

    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value)


def parse(tmp_path, name, content):
    put(tmp_path / name, content)
    return timing.read(raw.File(tmp_path, name))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.TextGrid", "hello", "cut short in its type"),
        ("a.TextGrid", '"ooTextFile" "Pitch 1"', "is no TextGrid"),
        ("a.TextGrid", long_textgrid(WORDS)[:400], "cut short in tier 'Ann'"),
        ("a.TextGrid", long_textgrid({"Ann": [(1, 2, "x")]})[:-3], "a quote is left open"),
        ("a.TextGrid", long_textgrid(WORDS).replace("size = 2", "size = 2.5"), "has 2.5 tiers"),
        ("a.TextGrid", long_textgrid(WORDS).replace("size = 2", "size = 1e12"), "1e.12 tiers"),
        ("a.TextGrid", long_textgrid(WORDS).replace("IntervalTier", "Tear"), "of class 'Tear'"),
        ("a.TextGrid", long_textgrid({"x" * 999: []}), "a name of 999 letters"),
        ("a.TextGrid", long_textgrid(WORDS).replace("xmin = 1.0", "xmin = one"), "is broken"),
        ("a.eaf", "<a", "is not XML"),
        ("a.eaf", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "declares a document type"),
        ("a.eaf", "<nite/>", "is no ELAN file; its root is nite"),
        ("a.eaf", eaf(WORDS).replace("milliseconds", "PAL-frames"), "counts time in PAL-frames"),
        ("a.rttm", rttm(WORDS) + rttm(WORDS).replace("c1", "c2"), r"recordings \(c1, c2\)"),
        ("a.rttm", "noise\n" * 2000, "over 1000 faults"),
        ("a.csv", "a,b\n1,2\n", "no column 'start_s'"),
        ("a.csv", b"start_s,end_s\n" + b" " * 2**25, "over 32 MiB"),
        ("a.eaf", "<a>" * 2_000_001, "over 2000000 tags"),
        ("a.ctm", "", "known are .rttm, .TextGrid, .eaf, .csv"),
    ],
)
def test_a_broken_timing_file_is_one_line(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message) as caught:
        parse(tmp_path, name, content)
    assert "\n" not in str(caught.value)


def test_an_annotation_without_a_time_of_its_own_is_named(tmp_path):
    page = eaf(WORDS).replace("TIME_VALUE='1000'", "").replace("TIME_VALUE='2000'", "TIME_VALUE=''")
    tables = read(dyad(tmp_path, "c1.eaf", page))

    assert faults(tables) == [
        ("c1.eaf tier 'Ann' annotation 1", Reason.UNTIMED),
        ("c1.eaf tier 'Ben' annotation 1", Reason.UNTIMED),
        (TALK, Reason.EMPTY),
    ]


def test_a_file_of_too_many_rows_is_not_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(timing, "ROWS_MAX", 10)

    assert (
        len(parse(tmp_path, "a.csv", "start_s,end_s\n" + "1,2\n" * 10).tiers[None, "speech"]) == 10
    )
    with pytest.raises(InputError, match="over 10 rows; is it the right file"):
        parse(tmp_path, "a.csv", "start_s,end_s\n" + "1,2\n" * 11)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.TextGrid", '"' * 2_000_001),
        ("a.TextGrid", "9" * 2_000_000),
        ("a.TextGrid", "1 " * 1_000_000),
        ("a.TextGrid", short_textgrid({})[:-2] + '999999999 "IntervalTier" "A" 0 1 999999999'),
        ("a.eaf", "<a>" * 300_000),
        ("a.eaf", "<a>" * 300_000 + "</a>" * 300_000),
        ("a.csv", "start_s,end_s\n" + "," * 2_000_000),
        ("a.rttm", "SPEAKER " * 300_000),
    ],
    ids=["quotes", "digits", "numbers", "counts", "open", "deep", "commas", "fields"],
)
def test_nothing_makes_a_parser_slow(tmp_path, name, content):
    put(tmp_path / name, content)
    started = time.process_time()
    with suppress(InputError):
        timing.read(raw.File(tmp_path, name))

    assert time.process_time() - started < 5


LONG = {"Ann": [(k, k + 0.5, "ja") for k in range(0, 100, 4)],
        "Ben": [(k + 2, k + 2.5, "nee") for k in range(0, 100, 4)]}  # fmt: skip


def scaled(tiers, factor):
    return {
        name: [(start * factor, end * factor, mark) for start, end, mark in spans]
        for name, spans in tiers.items()
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c1.rttm", rttm(scaled(LONG, 1000))),
        ("c1.csv", timing_csv(scaled(LONG, 1000))),
        ("c1.TextGrid", long_textgrid(scaled(LONG, 1000), xmax=120_000)),
    ],
)
def test_times_in_ms_where_s_are_meant_are_one_line(tmp_path, name, content):
    tables = read(dyad(tmp_path, name, content, duration="120"))

    assert faults(tables) == [(TALK, Reason.BAD_TIMING)]
    assert tables.quarantine["detail"].tolist() == [
        f"{name}: 49 of 50 intervals start past the end, 120.0 s, and the last ends at 98500; are"
        " these ms? seconds are wanted"
    ]


@pytest.mark.parametrize(("factor", "duration"), [(1, "120"), (1, "40"), (2, "40"), (5000, "120")])
def test_times_past_the_end_by_another_factor_are_rows_of_their_own(tmp_path, factor, duration):
    tables = read(dyad(tmp_path, "c1.csv", timing_csv(scaled(LONG, factor)), duration=duration))

    assert Reason.BAD_TIMING not in set(tables.quarantine["reason"])
