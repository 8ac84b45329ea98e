"""Fits meet golden values, find the truth behind latent intents, and never end in a NaN."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden import case, needs_golden
from tact import fitting
from tact.fitting import Cells, Component, ExGaussianFamily, LogNormalFamily, Sample
from tact.laws import ExGaussian, Law, ShiftedLogNormal

EXG = ExGaussianFamily()
LOG_NORMAL = LogNormalFamily(0.0)
CELLS = fitting.horizon_cells(10)
COARSE = fitting.horizon_cells(200)


def component(density, no_response=0.5, shift_sd=None):
    family = fitting.family_of(density, shift_sd=shift_sd)
    theta = family.theta(density)
    return Component(family, theta, np.ones(theta.size, dtype=bool), no_response)


def sample_of(low, high, counts):
    """Onsets in cells of a window so wide that nothing is truncated."""
    cells = Cells(np.asarray(low, float), np.asarray(high, float), -40.0, 40.0)
    cell = np.repeat(np.arange(len(counts)), counts)
    return Sample(np.ones((len(cell), 1)), cell, cells)


def density_of(found):
    part = found.components[0]
    return part.family.density(part.theta)


def fitted(golden, start, *, width=0.0, window=(-1e3, 1e3), shift_sd=None):
    """Fit the golden onsets, exact or known to a cell of that width: the density and the fit."""
    x, window = np.array(golden["inputs"]["x"]), np.array(window)
    x = x[x < window[1]]
    cells = Cells(x - 0.5 * width, x + 0.5 * width, *window)
    sample = Sample(np.ones((len(x), 1)), np.arange(len(x)), cells)
    found = fitting.fit([component(start, shift_sd=shift_sd)], sample)
    assert found.converged
    return density_of(found), found


def loss_of(found):
    """Give what was minimised in the shape: minus log likelihood of the responses, and the prior.

    beta and its half a point on either side are no part of the golden values.
    """
    (part,) = found.components
    n = len(found.scores)
    return (
        -found.log_likelihood + n * np.log1p(-part.no_response) - part.family.prior(part.theta)[0]
    )


@needs_golden
def test_an_ex_gaussian_fit_to_exact_onsets_meets_the_golden_values():
    golden = case("exg_mle")
    want, tol = golden["output"], golden["tol"]

    law, found = fitted(golden, ExGaussian(0.2, 0.1, 0.2))

    got = [law.mu, law.sigma, law.tau, loss_of(found)]
    assert got == pytest.approx([want[key] for key in ("mu", "sigma", "tau", "nll")], abs=tol)
    se = np.sqrt(np.diag(fitting.model_covariance(found)))[:3]
    assert se == pytest.approx(want["se_mu_logsigma_logtau"], abs=tol)


@needs_golden
def test_an_ex_gaussian_fit_to_binned_onsets_meets_the_golden_values():
    golden = case("exg_grouped_mle")
    width, lowest = golden["inputs"]["bin_width"], golden["inputs"]["lo"]
    bins, counts = np.array(golden["inputs"]["counts_by_bin"]).T
    low = lowest + bins * width

    found = fitting.fit([component(ExGaussian(0.2, 0.1, 0.2))], sample_of(low, low + width, counts))

    law = density_of(found)
    want = golden["output"]
    got = [law.mu, law.sigma, law.tau, loss_of(found)]
    assert got == pytest.approx(
        [want[key] for key in ("mu", "sigma", "tau", "nll")], abs=golden["tol"]
    )


@needs_golden
def test_a_log_normal_fit_with_shift_0_meets_the_golden_values():
    golden = case("sln_fixed_shift0")
    want = golden["output"]

    law, found = fitted(golden, ShiftedLogNormal(0.5, 0.5, 0.0))

    got = [law.log_median, law.log_sigma, np.exp(law.log_median), loss_of(found)]
    assert got == pytest.approx(
        [want[key] for key in ("m", "s", "median", "nll")], abs=golden["tol"]
    )


@needs_golden
def test_a_log_normal_fit_with_a_free_shift_meets_the_golden_local_maximum():
    golden = case("sln_local_mle")
    want = golden["output"]

    law, found = fitted(golden, ShiftedLogNormal(0.5, 0.5, 0.0), shift_sd=np.inf)

    got = [law.shift, law.log_median, law.log_sigma, loss_of(found)]
    assert got == pytest.approx(
        [want[key] for key in ("shift", "m", "s", "nll")], abs=golden["tol"]
    )


@needs_golden
@pytest.mark.parametrize(
    ("name", "shift_sd", "window"),
    [
        ("plain", np.inf, (-1e3, 1e3)),
        ("with_shift_prior_N0_03", 0.3, (-1e3, 1e3)),
        ("truncated_T_with_prior_lt5", 0.3, (-2.0, 5.0)),
    ],
)
def test_a_log_normal_fit_to_censored_onsets_meets_the_golden_values(name, shift_sd, window):
    golden = case("sln_interval_mle")
    want, width = golden["output"][name], 2 * golden["inputs"]["half_width"]

    law, found = fitted(
        golden,
        ShiftedLogNormal(0.5, 0.5, 0.0),
        width=width,
        window=window,
        shift_sd=shift_sd,
    )

    got = [law.shift, law.log_median, law.log_sigma, loss_of(found)]
    assert got == pytest.approx(
        [want[key] for key in ("shift", "m", "s", "obj")], abs=golden["tol"]
    )


@needs_golden
def test_beta_of_a_known_law_is_the_share_of_absence():
    golden = case("atom")
    k, n = golden["inputs"]["k"], golden["inputs"]["n"]
    held = fitting.held(component(ShiftedLogNormal(1.1, 0.65, 0.0)))
    cell = np.append(np.full(k, CELLS.atom), np.full(n - k, 350))

    found = fitting.fit([held], Sample(np.ones((n, 1)), cell, CELLS))

    beta = found.components[0].no_response
    assert beta == pytest.approx(golden["output"]["jeffreys"], abs=golden["tol"])
    # half a point on either side is all that keeps it from the plain share
    assert (beta * (n + 1) - 0.5) / n == pytest.approx(golden["output"]["mle"], abs=golden["tol"])


def made(rng, n, laws, shares, accuracy):
    """Points of latent intent: one label, right with the given chance, and its posterior."""
    z = rng.choice(len(laws), size=n, p=shares)
    y = np.full(n, np.inf)
    for index, law in enumerate(laws):
        y[z == index] = law.sample(int((z == index).sum()), rng)
    k = len(laws)
    confusion = np.full((k, k), (1 - accuracy) / (k - 1))
    np.fill_diagonal(confusion, accuracy)
    said = np.array([rng.choice(k, p=confusion[true]) for true in z])
    q = np.asarray(shares) * confusion[:, said].T
    return q / q.sum(axis=1, keepdims=True), y


def test_the_mixture_finds_laws_that_case_weights_blur(rng):
    """Posteriors that are right on average leave EM without bias and case weights with it."""
    truth = [
        Law(ExGaussian(0.16, 0.11, 0.24), 0.05),
        Law(ShiftedLogNormal(np.log(2.6), 0.65, 0.0), 0.85),
    ]
    q, y = made(rng, 8_000, truth, [0.7, 0.3], 0.8)
    sample = Sample(q, fitting.cell_of(np.round(y, 2), CELLS), CELLS)
    start = [component(law.density, law.no_response) for law in truth]

    found = fitting.fit(start, sample)
    blurred = fitting.fit_by_weights(start, sample)

    covariance = fitting.model_covariance(found)
    for part, law, where in zip(found.components, truth, found.slices(), strict=True):
        z = (
            part.theta - fitting.family_of(law.density, shift_sd=None).theta(law.density)
        ) / np.sqrt(np.diag(covariance)[where])[:-1]
        assert np.abs(z).max() < 3.5
        assert part.no_response == pytest.approx(law.no_response, abs=0.03)
    assert blurred[1].no_response < 0.80
    assert found.converged


def test_a_naive_fit_of_what_is_kept_below_the_horizon_is_short_and_the_truncated_one_is_not(rng):
    """A naive fit of abn kept below 5 s gives tau .52 for .80."""
    law = Law(ExGaussian(1.95, 0.5, 0.8), 0.5)
    y = law.sample(20_000, rng)
    sample = Sample(np.ones((len(y), 1)), fitting.cell_of(y, CELLS), CELLS)
    naive = Sample(sample.q, sample.cell, Cells(CELLS.low, CELLS.high, -40.0, 40.0))

    assert density_of(fitting.fit([component(law.density)], sample)).tau == pytest.approx(
        0.8, abs=0.05
    )
    assert density_of(fitting.fit([component(law.density)], naive)).tau < 0.7


def test_clustered_intervals_are_wider_where_speakers_differ(rng):
    speakers = np.repeat(np.arange(60), 40)
    mu = rng.normal(0.16, 0.2, 60)[speakers]
    y = mu + 0.1 * rng.standard_normal(len(mu)) + rng.exponential(0.24, len(mu))
    sample = Sample(np.ones((len(y), 1)), fitting.cell_of(np.round(y, 2), CELLS), CELLS)

    found = fitting.fit([component(ExGaussian(0.16, 0.2, 0.24))], sample)

    alone = np.sqrt(np.diag(fitting.model_covariance(found))[0])
    clustered = np.sqrt(np.diag(fitting.clustered_covariance(found, speakers))[0])
    assert clustered > 2 * alone


@pytest.mark.parametrize(
    ("onset", "low", "high"),
    [(0.26, 0.255, 0.265), (-2.0, -2.0, -1.995), (4.999, 4.985, 5.0), (0.0, -0.005, 0.005)],
)
def test_an_onset_lies_in_the_cell_around_its_recorded_step(onset, low, high):
    cell = fitting.cell_of(np.array([onset]), CELLS)[0]

    assert CELLS.low[cell] == pytest.approx(low)
    assert CELLS.high[cell] == pytest.approx(high)


@given(
    st.lists(st.floats(-2, 6), min_size=1, max_size=20),
    st.lists(st.floats(-1.9, 4.9), max_size=6, unique=True),
)
def test_an_onset_is_looked_up_in_equal_cells_and_in_any(onsets, cuts):
    edges = np.array([-2.0, *sorted(cuts), 5.0])
    for cells in (CELLS, Cells(edges[:-1], edges[1:], -2.0, 5.0)):
        at = np.concatenate([onsets, cells.low, cells.high, np.nextafter(cells.high, 9)])
        inside = at < cells.end
        found = fitting.cell_of(at, cells)

        assert (found[~inside] == cells.atom).all()
        expected = np.searchsorted(cells.high, at[inside], side="left")
        np.testing.assert_array_equal(found[inside], expected)


def test_an_onset_at_the_horizon_or_none_is_the_atom_and_an_early_one_is_refused():
    assert list(fitting.cell_of(np.array([5.0, 7.0, np.inf]), CELLS)) == [CELLS.atom] * 3
    with pytest.raises(ValueError, match="earlier"):
        fitting.cell_of(np.array([-2.001]), CELLS)


@settings(max_examples=60, deadline=None)
@given(
    st.floats(-1, 3), st.floats(-3, 0.5), st.floats(-3, 1), st.floats(-1.9, 4.8), st.floats(1e-3, 1)
)
def test_the_gradient_of_a_cells_log_mass_is_its_slope(mu, log_sigma, log_tau, low, width):
    theta = np.array([mu, log_sigma, log_tau])
    low, high = np.array([low]), np.array([low + width])
    value, gradient = fitting.log_mass(EXG, theta, low, high)
    if value[0] < -25:
        return
    for part in range(3):
        step = np.zeros(3)
        step[part] = 1e-6
        up = fitting.log_mass(EXG, theta + step, low, high)[0]
        down = fitting.log_mass(EXG, theta - step, low, high)[0]

        assert gradient[0, part] == pytest.approx((up - down)[0] / 2e-6, rel=2e-3, abs=2e-3)


@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.one_of(st.none(), st.floats(-2, 4.99)), min_size=1, max_size=12),
    st.integers(0, 2**31),
)
def test_no_handful_of_onsets_ends_in_a_nan(onsets, seed):
    rng = np.random.default_rng(seed)
    y = np.array([np.inf if value is None else value for value in onsets])
    q = rng.dirichlet([1.0, 1.0], size=len(y))
    sample = Sample(q, fitting.cell_of(y, COARSE), COARSE)
    start = [component(ExGaussian(0.16, 0.11, 0.24)), component(ShiftedLogNormal(0.6, 0.5, 0.0))]

    found, reasons = fitting.settle(start, sample)

    for part in found.components:
        assert np.isfinite(part.theta).all()
        assert 0 < part.no_response < 1
    assert all(isinstance(reason, str) and reason for reason in reasons.values())


@pytest.mark.parametrize("seed", [2, 4, 6, 9])
def test_a_part_that_the_responses_do_not_miss_rests_and_takes_no_law_with_it(seed):
    """Onsets of a normal law have no exponential part: tau nears 0, where nothing changes more."""
    rng = np.random.default_rng(seed)
    late = Law(ShiftedLogNormal(np.log(1.9), 0.55, 0.0), 0.4)
    y = np.concatenate([rng.normal(-0.8, 0.6, 150), late.sample(150, rng)])
    q = np.repeat([[0.75, 0.25], [0.25, 0.75]], 150, axis=0)
    wrong = rng.random(300) < 0.25
    q[wrong] = q[wrong][:, ::-1]
    cells = fitting.horizon_cells(50)
    sample = Sample(q, fitting.cell_of(np.where((y < -2) | (y >= 5), np.inf, y), cells), cells)
    parents = [
        component(ExGaussian(-0.32, 0.18, 0.2), 0.45),
        component(late.density, late.no_response),
    ]

    found, reasons = fitting.settle(parents, sample)

    law = density_of(found)
    normal = component(ExGaussian(-0.8, 0.6, 0.005))
    normal = replace(normal, free=np.array([True, True, False]))
    best = fitting.fit([normal, parents[1]], sample)
    assert found.converged
    assert found.log_likelihood >= best.log_likelihood - 0.1
    assert law.mu + law.tau == pytest.approx(-0.8, abs=0.2)
    assert set(reasons.values()) <= {"tau rests at its least, 0.005 s"}


# ------------------------------------------------------------------- many small samples


def prior(spread):
    return fitting.Prior(EXG, EXG.theta(ExGaussian(0.2, 0.1, 0.3)), spread * np.eye(3))


def test_with_nothing_heard_or_nothing_free_the_centre_stays(rng):
    for onsets, known in ((np.zeros(0), prior(0.5)), (rng.normal(1, 0.1, 50), prior(1e-9))):
        theta, covariance = fitting.drawn(onsets, known)

        assert theta == pytest.approx(known.centre, abs=1e-4)
        assert np.diag(covariance) == pytest.approx(np.diag(known.spread), rel=1e-3)


def test_many_onsets_outweigh_what_the_others_are_like(rng):
    law = ExGaussian(1.0, 0.2, 0.5)

    theta, covariance = fitting.drawn(law.sample(20_000, rng), prior(0.3))

    away = (theta - EXG.theta(law)) / np.sqrt(np.diag(covariance))
    assert np.abs(away).max() < 3.5
    assert np.sqrt(np.diag(covariance)).max() < 0.03


def test_what_many_speakers_are_like_is_found(rng):
    centre, spread = np.array([0.2, np.log(0.15), np.log(0.3)]), np.array([0.15, 0.2, 0.25])
    thetas = centre + spread * rng.standard_normal((60, 3))

    found = fitting.learn([EXG.density(theta).sample(60, rng) for theta in thetas], prior(0.1))

    # Sixty speakers tell the centre to spread over root 60, and their onsets a little worse.
    assert np.abs(found.centre - centre).max() < 0.12
    assert np.sqrt(np.diag(found.spread)) == pytest.approx(spread, abs=0.1)


def test_one_speaker_does_not_tell_what_speakers_are_like(rng):
    with pytest.raises(ValueError, match="needs two"):
        fitting.learn([rng.normal(0, 1, 50)], prior(0.1))
