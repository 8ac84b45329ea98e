"""The two families of onset density as a fit sees them: log mass of a cell, and its gradient.

An onset is known to lie in a cell (low, high], because recordings have a step; a cell of no length
stands for an exact onset, and its density takes the place of its mass. Shapes are fitted as theta,
in which no bound is near and the likelihood is closest to a parabola:

    ex-Gaussian          theta = (mu, log sigma, log tau)
    shifted log-normal   theta = (m, log s), the shift held; or (m, log s, shift) with a prior

Gradients are closed forms. With f the ex-Gaussian density, phi its normal part and rho = phi / f,

    f' = (phi - f) / tau,  dF/dmu = -f,  dF/dsigma = sigma f',  dF/dtau = -(f + tau df/dtau).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from tact.clock import FloatArray
from tact.laws import Density, ExGaussian, ShiftedLogNormal

_LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
FAINT = 1e-13
"""Below this mass a difference of two CDFs has lost its digits; the middle's density serves."""


@dataclass(frozen=True)
class ExGaussianFamily:
    """Normal(mu, sigma) plus an exponential of mean tau; theta = (mu, log sigma, log tau)."""

    name: ClassVar[str] = "exgaussian"
    parameters: ClassVar[tuple[str, ...]] = ("mu", "sigma", "tau")
    logged: ClassVar[tuple[bool, ...]] = (False, True, True)
    lower: ClassVar[tuple[float, ...]] = (-2.5, math.log(0.005), math.log(0.005))
    upper: ClassVar[tuple[float, ...]] = (5.0, math.log(3.0), math.log(5.0))
    may_rest: ClassVar[tuple[bool, ...]] = (False, True, True)
    """A part whose spread runs to its least value is absent; the rest is still a law."""

    def prior(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Give the log prior, its gradient and its curvature, (3,) each: flat."""
        return 0.0, np.zeros(3), np.zeros(3)

    def theta(self, density: Density) -> FloatArray:
        """Give theta of a density of this family."""
        if not isinstance(density, ExGaussian):
            raise ValueError(f"{density} is no ex-Gaussian")
        return np.array([density.mu, math.log(density.sigma), math.log(density.tau)])

    def density(self, theta: FloatArray) -> ExGaussian:
        """Give the density of a theta."""
        return ExGaussian(float(theta[0]), math.exp(theta[1]), math.exp(theta[2]))

    def slope(self, theta: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give log f(t), t (k,) in s, and its gradient in theta, (k, 3)."""
        law = self.density(theta)
        mu, sigma, tau = law.mu, law.sigma, law.tau
        z = (t - mu) / sigma
        log_f = law.logpdf(t)
        rho = np.exp(np.minimum(-0.5 * z * z - _LOG_ROOT_2_PI - math.log(sigma) - log_f, 700.0))
        steep = (rho - 1.0) / tau
        by_sigma = -(z * rho / sigma + steep) * sigma / tau
        by_tau = -1.0 / tau + (z * sigma + (rho - 1.0) * sigma**2 / tau) / tau**2
        return log_f, np.stack([-steep, by_sigma * sigma, by_tau * tau], axis=1)

    def below(self, theta: FloatArray, t: FloatArray) -> FloatArray:
        """Give the gradient of F(t) in theta, (k, 3)."""
        law = self.density(theta)
        log_f, slope = self.slope(theta, t)
        f = np.exp(log_f)[:, None]
        # slope holds -f'/f, sigma d log f / d sigma and tau d log f / d tau
        by_mu, by_log_tau = -f, -law.tau * f * (1.0 + slope[:, 2:])
        return np.hstack([by_mu, -(law.sigma**2) * f * slope[:, :1], by_log_tau])


@dataclass(frozen=True)
class LogNormalFamily:
    """``t - shift ~ LogNormal(m, s)`` with the shift held; theta = (m, log s)."""

    shift: float

    name: ClassVar[str] = "shifted_lognormal"
    parameters: ClassVar[tuple[str, ...]] = ("log_median", "log_sigma")
    logged: ClassVar[tuple[bool, ...]] = (False, True)
    lower: ClassVar[tuple[float, ...]] = (math.log(0.05), math.log(0.05))
    upper: ClassVar[tuple[float, ...]] = (math.log(30.0), math.log(3.0))
    may_rest: ClassVar[tuple[bool, ...]] = (False, False)

    def prior(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Give the log prior, its gradient and its curvature, (2,) each: flat."""
        return 0.0, np.zeros(2), np.zeros(2)

    def theta(self, density: Density) -> FloatArray:
        """Give theta of a density of this family and shift."""
        if not isinstance(density, ShiftedLogNormal) or density.shift != self.shift:
            raise ValueError(f"{density} is no log-normal of shift {self.shift}")
        return np.array([density.log_median, math.log(density.log_sigma)])

    def density(self, theta: FloatArray) -> ShiftedLogNormal:
        """Give the density of a theta."""
        return ShiftedLogNormal(float(theta[0]), math.exp(theta[1]), self.shift)

    def slope(self, theta: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give log f(t), t (k,) in s, and its gradient in theta, (k, 2); 0 up to the shift."""
        v = self._standard(theta, t)
        gradient = np.stack([v / math.exp(theta[1]), v * v - 1.0], axis=1)
        return self.density(theta).logpdf(t), np.where(np.isfinite(v)[:, None], gradient, 0.0)

    def below(self, theta: FloatArray, t: FloatArray) -> FloatArray:
        """Give the gradient of F(t) in theta, (k, 2)."""
        v = self._standard(theta, t)
        finite = np.where(np.isfinite(v), v, 0.0)
        phi = np.where(np.isfinite(v), np.exp(-0.5 * finite * finite - _LOG_ROOT_2_PI), 0.0)
        return np.stack([-phi / math.exp(theta[1]), -phi * finite], axis=1)

    def _standard(self, theta: FloatArray, t: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            log_x = np.log(np.maximum(t - self.shift, 0.0))
        return np.asarray((log_x - theta[0]) / math.exp(theta[1]))


@dataclass(frozen=True)
class FreeLogNormalFamily:
    """``t - shift ~ LogNormal(m, s)``; theta = (m, log s, shift), a priori shift ~ N(0, shift_sd).

    Without the prior (``shift_sd`` infinite) the likelihood of exact onsets is unbounded as the
    shift nears the first of them; a fit then finds the local maximum that its start leads to.
    """

    shift_sd: float

    name: ClassVar[str] = "shifted_lognormal"
    parameters: ClassVar[tuple[str, ...]] = ("log_median", "log_sigma", "shift")
    logged: ClassVar[tuple[bool, ...]] = (False, True, False)
    lower: ClassVar[tuple[float, ...]] = (math.log(0.05), math.log(0.05), -2.0)
    upper: ClassVar[tuple[float, ...]] = (math.log(30.0), math.log(3.0), 2.0)
    may_rest: ClassVar[tuple[bool, ...]] = (False, False, False)

    def prior(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Give the log prior, its gradient and its curvature, (3,) each."""
        pull, only = self.shift_sd**-2, np.array([0.0, 0.0, 1.0])
        return -0.5 * pull * float(theta[2]) ** 2, -pull * theta[2] * only, -pull * only

    def theta(self, density: Density) -> FloatArray:
        """Give theta of a log-normal density."""
        if not isinstance(density, ShiftedLogNormal):
            raise ValueError(f"{density} is no log-normal")
        return np.array([density.log_median, math.log(density.log_sigma), density.shift])

    def density(self, theta: FloatArray) -> ShiftedLogNormal:
        """Give the density of a theta."""
        return ShiftedLogNormal(float(theta[0]), math.exp(theta[1]), float(theta[2]))

    def slope(self, theta: FloatArray, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Give log f(t), t (k,) in s, and its gradient in theta, (k, 3); 0 up to the shift."""
        log_f, held = LogNormalFamily(float(theta[2])).slope(theta[:2], t)
        after = t > theta[2]
        x = np.where(after, t - theta[2], 1.0)
        return log_f, np.column_stack([held, np.where(after, (1.0 + held[:, 0]) / x, 0.0)])

    def below(self, theta: FloatArray, t: FloatArray) -> FloatArray:
        """Give the gradient of F(t) in theta, (k, 3)."""
        held = LogNormalFamily(float(theta[2])).below(theta[:2], t)
        after = t > theta[2]
        x = np.where(after, t - theta[2], 1.0)
        return np.column_stack([held, np.where(after, held[:, 0] / x, 0.0)])


Family = ExGaussianFamily | LogNormalFamily | FreeLogNormalFamily


def family_of(density: Density, *, shift_sd: float | None) -> Family:
    """Give the family of a density: of a log-normal with its shift held, or N(0, shift_sd)."""
    if isinstance(density, ExGaussian):
        return ExGaussianFamily()
    return LogNormalFamily(density.shift) if shift_sd is None else FreeLogNormalFamily(shift_sd)


def log_mass(
    family: Family, theta: FloatArray, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give log P(low < onset <= high) under the parent density, and its gradient.

    Parameters
    ----------
    theta : (p,)
    low, high : (k,), s; where they are equal, the log density at that onset is given

    Returns
    -------
    value : (k,); minus infinity where no onset can fall
    gradient : (k, p) in theta; 0 where the value is minus infinity
    """
    value, faint = _values(family.density(theta), low, high)
    edges, left, right = _edges(low, high)
    slope = family.below(theta, edges)
    gradient = (slope[right] - slope[left]) / np.exp(np.where(faint, 0.0, value))[:, None]
    if faint.any():
        gradient[faint] = family.slope(theta, 0.5 * (low + high)[faint])[1]
    return value, np.where(np.isfinite(value)[:, None], gradient, 0.0)


def log_mass_alone(density: Density, low: FloatArray, high: FloatArray) -> FloatArray:
    """Give what ``log_mass`` gives, without the gradient, (k,)."""
    return _values(density, low, high)[0]


def _values(
    density: Density, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, "npt.NDArray[np.bool_]"]:
    """Give log masses, and where the density in the middle stands for a difference too small."""
    edges, left, right = _edges(low, high)
    below, beyond = density.below_and_above(edges)
    width, middle = high - low, 0.5 * (low + high)
    above = middle > density.mode
    mass = np.where(above, beyond[left] - beyond[right], below[right] - below[left])
    faint = (width == 0) | (mass < FAINT)
    value = np.log(np.where(faint, 1.0, mass))
    if faint.any():
        per_s = np.where(width > 0, width, 1.0)[faint]
        value[faint] = density.logpdf(middle[faint]) + np.log(per_s)
    return value, faint


def _edges(low: FloatArray, high: FloatArray) -> tuple[FloatArray, slice, slice]:
    """Give the ends of cells, once each where they abut, and where the lower and upper ones are."""
    if np.array_equal(low[1:], high[:-1]):
        return np.append(low, high[-1]), slice(None, -1), slice(1, None)
    return np.concatenate([low, high]), slice(None, low.size), slice(low.size, None)
