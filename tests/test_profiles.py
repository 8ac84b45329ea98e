"""Profiles: what evidence may be used of a speaker, and what is measured from it."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from drawing import draw
from made_world import SETTINGS, studio
from tact import activity, corpora, episodes, frames, points, profiles, turns
from tact.errors import TableError
from tact.profiles.events import Heard
from tact.simulate.world import LAYOUTS

few = tries(max_examples=40, deadline=None)
ENTRY = SETTINGS.corpora["candor"]


def settings(**values):
    return SETTINGS.profiles.model_copy(update=values)


def rows_of(table, *rows):
    """Make a table from tuples in the order of its contract."""
    return frames.frame(rows, table)


def pauses(*rows):
    """Pauses: (conversation, speaker, start_ms, end_ms)."""
    return rows_of("pauses", *((*row, row[3] - row[2]) for row in rows))


def backchannels(*rows):
    """Backchannels: (conversation, speaker, start_ms, end_ms)."""
    return rows_of("backchannels", *((*row, row[3] - row[2], 1) for row in rows))


def transfers(*rows):
    """Floor transfers: (conversation, giver, taker, turn_end_ms, fto_ms)."""
    return rows_of("transfers", *((*row, "overlap" if row[4] < 0 else "gap") for row in rows))


def words(*rows):
    """Items: (conversation, speaker, start_ms, end_ms, text[, kind[, source]])."""
    full = [(*row, *("word", "manual")[len(row) - 5 :]) for row in rows]
    return rows_of("words", *((*row[:2], n, *row[2:]) for n, row in enumerate(full)))


def talk(ipus=None, *, pause=(), backchannel=(), transfer=(), word=()):
    return profiles.Talk(
        frames.empty("ipus") if ipus is None else ipus,
        pauses(*pause),
        backchannels(*backchannel),
        transfers(*transfer),
        words(*word),
    )


def asked(*rows):
    """Episodes as dicts of what differs from a test episode of A at 60 s in c1, clip 40-65 s."""
    full = []
    for number, row in enumerate(rows):
        t0_ms = row.get("t0_ms", 60_000)
        usual = {
            "episode": f"e{number}",
            "point": f"p{number}",
            "corpus": "t",
            "scenario": "pause",
            "split": "test",
            "split_group": "g",
            "conversation": "c1",
            "focal": "A",
            "partner": "B",
            "t0_ms": t0_ms,
            "context_start_ms": t0_ms - 20_000,
            "horizon_end_ms": t0_ms + 5_000,
            "history_start_ms": None,
            "strata": [("corpus", "t")],
            "rights": "recipe",
            "weight": 1.0,
        }
        full.append(usual | row)
    return frames.frame(full, "episodes")


def recordings(durations, company=("A", "B")):
    return frames.frame(
        [
            {
                "corpus": "t",
                "conversation": conversation,
                "channel": channel,
                "speaker": speaker,
                "duration_ms": duration_ms,
                "licence": "x",
                "mixed": False,
                "language": "en",
                "split_group": "g",
            }
            for conversation, duration_ms in durations.items()
            for channel, speaker in enumerate(company)
        ],
        "recordings",
    )


def spans(evidence, episode="e0"):
    names = ("conversation", "start_ms", "end_ms", "scope")
    rows = evidence[evidence["episode"] == episode]
    return list(zip(*(rows[name] for name in names), strict=True))


OTHER, SAME = "other_conversation", "same_conversation"


# --------------------------------------------------------------------- what is heard in a span


PICTURE = """
    A  #####     ####  ##      ####
    B       ##     ###      ###
    C                    #
"""
"""A 0-500, 1000-1400, 1600-1800, 2400-2800; B 500-700, 1200-1500, 2100-2400; C 1800-1900 ms."""


@pytest.mark.parametrize(
    ("start", "end", "speech"),
    [(0, 2800, 1500), (200, 400, 200), (400, 1100, 200), (500, 1000, 0), (1399, 2401, 202)],
)
def test_own_speech_is_counted_as_far_as_it_lies_in_the_span(start, end, speech):
    heard = talk(draw(PICTURE, conversation="c1")).heard([("c1", start, end)], "A")

    assert (heard.evidence_ms, heard.speech_ms) == (end - start, speech)


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [(500, 1000, True), (0, 2000, True), (501, 1000, False), (500, 999, False), (600, 700, False)],
)
@pytest.mark.parametrize("kind", ["pause", "late", "early", "produced", "solicited", "word"])
def test_an_event_counts_only_when_it_lies_wholly_in_the_span(start, end, inside, kind):
    """Each kind of event here fills 500 to 1000 ms."""
    made = {
        "pause": {"pause": [("c1", "A", 500, 1000)]},
        "late": {"transfer": [("c1", "B", "A", 500, 500)]},
        "early": {"transfer": [("c1", "B", "A", 1000, -500)]},
        "produced": {"backchannel": [("c1", "A", 500, 1000)]},
        "solicited": {"backchannel": [("c1", "B", 500, 1000)]},
        "word": {"word": [("c1", "A", 500, 1000, "yes")]},
    }[kind]

    heard = talk(draw(PICTURE, conversation="c1"), **made).heard([("c1", start, end)], "A")

    found = {
        "pause": heard.pause_ms.tolist(),
        "late": heard.fto_ms.tolist(),
        "early": heard.fto_ms.tolist(),
        "produced": [heard.produced],
        "solicited": [heard.solicited],
        "word": [*heard.words, heard.timed_words, heard.word_ms],
    }[kind]
    want = {
        "pause": [500],
        "late": [500],
        "early": [-500],
        "produced": [1],
        "solicited": [1],
        "word": ["yes", 1, 500],
    }[kind]
    nothing = {"produced": [0], "solicited": [0], "word": [0, 0]}.get(kind, [])
    assert found == (want if inside else nothing)


@pytest.mark.parametrize(
    ("start", "end", "unanswered"),
    [
        pytest.param(1800, 2400, False, id="C-starts-with-the-pause-and-B-in-it"),
        pytest.param(1801, 2100, True, id="B-starts-as-it-ends"),
        pytest.param(1801, 2101, False, id="B-starts-just-before-it-ends"),
        pytest.param(500, 1000, False, id="B-starts-with-it"),
        pytest.param(501, 1000, True, id="B-is-under-way"),
    ],
)
def test_a_pause_is_unanswered_when_nobody_else_starts_in_it(start, end, unanswered):
    made = talk(draw(PICTURE, conversation="c1"), pause=[("c1", "A", start, end)])

    assert made.heard([("c1", 0, 3000)], "A").unanswered.tolist() == [unanswered]


def test_only_the_conversation_of_a_span_is_heard():
    picture = pd.concat([draw(PICTURE, conversation="c1"), draw("A  ##", conversation="c2")])
    made = talk(
        picture,
        pause=[("c1", "A", 500, 1000), ("c2", "A", 500, 1100)],
        transfer=[("c1", "B", "A", 700, 300), ("c2", "B", "A", 700, 400)],
        backchannel=[("c1", "B", 500, 700), ("c2", "B", 500, 700)],
        word=[("c1", "A", 0, 100, "one"), ("c2", "A", 0, 100, "two")],
    )

    heard = made.heard([("c2", 0, 3000)], "A")

    assert heard.pause_ms.tolist() == [600]
    assert heard.fto_ms.tolist() == [400]
    assert heard.words == ["two"]
    assert heard.speech_ms == 200
    assert dict(made.present) == {"A": ["c1", "c2"], "B": ["c1"], "C": ["c1"]}


def test_words_without_true_times_are_said_but_not_timed():
    heard = talk(
        word=[
            ("c1", "A", 0, 400, "uh"),
            ("c1", "A", 400, 900, "so it", "word", "utterance"),
            ("c1", "A", 900, 950, "goes", "word", "asr"),
            ("c1", "A", 950, 960, ".", "punctuation"),
            ("c1", "A", 960, 990, "[cough]", "vocalsound"),
        ]
    ).heard([("c1", 0, 1000)], "A")

    assert heard.words == ["uh", "so it", "goes"]
    assert (heard.timed_words, heard.word_ms) == (1, 400)


def test_time_that_two_words_share_is_filled_once():
    heard = talk(word=[("c1", "A", 0, 400, "a"), ("c1", "A", 200, 600, "b")]).heard(
        [("c1", 0, 1000)], "A"
    )

    assert heard.word_ms == 600


@st.composite
def chatter(draw_):
    """Disjoint IPUs of three people in two conversations, with pauses and words of A."""
    ipus, silences, said, takes, nods = [], [], [], [], []
    for conversation in ("c1", "c2"):
        for speaker in "ABC":
            now = 0
            for _ in range(draw_(st.integers(0, 4))):
                start = now + draw_(st.integers(1, 9))
                end = start + draw_(st.integers(1, 9))
                ipus.append((conversation, speaker, start, end, "words", None))
                said.append((conversation, speaker, start, end, f"w{len(said)}"))
                silences.append((conversation, speaker, now, start))
                if draw_(st.booleans()):
                    nods.append((conversation, speaker, start, end))
                fto = draw_(st.integers(-5, 5))
                giver = "B" if speaker == "A" else "A"
                takes.append((conversation, giver, speaker, start + 5, fto))
                now = end
    return ipus, silences, said, takes, nods


SPANS = st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True).map(
    lambda edges: list(zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False))
)


@few
@given(made=chatter(), one=SPANS, two=SPANS)
def test_what_is_heard_is_what_plain_loops_count(made, one, two):
    ipus, silences, said, takes, nods = made
    windows = [("c1", *span) for span in one] + [("c2", *span) for span in two]
    heard = talk(
        rows_of("ipus", *ipus), pause=silences, transfer=takes, backchannel=nods, word=said
    ).heard(windows, "A")

    def within(conversation, start, end):
        return any(c == conversation and a <= start and end <= b for c, a, b in windows)

    speech = {
        (c, ms)
        for c, who, start, end, *_ in ipus
        for ms in range(start, end)
        if who == "A" and within(c, ms, ms + 1)
    }
    assert heard.evidence_ms == sum(end - start for _, start, end in windows)
    assert heard.speech_ms == len(speech)
    own = [(c, a, b) for c, who, a, b in silences if who == "A" and within(c, a, b)]
    quiet = [not any(i[0] == c and i[1] != "A" and a <= i[2] < b for i in ipus) for c, a, b in own]
    assert sorted(zip(heard.pause_ms.tolist(), heard.unanswered.tolist(), strict=True)) == sorted(
        zip([b - a for _, a, b in own], quiet, strict=True)
    )
    assert sorted(heard.fto_ms) == sorted(
        fto
        for c, _, taker, end, fto in takes
        if taker == "A"
        and within(c, min(end, end + fto), max(end, end + fto))
        # A transfer without length at the very end of a span is the next span's.
        and (fto or any(x == c and a <= end < b for x, a, b in windows))
    )
    nodded = [who == "A" for c, who, a, b in nods if within(c, a, b)]
    assert (heard.produced, heard.solicited) == (sum(nodded), len(nodded) - sum(nodded))
    inside = [row for row in said if row[1] == "A" and within(row[0], row[2], row[3])]
    assert sorted(heard.words) == sorted(row[4] for row in inside)
    assert heard.word_ms == sum(row[3] - row[2] for row in inside)


# -------------------------------------------------------------------------------- the numbers


def heard(**values):
    usual = {
        "evidence_ms": 120_000,
        "speech_ms": 30_000,
        "fto_ms": np.array([500, -200, 0, 100]),
        "pause_ms": np.array([2000, 600, 1000]),
        "unanswered": np.array([True, False, True]),
        "produced": 3,
        "solicited": 5,
        "words": ["Uh,", "well", "UM", "yes."],
        "timed_words": 10,
        "word_ms": 4000,
    }
    return Heard(**usual | values)


def nothing(**values):
    none = np.zeros(0, np.int64)
    empty = {"fto_ms": none, "pause_ms": none, "unanswered": none.astype(bool), "words": []}
    counts = dict.fromkeys(("speech_ms", "produced", "solicited", "timed_words", "word_ms"), 0)
    return heard(**empty | counts | values)


def test_the_features_are_those_worked_out_by_hand():
    features, reasons = profiles.measure(heard(), entry=ENTRY, settings=settings())

    # Of four FTOs the 10 % quantile lies .3 of the way from -200 to 0, the 90 % one .7 from 100
    # to 500; of three pauses the 90 % one lies .8 from 1000 to 2000.
    want = {
        "evidence_ms": 120_000,
        "speech_ms": 30_000,
        "n_transfers": 4,
        "fto_q10_ms": -140.0,
        "fto_median_ms": 50.0,
        "fto_q90_ms": 380.0,
        "overlap_share": 0.25,
        "n_pauses": 3,
        "pause_median_ms": 1000.0,
        "pause_q90_ms": 1800.0,
        "unanswered_share": 2 / 3,
        "backchannels_produced_per_min": 1.5,
        "backchannels_solicited_per_min": 2.5,
        "articulation_rate": 2.5,
        "filler_share": 0.5,
    }
    assert features == pytest.approx(want)
    assert reasons == {}


@pytest.mark.parametrize(
    ("language", "share"), [("en", 2 / 5), ("en-GB", 2 / 5), ("nl", 2 / 5), ("nl-BE", 2 / 5)]
)
def test_fillers_are_those_of_the_language(language, share):
    entry = ENTRY.model_copy(update={"language": language})
    said = {"en": ["um", "Hmm.", "euh", "uhm", "no"], "nl": ["euh", "Eh,", "um", "er", "nee"]}

    features, _ = profiles.measure(
        heard(words=said[language[:2]]), entry=entry, settings=settings()
    )

    assert features["filler_share"] == pytest.approx(share)


def test_without_evidence_every_feature_is_null_for_that_reason():
    features, reasons = profiles.measure(nothing(evidence_ms=0), entry=ENTRY, settings=settings())

    null = {name for name, value in features.items() if value is None}
    assert {name: features[name] for name in features if name not in null} == dict.fromkeys(
        ("evidence_ms", "speech_ms", "n_transfers", "n_pauses"), 0
    )
    assert reasons == dict.fromkeys(null, "no evidence")


def test_a_silent_speaker_has_a_reason_for_each_null_and_gives_no_backchannel():
    features, reasons = profiles.measure(nothing(), entry=ENTRY, settings=settings())

    assert features["backchannels_produced_per_min"] == 0.0
    assert reasons == {
        "fto_q10_ms": "no floor transfer",
        "fto_median_ms": "no floor transfer",
        "fto_q90_ms": "no floor transfer",
        "overlap_share": "no floor transfer",
        "pause_median_ms": "no pause",
        "pause_q90_ms": "no pause",
        "unanswered_share": "no pause",
        "articulation_rate": "no timed words",
        "filler_share": "no words",
    }


def test_words_that_abut_hide_pauses_and_rate_but_nothing_else():
    entry = ENTRY.model_copy(update={"contiguous_words": True})
    hidden = {"pause_median_ms", "pause_q90_ms", "unanswered_share", "articulation_rate"}

    features, reasons = profiles.measure(heard(), entry=entry, settings=settings())
    shown, _ = profiles.measure(heard(), entry=ENTRY, settings=settings())

    assert reasons == dict.fromkeys(hidden, "contiguous words")
    assert features == shown | dict.fromkeys(hidden)


# ------------------------------------------------------------------------------- the evidence


def draw_of(seed, speaker, conversation):
    text = "\x1f".join([str(seed), "evidence", speaker, conversation])
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16)


def test_other_conversations_come_first_then_the_own_one_beyond_the_margin():
    table = asked({"t0_ms": 100_000, "history_start_ms": 70_000})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000, "c2": 50_000}),
        {"A": ["c1", "c2"]},
        settings=settings(evidence_target_ms=999_000, margin_ms=30_000),
        seed=1,
    )

    assert spans(got) == [
        ("c2", 0, 50_000, OTHER),
        ("c1", 0, 40_000, SAME),
        ("c1", 135_000, 200_000, SAME),
    ]


@pytest.mark.parametrize(
    ("history_start_ms", "first_end_ms"), [(None, 70_000), (79_999, 69_999), (95_000, 70_000)]
)
def test_the_margin_is_kept_from_history_or_context_whichever_is_first(
    history_start_ms, first_end_ms
):
    table = asked({"t0_ms": 100_000, "history_start_ms": history_start_ms})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000}),
        {"A": ["c1"]},
        settings=settings(margin_ms=10_000),
        seed=1,
    )

    assert spans(got) == [("c1", 0, first_end_ms, SAME), ("c1", 115_000, 200_000, SAME)]


def test_the_last_interval_is_cut_at_the_target():
    table = asked({}, {"conversation": "c2", "t0_ms": 30_000})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000, "c2": 50_000, "c3": 30_000}),
        {"A": ["c2"]},
        settings=settings(evidence_target_ms=14_000),
        seed=1,
    )

    # The clip of the other episode fills 10 to 35 s of c2.
    assert spans(got) == [("c2", 0, 10_000, OTHER), ("c2", 35_000, 39_000, OTHER)]


def test_only_clips_of_test_episodes_of_the_same_speaker_are_left_out():
    table = asked(
        {},
        {"conversation": "c2", "t0_ms": 30_000, "split": "dev"},
        {"conversation": "c2", "t0_ms": 70_000, "focal": "B", "partner": "A"},
        {"conversation": "c2", "t0_ms": 110_000},
        {"t0_ms": 120_000},
    )

    got = profiles.allot(
        table,
        recordings({"c1": 160_000, "c2": 150_000}),
        {"A": ["c1", "c2"]},
        settings=settings(margin_ms=10_000),
        seed=1,
    )

    # Of its own clip (40 to 65 s) each episode keeps the margin, of other clips their edges.
    assert spans(got, "e0") == [
        ("c2", 0, 90_000, OTHER),
        ("c2", 115_000, 150_000, OTHER),
        ("c1", 0, 30_000, SAME),
        ("c1", 75_000, 100_000, SAME),
        ("c1", 125_000, 160_000, SAME),
    ]


@st.composite
def worlds(draw_):
    """Episodes, durations and presence, all in whole seconds."""
    names = ["c1", "c2", "c3"]
    durations = {name: 1000 * draw_(st.integers(20, 60)) for name in names}
    rows = []
    for _ in range(draw_(st.integers(1, 5))):
        conversation = draw_(st.sampled_from(names))
        t0 = draw_(st.integers(3, durations[conversation] // 1000 - 5))
        start = draw_(st.integers(0, t0 - 1))
        rows.append(
            {
                "conversation": conversation,
                "focal": draw_(st.sampled_from("AB")),
                "split": draw_(st.sampled_from(["test", "test", "dev"])),
                "t0_ms": 1000 * t0,
                "context_start_ms": 1000 * start,
                "history_start_ms": draw_(
                    st.none() | st.integers(0, t0 - 1).map(lambda s: 1000 * s)
                ),
            }
        )
    present = {who: draw_(st.lists(st.sampled_from(names), unique=True)) for who in "AB"}
    return asked(*rows), durations, present


def allotted_by_seconds(table, durations, present, *, target, margin, seed):
    """Fill each episode's evidence second by second."""
    rows = table.to_dict("records")
    wanted = {}
    for row in rows:
        who, own = row["focal"], row["conversation"]
        others = sorted(set(present[who]) - {own}, key=lambda name: draw_of(seed, who, name))
        taken = []
        for name in [*others, own]:
            for ms in range(0, durations[name], 1000):
                clip = any(
                    other["split"] == "test"
                    and other["focal"] == who
                    and other["conversation"] == name
                    and other["context_start_ms"] <= ms < other["horizon_end_ms"]
                    for other in rows
                )
                first = row["context_start_ms"]
                if not pd.isna(row["history_start_ms"]):
                    first = min(first, row["history_start_ms"])
                near = name == own and first - margin <= ms < row["horizon_end_ms"] + margin
                if not clip and not near:
                    taken.append((name, ms))
        wanted[row["episode"]] = taken[: target // 1000]
    return wanted


@few
@given(
    world=worlds(),
    target=st.integers(1, 150),
    margin=st.integers(0, 20),
    seed=st.integers(0, 5),
)
def test_evidence_is_what_filling_it_second_by_second_gives(world, target, margin, seed):
    table, durations, present = world
    sought = settings(evidence_target_ms=1000 * target, margin_ms=1000 * margin)
    rows = recordings(durations)

    got = profiles.allot(table, rows, present, settings=sought, seed=seed)

    want = allotted_by_seconds(
        table, durations, present, target=1000 * target, margin=1000 * margin, seed=seed
    )
    seconds = {
        name: [
            (conversation, ms)
            for conversation, start, end, _ in spans(got, name)
            for ms in range(start, end, 1000)
        ]
        for name in table["episode"]
    }
    assert seconds == want
    assert (got["start_ms"] < got["end_ms"]).all()
    own = table.set_index("episode")["conversation"].reindex(got["episode"]).to_numpy()
    assert ((got["scope"] == SAME) == (got["conversation"] == own)).all()
    profiles.check_disjoint(table, got)
    distance = profiles.nearest(table, got)
    assert distance.get("own", sought.margin_ms) >= sought.margin_ms
    assert distance.get("clip", 0) >= 0


@few
@given(world=worlds(), seed=st.integers(0, 5))
def test_the_order_of_the_rows_changes_no_evidence(world, seed):
    table, durations, present = world
    flipped = {who: where[::-1] for who, where in present.items()}
    key = ["episode", "conversation", "start_ms"]

    first = profiles.allot(
        table,
        recordings(durations),
        present,
        settings=settings(evidence_target_ms=40_000),
        seed=seed,
    )
    second = profiles.allot(
        table[::-1],
        recordings(durations)[::-1],
        flipped,
        settings=settings(evidence_target_ms=40_000),
        seed=seed,
    )

    pd.testing.assert_frame_equal(
        first.sort_values(key, ignore_index=True), second.sort_values(key, ignore_index=True)
    )


# ---------------------------------------------------------------------- the proof of disjointness


def evidence(*rows):
    return rows_of("evidence", *((*row, OTHER) for row in rows))


CHECKED = asked(
    {"history_start_ms": 20_000},
    {"conversation": "c2", "t0_ms": 30_000},
    {"conversation": "c2", "t0_ms": 90_000, "split": "dev"},
    {"conversation": "c3", "focal": "B", "partner": "A"},
    {"conversation": "c4", "split": "dev", "history_start_ms": 50_000},
)
"""e0 owns 20-65 s of c1, e4 40-65 s of c4; A has test clips in c1 (40-65 s) and c2 (10-35 s)."""


@pytest.mark.parametrize(
    ("row", "culprit"),
    [
        (("e0", "c1", 0, 20_000), None),
        (("e0", "c1", 0, 20_001), "own"),
        (("e0", "c1", 65_000, 99_000), None),
        (("e0", "c1", 64_999, 99_000), "own"),
        (("e0", "c1", 30_000, 31_000), "own"),
        (("e0", "c2", 0, 10_000), None),
        (("e0", "c2", 0, 10_001), "clip of e1"),
        (("e0", "c2", 34_999, 36_000), "clip of e1"),
        (("e0", "c2", 70_000, 95_000), None),
        (("e0", "c3", 0, 99_000), None),
        (("e2", "c2", 69_000, 70_001), "own"),
        (("e2", "c1", 20_000, 40_000), None),
        (("e2", "c1", 20_000, 40_001), "clip of e0"),
        (("e3", "c1", 0, 99_000), None),
        (("e4", "c4", 0, 40_000), None),
        (("e4", "c4", 0, 40_001), "own"),
    ],
)
def test_evidence_that_touches_a_history_or_clip_is_named(row, culprit):
    harmless = ("e0", "c9", 0, 1000)
    table = evidence(harmless, row)

    if culprit is None:
        profiles.check_disjoint(CHECKED, table)
        assert min(profiles.nearest(CHECKED, table).values(), default=0) >= 0
        return
    named = rf"intervals touch .*{row[0]}, {row[1]} from {row[2]} ms, the {culprit}\)"
    with pytest.raises(TableError, match=named):
        profiles.check_disjoint(CHECKED, table)


def test_an_interval_that_touches_two_forbidden_spans_counts_once_in_the_message():
    with pytest.raises(TableError, match="evidence: 1 of 1 intervals touch"):
        profiles.check_disjoint(CHECKED, evidence(("e0", "c1", 64_999, 99_000)))


def test_evidence_of_no_episode_is_an_error_that_names_it():
    strange = evidence(("e0", "c9", 0, 1), ("gone", "c9", 0, 1))

    with pytest.raises(TableError, match=r"1 of 2 rows stand for no episode \(first: gone\)"):
        profiles.check_disjoint(CHECKED, strange)


def test_the_nearest_evidence_is_that_with_the_least_silence_to_own_span_and_clips():
    table = evidence(
        ("e0", "c1", 0, 15_000), ("e0", "c1", 69_000, 70_000), ("e0", "c2", 42_000, 50_000)
    )

    assert profiles.nearest(CHECKED, table) == {"own": 4000, "clip": 4000}
    assert profiles.nearest(CHECKED, table[2:]) == {"clip": 7000}
    assert profiles.nearest(CHECKED, evidence(("e0", "c9", 0, 1))) == {}


# ------------------------------------------------------------------------------- the sentences


def known(**values):
    features, _ = profiles.measure(heard(), entry=ENTRY, settings=settings())
    return {"n_conversations": 2, **features, **values}


HEARD = "Heard for 2.0 min in 2 conversations."
FLOOR = (
    "Takes the floor 50 ms after the other ends (median of 4; 10 to 90 %: -140 to 380 ms), in"
    " overlap 25 % of the time."
)
PAUSES = (
    "Pauses 1000 ms inside a turn (median of 3; 90 %: 1800 ms), and 67 % of the pauses stay"
    " unanswered."
)
NODS = "Gives 1.5 backchannels a minute and gets 2.5."
SPEECH = "Speaks 2.5 words a second; 50.0 % of the words are fillers."


@pytest.mark.parametrize(
    ("change", "want"),
    [
        ({}, [HEARD, FLOOR, PAUSES, NODS, SPEECH]),
        (
            {"n_conversations": 1},
            ["Heard for 2.0 min in 1 conversation.", FLOOR, PAUSES, NODS, SPEECH],
        ),
        ({"fto_median_ms": None}, [HEARD, PAUSES, NODS, SPEECH]),
        (
            {"fto_median_ms": -120.0},
            [
                HEARD,
                FLOOR.replace("50 ms after", "120 ms before"),
                PAUSES,
                NODS,
                SPEECH,
            ],
        ),
        ({"pause_median_ms": None}, [HEARD, FLOOR, NODS, SPEECH]),
        (
            {"articulation_rate": None},
            [HEARD, FLOOR, PAUSES, NODS, "50.0 % of the words are fillers."],
        ),
        ({"filler_share": None}, [HEARD, FLOOR, PAUSES, NODS, "Speaks 2.5 words a second."]),
        ({"filler_share": None, "articulation_rate": None}, [HEARD, FLOOR, PAUSES, NODS]),
    ],
)
def test_the_synopsis_tells_the_numbers_and_is_silent_of_what_is_null(change, want):
    assert profiles.describe(known(**change)) == " ".join(want)


def test_the_synopsis_of_a_speaker_without_evidence_says_that_nothing_is_known():
    assert profiles.describe(known(evidence_ms=0)) == "Nothing is known of this speaker."


# ---------------------------------------------------------------------------- the whole stage


def test_a_profile_is_measured_from_its_evidence_alone():
    # c1 is 100 s and holds the clip at 40-65 s; the margin of 10 s leaves 0-30 s and 75-100 s.
    ipus = rows_of(
        "ipus",
        ("c1", "A", 20_000, 35_000, "words", None),
        ("c1", "B", 36_000, 37_000, "words", None),
        ("c2", "A", 0, 4_000, "words", None),
        ("c2", "C", 4_500, 5_000, "words", None),
    )
    made = talk(
        ipus,
        pause=[("c1", "A", 50_000, 51_000), ("c2", "A", 4_000, 4_600), ("c2", "A", 6_000, 7_000)],
        transfer=[("c1", "B", "A", 60_000, -900), ("c2", "C", "A", 5_000, 300)],
        backchannel=[("c2", "C", 4_500, 5_000), ("c1", "A", 45_000, 45_500)],
        word=[("c1", "A", 41_000, 42_000, "uh"), ("c2", "A", 0, 500, "well")],
    )
    rows = pd.concat([recordings({"c1": 100_000}), recordings({"c2": 5_000}, company=("A", "C"))])
    table = asked({}, {"focal": "Z", "t0_ms": 30_000, "split": "dev"})

    built = profiles.build(
        table,
        rows,
        made,
        entry=ENTRY,
        settings=settings(margin_ms=10_000, evidence_target_ms=50_000),
        seed=1,
    )

    assert spans(built.evidence) == [
        ("c2", 0, 5_000, OTHER),
        ("c1", 0, 30_000, SAME),
        ("c1", 75_000, 90_000, SAME),
    ]
    row = built.profiles.set_index("episode").loc["e0"]
    assert (row["speaker"], row["n_conversations"], row["partners"]) == ("A", 2, "B,C")
    assert (row["evidence_ms"], row["speech_ms"]) == (50_000, 14_000)
    assert (row["n_transfers"], row["n_pauses"]) == (0, 1)
    assert row["pause_median_ms"] == 600.0
    assert row["unanswered_share"] == 0.0
    assert row["backchannels_produced_per_min"] == 0.0
    assert row["backchannels_solicited_per_min"] == pytest.approx(1.2)
    assert row["articulation_rate"] == 2.0
    assert row["filler_share"] == 0.0
    assert row["reasons"] == ";".join(
        f"{name}=no floor transfer"
        for name in ("fto_q10_ms", "fto_median_ms", "fto_q90_ms", "overlap_share")
    )
    assert row["synopsis"].startswith("Heard for 0.8 min in 2 conversations. Pauses 600 ms")


@pytest.mark.parametrize(("corpus", "synthetic"), [("candor", False), ("probes", True)])
def test_only_a_probe_is_marked_synthetic(corpus, synthetic):
    built = profiles.build(
        asked({}),
        recordings({"c1": 70_000}),
        talk(),
        entry=SETTINGS.corpora[corpus],
        settings=settings(),
        seed=1,
    )

    row = built.profiles.iloc[0]
    assert row["synthetic"] == synthetic
    # The margin of 30 s around 40 to 65 s leaves the first 10 s.
    assert row["evidence_ms"] == 10_000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Episodes, recordings, talk and profiles of a small made corpus."""
    root = tmp_path_factory.mktemp("world") / "candor"
    for _ in LAYOUTS["candor"](root, studio("candor", conversations=8, minutes=6.0, speakers=4)):
        pass
    entry = SETTINGS.corpora["candor"]
    read = corpora.read(root, corpus="candor", settings=entry)
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)
    languages = read.recordings.set_index("conversation")["language"].to_dict()
    took = turns.take_turns(ipus, read.words, read.acts, languages, settings=SETTINGS.turns)
    found = points.find_points(
        "candor",
        read.recordings,
        ipus,
        took.backchannels,
        took.turns,
        read.words,
        settings=SETTINGS,
    )
    asked_ = episodes.build(
        found,
        read.recordings,
        read.speakers,
        read.words,
        took.turns,
        corpus="candor",
        entry=entry,
        settings=SETTINGS.episodes,
        seed=1,
    )
    speech = profiles.Talk(ipus, took.pauses, took.backchannels, took.transfers, read.words)
    built = profiles.build(
        asked_.episodes,
        read.recordings,
        speech,
        entry=entry,
        settings=SETTINGS.profiles,
        seed=1,
    )
    return asked_.episodes, read, took, built


def test_no_evidence_of_a_made_corpus_touches_what_is_forbidden(made):
    table, _, _, built = made
    margin = SETTINGS.profiles.margin_ms
    rows = built.evidence.to_dict("records")

    assert set(built.evidence["scope"]) == {OTHER, SAME}
    for episode in table.to_dict("records"):
        own = [row for row in rows if row["episode"] == episode["episode"]]
        start = min(episode["history_start_ms"], episode["context_start_ms"])
        total = sum(row["end_ms"] - row["start_ms"] for row in own)
        assert 0 < total <= SETTINGS.profiles.evidence_target_ms
        for row in own:
            if row["conversation"] == episode["conversation"]:
                assert (
                    row["end_ms"] <= start - margin
                    or row["start_ms"] >= episode["horizon_end_ms"] + margin
                )
            for other in table.to_dict("records"):
                if (other["focal"], other["conversation"], other["split"]) == (
                    episode["focal"],
                    row["conversation"],
                    "test",
                ):
                    assert (
                        row["end_ms"] <= other["context_start_ms"]
                        or row["start_ms"] >= other["horizon_end_ms"]
                    )


def test_the_profiles_of_a_made_corpus_hold_the_transfers_that_lie_in_their_evidence(made):
    _, _, took, built = made
    takes = [
        (where, taker, min(end, end + fto), max(end, end + fto), fto)
        for where, _, taker, end, fto, _ in took.transfers.itertuples(index=False)
    ]

    for row in built.profiles.to_dict("records"):
        windows = spans(built.evidence, row["episode"])
        ftos = [
            fto
            for where, taker, first, last, fto in takes
            if taker == row["speaker"]
            and any(where == c and start <= first and last <= end for c, start, end, _ in windows)
        ]
        assert row["n_transfers"] == len(ftos) > 0
        assert row["fto_median_ms"] == pytest.approx(np.median(ftos))
        assert row["overlap_share"] == pytest.approx(sum(fto < 0 for fto in ftos) / len(ftos))


def test_the_profile_of_an_episode_does_not_change_with_the_words_in_its_clip(made):
    table, read, took, built = made
    first = table[table["split"] == "test"].iloc[0]
    inside = (
        (read.words["conversation"] == first["conversation"])
        & (read.words["end_ms"] > first["context_start_ms"])
        & (read.words["start_ms"] < first["horizon_end_ms"])
    )
    muted = read.words[~inside]
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)
    speech = profiles.Talk(ipus, took.pauses, took.backchannels, took.transfers, muted)

    again = profiles.build(
        table,
        read.recordings,
        speech,
        entry=SETTINGS.corpora["candor"],
        settings=SETTINGS.profiles,
        seed=1,
    )

    assert inside.sum() > 10
    own = built.profiles["episode"] == first["episode"]
    pd.testing.assert_frame_equal(built.profiles[own], again.profiles[own])
