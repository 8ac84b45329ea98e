"""The choice of episodes in random worlds: full where it can be, even, stable, within the caps."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from made_world import SETTINGS
from tact import keys
from tact.episodes import choose
from tact.episodes.balance import pulls, turns
from tact.vocabulary import SCENARIOS

few = tries(max_examples=40, deadline=None)
CLIP_MS = 26_000


def caps(quota, **values):
    own = {"per_speaker": 99, "per_conversation": 99, "per_speaker_of": {}, "clip_overlap_ms": 0}
    return SETTINGS.episodes.model_copy(update=own | {"scale": 1.0, "quota": {"t": quota}} | values)


def world(rows):
    """Candidates: (conversation, focal, t0 in s, scenario)."""
    table = pd.DataFrame(rows, columns=["conversation", "focal", "t0_ms", "scenario"])
    t0_ms = 1000 * table["t0_ms"]
    return table.assign(
        t0_ms=t0_ms,
        context_start_ms=t0_ms + 5000 - CLIP_MS,
        point=[
            keys.point_id(*row)
            for row in zip(table["conversation"], table["focal"], t0_ms, strict=True)
        ],
    )


def chosen(table, settings, *, seed=1, traits=None):
    known = pd.DataFrame(index=table.index) if traits is None else traits
    return choose(table, known, corpus="t", settings=settings, seed=seed)


def allowed(rows, settings):
    """Tell by the definitions alone whether a set of candidates keeps every cap."""
    for name, most in (
        ("focal", settings.per_speaker),
        ("conversation", settings.per_conversation),
    ):
        values = [row[name] for row in rows]
        if any(values.count(value) > most for value in values):
            return False
    cells = [row["scenario"] for row in rows]
    if any(cells.count(cell) > settings.quota["t"].get(cell, 0) for cell in cells):
        return False
    return not any(
        one["conversation"] == other["conversation"]
        and CLIP_MS - abs(one["t0_ms"] - other["t0_ms"]) > settings.clip_overlap_ms
        for one, other in combinations(rows, 2)
    )


def most(rows, settings, picked=()):
    """Find the largest allowed set by trying every candidate, in and out."""
    if not rows:
        return len(picked)
    without = most(rows[1:], settings, picked)
    with_it = [*picked, rows[0]]
    return (
        max(without, most(rows[1:], settings, with_it)) if allowed(with_it, settings) else without
    )


CELL = st.tuples(
    st.sampled_from("xy"),
    st.sampled_from("ABC"),
    st.integers(30, 120),
    st.sampled_from(SCENARIOS),
)


@few
@given(
    rows=st.lists(CELL, min_size=1, max_size=9, unique_by=lambda row: row[:3]),
    quota=st.fixed_dictionaries(dict.fromkeys(SCENARIOS, st.integers(0, 3))),
    per_speaker=st.integers(1, 3),
    per_conversation=st.integers(1, 4),
    overlap_ms=st.sampled_from([0, 10_000]),
)
def test_no_larger_choice_keeps_the_caps(rows, quota, per_speaker, per_conversation, overlap_ms):
    settings = caps(
        quota,
        per_speaker=per_speaker,
        per_conversation=per_conversation,
        clip_overlap_ms=overlap_ms,
    )
    table = world(rows)

    got = chosen(table, settings)

    assert allowed(got.to_dict("records"), settings)
    assert len(got) == most(table.to_dict("records"), settings)


def test_a_cell_that_drawing_in_turn_would_leave_short_is_filled():
    # A has one place, which the pause cell needs; smooth is filled first, and may take it.
    rows = [("x", "A", 30, "pause"), ("x", "A", 100, "smooth"), ("y", "B", 30, "smooth")]
    settings = caps({"pause": 1, "smooth": 1}, per_speaker=1)

    for seed in range(8):
        got = chosen(world(rows), settings, seed=seed)
        assert sorted(got["scenario"]) == ["pause", "smooth"]


def big_world(seed, n_conversations=60, n_people=50):
    rng = np.random.default_rng(seed)
    rows = [
        (f"c{k}", f"p{who}", int(t0), str(scenario))
        for k in range(n_conversations)
        for who, start in zip(rng.choice(n_people, 2, replace=False), (30, 37), strict=True)
        for t0, scenario in zip(
            range(start, 600, 15),
            rng.choice(SCENARIOS, 40, p=[0.4, 0.3, 0.25, 0.05]),
            strict=False,
        )
    ]
    table = world(rows)
    sex = {f"p{who}": "female" if who % 10 < 7 else "male" for who in range(n_people)}
    age = {f"p{who}": f"{20 + 10 * (who % 7 // 2)}" for who in range(n_people) if who % 5}
    return table, pd.DataFrame({"gender": table["focal"].map(sex), "age": table["focal"].map(age)})


QUOTA = {"pause": 60, "backchannel": 50, "smooth": 45, "interruption": 20}


@pytest.mark.parametrize("seed", range(3))
def test_a_further_conversation_changes_few_choices(seed):
    table, traits = big_world(seed)
    settings = caps(QUOTA, per_speaker=8, per_conversation=6)
    whole = set(chosen(table, settings, traits=traits)["point"])

    for left_out in ("c3", "c31"):
        keep = table["conversation"] != left_out
        fewer = set(chosen(table[keep], settings, traits=traits[keep])["point"])
        own = whole & set(table.loc[~keep, "point"])
        # What the conversation gave is made up for, and the caps pass a few changes on.
        assert len(fewer - whole) <= 3 * len(own) + 5


def test_the_order_of_rows_changes_nothing_with_strata():
    table, traits = big_world(5)
    settings = caps(QUOTA, per_speaker=8, per_conversation=6)
    mixed = table.sample(frac=1.0, random_state=1)

    first = chosen(table, settings, traits=traits)
    second = chosen(mixed, settings, traits=traits)

    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize("seed", range(3))
def test_strata_come_out_even_where_there_are_enough(seed):
    table, traits = big_world(seed)
    settings = caps(QUOTA, per_speaker=20, per_conversation=8)

    got = chosen(table, settings, traits=traits)
    by_chance = chosen(table, settings)

    def spread(rows, axis):
        counts = traits.loc[rows.index, axis].value_counts()
        return counts.max() / counts.min()

    assert spread(got, "gender") < 1.3 < spread(by_chance, "gender")
    assert spread(got, "age") < 1.35
    # What is not known of a speaker is no reason to leave them out, nor to take them.
    unknown = traits.loc[got.index, "age"].isna().mean()
    assert unknown == pytest.approx(traits["age"].isna().mean(), abs=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_weight_over_pull_gives_back_the_strata_of_the_candidates(seed):
    table, traits = big_world(seed)
    able = table["scenario"].value_counts()

    got = chosen(table, caps(QUOTA, per_speaker=20, per_conversation=8), traits=traits)

    weight = got["scenario"].map(able / got["scenario"].value_counts())
    gender = traits.loc[got.index, "gender"]
    whole = traits["gender"].value_counts()
    assert weight.sum() == pytest.approx(able.sum())
    as_it_is = (weight / got["pull"]).groupby(gender).sum()
    assert dict(as_it_is) == pytest.approx(dict(whole), rel=0.12)
    evened = weight.groupby(gender).sum()
    assert evened["female"] < 1.3 * evened["male"]
    assert whole["female"] > 1.8 * whole["male"]


@given(
    st.dictionaries(
        st.tuples(st.integers(-1, 1), st.integers(-1, 3)), st.integers(1, 30), min_size=1
    )
)
def test_pulls_are_bounded_and_of_mean_one(world):
    kinds, counts = np.array(list(world)), np.array(list(world.values()))

    pull = pulls(kinds, counts)

    assert (pull * counts).sum() == pytest.approx(counts.sum())
    assert pull.max() <= 100 * pull.min() * (1 + 1e-9)


def test_pulls_even_a_lopsided_axis_and_leave_the_unknown_their_share():
    pull = pulls(np.array([[0], [1], [-1]]), np.array([70, 20, 10]))

    assert pull * [70, 20, 10] == pytest.approx([45, 45, 10])


def test_two_lopsided_axes_are_evened_at_once():
    kinds = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    counts = np.array([40, 10, 20, 30])

    mass = pulls(kinds, counts) * counts

    for axis in kinds.T:
        assert [mass[axis == value].sum() for value in (0, 1)] == pytest.approx([50, 50])


def test_without_traits_candidates_come_in_the_order_of_their_draws():
    draws = np.array([0.7, 0.1, 0.4])

    for traits in (pd.DataFrame(index=range(3)), pd.DataFrame({"gender": [None] * 3})):
        assert np.argsort(turns(traits, draws, seed=1).wait).tolist() == [1, 2, 0]
