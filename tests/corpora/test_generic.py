"""Generic corpora: recordings.csv and timing files of four formats, to the word and to the ms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.layouts import faults, put, said, wav
from corpora.timing_files import (
    dyad,
    eaf,
    listed,
    long_textgrid,
    read,
    rttm,
    short_textgrid,
    table,
    timing_csv,
)
from tact.corpora import timing
from tact.corpora.reasons import Reason

TALK = "nl:c1"
ANN, BEN = "nl:Ann", "nl:Ben"
WORDS = {"Ann": [(1.0, 1.25, "hoe"), (1.3, 1.5, "gaat"), (1.5, 1.752, "het")],
         "Ben": [(2.0, 2.4, "goed")]}  # fmt: skip
OF_ANN = [("hoe", 1000, 1250, "word"), ("gaat", 1300, 1500, "word"), ("het", 1500, 1752, "word")]
OF_BEN = [("goed", 2000, 2400, "word")]


def sources(tables):
    return set(tables.words["source"])


def acts(tables):
    rows = tables.acts[["speaker", "act", "start_ms", "end_ms", "answers"]]
    return sorted(rows.itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("c1.TextGrid", long_textgrid(WORDS)),
        ("c1.textgrid", short_textgrid(WORDS)),
        ("utf16.TextGrid", long_textgrid(WORDS).encode("utf-16")),
        ("utf16be.TextGrid", b"\xfe\xff" + short_textgrid(WORDS).encode("utf-16-be")),
        ("bom.TextGrid", b"\xef\xbb\xbf" + long_textgrid(WORDS).encode()),
        ("crlf.TextGrid", long_textgrid(WORDS).replace("\n", "\r\n").encode()),
        ("c1.csv", timing_csv(WORDS)),
        ("c1.eaf", eaf(WORDS)),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_words_of_each_format_are_read_to_the_millisecond(tmp_path, name, content):
    tables = read(dyad(tmp_path, name, content))

    assert said(tables, TALK, ANN) == OF_ANN
    assert said(tables, TALK, BEN) == OF_BEN
    assert sources(tables) == {"manual"}
    assert set(tables.recordings["annotation_path"]) == {name}
    assert set(tables.recordings["duration_ms"]) == {10_000}
    assert set(tables.recordings["language"]) == {"nl"}
    assert faults(tables) == []


def test_rttm_has_utterances_without_text(tmp_path):
    page = ";; made by hand\nSPKR-INFO c1 1 <NA> <NA> <NA> unknown Ann <NA>\n" + rttm(WORDS)
    tables = read(dyad(tmp_path, "c1.rttm", page))

    assert said(tables, TALK, ANN) == [("", start, end, kind) for _, start, end, kind in OF_ANN]
    assert sources(tables) == {"utterance"}
    assert faults(tables) == []


def test_a_tier_of_phrases_is_utterances_and_a_tier_of_words_never_is(tmp_path):
    phrases = {"Ann": [(1.0, 3.0, "hoe gaat het")], "Ben": [(4.0, 4.5, "goed")]}
    tables = read(dyad(tmp_path, "c1.TextGrid", long_textgrid(phrases)))

    source = tables.words.set_index("speaker")["source"].to_dict()
    assert source == {ANN: "utterance", BEN: "manual"}

    named = {"Ann - words": [(1.0, 3.0, "hoe gaat")], **phrases}
    tables = read(dyad(tmp_path, "c1.TextGrid", long_textgrid(named)))

    assert said(tables, TALK, ANN) == [("hoe gaat", 1000, 3000, "word")]
    assert sources(tables) == {"manual"}
    assert faults(tables) == []


def test_in_a_file_of_ones_own_the_tiers_need_no_name(tmp_path):
    put(tmp_path / "b.csv", table(("start_s", "end_s", "text"), [(2, 2.4, "ja hoor")]))
    own = {"words": WORDS["Ann"], "phones": [(1.0, 1.1, "h")], "intent": [(1.0, 1.752, "ans")]}
    tables = read(dyad(tmp_path, "a.TextGrid", short_textgrid(own), timing_b="b.csv"))

    assert said(tables, TALK, ANN) == OF_ANN
    assert said(tables, TALK, BEN) == [("ja hoor", 2000, 2400, "word")]
    assert acts(tables) == [(ANN, "intent:ans", 1000, 1752, False)]
    assert faults(tables) == []


def test_marks_of_silence_are_no_words(tmp_path):
    spans = [(k, k + 0.5, mark) for k, mark in enumerate(("<sil>", "sp", "[Pause]", "#", "ja"))]
    tiers = {"Ann": spans, "Ben": [(6.0, 6.4, 'zei "nee"')]}
    tables = read(dyad(tmp_path, "c1.TextGrid", long_textgrid(tiers)))

    assert said(tables, TALK, ANN) == [("ja", 4000, 4500, "word")]
    assert said(tables, TALK, BEN) == [('zei "nee"', 6000, 6400, "word")]


@pytest.mark.parametrize("write", [long_textgrid, short_textgrid, eaf])
def test_marks_of_intent_become_acts_and_strange_ones_are_named(tmp_path, write):
    intents = [(1.0, 1.752, "ans"), (3.0, 4.0, "shout"), (5.0, 6.0, " Hold ")]
    tables = read(dyad(tmp_path, f"c1.{write.__name__[-8:]}", write(
        {**WORDS, "Ann - intent": intents, "Ben - intent": [(2.0, 2.4, "bck")]}
    )))  # fmt: skip

    assert acts(tables) == [
        (ANN, "intent:ans", 1000, 1752, False),
        (ANN, "intent:hold", 5000, 6000, False),
        (BEN, "intent:bck", 2000, 2400, False),
    ]
    assert [reason for _, reason in faults(tables)] == [Reason.UNTYPED_ACT]
    assert "intent 'shout', none of ans, ref" in tables.quarantine["detail"].item()


def test_a_column_of_intents_marks_the_rows(tmp_path):
    rows = [(1, 2, "hoe gaat het?", "Ann", "ans"), (3, 4, "", "Ben", "")]
    page = table(("start_s", "end_s", "text", "speaker", "intent"), rows)
    tables = read(dyad(tmp_path, "c1.csv", page))

    assert acts(tables) == [(ANN, "intent:ans", 1000, 2000, False)]
    assert said(tables, TALK, BEN) == [("", 3000, 4000, "word")]
    assert sources(tables) == {"utterance"}


# --- audio


def test_a_stereo_file_is_one_for_both_and_two_mono_files_are_one_each(tmp_path):
    wav(tmp_path / "c1.wav", channels=2, seconds=5.0)
    stereo = read(dyad(tmp_path, "c1.csv", timing_csv(WORDS), audio="c1.wav", duration=""))

    assert list(stereo.recordings["channel"]) == [0, 1]
    assert set(stereo.recordings["path"]) == {"c1.wav"}
    assert set(stereo.recordings["duration_ms"]) == {5000}
    assert faults(stereo) == []

    wav(tmp_path / "a.wav", seconds=5.0)
    wav(tmp_path / "b.wav", seconds=2.2)
    mono = read(listed(tmp_path, ("c1", "Ann", 1, "a.wav", "c1.csv", ""),
                       ("c1", "Ben", 0, "b.wav", "c1.csv", "")))  # fmt: skip

    paths = mono.recordings.set_index("speaker")["path"].to_dict()
    assert paths == {ANN: "a.wav", BEN: "b.wav"}
    assert said(mono, TALK, BEN) == [("goed", 2000, 2200, "word")]
    assert faults(mono) == [("c1.csv line 5", Reason.CUT), (TALK, Reason.UNEVEN)]


def test_without_timing_the_audio_is_heard(tmp_path):
    wav(tmp_path / "c1.wav", channels=2)
    root = listed(tmp_path, *(("c1", who, k, "c1.wav", "", "") for k, who in enumerate("AB")))

    assert faults(read(root)) == [(TALK, Reason.MISSING)]
    heard = read(root, activity="webrtc")
    assert (len(heard.recordings), len(heard.words), faults(heard)) == (2, 0, [])


def test_more_than_two_may_take_part(tmp_path):
    put(tmp_path / "c1.rttm", rttm({**WORDS, "Cor": [(5.0, 6.0)]}))
    rows = [("c1", who, k, "", "c1.rttm", 10) for k, who in enumerate(("Ann", "Ben", "Cor"))]
    tables = read(listed(tmp_path, *rows))

    assert len(tables.recordings) == 3
    assert faults(tables) == []


def test_people_groups_and_releases_are_told(tmp_path):
    people = [("Ann", "F", 34, "Frisian", "north"), ("Ben", "m", "60-69", "", ""),
              ("Cor", "m", 20, "", ""), ("Ann", "m", "", "", "")]  # fmt: skip
    header = ("speaker", "gender", "age", "first_language", "region")
    put(tmp_path / "speakers.csv", table(header, people))
    put(tmp_path / "c1.rttm", rttm(WORDS))
    header = (
        "conversation",
        "speaker",
        "channel",
        "timing",
        "duration_s",
        "split_group",
        "release",
    )
    rows = [("c1", "Ann", 0, "c1.rttm", 10, "family", "2"), ("c1", "Ben", 1, "c1.rttm", 10, "", 1)]
    tables = read(listed(tmp_path, *rows, header=header))

    known = tables.speakers.set_index("speaker")
    assert list(known.loc[ANN])[1:5] == ["female", "30-39", "Frisian", "north"]
    assert list(known.loc[BEN, ["gender", "age", "gender_source"]]) == [
        "male", "60-69", "speakers.csv"
    ]  # fmt: skip
    assert known.loc[BEN, ["region", "region_source"]].isna().all()
    assert set(tables.recordings["split_group"]) == {"nl:family"}
    assert set(tables.recordings["release"]) == {"2"}
    assert faults(tables) == [
        (ANN, Reason.DEMOGRAPHICS), (TALK, Reason.DISAGREE),
        ("speakers.csv line 4", Reason.UNKNOWN_SPEAKER),
    ]  # fmt: skip


# --- round trip

MARK = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8
).filter(lambda text: not timing.SILENCE.fullmatch(text))


@st.composite
def tiers(draw):
    """Spans of two people in whole ms, each speaker's apart."""
    edges = st.lists(st.integers(0, 9_999), min_size=2, max_size=12, unique=True).map(sorted)
    made = {}
    for who in ("Ann", "Ben"):
        cuts = draw(edges)
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        made[who] = [(start / 1000, end / 1000, draw(MARK)) for start, end in pairs]
    return made


@pytest.mark.parametrize(
    ("suffix", "write"),
    [("TextGrid", long_textgrid), ("TextGrid", short_textgrid), ("eaf", eaf), ("csv", timing_csv),
     ("rttm", rttm)],
)  # fmt: skip
@settings(max_examples=40, deadline=None)
@given(drawn=tiers())
def test_what_is_written_is_read_back(tmp_path_factory, suffix, write, drawn):
    root = tmp_path_factory.mktemp("drawn")
    tables = read(dyad(root, f"c1.{suffix}", write(drawn)))

    for who, spans in drawn.items():
        expected = [
            ("" if suffix == "rttm" else mark, round(1000 * start), round(1000 * end), "word")
            for start, end, mark in spans
        ]
        assert said(tables, TALK, f"nl:{who}") == expected
    assert faults(tables) == []
