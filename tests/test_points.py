"""Decision points: window, outcome, scenario, context, split and fitting frame."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import draw, spoken
from made_world import SETTINGS
from tact import frames
from tact.points import find_points, first_onset, sample_frame
from tact.points.response import NONE
from tact.points.splits import split_of
from tact.turns import take_turns
from tact.vocabulary import REDACTED

NO_ACTS = frames.empty("acts")
MINUTE_MS = 60_000


def recordings_of(ipus, duration_ms=MINUTE_MS, groups=None):
    rows = [
        {
            "corpus": "candor",
            "conversation": conversation,
            "channel": channel,
            "speaker": speaker,
            "duration_ms": duration_ms,
            "licence": "none",
            "mixed": False,
            "language": "en",
            "split_group": (groups or {}).get(conversation, conversation),
        }
        for conversation, own in ipus.groupby("conversation")
        for channel, speaker in enumerate(sorted(set(own["speaker"])))
    ]
    return frames.frame(rows, "recordings")


def points_of(
    picture, *, settings=SETTINGS, duration_ms=MINUTE_MS, redacted=None, moved=None, **texts
):
    """Find the points of a picture; ``moved`` is (speaker, IPU, start or end, by ms)."""
    ipus = draw(picture)
    if moved:
        speaker, number, edge, by_ms = moved
        row = ipus.index[ipus["speaker"] == speaker][number]
        ipus.loc[row, edge] += by_ms
    words = spoken(ipus, **texts)
    made = take_turns(ipus, words, NO_ACTS, {"t:1": "en"}, settings=settings.turns)
    if redacted:
        hole = {
            "conversation": "t:1",
            "speaker": "A",
            "position": 99,
            "start_ms": redacted[0],
            "end_ms": redacted[1],
            "text": REDACTED,
            "kind": "other",
            "source": "manual",
        }
        words = pd.concat([words, frames.frame([hole], "words")], ignore_index=True)
    return find_points(
        "candor", recordings_of(ipus, duration_ms), ipus, made.backchannels, made.turns, words,
        settings=settings,
    )  # fmt: skip


def at(points, focal, t0):
    rows = points[(points["focal"] == focal) & (points["t0_ms"] == t0)]
    assert len(rows) == 1, points[["focal", "t0_ms"]]
    return rows.iloc[0]


def blank(value):
    return None if pd.isna(value) else int(value)


@pytest.mark.parametrize(
    ("picture", "t0", "scenario", "response", "floor", "resume"),
    [
        pytest.param(
            """
            A  ##########
            B              ####
            """,
            1000, "smooth", 200, 200, None,
            id="the partner takes the floor",
        ),
        pytest.param(
            """
            A  ##########
            B           ####
            """,
            1000, "smooth", -100, -100, None,
            id="the partner takes the floor in overlap",
        ),
        pytest.param(
            """
            A  ##########      ####
            """,
            1000, "pause", None, None, 600,
            id="the focal speaker goes on after 600 ms",
        ),
        pytest.param(
            """
            A  ##########     ####
            """,
            1000, "none", None, None, 500,
            id="500 ms is no pause",
        ),
        pytest.param(
            f"""
            A  {"#" * 10}{" " * 50}####
            """,
            1000, "pause", None, None, 5000,
            id="a pause may last to the horizon",
        ),
        pytest.param(
            f"""
            A  {"#" * 10}{" " * 51}####
            """,
            1000, "none", None, None, 5100,
            id="a silence past the horizon is no pause",
        ),
        pytest.param(
            """
            A  ##########      ####
            B               ##
            """,
            1000, "smooth", 300, 300, None,
            id="a turn between two of the focal speaker's",
        ),
    ],
)  # fmt: skip
def test_drawn_points_have_their_scenario(picture, t0, scenario, response, floor, resume):
    if "B" not in picture:
        picture = picture.rstrip() + "\n            B" + " " * 90 + "###\n"
    found = at(points_of(picture), "A", t0)

    assert found["scenario"] == scenario
    assert blank(found["response_ms"]) == response
    assert blank(found["floor_ms"]) == floor
    assert blank(found["resume_ms"]) == resume


def test_a_backchannel_is_a_response_and_its_own_scenario():
    picture = """
        A  ##############                ##############
        B                    ##                             ####
        """
    points = points_of(picture, B=["yeah", "seven"])
    found = at(points, "A", 1400)

    assert (found["scenario"], found["response_kind"]) == ("backchannel", "backchannel")
    assert (found["response_ms"], found["response_duration_ms"]) == (400, 200)
    assert blank(found["resume_ms"]) == 1600
    assert not len(points[(points["focal"] == "B") & (points["t0_ms"] == 2000)])


@pytest.mark.parametrize(
    ("picture", "t0", "said", "is_one"),
    [
        pytest.param(
            """
            A            ##########################
            B  ##########################                 ####
            """,
            3600, ["seven", "so"], True,
            id="in the middle of a clause",
        ),
        pytest.param(
            """
            A            ##########################
            B  ####### ##################                 ####
            """,
            3600, ["seven.", "eight", "so"], False,
            id="after a clause had ended",
        ),
        pytest.param(
            """
            A            ##########################
            B  ##############                             ####
            """,
            3600, ["seven", "so"], False,
            id="less than 500 ms before the partner stops anyway",
        ),
        pytest.param(
            """
            A            ##########        ########
            B  #################                             ####
            """,
            2000, ["seven", "so"], False,
            id="the turn goes on after t0",
        ),
    ],
)  # fmt: skip
def test_an_interruption_is_the_end_of_a_turn_that_broke_into_a_clause(picture, t0, said, is_one):
    assert (at(points_of(picture, B=said), "A", t0)["scenario"] == "interruption") is is_one


def test_a_point_that_the_partner_speaks_through_is_no_candidate():
    points = points_of(
        """
        A  ##########     ##########
        B                     ###############
        A2
        """.replace("A2", ""),
    )

    assert points[["focal", "t0_ms"]].values.tolist() == [["A", 1000], ["A", 2500], ["B", 3400]]


def test_an_onset_long_before_the_end_of_a_long_turn_is_out_of_the_window():
    points = points_of(
        """
        A  ########################################
        B       ##             ##            ##
        """,
        B=["seven", "seven", "seven"],
    )
    found = at(points, "A", 4000)

    assert found["response_ms"] == 2000 - 4000
    assert not found["carry_over"]


TWO_PAUSES = f"""
    A  {"#" * 10}{" " * 6}####{" " * 50}####
    B  {" " * 90}###
    """
BROKEN_INTO = """
    A            ##########################
    B  ###############                           ####
    """
ANSWERED_EARLY = f"""
    A  {"#" * 40}
    B  {" " * 20}##{" " * 40}###
    """
BEGUN_LATE = f"""
    A  {" " * 20}##########
    B  {"#" * 15}     ####{" " * 30}###
    """
ANSWERED_LATE = f"""
    A  {"#" * 10}
    B  {" " * 60}####
    """
GOES_ON = f"""
    A  {"#" * 10}{" " * 10}####
    B  {" " * 20}####
    """


@pytest.mark.parametrize(
    ("picture", "t0", "moved", "column", "value"),
    [
        pytest.param(TWO_PAUSES, 1000, None, "scenario", "pause", id="600 ms is a pause"),
        pytest.param(
            TWO_PAUSES, 1000, ("A", 1, "start_ms", -1), "scenario", "none", id="599 ms is none"
        ),
        pytest.param(TWO_PAUSES, 2000, None, "scenario", "pause", id="5 s is a pause"),
        pytest.param(
            TWO_PAUSES, 2000, ("A", 2, "start_ms", 1), "scenario", "none", id="5,001 ms is none"
        ),
        pytest.param(BROKEN_INTO, 3600, None, "scenario", "interruption", id="500 ms barge in"),
        pytest.param(
            BROKEN_INTO, 3600, ("B", 0, "end_ms", -1), "scenario", "smooth", id="499 ms do not"
        ),
        pytest.param(ANSWERED_EARLY, 4000, None, "response_ms", -2000, id="2 s before is heard"),
        pytest.param(
            ANSWERED_EARLY, 4000, ("B", 0, "start_ms", -1), "response_ms", 2200,
            id="2,001 ms before is not",
        ),
        pytest.param(
            BEGUN_LATE, 3000, None, "response_ms", -1000, id="as the focal turn starts is heard"
        ),
        pytest.param(
            BEGUN_LATE, 3000, ("B", 1, "start_ms", -1), "response_ms", 2400,
            id="before the focal turn is not",
        ),
        pytest.param(
            ANSWERED_LATE, 1000, ("B", 0, "start_ms", -1), "response_ms", 4999,
            id="4,999 ms after is a response",
        ),
        pytest.param(ANSWERED_LATE, 1000, None, "response_ms", None, id="5 s after is the atom"),
        pytest.param(ANSWERED_LATE, 1000, None, "raw_response_ms", None, id="5 s is not raw"),
        pytest.param(
            GOES_ON, 1000, ("B", 0, "start_ms", -1), "response_ms", 999, id="before h is heard"
        ),
        pytest.param(GOES_ON, 1000, None, "response_ms", None, id="at h is the atom"),
        pytest.param(GOES_ON, 1000, None, "raw_response_ms", 1000, id="at h is kept as raw"),
    ],
)  # fmt: skip
def test_each_edge_lies_where_it_should_to_the_millisecond(picture, t0, moved, column, value):
    found = at(points_of(picture, moved=moved), "A", t0)[column]

    assert (found if isinstance(found, str) else blank(found)) == value


@pytest.mark.parametrize(
    ("by_ms", "under_way"), [(-1, False), (0, False), (1, True)], ids=["before", "at", "after"]
)
def test_an_ipu_that_ends_after_the_window_opens_is_carried_over(by_ms, under_way):
    picture = f"""
        A  {"#" * 40}
        B  {" " * 12}########{" " * 24}###
        """

    found = at(points_of(picture, moved=("B", 0, "end_ms", by_ms)), "A", 4000)

    assert found["carry_over"] is np.bool_(under_way)
    assert found["response_ms"] == 400


@st.composite
def windows(draw_):
    edges = sorted(draw_(st.sets(st.integers(0, 12_000), max_size=12)))
    partner = list(zip(edges[::2], edges[1::2], strict=False))
    t0 = draw_(st.integers(2000, 7000))
    turn_start = draw_(st.integers(0, t0 - 1))
    focal_next = draw_(st.one_of(st.none(), st.integers(t0, 13_000)))
    return partner, t0, turn_start, focal_next


@given(windows())
def test_the_response_is_the_first_onset_of_the_window(case):
    partner, t0, turn_start, focal_next = case
    opened = max(t0 - 2000, turn_start)
    limit = t0 + 5000 if focal_next is None else min(focal_next, t0 + 5000)

    seen = first_onset(
        np.array([start for start, _ in partner], np.int64),
        np.array([end for _, end in partner], np.int64),
        np.array([t0]), np.array([opened]),
        np.array([NONE if focal_next is None else focal_next]),
    )  # fmt: skip

    later = [start for start, _ in partner if start >= opened]
    first = min(later, default=NONE)
    assert seen.response[0] == (first if first < limit else NONE)
    assert seen.raw[0] == (first if first < t0 + 5000 else NONE)
    assert seen.carry_over[0] == any(start < opened < end for start, end in partner)
    assert seen.spans[0] == any(start < opened and end >= t0 for start, end in partner)


def with_target(seconds):
    corpora = dict(SETTINGS.corpora)
    corpora["candor"] = corpora["candor"].model_copy(update={"clip_target_s": seconds})
    return SETTINGS.model_copy(update={"corpora": corpora})


def test_the_context_starts_at_the_nearest_boundary_to_its_target():
    picture = """
        A  ##########          ##########          ##########
        B              ###                   ###              ###
        """
    found = at(points_of(picture, settings=with_target(8.0)), "A", 5000)

    assert found["context_start_ms"] == 2000
    assert "no_boundary" not in found["reasons"]


def test_what_keeps_a_point_out_is_said_in_its_reasons():
    picture = """
        A  ##########          ##########
        B              ###                 ###
        """
    early = at(points_of(picture), "A", 1000)
    late = at(points_of(picture, duration_ms=7999), "A", 3000)
    in_time = at(points_of(picture, duration_ms=8000), "A", 3000)
    holed = at(points_of(picture, redacted=(7900, 9000)), "A", 3000)
    whole = at(points_of(picture, redacted=(8000, 9000)), "A", 3000)

    assert early["reasons"] == "the partner takes the floor; no_boundary; no_context"
    assert ["no_horizon" in point["reasons"] for point in (late, in_time)] == [True, False]
    assert ["redacted" in point["reasons"] for point in (holed, whole)] == [True, False]


THREE = """
    A  ##########                    ##########
    B               ####                             ####
    C               {c}
    """


def test_of_three_speakers_a_point_needs_exactly_one_partner_in_its_context():
    settings = with_target(8.0)
    silent = points_of(THREE.format(c=" " * 47 + "##"), settings=settings)
    heard = points_of(THREE.format(c="#"), settings=settings)
    pooled = points_of(
        THREE.format(c="#" + " " * 60 + "##"),
        settings=settings.model_copy(
            update={"points": settings.points.model_copy(update={"two_party": False})}
        ),
    )

    assert at(silent, "A", 4000)["partner"] == "B"
    assert heard.query("t0_ms == 4000").empty
    assert (at(pooled, "A", 4000)["partner"], at(pooled, "A", 4000)["response_ms"]) == ("B", 600)


def test_a_third_speaker_before_the_partner_marks_the_point():
    picture = """
        A  ##########                    ##########
        B               ####                             ####
        C                                             ##
        """
    points = points_of(picture, settings=with_target(8.0), B=["seven", "eight"], C=["nine"])
    found = at(points, "A", 4000)

    assert (found["partner"], found["third_party"]) == ("B", True)


@pytest.mark.parametrize(("by_ms", "third"), [(-1, True), (0, False), (1, False)])
def test_a_third_speaker_counts_to_the_millisecond_before_the_partner(by_ms, third):
    picture = """
        A  ##########                    ##########
        B               ####                             ####
        C                                                ##
        """
    points = points_of(
        picture,
        settings=with_target(8.0),
        moved=("C", 0, "start_ms", by_ms),
        B=["seven", "eight"],
        C=["nine"],
    )

    assert at(points, "A", 4000)["third_party"] == third


def many_points(n_dyads=12):
    pictures = []
    for dyad in range(n_dyads):
        ipus = draw(
            f"""
            A  ##########      ####          ######
            B                        ####{" " * dyad}             ###
            """,
            conversation=f"candor:{dyad}",
        )
        pictures.append(ipus.assign(speaker=ipus["speaker"] + str(dyad // 2)))
    ipus = pd.concat(pictures, ignore_index=True)
    words = spoken(ipus)
    languages = dict.fromkeys(ipus["conversation"], "en")
    made = take_turns(ipus, words, NO_ACTS, languages, settings=SETTINGS.turns)
    return find_points(
        "candor", recordings_of(ipus), ipus, made.backchannels, made.turns, words,
        settings=SETTINGS,
    )  # fmt: skip


def test_weights_are_candidates_of_dev_and_test_over_quota():
    points = many_points()
    quota = SETTINGS.episodes.quota["candor"]
    for scenario, rows in points.groupby("scenario"):
        wanted = quota.get(scenario, 0)
        n = (rows["split"] != "train").sum()
        assert rows["weight"].tolist() == pytest.approx(
            [n / wanted if wanted else np.nan] * len(rows), nan_ok=True
        )


def test_points_are_named_by_their_content_alone():
    points = many_points()
    fewer = many_points(4)
    shared = points[points["conversation"].isin(fewer["conversation"])]

    assert points["point"].is_unique
    assert shared[["point", "split", "scenario"]].values.tolist() == (
        fewer[["point", "split", "scenario"]].values.tolist()
    )


@given(
    pairs=st.lists(
        st.tuples(st.integers(0, 15), st.integers(0, 15)), min_size=1, max_size=25, unique=True
    ),
    seed=st.integers(0, 50),
)
def test_with_unit_speaker_nobody_is_in_two_splits(pairs, seed):
    rows = pd.DataFrame(
        [
            {"conversation": f"c{k}", "speaker": f"p{one}", "split_group": f"g{k}"}
            for k, pair in enumerate(pairs)
            for one in pair
        ]
    )
    settings = SETTINGS.model_copy(
        update={"seed": seed, "splits": SETTINGS.splits.model_copy(update={"unit": "speaker"})}
    )
    splits = split_of(rows, corpus="candor", settings=settings)
    by_speaker = {}
    for row in rows.itertuples():
        by_speaker.setdefault(row.speaker, set()).add(splits[row.conversation][0])

    assert all(len(found) == 1 for found in by_speaker.values())


def test_the_train_share_of_dyads_is_the_configured_one():
    rows = pd.DataFrame(
        [{"conversation": f"c{k}", "speaker": f"p{k}", "split_group": f"g{k}"} for k in range(4000)]
    )
    splits = [split for split, _ in split_of(rows, corpus="candor", settings=SETTINGS).values()]
    train = SETTINGS.splits.train_share
    dev = (1 - train) * SETTINGS.episodes.dev_share

    assert splits.count("train") / 4000 == pytest.approx(train, abs=0.03)
    assert splits.count("dev") / 4000 == pytest.approx(dev, abs=0.015)


@pytest.fixture(scope="module")
def candidates():
    rng = np.random.default_rng(5)
    base = many_points(2)
    some = base[~base["reasons"].str.contains("no_horizon")].iloc[[0]]
    copies = pd.concat([some] * 400, ignore_index=True)
    return copies.assign(
        point=[f"{k:016x}" for k in range(400)],
        conversation=rng.choice(["c1", "c2"], 400),
        focal=rng.choice(["A", "B"], 400),
        t0_ms=rng.integers(0, 600_000, 400),
        split="train",
    )


def test_the_frame_is_thinned_and_leaves_out_only_what_has_a_neighbour(candidates):
    labels = SETTINGS.labels
    frame = sample_frame(candidates, settings=labels, seed=1)
    kept = candidates[candidates["point"].isin(frame["point"])]
    left = candidates[~candidates["point"].isin(frame["point"])]

    def nearest(row, others):
        same = others[
            (others["conversation"] == row.conversation)
            & (others["focal"] == row.focal)
            & (others["point"] != row.point)
        ]
        return (same["t0_ms"] - row.t0_ms).abs().min()

    assert all(nearest(row, kept) >= labels.frame_window_ms for row in kept.itertuples())
    assert all(nearest(row, kept) < labels.frame_window_ms for row in left.itertuples())
    assert 50 < len(kept) < 350


def test_the_frame_does_not_see_the_outcome(candidates):
    other = candidates.assign(response_ms=None, response_kind=None, scenario="none")

    pd.testing.assert_frame_equal(
        sample_frame(candidates, settings=SETTINGS.labels, seed=1),
        sample_frame(other.sample(frac=1, random_state=3), settings=SETTINGS.labels, seed=1),
    )


@pytest.mark.parametrize(
    "change",
    [
        {"split": "test"},
        {"third_party": True},
        {"reasons": "x; no_horizon"},
        {"reasons": "x; redacted"},
    ],
)
def test_the_frame_takes_only_whole_train_candidates(candidates, change):
    assert sample_frame(candidates.assign(**change), settings=SETTINGS.labels, seed=1).empty


def test_the_frame_has_at_most_the_configured_number_of_points(candidates):
    few = SETTINGS.labels.model_copy(update={"train_points": 7})
    all_of_them = sample_frame(candidates, settings=SETTINGS.labels, seed=1)

    pd.testing.assert_frame_equal(
        sample_frame(candidates, settings=few, seed=1), all_of_them.head(7)
    )
