"""How far a law may be off, beside bootstraps that refit and a Hessian by differences."""

import numpy as np
import pytest
from scipy.special import expit, logit

from made_world import LAWS, SETTINGS
from tact import fitting, kernels
from tact.fitting import Sample, cell_of, fit, horizon_cells, tabulate
from tact.reference.bands import band
from tact.reference.doubt import Doubt
from tact.reference.fits import component_of, law_of

CELLS = horizon_cells(100)
PAIR = {"ans": LAWS["ans"], "ref": LAWS["ref"]}
REFERENCE = SETTINGS.reference


def labelled(rng, n, *, accuracy=0.85, clusters=None, spread=0.0):
    """Draw n points of either law behind a label; speakers differ in mu and log median."""
    z = rng.integers(0, 2, n)
    y = np.where(z == 0, PAIR["ans"].sample(n, rng), PAIR["ref"].sample(n, rng))
    if clusters is not None:
        y = y + spread * rng.standard_normal(clusters.max() + 1)[clusters]
        y = np.where(y < -2, -2.0, y)
    said = np.where(rng.random(n) < accuracy, z, 1 - z)
    q = np.where(np.arange(2) == said[:, None], accuracy, 1 - accuracy)
    return Sample(q, cell_of(np.where(y >= 5, np.inf, y), CELLS), CELLS)


def starts():
    return [component_of(law, shift_sd=None) for law in PAIR.values()]


def packed(components):
    """Lay out free parameters as a fit does: theta, then logit beta, law by law."""
    return np.concatenate([[*part.theta, logit(part.no_response)] for part in components])


def unpacked(values, like):
    made, at = [], 0
    for part in like:
        end = at + part.theta.size
        made.append(
            part.__class__(part.family, values[at:end], part.free, float(expit(values[end])))
        )
        at = end + 1
    return made


def objective(values, like, sample):
    """Log likelihood of the points, and of half a point on either side of beta."""
    parts = unpacked(values, like)
    table = tabulate(parts, sample.cells)
    beta = np.array([part.no_response for part in parts])
    points = (sample.q * table[:, sample.cell].T).sum(axis=1)
    return np.log(points).sum() + 0.5 * np.log(beta * (1 - beta)).sum()


def test_louis_information_is_minus_the_hessian_of_the_likelihood():
    sample = labelled(np.random.default_rng(2), 1500)
    found = fit(starts(), sample)
    at, step = packed(found.components), 2e-3

    def value(*moves):
        moved = at.copy()
        for place, size in moves:
            moved[place] += size
        return objective(moved, found.components, sample)

    hessian = np.array(
        [
            [
                (
                    value((i, step), (j, step))
                    - value((i, step), (j, -step))
                    - value((i, -step), (j, step))
                    + value((i, -step), (j, -step))
                )
                / (4 * step**2)
                for j in range(at.size)
            ]
            for i in range(at.size)
        ]
    )

    scale = np.sqrt(np.diag(found.information))
    assert found.converged
    assert found.information / np.outer(scale, scale) == pytest.approx(
        -hessian / np.outer(scale, scale), abs=2e-3
    )


def test_louis_information_tells_how_fits_of_new_samples_spread():
    truth = starts()
    fits, told = [], []
    for k in range(60):
        sample = labelled(np.random.default_rng([4, k]), 400)
        found = fit(truth, sample)
        fits.append(packed(found.components))
        told.append(np.sqrt(np.diag(fitting.model_covariance(found))))

    # 60 fits know a standard error to 9 %; the bound is some four of these
    assert np.median(told, axis=0) == pytest.approx(np.std(fits, axis=0), rel=0.35)


@pytest.fixture(scope="module")
def clustered():
    """A fit to 60 dyads that differ, its doubt, and fits to resamples of its dyads."""
    rng = np.random.default_rng(7)
    dyad = np.repeat(np.arange(60), 15)
    sample = labelled(rng, dyad.size, clusters=dyad, spread=0.08)
    found = fit(starts(), sample)
    doubt = Doubt.of(found, dyad, resamples=400, rng=rng)
    refits = []
    for _ in range(60):
        rows = np.concatenate([np.flatnonzero(dyad == one) for one in rng.integers(0, 60, 60)])
        refits.append(fit(found.components, Sample(sample.q[rows], sample.cell[rows], CELLS)))
    return found, doubt, refits


def test_clustered_errors_are_those_of_a_bootstrap_that_draws_dyads_and_fits_again(clustered):
    _, doubt, refits = clustered

    told = np.concatenate([np.sqrt(np.diag(own.covariance)) for own in doubt])
    drawn = np.concatenate([own.draws.std(axis=0) for own in doubt])
    spread = np.std([packed(again.components) for again in refits], axis=0)

    assert drawn == pytest.approx(told, rel=0.15)
    assert told == pytest.approx(spread, rel=0.35)


@pytest.mark.parametrize("z", [0, 1])
def test_bands_of_kernel_weight_and_score_are_those_of_that_bootstrap(clustered, z):
    found, doubt, refits = clustered
    settings = REFERENCE.model_copy(update={"level": 0.9})
    grid = kernels.GRID_S[::50]
    weigh = {"gamma": settings.gamma, "epsilon": settings.epsilon}
    laws = [law_of(again.components[z]) for again in refits]
    own = law_of(found.components[z])
    u = np.array([kernels.kernel(law, grid, gamma=settings.gamma) for law in laws])
    w = kernels.weight(own, grid, **weigh)
    gaps = [np.trapezoid(w * (law.cdf(grid) - own.cdf(grid)) ** 2, grid) for law in laws]
    scores = 1 - np.array(gaps) / np.trapezoid(w, grid)
    totals = [kernels.total_weight(law, **weigh) for law in laws]

    made = band(found.components[z], doubt[z], settings=settings)

    ends = np.quantile(u, [0.05, 0.95], axis=0)
    assert made.low[::50] == pytest.approx(ends[0], abs=0.06)
    assert made.high[::50] == pytest.approx(ends[1], abs=0.06)
    mine = (made.high - made.low)[::50].sum()
    assert mine == pytest.approx((ends[1] - ends[0]).sum(), rel=0.35)
    width = np.ptp(np.quantile(totals, [0.05, 0.95]))
    assert made.limits["total_weight"] == pytest.approx(
        np.quantile(totals, [0.05, 0.95]), abs=0.3 * width
    )
    low, high = made.limits["score"]
    # the tail of a sum of squares, of sixty: known to a factor
    assert 0.5 < (1 - low) / (1 - np.quantile(scores, 0.05)) < 2
    assert low < high <= 1


def test_a_law_that_is_taken_as_known_has_no_band_and_no_interval():
    part = starts()[0]
    doubt = Doubt.none(4, 50)

    assert band(part, doubt, settings=REFERENCE) is None
    assert doubt.limits(part, level=0.95) == {}


def test_intervals_are_symmetric_on_the_scale_of_the_fit(clustered):
    found, doubt, _ = clustered
    part = found.components[0]

    limits = doubt[0].limits(part, level=0.95)

    law = part.family.density(part.theta)
    assert np.mean(limits["mu"]) == pytest.approx(law.mu)
    assert np.sqrt(np.prod(limits["sigma"])) == pytest.approx(law.sigma)
    assert np.sqrt(np.prod(limits["tau"])) == pytest.approx(law.tau)
    assert expit(np.mean(logit(limits["no_response"]))) == pytest.approx(part.no_response)
