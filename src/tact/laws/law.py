"""A law: a density truncated to T, with its atom of no response."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tact.clock import FloatArray
from tact.laws.densities import Density
from tact.vocabulary import T_A_S, T_H_S

_CELLS_PER_S = 1000
_HALVINGS = 34


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
        if self.density.mode < -T_A_S:
            # T holds a far tail alone: two CDFs next to 1 have no digits left between them.
            upto = float(self.density.sf(-T_A_S)) - self.density.sf(at)
        else:
            upto = self.density.cdf(at) - float(self.density.cdf(-T_A_S))
        return np.asarray(np.clip(upto / self.mass, 0.0, 1.0))

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
