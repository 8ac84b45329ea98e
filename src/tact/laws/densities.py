"""Two families of onset density, before truncation to T."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr

from tact.clock import FloatArray

_ROOT_2 = math.sqrt(2.0)
_LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)


@dataclass(frozen=True)
class ExGaussian:
    """Normal(mu, sigma) plus an exponential of mean tau; all in seconds, sigma and tau above 0."""

    mu: float
    sigma: float
    tau: float

    family = "exgaussian"

    def __post_init__(self) -> None:
        if not (self.sigma > 0 and self.tau > 0 and math.isfinite(self.mu)):
            raise ValueError(f"sigma and tau are above 0 and mu is finite, got {self}")

    def logpdf(self, t: Any) -> FloatArray:
        """Give log f(t), t in s, without overflow in either tail.

        With z = (t - mu) / sigma, r = sigma / tau and v = z - r, the erfcx form holds for v < 0
        and the log_ndtr form for v >= 0.
        """
        return np.asarray(self._log_tail(*self._standard(t)) - math.log(self.tau))

    def cdf(self, t: Any) -> FloatArray:
        """Give P(onset <= t); below the mean of the normal part the relative error stays small."""
        return self.below_and_above(t)[0]

    def sf(self, t: Any) -> FloatArray:
        """Give P(onset > t), exact in the far tail."""
        return self.below_and_above(t)[1]

    def below_and_above(self, t: Any) -> tuple[FloatArray, FloatArray]:
        """Give P(onset <= t) and P(onset > t), each exact where it is small."""
        z, v = self._standard(t)
        tail = np.exp(self._log_tail(z, v))
        below = np.asarray(ndtr(z) - tail)
        left = z < 0
        low, low_v = z[left] / -_ROOT_2, v[left] / -_ROOT_2
        below[left] = 0.5 * np.exp(-low * low) * (erfcx(low) - erfcx(low_v))
        return below, np.asarray(ndtr(-z) + tail)

    @cached_property
    def mode(self) -> float:
        """The time of the highest density, s: phi(v) / Phi(v) = sigma / tau."""
        r = self.sigma / self.tau

        def excess(v: float) -> float:
            return float(-0.5 * v * v - _LOG_ROOT_2_PI - log_ndtr(v) - math.log(r))

        # phi/Phi falls from above -v to phi, so the root lies above -r and below this.
        high = 1.0 + math.sqrt(2.0 * max(0.0, -math.log(r)))
        v = float(brentq(excess, -r - 1e-9 * (1.0 + r), high, xtol=1e-14, rtol=1e-14))
        return self.mu + self.sigma * (v + r)

    @cached_property
    def log_sup(self) -> float:
        """The log density at the mode."""
        return float(self.logpdf(self.mode))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n onsets of the parent law, s, not truncated."""
        return rng.normal(self.mu, self.sigma, n) + rng.exponential(self.tau, n)

    def _standard(self, t: Any) -> tuple[FloatArray, FloatArray]:
        z = np.asarray((np.asarray(t, dtype=np.float64) - self.mu) / self.sigma)
        return z, np.asarray(z - self.sigma / self.tau)

    def _log_tail(self, z: FloatArray, v: FloatArray) -> FloatArray:
        # log(tau f(t)); exp of it is P(onset > t) less the tail of the normal part
        found, r, left = np.empty_like(v), self.sigma / self.tau, v < 0
        found[left] = np.log(0.5 * erfcx(-v[left] / _ROOT_2)) - 0.5 * np.square(z[left])
        right = v[~left]
        found[~left] = log_ndtr(right) - r * (right + 0.5 * r)
        return found


@dataclass(frozen=True)
class ShiftedLogNormal:
    """``t - shift ~ LogNormal(log_median, log_sigma)``; median = shift + exp(log_median), s."""

    log_median: float
    log_sigma: float
    shift: float

    family = "shifted_lognormal"

    def __post_init__(self) -> None:
        if not (self.log_sigma > 0 and math.isfinite(self.log_median + self.shift)):
            raise ValueError(f"log_sigma is above 0 and the rest finite, got {self}")

    def logpdf(self, t: Any) -> FloatArray:
        """Give log f(t), t in s; minus infinity at and before the shift."""
        log_x, v = self._standard(t)
        with np.errstate(invalid="ignore"):
            value = -0.5 * v * v - log_x - math.log(self.log_sigma) - _LOG_ROOT_2_PI
        return np.asarray(np.where(np.isfinite(log_x), value, -np.inf))

    def cdf(self, t: Any) -> FloatArray:
        """Give P(onset <= t)."""
        return self.below_and_above(t)[0]

    def sf(self, t: Any) -> FloatArray:
        """Give P(onset > t), exact in the far tail."""
        return self.below_and_above(t)[1]

    def below_and_above(self, t: Any) -> tuple[FloatArray, FloatArray]:
        """Give P(onset <= t) and P(onset > t), each exact where it is small."""
        v = self._standard(t)[1]
        return np.asarray(ndtr(v)), np.asarray(ndtr(-v))

    @property
    def mode(self) -> float:
        """The time of the highest density, s: shift + exp(m - s^2)."""
        return self.shift + math.exp(self.log_median - self.log_sigma**2)

    @cached_property
    def log_sup(self) -> float:
        """The log density at the mode."""
        return (
            -self.log_median + 0.5 * self.log_sigma**2 - math.log(self.log_sigma) - _LOG_ROOT_2_PI
        )

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n onsets of the parent law, s, not truncated."""
        return self.shift + rng.lognormal(self.log_median, self.log_sigma, n)

    def _standard(self, t: Any) -> tuple[FloatArray, FloatArray]:
        x = np.asarray(t, dtype=np.float64) - self.shift
        with np.errstate(divide="ignore"):
            log_x = np.log(np.maximum(x, 0.0))
        return log_x, np.asarray((log_x - self.log_median) / self.log_sigma)


Density = ExGaussian | ShiftedLogNormal
