"""Shrinkage against golden values, closed forms and its own simulation."""

import numpy as np
import pytest

from golden import case, cases, needs_golden
from tact.shrinkage import between, shrink, shrink_rates


@pytest.mark.parametrize("golden", cases("eb_normal (REML)"))
def test_the_scalar_case_meets_the_golden_values(golden):
    theta = np.array(golden["inputs"]["theta"])[:, None]
    v = np.square(golden["inputs"]["se"])[:, None, None]

    found = between(theta, v)
    posterior = [
        shrink(t, s, found.centre, found.spread)[0][0] for t, s in zip(theta, v, strict=True)
    ]

    assert found.centre[0] == pytest.approx(golden["output"]["mu"], abs=golden["tol"])
    assert found.spread[0, 0] == pytest.approx(golden["output"]["A"], abs=golden["tol"])
    assert posterior == pytest.approx(golden["output"]["post"], abs=golden["tol"])
    kept = (v / (v + found.spread))[:, 0, 0]
    assert kept == pytest.approx(golden["output"]["B"], abs=golden["tol"])


@needs_golden
def test_rates_without_overdispersion_all_become_the_parents():
    golden = case("betabin_no_overdispersion")
    k, n = (np.array(golden["inputs"][key], dtype=float) for key in ("k", "n"))

    found = shrink_rates(k, n, k.sum() / n.sum())

    assert found == pytest.approx(golden["output"]["limit_post"], abs=golden["tol"])


def test_rates_that_spread_widely_keep_their_own():
    k, n = np.array([20.0, 480.0, 250.0, 900.0]), np.array([500.0, 500.0, 500.0, 1000.0])

    found = shrink_rates(k, n, 0.5)

    assert np.abs(found - k / n).max() < 0.01


def test_a_small_slice_moves_further_than_a_large_one():
    found = shrink_rates(np.array([8.0, 800.0, 300.0]), np.array([10.0, 1000.0, 1000.0]), 0.5)

    assert 0.5 < found[0] < found[1] < 0.8


@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_a_certain_parent_is_refused(centre):
    with pytest.raises(ValueError, match="inside"):
        shrink_rates(np.array([1.0]), np.array([2.0]), centre)


def test_equal_covariances_give_the_sample_covariance_less_their_own():
    rng = np.random.default_rng(2)
    v = np.array([[0.04, 0.01], [0.01, 0.09]])
    theta = rng.multivariate_normal([1, -1], np.array([[1.0, 0.5], [0.5, 2.0]]), 12)

    found = between(theta, np.repeat(v[None], 12, axis=0))

    assert found.centre == pytest.approx(theta.mean(axis=0), abs=1e-10)
    assert found.spread == pytest.approx(np.cov(theta.T) - v, abs=1e-6)


def test_one_slice_about_a_known_centre_is_shrunk_by_the_positive_part_rule():
    v = np.array([[0.04, 0.01], [0.01, 0.09]])
    centre, theta = np.array([0.2, 0.3]), np.array([1.0, -0.5])
    squared = (theta - centre) @ np.linalg.solve(v, theta - centre)

    found = between(theta[None], v[None], centre=centre)
    posterior, _ = shrink(theta, v, centre, found.spread)

    assert posterior == pytest.approx(centre + (1 - 1 / squared) * (theta - centre), abs=1e-6)


def test_one_slice_within_its_error_of_the_centre_becomes_the_centre():
    v = np.diag([0.04, 0.09])
    centre = np.array([0.2, 0.3])

    found = between(centre[None] + 0.1, v[None], centre=centre)

    assert np.array_equal(found.spread, np.zeros((2, 2)))
    assert np.array_equal(shrink(centre + 0.1, v, centre, found.spread)[0], centre)


def test_one_slice_without_a_centre_is_refused():
    with pytest.raises(ValueError, match="known centre"):
        between(np.zeros((1, 2)), np.eye(2)[None])


def test_a_singular_spread_is_found_and_the_posterior_covariance_is_less_than_the_samplings():
    rng = np.random.default_rng(3)
    v = np.diag([0.01, 0.01])
    theta = np.outer(rng.normal(0, 1, 30), [1.0, 0.0]) + rng.normal(0, 0.1, (30, 2))

    found = between(theta, np.repeat(v[None], 30, axis=0))
    _, covariance = shrink(theta[0], v, found.centre, found.spread)

    assert found.spread[1, 1] < 0.01
    assert found.spread[0, 0] == pytest.approx(np.var(theta[:, 0], ddof=1), rel=0.05)
    assert np.linalg.eigvalsh(v - covariance).min() > -1e-12


def test_shrinkage_beats_both_the_estimates_and_the_parent():
    rng = np.random.default_rng(4)
    truth = rng.multivariate_normal([0, 0], [[0.3, 0.2], [0.2, 0.3]], 200)
    v = np.array([[0.5, 0.1], [0.1, 0.2]])
    theta = truth + rng.multivariate_normal([0, 0], v, 200)
    found = between(theta, np.repeat(v[None], 200, axis=0))

    posterior = np.array([shrink(t, v, found.centre, found.spread)[0] for t in theta])

    error = np.square(posterior - truth).sum(axis=1).mean()
    assert error < 0.8 * np.square(theta - truth).sum(axis=1).mean()
    assert error < 0.8 * np.square(truth).sum(axis=1).mean()
