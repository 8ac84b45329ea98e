"""What follows from the scores, beside scipy and by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

import bench
from tact import analyses, frames
from tact.correlation import bonett_wright, clustered, spearman
from tact.errors import TableError
from tact.scores import fairness, score
from tact.vocabulary import SCENARIOS

SCORES = bench.SETTINGS.scores.model_copy(update={"resamples": 200})
ANALYSES = bench.SETTINGS.analyses.model_copy(update={"permutations": 400})
numbers = st.lists(st.integers(-5, 5), min_size=3, max_size=12)


@given(numbers, st.randoms())
def test_rank_correlation_is_that_of_scipy(first, random):
    second = [random.randint(-3, 3) for _ in first]
    first, second = np.array(first, float), np.array(second, float)

    got = spearman(first, second)

    if np.ptp(first) == 0 or np.ptp(second) == 0:
        assert np.isnan(got)
    else:
        assert got == pytest.approx(stats.spearmanr(first, second).statistic, abs=1e-12)


def test_interval_of_bonett_and_wright_by_hand():
    low, high = bonett_wright(0.6, 30, level=0.95)

    reach = 1.959963985 * np.sqrt((1 + 0.18) / 27)
    assert (np.arctanh(low), np.arctanh(high)) == pytest.approx(
        (np.arctanh(0.6) - reach, np.arctanh(0.6) + reach), abs=1e-8
    )
    assert np.isnan(bonett_wright(0.6, 3, level=0.95)).all()
    assert bonett_wright(1.0, 9, level=0.95) == (1.0, 1.0)


def test_intervals_of_rho_cover_it_and_heed_clusters():
    rng = np.random.default_rng(1)
    covered, wide = np.zeros(2), []
    for trial in range(60):
        shared = rng.normal(size=(14, 2)) @ np.linalg.cholesky([[1, 0.6], [0.6, 1]]).T
        x, y = np.repeat(shared, 4, axis=0).T + 0.3 * rng.normal(size=(2, 56))
        rho, cluster = spearman(x, y), np.repeat(np.arange(14), 4)
        fisher = bonett_wright(rho, 56, level=0.95)
        ends = clustered(x, y, cluster, n=200, level=0.95, rng=np.random.default_rng(trial))
        # Spearman's of a normal pair with correlation .6, less what the noise takes
        true = 0.95 * 6 / np.pi * np.arcsin(0.3)
        covered += [fisher[0] <= true <= fisher[1], ends.low <= true <= ends.high]
        wide.append((ends.high - ends.low) / (fisher[1] - fisher[0]))

    assert np.median(wide) > 1.4
    assert covered[1] / 60 > 0.8
    assert covered[1] > covered[0]


def composites(**scores):
    """Rows of composites: system -> values by scenario."""
    rows = [
        {"system": system, "scenario": scenario, "slice": "all", "intent": "all",
         "timing_population_fair": value, "timing_episode": 1 - value, "score": value,
         "overlap": 0.5, "n": 10, "n_fault": 0, "runs": 1, "clusters": 5, "flags": ""}
        for system, values in scores.items()
        for scenario, value in zip(SCENARIOS, values, strict=True)
    ]  # fmt: skip
    return frames.frame(rows, "composites")


def test_ranks_turn_metrics_so_that_more_is_better():
    scored = composites(a=[0.9] * 4, b=[0.7] * 4, c=[0.8] * 4, d=[0.5] * 4)
    takeover = {"a": 0.1, "b": 0.3, "c": 0.2, "d": 0.9}
    rows = [
        {"system": name, "scenario": "pause", "metric": "fdb_takeover", "value": value,
         "better": "low", "n": 10, "n_left_out": 0}
        for name, value in takeover.items()
    ]  # fmt: skip
    rows += [row | {"metric": "windowed_takeover", "better": "neither"} for row in rows]

    found = analyses.ranks(scored, frames.frame(rows, "binary"), level=0.95)

    rho = found.set_index(["scenario", "first", "second"])["rho"]
    assert rho["pause", "fdb_takeover", "score"] == pytest.approx(1.0)
    assert rho["smooth", "score", "timing_episode"] == pytest.approx(-1.0)
    assert np.isnan(rho["smooth", "overlap", "score"])
    assert not found[["first", "second"]].isin(["windowed_takeover", "length"]).any().any()
    assert found["n"].eq(4).all()


def test_memory_is_the_divergence_of_scipy_and_silent_profiles_lie_in_their_null():
    rng = np.random.default_rng(2)
    of = bench.episodes(300)
    _, true = bench.draws(rng, 300)
    _, other = bench.draws(rng, 300)

    found = analyses.memory(
        bench.responses(of, true), bench.responses(of, other, system="mine-swapped"), of, None,
        settings=ANALYSES, seed=1,
    ).set_index("scenario")  # fmt: skip

    edges = np.linspace(-2, 5, 71)
    cells = [
        np.append(np.histogram([y / 1000 + 1e-9 for y in onset if y is not None], edges)[0],
                  sum(y is None for y in onset))
        for onset in (true, other)
    ]  # fmt: skip
    assert found.loc["all", "jsd"] == pytest.approx(jensenshannon(*cells, base=2) ** 2, abs=1e-12)
    assert found.loc["all", "p"] > 0.02
    assert abs(found.loc["all", "excess"]) < 0.02
    assert found.loc["all", "null_mean"] > 0.02
    assert found.loc["pause", "n"] == 75


def test_null_of_memory_at_500_episodes_is_as_large_as_was_measured():
    # two draws of one law, 500 onsets each: .037, as the plug-in gives
    rng = np.random.default_rng(3)
    of = bench.episodes(500)
    onsets = [bench.draws(rng, 500)[1] for _ in range(2)]

    found = analyses.memory(
        *(bench.responses(of, onset) for onset in onsets), of, None, settings=ANALYSES, seed=1
    )

    assert found.set_index("scenario").loc["all", "null_mean"] == pytest.approx(0.037, abs=0.012)


def test_memory_that_moves_onsets_is_found():
    rng = np.random.default_rng(4)
    of = bench.episodes(600)
    _, true = bench.draws(rng, 600)
    later = [None if y is None else min(y + 800, 4999) for y in true]

    found = analyses.memory(
        bench.responses(of, true), bench.responses(of, later), of, None, settings=ANALYSES, seed=1
    ).set_index("scenario")

    assert found.loc["all", "p"] == pytest.approx(1 / 401)
    assert found.loc["all", "jsd"] > found.loc["all", "null_high"]


def test_memory_leaves_an_episode_that_had_no_profile_to_swap():
    of = bench.episodes(4)
    same, moved = bench.responses(of, 300), bench.responses(of, [300, 300, 300, 2000])
    swap = frames.frame(
        [
            {"episode": name, "speaker": "s", "swapped_episode": other, "swapped_speaker": other,
             "distance": other and 1.0, "reason": None if other else "no evidence"}
            for name, other in zip(of["episode"], ["e1", "e0", "e0", None], strict=True)
        ],
        "swap",
    )  # fmt: skip

    found = analyses.memory(same, moved, of, swap, settings=ANALYSES, seed=1)

    assert found.set_index("scenario").loc["all", ["n", "jsd"]].tolist() == [3, 0]


def test_memory_wants_the_same_runs_of_one_system():
    of = bench.episodes(4)
    own = bench.responses(of, 300)

    with pytest.raises(TableError, match=r"1 of 4 runs are in one of the two tables alone"):
        analyses.memory(own, own[1:], of, None, settings=ANALYSES, seed=1)
    both = pd.concat([own, bench.responses(of, 300, system="other")])
    with pytest.raises(TableError, match="one system is wanted, not 2"):
        analyses.memory(both, own, of, None, settings=ANALYSES, seed=1)


def ratings(of, **by_system):
    rows = [
        {"system": system, "episode": episode, "rater": rater, "rating": value + bias}
        for system, values in by_system.items()
        for episode, value in zip(of["episode"], values, strict=True)
        for rater, bias in (("x", 0.5), ("y", -0.5))
    ]
    return frames.frame(rows, "ratings")


def test_validity_is_the_correlation_over_cells():
    of = bench.episodes(8)
    values = {"a": [5, 4, 3, 5, 5, 4, 3, 5], "b": [1, 2, 2, 1, 1, 2, 2, 1],
              "c": [4, 1, 5, 2, 4, 1, 5, 2]}  # fmt: skip
    scored = composites(a=[0.9, 0.8, 0.7, 0.95], b=[0.1, 0.3, 0.2, 0.2], c=[0.6, 0.4, 0.8, 0.3])

    found = analyses.validity(ratings(of, **values), scored, of, scores=SCORES, seed=1)

    row = found.set_index("metric").loc["timing_population_fair"]
    cells = [np.reshape(values[name], (2, 4)).mean(axis=0) for name in "abc"]
    expected = stats.spearmanr(
        [0.9, 0.8, 0.7, 0.95, 0.1, 0.3, 0.2, 0.2, 0.6, 0.4, 0.8, 0.3], np.concatenate(cells)
    ).statistic
    assert row["rho"] == pytest.approx(expected, abs=1e-12)
    assert (row["n_cells"], row["n_systems"], row["n_ratings"]) == (12, 3, 48)
    assert row["fisher_low"] < expected < row["fisher_high"]
    assert row["cluster_low"] <= expected <= row["cluster_high"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"episode": "candor-99"}, "have a episode that episodes lacks"),
        ({"system": "z"}, "have a system that composites lacks"),
    ],
)
def test_a_rating_of_nothing_is_refused(change, message):
    of = bench.episodes(4)
    rated = ratings(of, a=[1, 2, 3, 4])
    rated.loc[0, list(change)] = list(change.values())

    with pytest.raises(TableError, match=message):
        analyses.validity(rated, composites(a=[0.1] * 4), of, scores=SCORES, seed=1)


def test_too_few_rated_cells_are_refused():
    of = bench.episodes(2)

    with pytest.raises(TableError, match="2 cells of system and scenario are rated"):
        analyses.validity(ratings(of, a=[1, 2]), composites(a=[0.1] * 4), of, scores=SCORES, seed=1)


def test_ablations_set_whole_and_part_side_by_side():
    whole = composites(a=[0.9] * 4, a_bare=[0.6] * 4, b=[0.7] * 4)
    less = composites(a=[0.6] * 4, a_bare=[0.5] * 4, b=[0.65] * 4)

    found = analyses.ablations(whole, {"no_calibration": less}, {"a": "a_bare"})

    at = found.query("metric == 'score' and scenario == 'pause'").set_index(["ablation", "system"])
    assert at.loc[("no_calibration", "a"), "difference"] == pytest.approx(-0.3)
    assert at.loc[("no_memory", "a"), "difference"] == pytest.approx(-0.3)
    assert set(at.loc["no_memory"].index) == {"a"}
    # order a > b > a_bare becomes b > a > a_bare
    assert at.loc[("no_calibration", "b"), "rho"] == pytest.approx(0.5)
    with pytest.raises(TableError, match="no row of system 'c'"):
        analyses.ablations(whole, {}, {"a": "c"})


def two_groups(rng, worse):
    """800 episodes, half of a dyad each gender; a system that is late with some."""
    of = bench.episodes(800, ["smooth"])
    gender = ["female" if i % 2 else "male" for i in range(800)]
    of = of.assign(strata=[{"gender": g, "snr": "high"} for g in gender])
    posterior, onset = bench.draws(rng, 800)
    late = [None if y is None else min(y + worse * (g == "female"), 4999)
            for y, g in zip(onset, gender, strict=True)]  # fmt: skip
    return frames.check(of, "episodes"), bench.posteriors(of, posterior), bench.responses(of, late)


def compare(of, posteriors, answers, axes=()):
    return fairness(
        bench.laws(), posteriors, answers, None, of, None,
        settings=SCORES, axes=axes, gamma=0.7, epsilon=0.02, seed=1,
    )  # fmt: skip


def test_a_system_that_is_late_with_some_is_told():
    of, posteriors, answers = two_groups(np.random.default_rng(5), 600)

    found = compare(of, posteriors, answers)

    row = found.query("scenario == 'all'").iloc[0]
    assert (row["axis"], row["first"], row["second"]) == ("gender", "female", "male")
    assert row["high"] < -0.02
    _, scored = score(
        bench.laws(), posteriors, answers, None, of, None,
        settings=SCORES, axes=(), gamma=0.7, epsilon=0.02, seed=1,
    )  # fmt: skip
    at = scored.query("scenario == 'all' and intent == 'all'").set_index("slice")["score"]
    assert row["score_first"] == pytest.approx(at["gender=female"])
    assert row["difference"] == pytest.approx(at["gender=female"] - at["gender=male"])
    assert set(found["axis"]) == {"gender"}


def test_the_groups_of_a_crossing_are_compared_each_with_each():
    of, posteriors, answers = two_groups(np.random.default_rng(5), 600)
    ages = ["20-29", "20-29", "30-39", "30-39"]
    strata = [{**dict(known), "age": ages[i % 4]} for i, known in enumerate(of["strata"])]
    of = frames.check(of.assign(strata=strata), "episodes")

    found = compare(of, posteriors, answers, [["gender", "age"]])

    assert set(found["axis"]) == {"gender", "age", "gender,age"}
    pairs = found.query("axis == 'gender,age' and scenario == 'smooth'").set_index(
        ["first", "second"]
    )
    assert len(pairs) == 6
    apart = pairs.loc[[("female,20-29", "male,30-39"), ("female,30-39", "male,20-29")]]
    assert (apart["high"] < 0).all()
    assert pairs.loc[("female,20-29", "female,30-39"), "low"] < 0
    assert set(pairs["n_first"]) == {200}


def test_a_group_of_one_dyad_alone_gives_a_difference_without_interval():
    of, posteriors, answers = two_groups(np.random.default_rng(5), 600)

    def found(women):
        gender = [{"gender": "female" if i < women else "male"} for i in range(800)]
        return compare(frames.check(of.assign(strata=gender), "episodes"), posteriors, answers)

    one, two = found(2).set_index("scenario"), found(4).set_index("scenario")
    assert one["difference"].notna().all()
    assert one[["low", "high"]].isna().all(axis=None)
    assert (two["low"] < two["high"]).all()


def test_a_system_that_is_fair_has_zero_in_its_interval_as_often_as_it_says():
    inside = []
    for seed in range(12):
        found = compare(*two_groups(np.random.default_rng(100 + seed), 0))
        row = found.query("scenario == 'smooth'").iloc[0]
        inside.append(row["low"] <= 0 <= row["high"])

    assert sum(inside) >= 9
