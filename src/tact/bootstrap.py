"""Bootstrap intervals: bias-corrected and accelerated, clustered, with a result on any data.

Efron (1987), doi:10.2307/2289144. Whole clusters (dyads, meeting series) are drawn, since the
episodes of one pair of speakers are not independent.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from tact.clock import FloatArray, IntArray

_CHUNK = 500


@dataclass(frozen=True)
class Bca:
    """An interval [low, high], with its bias z0 and acceleration."""

    low: float
    high: float
    z0: float
    acceleration: float


def bca(replicates: FloatArray, estimate: float, jackknife: FloatArray, *, level: float) -> Bca:
    """Make the BCa interval of an estimate.

    Parameters
    ----------
    replicates : (R,) the estimate on each resample; NaN ones are left out
    estimate : on the data
    jackknife : (C,) the estimate without each cluster; NaN ones are left out
    level : coverage, 0 to 1

    Returns
    -------
    Replicates tied with the estimate count half; the quantile is the inverse of the empirical CDF.
    Where all replicates equal the estimate the interval is that point; with fewer than two clusters
    or no replicate both ends are NaN.
    """
    kept = np.sort(replicates[np.isfinite(replicates)])
    left_out = jackknife[np.isfinite(jackknife)]
    if len(kept) == 0 or len(left_out) < 2 or not np.isfinite(estimate):
        return Bca(float("nan"), float("nan"), float("nan"), float("nan"))
    slack = 1e-12 * max(1.0, abs(estimate))
    under = np.searchsorted(kept, estimate - slack, side="left")
    upto = np.searchsorted(kept, estimate + slack, side="right")
    # All replicates on one side would put z0 at infinity; half a replicate is the finest known.
    share = np.clip((under + upto) / (2 * len(kept)), 0.5 / len(kept), 1 - 0.5 / len(kept))
    z0, a = float(ndtri(share)), acceleration(left_out)
    tails = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    with np.errstate(divide="ignore"):
        adjusted = ndtr(z0 + (z0 + tails) / (1 - a * (z0 + tails)))
    last = len(kept) - 1
    low, high = kept[np.clip(np.ceil(len(kept) * adjusted - 1), 0, last).astype(np.int64)]
    return Bca(float(low), float(high), z0, a)


def acceleration(jackknife: FloatArray) -> float:
    """Give the acceleration of leave-one-out values (C,); 0 where they do not vary."""
    apart = jackknife.mean() - jackknife
    square = float((apart**2).sum())
    if not square > 0:
        return 0.0
    return float((apart**3).sum() / (6.0 * square**1.5))


def jackknife_mean(totals: FloatArray, sizes: FloatArray) -> FloatArray:
    """Give the mean without each cluster, from the clusters' totals and sizes (C,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((totals.sum() - totals) / (sizes.sum() - sizes))


def resamples(clusters: int, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Draw n resamples of clusters, in chunks (r, C): how often each cluster is drawn."""
    for start in range(0, n, _CHUNK):
        drawn = rng.integers(0, clusters, size=(min(_CHUNK, n - start), clusters))
        rows = np.arange(len(drawn))[:, None] * clusters
        counts = np.bincount((rows + drawn).ravel(), minlength=len(drawn) * clusters)
        yield counts.reshape(len(drawn), clusters).astype(np.float64)


def mean_interval(
    values: FloatArray, cluster: IntArray, *, n: int, level: float, rng: np.random.Generator
) -> Bca:
    """Make the BCa interval of a mean (values and cluster both (m,)), drawing whole clusters."""
    _, at = np.unique(cluster, return_inverse=True)
    totals = np.asarray(np.bincount(at, weights=values), dtype=np.float64)
    sizes = np.bincount(at).astype(np.float64)
    return mean_intervals(totals[:, None], sizes[:, None], n=n, level=level, rng=rng)[0]


def mean_intervals(
    totals: FloatArray, sizes: FloatArray, *, n: int, level: float, rng: np.random.Generator
) -> list[Bca]:
    """Make the BCa intervals of many means on the same resamples of clusters.

    Parameters
    ----------
    totals, sizes : (C, M) sum and number of the values of each cluster, for each mean
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = [(counts @ totals) / (counts @ sizes) for counts in resamples(len(totals), n, rng)]
        replicates = np.concatenate(drawn)
        estimates = totals.sum(axis=0) / sizes.sum(axis=0)
    return [
        bca(
            replicates[:, column],
            float(estimates[column]),
            jackknife_mean(totals[:, column], sizes[:, column]),
            level=level,
        )
        for column in range(totals.shape[1])
    ]
