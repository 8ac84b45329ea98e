"""The laws of response onset: two families of density, and a law with its atom of no response.

::

    f_z  onset density on T = [-T_a, T_h], a parent family truncated to T and renormalised
    h_z  reference law (1 - beta_z) f_z + beta_z * atom; the atom is an onset at ``inf``
    H_z  its sub-CDF: 0 before -T_a, 1 - beta_z from T_h on

The parameters are those of the parent, which is what the paper prints (arXiv 2609.27372,
Table II). Without the truncation ``H_z(T_h) = 1 - beta_z`` fails: the parent puts .216 of ``hold``
and .157 of ``rhe`` beyond 5 s.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import erfcx, log_ndtr, ndtr

from tact.clock import FloatArray
from tact.errors import TableError
from tact.settings import PaperLaw
from tact.vocabulary import T_A_S, T_H_S

_ROOT_2 = math.sqrt(2.0)
_LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
_CELLS_PER_S = 1000
_HALVINGS = 34


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
        z, v = self._standard(t)
        low = np.minimum(z, 0.0)
        low_v = low - self.sigma / self.tau
        left = 0.5 * np.exp(-0.5 * low * low) * (erfcx(-low / _ROOT_2) - erfcx(-low_v / _ROOT_2))
        right = ndtr(z) - np.exp(self._log_tail(z, v))
        return np.asarray(np.where(z < 0, left, right))

    def sf(self, t: Any) -> FloatArray:
        """Give P(onset > t), exact in the far tail."""
        z, v = self._standard(t)
        return np.asarray(ndtr(-z) + np.exp(self._log_tail(z, v)))

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
        return z, z - self.sigma / self.tau

    def _log_tail(self, z: FloatArray, v: FloatArray) -> FloatArray:
        # log(tau f(t)); exp of it is P(onset > t) less the tail of the normal part
        r = self.sigma / self.tau
        left = np.log(0.5 * erfcx(-np.minimum(v, 0.0) / _ROOT_2)) - 0.5 * z * z
        right = log_ndtr(np.maximum(v, 0.0)) - r * (v + 0.5 * r)
        return np.asarray(np.where(v < 0, left, right))


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
        return np.asarray(ndtr(self._standard(t)[1]))

    def sf(self, t: Any) -> FloatArray:
        """Give P(onset > t), exact in the far tail."""
        return np.asarray(ndtr(-self._standard(t)[1]))

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


@dataclass(frozen=True)
class Law:
    """A reference law h_z: ``density`` truncated to T, with ``no_response`` (beta_z) beside it."""

    density: Density
    no_response: float

    def __post_init__(self) -> None:
        if not 0 <= self.no_response <= 1:
            raise ValueError(f"no_response lies in [0, 1], got {self.no_response}")
        if not self.mass > 0:
            raise ValueError(f"{self.density} has no mass in T")

    @cached_property
    def mass(self) -> float:
        """The mass of the parent density inside T."""
        if self.density.mode > T_H_S:
            return float(self.density.cdf(T_H_S) - self.density.cdf(-T_A_S))
        return float(self.density.sf(-T_A_S) - self.density.sf(T_H_S))

    def logpdf(self, t: Any) -> FloatArray:
        """Give log f_z(t) of the truncated density, without the atom; t in s."""
        t = np.asarray(t, dtype=np.float64)
        inside = (t >= -T_A_S) & (t <= T_H_S)
        at = np.where(inside, t, 0.0)
        return np.asarray(np.where(inside, self.density.logpdf(at) - math.log(self.mass), -np.inf))

    def pdf(self, t: Any) -> FloatArray:
        """Give f_z(t), 1/s: the truncated density, integrating to 1 over T (no atom)."""
        return np.asarray(np.exp(self.logpdf(t)))

    def onset_cdf(self, t: Any) -> FloatArray:
        """Give the CDF of f_z: P(onset <= t) given a response."""
        at = np.clip(np.asarray(t, dtype=np.float64), -T_A_S, T_H_S)
        below = float(self.density.cdf(-T_A_S))
        return np.asarray(np.clip((self.density.cdf(at) - below) / self.mass, 0.0, 1.0))

    def cdf(self, t: Any) -> FloatArray:
        """Give the sub-CDF H_z(t): 0 below -T_a, 1 - beta_z from T_h on."""
        return np.asarray((1.0 - self.no_response) * self.onset_cdf(t))

    def quantile(self, p: Any) -> FloatArray:
        """Invert H_z: the onset, s, below which lies mass p; ``inf`` where p > 1 - beta_z."""
        p = np.asarray(p, dtype=np.float64)
        grid, table = self._table
        cell = np.clip(np.searchsorted(table, p, side="left"), 1, len(grid) - 1)
        low, high = grid[cell - 1], grid[cell]
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            under = self.cdf(middle) < p
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.asarray(np.where(p > 1.0 - self.no_response, np.inf, high))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n onsets, s, from n uniforms; ``inf`` is no response."""
        return self.quantile(rng.random(n))

    @cached_property
    def _table(self) -> tuple[FloatArray, FloatArray]:
        grid = np.arange(-T_A_S * _CELLS_PER_S, T_H_S * _CELLS_PER_S + 1) / _CELLS_PER_S
        return grid, self.cdf(grid)


def paper_law(paper: PaperLaw) -> Law:
    """Make one law from its entry of the config."""
    if paper.family == "exgaussian":
        mu, sigma, tau = paper.mu, paper.sigma, paper.tau
        if mu is None or sigma is None or tau is None:
            raise ValueError("an ex-Gaussian needs mu, sigma and tau")
        return Law(ExGaussian(mu, sigma, tau), paper.no_response)
    median, log_sigma, shift = paper.median, paper.log_sigma, paper.shift
    if median is None or log_sigma is None or shift is None or median <= shift:
        raise ValueError("a shifted log-normal needs shift, log_sigma and a median above the shift")
    return Law(ShiftedLogNormal(math.log(median - shift), log_sigma, shift), paper.no_response)


def paper_laws(paper: Mapping[Any, PaperLaw]) -> dict[str, Law]:
    """Make the paper's laws from the config (settings.reference.paper), by intent."""
    return {str(intent): paper_law(entry) for intent, entry in paper.items()}


def parameters(law: Law) -> dict[str, float | str | None]:
    """Spread a law over the columns of table ``laws``; parameters of the other family are null."""
    density = law.density
    columns: dict[str, float | str | None] = dict.fromkeys(
        ("mu", "sigma", "tau", "shift", "log_median", "log_sigma")
    )
    if isinstance(density, ExGaussian):
        columns |= {"mu": density.mu, "sigma": density.sigma, "tau": density.tau}
    else:
        columns |= {"log_median": density.log_median, "log_sigma": density.log_sigma}
        columns |= {"shift": density.shift}
    return {"family": density.family, **columns, "no_response": law.no_response}


def from_row(row: Any) -> Law:
    """Make the law of one row of table ``laws`` (a named tuple, a Series or a mapping).

    Raises
    ------
    TableError
        A parameter of the row's family is missing or out of range.
    """
    get = row.__getitem__ if isinstance(row, Mapping | pd.Series) else lambda key: getattr(row, key)
    try:
        if get("family") == "exgaussian":
            density: Density = ExGaussian(*(float(get(key)) for key in ("mu", "sigma", "tau")))
        else:
            names = ("log_median", "log_sigma", "shift")
            density = ShiftedLogNormal(*(float(get(key)) for key in names))
        return Law(density, float(get("no_response")))
    except (TypeError, ValueError) as error:
        where = f"slice {get('slice')}, intent {get('intent')}"
        raise TableError(f"laws: the row of {where} is not a law ({error})") from None


def laws_of(table: pd.DataFrame, name: str) -> dict[str, Law]:
    """Read the laws of one slice from table ``laws``, by intent.

    Raises
    ------
    TableError
        The table has no such slice, or a row is not a law.
    """
    rows = table[table["slice"] == name]
    if rows.empty:
        known = ", ".join(sorted(table["slice"].unique())) or "none"
        raise TableError(f"laws: no slice {name!r}; known: {known}")
    return {str(row.intent): from_row(row) for row in rows.itertuples()}


def paper_rows(paper: Mapping[Any, PaperLaw]) -> list[dict[str, object]]:
    """Make the rows of table ``laws`` for the paper's laws, slice ``all``, source ``paper``."""
    ours = "log_sigma and shift are ours: the paper does not print them"
    return [
        {
            "slice": "all",
            "intent": intent,
            **parameters(law),
            "n_points": 0.0,
            "n_responses": 0.0,
            "source": "paper",
            "reason": ours if isinstance(law.density, ShiftedLogNormal) else None,
        }
        for intent, law in paper_laws(paper).items()
    ]
