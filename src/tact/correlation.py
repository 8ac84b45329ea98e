"""Spearman's rank correlation and its intervals, with a result on any data."""

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata

from tact.bootstrap import Bca, bca
from tact.clock import FloatArray, IntArray


def spearman(first: FloatArray, second: FloatArray) -> float:
    """Correlate the ranks of two columns (n,); NaN for under three rows or a constant column."""
    if len(first) < 3:
        return float("nan")
    one, two = rankdata(first) - (len(first) + 1) / 2, rankdata(second) - (len(second) + 1) / 2
    size = np.sqrt((one @ one) * (two @ two))
    return float(one @ two / size) if size > 0 else float("nan")


def bonett_wright(rho: float, n: int, *, level: float) -> tuple[float, float]:
    """Give the interval of rho over n rows by Fisher's z with the variance of Bonett and Wright.

    Doi:10.1007/BF02294183: (1 + rho^2 / 2) / (n - 3). NaN for under four rows.
    """
    if n < 4 or not np.isfinite(rho):
        return float("nan"), float("nan")
    if abs(rho) >= 1.0:
        return rho, rho
    reach = float(ndtri((1 + level) / 2)) * np.sqrt((1 + rho**2 / 2) / (n - 3))
    z = np.arctanh(rho)
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


def clustered(
    first: FloatArray,
    second: FloatArray,
    cluster: IntArray,
    *,
    n: int,
    level: float,
    rng: np.random.Generator,
) -> Bca:
    """Make the BCa interval of rho, drawing whole clusters; ``cluster`` is (rows,)."""
    members = [np.flatnonzero(cluster == one) for one in np.unique(cluster)]

    def of(which: list[IntArray]) -> float:
        rows = np.concatenate(which) if which else np.zeros(0, dtype=np.int64)
        return spearman(first[rows], second[rows])

    drawn = rng.integers(0, len(members), size=(n, len(members)))
    replicates = np.array([of([members[i] for i in row]) for row in drawn])
    left_out = [of([*members[:i], *members[i + 1 :]]) for i in range(len(members))]
    return bca(replicates, spearman(first, second), np.array(left_out), level=level)
