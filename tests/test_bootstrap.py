"""Intervals by drawing clusters."""

import numpy as np
import pytest
from scipy import stats

from tact.bootstrap import acceleration, bca, jackknife_mean, mean_interval, resamples


def test_interval_of_a_mean_agrees_with_scipy():
    values = np.random.default_rng(1).gamma(2.0, size=60)
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval

    got = mean_interval(values, np.arange(60), n=20_000, level=0.95, rng=np.random.default_rng(3))

    assert (got.low, got.high) == pytest.approx((expected.low, expected.high), abs=0.02)


@pytest.mark.parametrize("seed", [3, 4])
def test_a_clustered_interval_is_that_of_scipy_over_clusters_on_the_same_draws(seed):
    """Clusters of 1 to 40 values that differ: the mean of a resample is a ratio of sums."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 41, 25)
    cluster = np.repeat(np.arange(25), sizes)
    values = rng.gamma(1.0, size=25)[cluster] + 0.3 * rng.gamma(0.5, size=cluster.size)
    totals = np.bincount(cluster, weights=values)

    def mean_of(drawn, axis):
        return totals[drawn].sum(axis=axis) / sizes[drawn].sum(axis=axis)

    want = stats.bootstrap(
        (np.arange(25),), mean_of, n_resamples=9_999, batch=500, method="BCa", vectorized=True,
        confidence_level=0.9, rng=np.random.default_rng(seed),
    )  # fmt: skip
    got = mean_interval(values, cluster, n=9_999, level=0.9, rng=np.random.default_rng(seed))

    # scipy takes its quantile between two replicates, we take one of them
    ordered = np.sort(want.bootstrap_distribution)
    for mine, its in zip((got.low, got.high), want.confidence_interval, strict=True):
        at = np.searchsorted(ordered, its)
        assert ordered[at - 2] <= mine <= ordered[at + 2]


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(30), 20)
    values = rng.normal(size=30)[cluster] + 0.1 * rng.normal(size=600)

    by_cluster, by_value = (
        mean_interval(values, groups, n=2000, level=0.95, rng=np.random.default_rng(5))
        for groups in (cluster, np.arange(600))
    )

    assert by_cluster.high - by_cluster.low > 3 * (by_value.high - by_value.low)


def test_interval_covers_the_mean_of_clusters_as_often_as_it_says():
    rng = np.random.default_rng(6)
    cluster = np.repeat(np.arange(40), 4)
    covered = 0
    for _ in range(200):
        values = rng.normal(size=40)[cluster] + rng.normal(size=160)
        end = mean_interval(values, cluster, n=500, level=0.9, rng=rng)
        covered += end.low <= 0 <= end.high

    assert covered / 200 == pytest.approx(0.9, abs=0.06)


def test_values_that_do_not_vary_give_a_point():
    end = mean_interval(
        np.full(9, 0.4), np.arange(9), n=100, level=0.95, rng=np.random.default_rng(7)
    )

    assert (end.low, end.high, end.acceleration) == pytest.approx((0.4, 0.4, 0.0))


def test_one_cluster_gives_no_interval():
    end = mean_interval(
        np.arange(4.0), np.zeros(4, dtype=int), n=50, level=0.95, rng=np.random.default_rng(8)
    )

    assert np.isnan([end.low, end.high]).all()


def test_an_estimate_outside_its_replicates_still_has_an_interval():
    end = bca(np.linspace(1, 2, 100), 5.0, np.array([4.9, 5.1, 5.0]), level=0.95)

    assert np.isfinite([end.low, end.high, end.z0]).all()
    assert 1 <= end.low <= end.high <= 2


def test_replicates_without_a_value_are_left_out():
    replicates = np.append(np.linspace(0, 1, 101), [np.nan] * 50)

    end = bca(replicates, 0.5, np.array([0.4, 0.5, 0.6]), level=0.9)

    assert (end.low, end.high) == pytest.approx((0.05, 0.95), abs=0.011)


def test_jackknife_of_a_mean_is_the_mean_without_each():
    values = np.array([1.0, 2.0, 4.0])

    assert jackknife_mean(values, np.ones(3)).tolist() == [3.0, 2.5, 1.5]


def test_acceleration_has_the_sign_of_the_skew():
    skewed = np.random.default_rng(9).gamma(1.0, size=200)

    assert acceleration(jackknife_mean(skewed, np.ones(200))) > 0
    assert acceleration(jackknife_mean(-skewed, np.ones(200))) < 0
    assert acceleration(np.ones(5)) == 0.0


def test_each_resample_draws_as_many_clusters_as_there_are():
    chunks = list(resamples(7, 1200, np.random.default_rng(10)))
    counts = np.concatenate(chunks)

    assert counts.shape == (1200, 7)
    assert (counts.sum(axis=1) == 7).all()
    assert counts.mean() == pytest.approx(1.0)
    assert counts.var() == pytest.approx(6 / 7, abs=0.05)
