"""Episodes: which points are asked, how they are weighed, and what is told of the time before."""

import hashlib
import random
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from drawing import draw
from made_world import SETTINGS
from tact import episodes, frames, keys
from tact.episodes import history
from tact.episodes.choice import quota
from tact.episodes.strata import articulation_rates, rate_terciles
from tact.errors import TableError
from tact.vocabulary import STRATA

RAREST_FIRST = ["interruption", "backchannel", "smooth", "pause"]
few = tries(max_examples=30, deadline=None)
ENTRY = SETTINGS.corpora["candor"]
BANDS_DB = [15.0, 25.0]


def settings(**values):
    """Episodes of the corpus `t`, with wide caps unless told otherwise."""
    wide = {
        "scale": 1.0,
        "quota": {"t": dict.fromkeys(RAREST_FIRST, 2)},
        "per_speaker": 99,
        "per_speaker_of": {},
        "per_conversation": 99,
        "clip_overlap_ms": 30_000,
        "history_ms": 240_000,
        "history_turns": 16,
    }
    return SETTINGS.episodes.model_copy(update=wide | values)


def strangers(table):
    """Traits of people of whom nothing is known."""
    return pd.DataFrame(None, index=table.index, columns=list(STRATA), dtype="object")


def choose(table, caps, seed=1):
    return episodes.choose(table, strangers(table), corpus="t", settings=caps, seed=seed)


def points(*rows, **shared):
    """Points of the corpus `t`, each a dict of what differs from a fit one."""
    full = []
    for row in rows:
        conversation, focal, t0_ms = (
            (row | shared).get(name, default)
            for name, default in (("conversation", "t:1"), ("focal", "A"), ("t0_ms", 60_000))
        )
        fit = {
            "point": keys.point_id(conversation, focal, t0_ms),
            "corpus": "t",
            "scenario": "pause",
            "split": "test",
            "split_group": conversation,
            "conversation": conversation,
            "focal": focal,
            "partner": "B" if focal == "A" else "A",
            "t0_ms": t0_ms,
            "ipu_start_ms": t0_ms - 500,
            "turn_start_ms": t0_ms - 500,
            "context_start_ms": max(0, t0_ms - 20_000),
            "carry_over": False,
            "third_party": False,
            "reasons": "pause",
        }
        full.append(fit | shared | row)
    return frames.frame(full, "points")


def recordings(*rows):
    """Channels: (conversation, speaker, duration_ms, path or None, mixed)."""
    return frames.frame(
        [
            {
                "corpus": "t",
                "conversation": conversation,
                "channel": channel,
                "speaker": speaker,
                "path": path,
                "duration_ms": duration_ms,
                "licence": "x",
                "mixed": mixed,
                "language": "en",
                "split_group": conversation,
            }
            for channel, (conversation, speaker, duration_ms, path, mixed) in enumerate(rows)
        ],
        "recordings",
    )


def dyad(conversation="t:1", duration_ms=600_000):
    return [(conversation, who, duration_ms, None, False) for who in "AB"]


def words(*rows, conversation="t:1"):
    """Items: (speaker, start_ms, end_ms, text[, kind[, source]])."""
    full = [(*row, *("word", "manual")[len(row) - 4 :]) for row in rows]
    return frames.frame(
        [
            (conversation, speaker, position, start, end, text, kind, source)
            for position, (speaker, start, end, text, kind, source) in enumerate(full)
        ],
        "words",
    )


def turns_of(picture, **options):
    return frames.check(
        draw(picture, **options).drop(columns=["source", "confidence"]).assign(n_ipus=1), "turns"
    )


def asked(t0_ms, *, focal="A", conversation="t:1"):
    return pd.DataFrame(
        [{"episode": "e", "conversation": conversation, "focal": focal, "t0_ms": t0_ms}]
    )


def told(t0_ms, turns, items, *, focal="A", **values):
    rows = history.before(asked(t0_ms, focal=focal), turns, items, settings=settings(**values))
    assert rows["turn"].tolist() == list(range(len(rows)))
    columns = ("speaker", "start_ms", "end_ms")
    text = [None if pd.isna(said) else said for said in rows["text"]]
    return list(zip(*(rows[name] for name in columns), text, strict=True))


# ---------------------------------------------------------------- what disqualifies a point


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({}, True),
        ({"split": "dev"}, True),
        ({"split": "train"}, False),
        ({"scenario": "none"}, False),
        ({"third_party": True}, False),
        ({"reasons": "pause;no_context"}, False),
        ({"reasons": "no_horizon"}, False),
        ({"reasons": "pause;redacted"}, False),
        ({"reasons": "pause;carry_over"}, True),
        ({"context_start_ms": 0}, True),
        ({"context_start_ms": -1}, False),
        ({"context_start_ms": 59_999}, True),
        ({"context_start_ms": 60_000}, False),
        ({"t0_ms": 595_000}, True),
        ({"t0_ms": 595_001}, False),
    ],
)
def test_a_point_is_eligible_only_when_nothing_bars_it(change, kept):
    able = episodes.eligible(points(change), recordings(*dyad()))

    assert len(able) == kept


@pytest.mark.parametrize(
    ("channels", "kept"),
    [
        pytest.param([("A", 65_000, "a", False), ("B", 65_000, "b", False)], True, id="both"),
        pytest.param([("A", 65_000, "a", False), ("B", 64_999, "b", False)], False, id="partner"),
        pytest.param([("A", 64_999, "a", False), ("B", 65_000, "b", False)], False, id="focal"),
        pytest.param([("A", 65_000, "a", False), ("C", 10_000, "c", False)], True, id="a-third"),
        pytest.param([("A", 65_000, "a", False), ("A", 64_999, "a", True)], True, id="mixed"),
        pytest.param([("A", 65_000, "a", False), ("A", 64_999, "d", False)], False, id="shorter"),
        pytest.param([("A", 64_999, None, False), ("B", 65_000, None, False)], True, id="words"),
        pytest.param([("A", 64_999, None, False), ("B", 64_999, None, False)], False, id="short"),
    ],
)
def test_the_channels_of_both_speakers_must_reach_the_horizon(channels, kept):
    rows = recordings(*(("t:1", *channel) for channel in channels))

    assert len(episodes.eligible(points({}), rows)) == kept


def test_a_point_without_a_recording_is_named():
    with pytest.raises(TableError, match=r"1 rows have no recording .*conversation t:9"):
        episodes.eligible(points({}, {"conversation": "t:9"}), recordings(*dyad()))


# ------------------------------------------------------------------------------- the choice


def place(seed, point):
    """Draw of a point, from SHA-256 by hand."""
    text = "\x1f".join([str(seed), "episode", point])
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16) / 16**13


def shared_ms(one, other):
    ends = [row["t0_ms"] + 5000 for row in (one, other)]
    return min(ends) - max(one["context_start_ms"], other["context_start_ms"])


def chosen_by_loops(candidates, caps, seed):
    """Choose by the rule alone, comparing with all that was chosen before.

    Gives the points, and whether a cell is left that lacks some and passed some over.
    """
    rows = candidates.to_dict("records")
    picked, short = [], False
    for scenario in RAREST_FIRST:
        cell = [row for row in rows if row["scenario"] == scenario]
        got = 0
        for row in sorted(cell, key=lambda row: place(seed, row["point"])):
            mates = [p for p in picked if p["conversation"] == row["conversation"]]
            if (
                got < caps.quota["t"][scenario]
                and sum(p["focal"] == row["focal"] for p in picked) < caps.per_speaker
                and len(mates) < caps.per_conversation
                and all(shared_ms(p, row) <= caps.clip_overlap_ms for p in mates)
            ):
                picked.append(row)
                got += 1
        short |= got < min(caps.quota["t"][scenario], len(cell))
    return {row["point"] for row in picked}, short


@st.composite
def candidates(draw_):
    cell = st.tuples(st.sampled_from("123"), st.sampled_from("ABC"), st.integers(25, 60))
    places = draw_(st.lists(cell, max_size=25, unique=True))
    scenario = st.sampled_from(RAREST_FIRST)
    return points(
        *(
            {
                "conversation": f"t:{conversation}",
                "focal": focal,
                "t0_ms": 1000 * t0,
                "scenario": draw_(scenario),
            }
            for conversation, focal, t0 in places
        )
    )


CAPS = st.builds(
    settings,
    quota=st.fixed_dictionaries(
        {"t": st.fixed_dictionaries(dict.fromkeys(RAREST_FIRST, st.integers(0, 4)))}
    ),
    per_speaker=st.integers(1, 5),
    per_conversation=st.integers(1, 5),
    clip_overlap_ms=st.sampled_from([0, 15_000, 22_000, 24_000, 30_000]),
)


@few
@given(table=candidates(), caps=CAPS, seed=st.integers(0, 3))
def test_the_choice_is_that_of_plain_loops_and_keeps_every_cap(table, caps, seed):
    got = choose(table, caps, seed)
    in_turn, short = chosen_by_loops(table, caps, seed)

    assert len(got) >= len(in_turn) if short else set(got["point"]) == in_turn
    assert got["point"].is_unique
    assert got["draw"].tolist() == [place(seed, point) for point in got["point"]]
    for scenario, count in got["scenario"].value_counts().items():
        assert count <= caps.quota["t"][scenario]
    assert (got["focal"].value_counts() <= caps.per_speaker).all()
    assert (got["conversation"].value_counts() <= caps.per_conversation).all()
    for one, other in combinations(got.to_dict("records"), 2):
        apart = one["conversation"] != other["conversation"]
        assert apart or shared_ms(one, other) <= caps.clip_overlap_ms


@few
@given(table=candidates(), caps=CAPS, shuffle=st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_changes_no_choice(table, caps, shuffle):
    order = list(range(len(table)))
    shuffle.shuffle(order)

    first, second = choose(table, caps), choose(table.iloc[order], caps)

    pd.testing.assert_frame_equal(first, second)


@few
@given(table=candidates(), caps=CAPS, other=st.integers(0, 50))
def test_a_further_corpus_in_the_quota_table_changes_no_choice(table, caps, other):
    more = caps.model_copy(update={"quota": {"a": {"pause": other}, **caps.quota}})

    first, second = choose(table, caps), choose(table, more)

    pd.testing.assert_frame_equal(first, second)


@few
@given(table=candidates(), keep=st.integers(0, 25))
def test_the_place_of_a_candidate_does_not_depend_on_the_others(table, keep):
    whole = episodes.in_turn(table, strangers(table), seed=7)
    part = episodes.in_turn(table.iloc[:keep], strangers(table), seed=7)

    kept = whole[whole["point"].isin(part["point"])]
    assert kept["point"].tolist() == part["point"].tolist()
    assert kept["draw"].tolist() == part["draw"].tolist()


def test_a_rare_scenario_takes_the_place_of_a_speaker_before_a_common_one():
    times = range(30_000, 60_000, 1000)
    rows = [{"t0_ms": t0} for t0 in times]
    rare = {"t0_ms": 100_000, "scenario": "interruption"}

    got = choose(points(*rows, rare), settings(per_speaker=1))

    assert got["t0_ms"].tolist() == [100_000]


def test_two_clips_that_share_exactly_the_setting_are_both_chosen_and_not_if_they_share_more():
    # Clips of 25 s: the second starts 1 s before the end of the first, or a millisecond sooner.
    apart = points({"t0_ms": 40_000}, {"t0_ms": 64_000, "focal": "B"})
    nearer = points({"t0_ms": 40_000}, {"t0_ms": 63_999, "focal": "B"})
    elsewhere = points({"t0_ms": 40_000}, {"t0_ms": 63_999, "conversation": "t:2"})
    caps = settings(clip_overlap_ms=1000)

    counts = [len(choose(table, caps)) for table in (apart, nearer, elsewhere)]

    assert counts == [2, 1, 2]


def test_another_seed_chooses_other_points():
    table = points(*({"t0_ms": 1000 * t0} for t0 in range(30, 130)))

    picks = {
        tuple(choose(table, settings(clip_overlap_ms=30_000), seed)["t0_ms"]) for seed in range(5)
    }

    assert len(picks) == 5


def test_a_corpus_that_the_quota_table_does_not_name_gets_no_episode():
    built = episodes.build(
        points({}, corpus="u"),
        recordings(*dyad()),
        frames.empty("speakers"),
        frames.empty("words"),
        frames.empty("turns"),
        frames.empty("inspections"),
        corpus="u",
        entry=ENTRY,
        settings=settings(),
        bands_db=BANDS_DB,
        seed=1,
    )

    assert len(built.episodes) == 0 == len(built.history)
    assert built.shortfalls["quota"].tolist() == [0, 0, 0, 0]
    assert built.shortfalls.set_index("scenario")["candidates"]["pause"] == 1


def test_the_quota_of_a_corpus_is_its_row_of_the_scaled_table():
    table = {"t": {"pause": 10, "smooth": 20}, "u": {"pause": 30, "smooth": 40}}

    half = settings(quota=table, scale=0.5)

    want = {"pause": 5, "backchannel": 0, "smooth": 10, "interruption": 0}
    assert quota("t", settings=half) == want
    assert quota("other", settings=half) == dict.fromkeys(want, 0)


# --------------------------------------------------------------------- weights and shortfalls


def built_of(
    table,
    *,
    items=None,
    turns=None,
    speakers=None,
    inspections=None,
    entry=ENTRY,
    seed=1,
    **values,
):
    conversations = sorted(set(table["conversation"]))
    return episodes.build(
        table,
        recordings(*(row for name in conversations for row in dyad(name))),
        frames.empty("speakers") if speakers is None else speakers,
        frames.empty("words") if items is None else items,
        frames.empty("turns") if turns is None else turns,
        frames.empty("inspections") if inspections is None else inspections,
        corpus="t",
        entry=entry,
        settings=settings(**values),
        bands_db=BANDS_DB,
        seed=seed,
    )


def test_a_weight_is_the_candidates_of_a_cell_over_its_chosen():
    pauses = [{"t0_ms": 1000 * t0} for t0 in range(30, 35)]
    smooth = [{"t0_ms": 90_000, "scenario": "smooth"}]
    barred = [{"t0_ms": 91_000, "scenario": "smooth", "split": "train"}]

    built = built_of(points(*pauses, *smooth, *barred))

    cells = built.shortfalls.set_index("scenario")[["quota", "candidates", "chosen"]]
    assert cells.loc["pause"].tolist() == [2, 5, 2]
    assert cells.loc["smooth"].tolist() == [2, 1, 1]
    assert cells.loc["backchannel"].tolist() == [2, 0, 0]
    weights = built.episodes.groupby("scenario")["weight"].agg(list).to_dict()
    assert weights == {"pause": [2.5, 2.5], "smooth": [1.0]}


@few
@given(table=candidates(), caps=CAPS)
def test_the_weights_of_a_cell_sum_to_its_candidates(table, caps):
    names = ("quota", "per_speaker", "per_conversation", "clip_overlap_ms")
    built = built_of(table, **{name: getattr(caps, name) for name in names})

    for row in built.shortfalls.itertuples():
        weights = built.episodes.loc[built.episodes["scenario"] == row.scenario, "weight"]
        assert row.candidates == (table["scenario"] == row.scenario).sum()
        assert row.chosen == len(weights) <= row.quota == caps.quota["t"][row.scenario]
        assert sum(weights) == pytest.approx(row.candidates if row.chosen else 0)


def test_an_episode_copies_its_point_and_ends_five_seconds_after_it():
    table = points({"conversation": "t:7", "focal": "B", "t0_ms": 61_234, "scenario": "smooth"})

    row = built_of(table).episodes.iloc[0]

    key = "\x1f".join(["episode", "t", table["point"][0]])
    assert row["episode"] == "t-" + hashlib.sha256(key.encode()).hexdigest()[:10]
    assert row["horizon_end_ms"] == 66_234
    assert row["context_start_ms"] == 41_234
    assert (row["focal"], row["partner"], row["rights"]) == ("B", "A", "recipe")
    assert row[["clip", "clip_sha256", "history_start_ms"]].isna().all()


def test_the_rows_of_every_table_may_come_in_any_order():
    table = points(*({"t0_ms": 1000 * t0, "focal": "AB"[t0 % 2]} for t0 in range(30, 60)))
    turns = turns_of(
        """
        A  ##########           ##############
        B             ########          ####
        """,
        ms_per_column=1000,
    )
    items = words(("A", 100, 900, "one"), ("B", 14_000, 15_000, "two"), ("A", 25_000, 26_000, "x"))

    first = built_of(table, items=items, turns=turns)
    second = built_of(table[::-1], items=items[::-1], turns=turns[::-1])

    for one, other in zip(first, second, strict=True):
        pd.testing.assert_frame_equal(one, other)
    # Of the focal speaker of 30 to 59 s, the oldest turn of all starts at 0.
    assert first.episodes["history_start_ms"].tolist() == [0, 0]


# ------------------------------------------------------------------------------- the history


PICTURE = """
    A  #####      ####
    B       ####    ######
    C           #
    """
"""A 0-500 and 1100-1500, B 500-900 and 1300-1900, C 900-1000 ms."""


def test_the_turns_before_t0_are_told_oldest_first_and_cut_at_t0():
    items = words(
        ("A", 0, 300, "so"),
        ("A", 300, 500, "then"),
        ("B", 500, 900, "what"),
        ("C", 900, 1000, "hm"),
        ("A", 1100, 1500, "nothing"),
        ("B", 1300, 1500, "but"),
        ("B", 1500, 1900, "why"),
    )

    assert told(1500, turns_of(PICTURE), items) == [
        ("A", 0, 500, "so then"),
        ("B", 500, 900, "what"),
        ("C", 900, 1000, "hm"),
        ("A", 1100, 1500, "nothing"),
        ("B", 1300, 1500, "but"),
    ]


def test_a_turn_whose_words_are_all_unfinished_or_unknown_has_no_text():
    items = words(("A", 1100, 1500, "nothing"), ("B", 1300, 1501, "butterfly"))

    rows = told(1500, turns_of(PICTURE), items, history_turns=3)

    assert rows == [("C", 900, 1000, None), ("A", 1100, 1500, "nothing"), ("B", 1300, 1500, None)]


def test_the_focal_speakers_word_under_way_at_t0_is_told_and_nobody_elses():
    turns = turns_of("A  #####\nB  #####")
    items = words(("A", 0, 1900, "noooo"), ("B", 0, 501, "but"))

    assert told(500, turns, items, focal="A") == [("A", 0, 500, "noooo"), ("B", 0, 500, None)]
    assert told(500, turns, items, focal="B") == [("A", 0, 500, None), ("B", 0, 500, "but")]


def test_an_utterance_timed_as_a_whole_is_told_only_when_it_has_ended():
    turns = turns_of("A  ##########")
    whole = words(("A", 0, 1000, "all of it", "word", "utterance"))

    assert told(999, turns, whole) == [("A", 0, 999, None)]
    assert told(1000, turns, whole) == [("A", 0, 1000, "all of it")]


def test_only_the_last_turns_within_the_window_are_told_and_the_first_is_cut():
    turns = turns_of(PICTURE)
    items = words(
        ("A", 0, 300, "so"), ("A", 300, 500, "then"), ("B", 500, 700, "oh"), ("B", 700, 900, "what")
    )

    # The window of 800 ms opens at 300, inside A's first turn; that of 799 ms inside its word.
    assert told(1100, turns, items, history_ms=800)[:2] == [
        ("A", 300, 500, "then"),
        ("B", 500, 900, "oh what"),
    ]
    assert told(1100, turns, items, history_ms=799)[0] == ("A", 301, 500, None)
    # A turn that ends where the window opens is not told.
    assert told(1100, turns, items, history_ms=600)[0] == ("B", 500, 900, "oh what")
    assert [row[0] for row in told(1100, turns, items, history_turns=2)] == ["B", "C"]


def test_punctuation_is_glued_and_a_mark_belongs_to_the_turn_that_it_closes():
    turns = turns_of(
        """
        A  #####
        A       ####
        """
    )
    items = words(
        ("A", 0, 200, "well"),
        ("A", 200, 200, ",", "punctuation"),
        ("A", 200, 500, "no"),
        ("A", 500, 500, ".", "punctuation"),
        ("A", 500, 700, "Yes"),
        ("A", 600, 700, "[laugh]", "vocalsound"),
        ("A", 700, 900, "[redacted]", "other"),
    )

    assert told(900, turns, items) == [("A", 0, 500, "well, no."), ("A", 500, 900, "Yes")]


def test_a_word_outside_every_turn_is_not_told():
    turns = turns_of("A  ###   ###\nB     ###")
    items = words(("A", 0, 300, "go"), ("B", 300, 600, "on"), ("A", 400, 500, "mhm"))

    assert told(900, turns, items) == [
        ("A", 0, 300, "go"),
        ("B", 300, 600, "on"),
        ("A", 600, 900, None),
    ]


def test_the_talk_of_another_conversation_is_not_told():
    here = turns_of("A  ###")
    there = turns_of("A  ###", conversation="t:2")
    items = pd.concat(
        [words(("A", 0, 300, "here")), words(("A", 0, 300, "there"), conversation="t:2")]
    )

    assert told(300, pd.concat([there, here]), items) == [("A", 0, 300, "here")]


@st.composite
def talk(draw_):
    """Three speakers' turns and words, each word with a text of its own, some outside turns."""
    turns, items, number = [], [], 0
    for speaker in "ABC":
        now = 0
        for _ in range(draw_(st.integers(0, 5))):
            start = now = now + draw_(st.integers(0, 400))
            inside = draw_(st.booleans())
            for _ in range(draw_(st.integers(1, 3))):
                begin = now + draw_(st.integers(0, 50))
                now = begin + draw_(st.integers(1, 300))
                items.append((speaker, begin, now, f"w{number}"))
                number += 1
            if inside:
                turns.append(("t:1", speaker, start, now, 1))
            now += 1
    return frames.frame(turns, "turns"), words(*items)


def history_by_loops(t0_ms, turns, items, *, focal, window, most):
    since = max(0, t0_ms - window)
    rows = sorted(
        (start, end, speaker)
        for _, speaker, start, end, _ in turns.itertuples(index=False)
        if start < t0_ms and end > since
    )
    out = []
    for start, end, speaker in rows[-most:]:
        said = [
            item.text
            for item in items.sort_values(["start_ms"]).itertuples()
            if item.speaker == speaker
            and start <= item.start_ms < end
            and since <= item.start_ms < t0_ms
            and (item.end_ms <= t0_ms or speaker == focal)
        ]
        out.append((speaker, max(start, since), min(end, t0_ms), " ".join(said) or None))
    return out


MOMENT = st.integers(1, 3500)


@few
@given(
    made=talk(),
    t0_ms=MOMENT,
    focal=st.sampled_from("ABC"),
    window=st.integers(1, 2000),
    most=st.integers(1, 6),
)
def test_the_history_is_that_of_plain_loops_and_stays_in_its_window(
    made, t0_ms, focal, window, most
):
    turns, items = made

    rows = told(t0_ms, turns, items, focal=focal, history_ms=window, history_turns=most)

    assert rows == history_by_loops(t0_ms, turns, items, focal=focal, window=window, most=most)
    assert len(rows) <= most
    spans = items.set_index("text")
    for speaker, start, end, text in rows:
        assert max(0, t0_ms - window) <= start < end <= t0_ms
        for word in (text or "").split():
            assert spans["start_ms"][word] >= t0_ms - window
            assert spans["end_ms"][word] <= t0_ms or (
                speaker == focal and spans["start_ms"][word] < t0_ms
            )


@few
@given(made=talk(), t0_ms=MOMENT, focal=st.sampled_from("ABC"))
def test_nothing_that_starts_after_t0_changes_the_history(made, t0_ms, focal):
    turns, items = made
    past = turns[turns["start_ms"] < t0_ms]
    cut = past.assign(end_ms=past["end_ms"].clip(upper=t0_ms))

    known = told(t0_ms, cut, items[items["start_ms"] < t0_ms], focal=focal)

    assert told(t0_ms, turns, items, focal=focal) == known


@few
@given(made=talk(), seed=st.integers(0, 100))
def test_each_episode_has_the_history_that_it_would_have_alone(made, seed):
    turns, items = made
    moments = random.Random(seed).sample(range(1, 3500), 4)
    table = pd.concat([asked(t0).assign(episode=f"e{t0}") for t0 in moments])

    together = history.before(table, turns, items, settings=settings())

    for t0 in moments:
        rows = together[together["episode"] == f"e{t0}"]
        alone = history.before(asked(t0), turns, items, settings=settings())
        pd.testing.assert_frame_equal(
            rows.drop(columns="episode").reset_index(drop=True), alone.drop(columns="episode")
        )


# -------------------------------------------------------------------------------- the strata


def test_the_articulation_rate_counts_words_over_the_time_that_they_fill():
    # A: three words fill 0-600 and 1000-1400, thus 1.0 s; an overlap counts once.
    items = words(
        ("A", 0, 400, "a"),
        ("A", 200, 600, "b"),
        ("A", 1000, 1400, "c"),
        ("A", 1400, 1400, "d"),
        ("A", 1400, 9000, ",", "punctuation"),
        ("B", 0, 500, "e"),
        ("C", 0, 500, "f", "word", "utterance"),
        ("D", 0, 500, "g", "word", "asr"),
    )

    assert articulation_rates(items) == {"A": 3.0, "B": 2.0}


@few
@given(
    spans=st.lists(
        st.tuples(st.sampled_from("12"), st.sampled_from("AB"), st.integers(0, 90)), max_size=20
    ),
    lengths=st.lists(st.integers(1, 40), min_size=20, max_size=20),
)
def test_the_articulation_rate_is_that_of_counting_each_millisecond(spans, lengths):
    rows = [(*span, span[2] + n) for span, n in zip(spans, lengths, strict=False)]
    items = pd.concat(
        [
            words(*((who, a, b, "w") for c, who, a, b in rows if c == name), conversation=name)
            for name in "12"
        ]
    )

    want = {}
    for speaker in {row[1] for row in rows}:
        own = [row for row in rows if row[1] == speaker]
        filled = {(c, ms) for c, _, start, end in own for ms in range(start, end)}
        want[speaker] = pytest.approx(1000 * len(own) / len(filled))
    assert articulation_rates(items) == want


def paced(**milliseconds):
    return words(*((who, 0, ms, "w") for who, ms in milliseconds.items()))


def test_the_rate_terciles_of_a_corpus_split_its_speakers_in_three():
    items = paced(a=700, b=100, c=600, d=200, e=500, f=300)

    assert rate_terciles(items) == {
        "a": "slow",
        "c": "slow",
        "e": "medium",
        "f": "medium",
        "d": "fast",
        "b": "fast",
    }


def test_rates_that_tie_are_ranked_by_name_and_two_speakers_have_no_tercile():
    assert rate_terciles(paced(c=300, b=300, a=300)) == {"a": "slow", "b": "medium", "c": "fast"}
    assert rate_terciles(paced(a=300, b=200)) == {}


def speakers(*rows):
    return frames.frame(
        [
            {"corpus": "t", "speaker": who, "gender": gender, "age": age, "region": region}
            for who, gender, age, region in rows
        ],
        "speakers",
    )


@pytest.mark.parametrize(("contiguous", "rate"), [(False, "fast"), (True, None)])
def test_the_strata_of_an_episode_are_those_of_its_focal_speaker(contiguous, rate):
    entry = ENTRY.model_copy(update={"contiguous_words": contiguous})
    people = speakers(("A", "female", "30-39", None), ("B", "male", None, "US"))

    row = built_of(
        points({}), speakers=people, items=paced(A=100, B=200, C=300), entry=entry
    ).episodes.iloc[0]

    assert dict(row["strata"]) == {
        "corpus": "t",
        "language": "en",
        "gender": "female",
        "age": "30-39",
        "region": None,
        "snr": None,
        "rate": rate,
    }


# ---------------------------------------------------------------------------------- the clips


def clips(*rows):
    names = ("episode", "clip", "clip_sha256", "reason")
    return frames.frame([dict(zip(names, row, strict=True)) for row in rows], "clips")


def test_bind_gives_each_episode_its_own_clip_and_leaves_one_not_cut_null():
    table = built_of(
        points(*({"t0_ms": t0} for t0 in (50_000, 60_000, 70_000))),
        quota={"t": {"pause": 3, "smooth": 0, "backchannel": 0, "interruption": 0}},
    ).episodes
    one, two, three = table["episode"]

    bound = episodes.bind(
        table,
        clips(
            (three, "s0/3.flac", "cc", None),
            (one, "s0/1.flac", "aa", None),
            (two, None, None, "no audio of A"),
        ),
    )

    assert bound["episode"].tolist() == [one, two, three]
    assert bound["clip"].fillna("-").tolist() == ["s0/1.flac", "-", "s0/3.flac"]
    assert bound["clip_sha256"].fillna("-").tolist() == ["aa", "-", "cc"]
    assert bound.drop(columns=["clip", "clip_sha256"]).equals(
        table.drop(columns=["clip", "clip_sha256"])
    )


def test_a_clip_of_no_episode_is_an_error_that_names_it():
    table = built_of(points({})).episodes
    strange = clips((table["episode"][0], "a", "b", None), ("t-gone", "a", "b", None))

    with pytest.raises(TableError, match=r"1 of 2 rows belong to no episode \(first: t-gone\)"):
        episodes.bind(table, strange)


def test_bind_without_clips_leaves_every_episode_without_one():
    table = built_of(points({})).episodes

    bound = episodes.bind(table, frames.empty("clips"))

    assert len(bound) == 1
    assert bound[["clip", "clip_sha256"]].isna().all(axis=None)
