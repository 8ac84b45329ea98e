"""The laws at the ends of their ranges, against arithmetic of 60 digits."""

import itertools

import mpmath
import numpy as np
import pytest
from scipy import integrate

from tact import kernels
from tact.laws import ExGaussian, Law, ShiftedLogNormal

RATIOS = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3]
SPREADS = [(s, s * ratio) for s, ratio in itertools.product([0.002, 0.2, 2.0], RATIOS)]
SIGMAS_OUT = [-40, -38, -20, -8, -3, -1, -0.1, 0, 0.1, 1, 3, 8, 20, 38, 40]
LOG_NORMALS = [(-3.0, 0.05), (0.6, 0.55), (1.1, 3.0), (3.4, 0.05), (2.0, 0.01)]
DIGITS = 60


def phi_of(v):
    return mpmath.erfc(-v / mpmath.sqrt(2)) / 2


def exact_ex_gaussian(t, law):
    """log f, F and 1 - F from the formula as it is printed."""
    t, mu, sigma, tau = map(mpmath.mpf, (float(t), law.mu, law.sigma, law.tau))
    z, r = (t - mu) / sigma, sigma / tau
    log_tail = mpmath.log(phi_of(z - r)) + r * r / 2 - r * z
    tail = mpmath.exp(log_tail)
    return log_tail - mpmath.log(tau), phi_of(z) - tail, phi_of(-z) + tail


def exact_log_normal(t, law):
    t, m, s, shift = map(mpmath.mpf, (float(t), law.log_median, law.log_sigma, law.shift))
    v = (mpmath.log(t - shift) - m) / s
    log_f = -v * v / 2 - mpmath.log((t - shift) * s * mpmath.sqrt(2 * mpmath.pi))
    return log_f, phi_of(v), phi_of(-v)


def exact(t, law):
    with mpmath.workdps(DIGITS):
        of = exact_ex_gaussian if isinstance(law, ExGaussian) else exact_log_normal
        return [float(value) for value in of(t, law)]


def near(got, want, *, rel):
    """Hold to a relative error, or to a value below what a double can hold."""
    assert abs(got - want) <= rel * abs(want) + 1e-300


@pytest.mark.parametrize(("sigma", "tau"), SPREADS)
def test_an_ex_gaussian_keeps_its_digits_forty_sigma_out(sigma, tau):
    law = ExGaussian(0.2, sigma, tau)
    for t in 0.2 + sigma * np.array(SIGMAS_OUT):
        log_f, below, above = exact(t, law)

        assert float(law.logpdf(t)) == pytest.approx(log_f, rel=1e-11, abs=1e-11)
        near(float(law.cdf(t)), below, rel=1e-8)
        near(float(law.sf(t)), above, rel=1e-10)


@pytest.mark.parametrize(("m", "s"), LOG_NORMALS)
def test_a_log_normal_keeps_its_digits_forty_sigma_out(m, s):
    law = ShiftedLogNormal(m, s, 0.0)
    for v in SIGMAS_OUT:
        t = np.exp(m + s * v)
        log_f, below, above = exact(t, law)
        lost = 1e-15 * (1 + abs(v)) * (1 + abs(np.log(t)) / s)

        assert float(law.logpdf(t)) == pytest.approx(log_f, rel=1e-11, abs=1e-11 + 10 * lost)
        near(float(law.cdf(t)), below, rel=1e-10 + 100 * lost)
        near(float(law.sf(t)), above, rel=1e-10 + 100 * lost)


@pytest.mark.parametrize(("sigma", "tau"), SPREADS)
def test_the_mode_of_an_ex_gaussian_has_no_slope(sigma, tau):
    """At the mode the hazard of the normal part is sigma / tau, and the density is highest."""
    law = ExGaussian(0.2, sigma, tau)
    with mpmath.workdps(40):
        r = mpmath.mpf(sigma) / mpmath.mpf(tau)
        v = (mpmath.mpf(law.mode) - law.mu) / sigma - r
        steep = mpmath.npdf(v) / phi_of(v) / r - 1

    assert abs(float(steep)) < 1e-5
    sides = law.mode + 1e-3 * min(sigma, tau) * np.array([-1, 1])
    assert (law.logpdf(sides) <= law.log_sup).all()


AWKWARD = [
    ExGaussian(0.16, 0.002, 0.002),
    ExGaussian(-2.5, 0.005, 0.005),
    ExGaussian(5.0, 0.005, 5.0),
    ExGaussian(9.0, 1.0, 0.001),
    ExGaussian(-2.5, 0.01, 0.5),
    ExGaussian(1.0, 3.0, 0.003),
    ShiftedLogNormal(3.4, 0.05, 0.0),
    ShiftedLogNormal(-3.0, 0.05, 0.0),
    ShiftedLogNormal(3.4, 3.0, -1.0),
]


@pytest.mark.parametrize("density", AWKWARD, ids=str)
def test_a_truncated_law_is_whole_wherever_its_density_lies(density):
    """Also where all but 1e-6 of the parent lies outside T, or in 2 ms of it."""
    law = Law(density, 0.3)
    with mpmath.workdps(DIGITS):
        of = exact_ex_gaussian if isinstance(density, ExGaussian) else exact_log_normal
        low = of(-2.0, density)[1] if isinstance(density, ExGaussian) else mpmath.mpf(0)
        mass = of(5.0, density)[1] - low
        want = [float((of(t, density)[1] - low) / mass) for t in (0.1, 0.17, 2.5, 4.999)]
        log_f = [float(of(t, density)[0] - mpmath.log(mass)) for t in (0.1, 0.17, 2.5, 4.999)]

    at = np.array([0.1, 0.17, 2.5, 4.999])
    assert law.mass == pytest.approx(float(mass), rel=1e-8)
    assert law.onset_cdf(at) == pytest.approx(want, abs=1e-9)
    assert law.logpdf(at) == pytest.approx(log_f, rel=1e-9, abs=1e-8)
    assert np.isfinite(law.cdf(kernels.GRID_S)).all()
    p = np.array([1e-6, 0.01, 0.35, 0.69])
    assert law.cdf(law.quantile(p)) == pytest.approx(p, abs=1e-6)


@pytest.mark.parametrize("density", AWKWARD, ids=str)
def test_kernel_weight_and_its_integral_stay_in_range(density):
    law = Law(density, 0.3)
    u = kernels.kernel(law, kernels.GRID_S, gamma=0.7)
    top = float(np.clip(density.mode, -2, 5))
    breaks = sorted({top, *np.clip(top + np.array([-0.02, -0.005, 0.005, 0.02, 0.2]), -2, 5)})

    area, _ = integrate.quad(
        lambda t: float(kernels.weight(law, t, gamma=0.7, epsilon=0.02)),
        -2, 5, points=breaks, limit=1000, epsabs=1e-11,
    )  # fmt: skip

    assert ((u >= 0) & (u <= 1)).all()
    assert float(kernels.kernel(law, top, gamma=0.7)) == pytest.approx(1.0, abs=1e-9)
    assert kernels.total_weight(law, gamma=0.7, epsilon=0.02) == pytest.approx(area, abs=1e-5)
