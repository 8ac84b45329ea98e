"""Divergences on many resamples at once.

Each divergence is the square norm of a weighted mean of step functions. A step function is kept as
its averages over a few cells of equal weight, summed over each cluster, so that a resample is a
column of cluster counts. What the cells lose at the data itself is added back: the replicates are
centred on the exact estimate.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from tact.clock import FloatArray, IntArray
from tact.kernels import GRID_S
from tact.scoring import LawTables, Runs

Summed = npt.NDArray[np.float32] | FloatArray
"""Rows summed over resamples: in single precision where there are many."""

CELLS = 16
_SQUARES_LOST = 0.01
_ONE_EPISODE = 1e-5
"""A spare weight that sums in single precision can tell from none."""


class Clusters:
    """Rows of arrays, gathered by the cluster that they belong to.

    Parameters
    ----------
    cluster : (n,) the cluster of each row, 0 to C - 1, every one of them occurring
    """

    def __init__(self, cluster: IntArray) -> None:
        n = len(cluster)
        order = np.argsort(cluster, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(cluster))])
        self._pick = csr_matrix((np.ones(n), order, starts), shape=(len(starts) - 1, n))

    def sum(self, values: FloatArray) -> FloatArray:
        """Sum values (n, ...) over each cluster: (C, ...)."""
        summed = self._pick @ values.reshape(len(values), -1)
        return np.asarray(summed.reshape(-1, *values.shape[1:]))


@dataclass(frozen=True)
class Squares:
    """Clustered sums of features for the K intents: d_z(m) = |m @ sums_z|^2 / (m @ mass_z)^2.

    Attributes
    ----------
    mass : (K, C) sum of weights
    sums : (G, C) weighted sums of features, intent after intent
    starts : (K,) where each intent's begin
    noise : (2, K, C) spread and sum of squared weights, for the bias of d_z; None to leave it in
    shift : (K,) what the cells lost, and the excess that drawing clusters twice adds
    """

    mass: FloatArray
    sums: FloatArray
    starts: IntArray
    noise: FloatArray | None
    shift: FloatArray

    @property
    def rows(self) -> FloatArray:
        """All that is summed on a resample, one row each: (rows, C)."""
        noise = [] if self.noise is None else [*self.noise]
        return np.concatenate([self.mass, *noise, self.sums])

    def divergence(self, drawn: Summed) -> FloatArray:
        """Give d_z, less its bias, of summed rows (rows, r): (K, r); NaN where z is not drawn."""
        k = len(self.mass)
        rest = drawn[k:]
        mass2 = drawn[:k].astype(np.float64) ** 2
        bias: FloatArray | float = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.noise is not None:
                spread, spare, rest = rest[:k], mass2 - rest[k : 2 * k], rest[2 * k :]
                bias = np.where(spare > _ONE_EPISODE * mass2, spread / spare, 0.0)
            square = np.add.reduceat(np.square(rest), self.starts)
            return np.asarray(square / mass2 - bias + self.shift[:, None])


def timing_squares(
    clusters: Clusters, features: FloatArray, mass: FloatArray, exact: FloatArray
) -> Squares:
    """Gather the features of onsets, (n, K, G), by cluster.

    ``mass`` (n, K) is weight times posterior; ``exact`` (K,) the divergences at the data.
    """
    sums = clusters.sum(features * mass[:, :, None])
    total = mass.sum(axis=0)
    apart = features - sums.sum(axis=0) / np.where(total > 0, total, 1.0)[:, None]
    spread = mass**2 * np.einsum("nzg,nzg->nz", apart, apart)
    noise = np.stack([clusters.sum(spread).T, clusters.sum(mass**2).T])
    return _squares(clusters.sum(mass), sums, noise, exact)


def length_squares(
    clusters: Clusters,
    features: FloatArray,
    share: FloatArray,
    levels: FloatArray,
    mass: FloatArray,
    exact: FloatArray,
) -> Squares:
    """Gather the features of lengths by cluster, less those of the human law.

    Parameters
    ----------
    features : (n, G) summed features of the episode's runs that have a length
    share : (n,) the share of the episode's runs that have one
    levels : (K, G) the human law's; NaN rows where there is none
    mass : (n, K) weight times posterior
    exact : (K,) the divergences at the data
    """
    held = np.column_stack([features, share])
    summed = clusters.sum(held[:, None] * mass[:, :, None])
    sums = summed[:, :, :-1] - summed[:, :, -1:] * levels
    return _squares(summed[:, :, -1], sums, None, exact)


def onset_features(tables: LawTables, posterior: FloatArray, runs: Runs) -> FloatArray:
    """Average D_e over cells of equal w_z: (n, K, CELLS), scaled so that |D_e|^2 is int w D_e^2."""
    m, n = len(runs.episodes), len(posterior)
    average = csr_matrix((runs.per_run, (runs.episodes, np.arange(m))), shape=(n, m))
    found = np.empty((n, posterior.shape[1], CELLS))
    for z in range(posterior.shape[1]):
        reference, levels = _reference(tables, z)
        cell = tables.totals[z] / CELLS
        step = np.clip((runs.tails_b[:, [z]] - levels[1:]) / cell, 0.0, 1.0)
        found[:, z] = (average @ step - posterior @ reference) * np.sqrt(cell)
    return found


def length_cells(duration_ms: IntArray, longest_ms: int) -> IntArray:
    """Cut [0, W_L] at quantiles of the lengths, where both CDFs rise: edges, ms, ascending."""
    inside = np.quantile(duration_ms, np.linspace(0, 1, CELLS))
    edges = np.concatenate([[0, longest_ms], np.clip(np.rint(inside), 0, longest_ms)])
    return np.unique(edges.astype(np.int64))


def length_steps(duration_ms: IntArray, edges: IntArray) -> FloatArray:
    """Average the step functions of lengths (m,) over the cells: (m, G), scaled by their width."""
    width = np.diff(edges)
    step = np.clip((edges[1:] - duration_ms[:, None]) / width, 0.0, 1.0)
    return np.asarray(step * np.sqrt(width / 1000))


def length_levels(human: FloatArray, edges: IntArray) -> FloatArray:
    """Average human step CDFs (K, ms) over the cells: (K, G), scaled by their width."""
    width = np.diff(edges)
    return np.asarray(np.add.reduceat(human, edges[:-1], axis=1) / width * np.sqrt(width / 1000))


def _squares(
    mass: FloatArray, sums: FloatArray, noise: FloatArray | None, exact: FloatArray
) -> Squares:
    """Turn the sums (C, K, G), and centre the divergences: resamples scatter about the exact ones.

    A resample draws clusters again from the sample, so its d exceeds the sample's by the variance
    of the clusters once more; that is taken off with what the cells lost.
    """
    turned = [_turn(sums[:, z], mass[:, z]) for z in range(sums.shape[1])]
    width = np.array([own.shape[1] for own in turned])
    features, starts = np.concatenate([own.T for own in turned]), np.cumsum(width) - width
    total = mass.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = features.sum(axis=1) / np.repeat(total, width)
        apart = features - np.repeat(mass.T, width, axis=0) * mean[:, None]
        excess = np.add.reduceat((apart**2).sum(axis=1), starts) / total**2
    found = Squares(mass.T, features, starts, noise, np.zeros(len(total)))
    at_data = found.divergence(found.rows.sum(axis=1, keepdims=True))[:, 0]
    return replace(found, shift=exact - at_data - excess)


def _reference(tables: LawTables, z: int) -> tuple[FloatArray, FloatArray]:
    """Average H_k over the cells of equal w_z: (K, G), with the levels of B_z at their edges."""
    levels = tables.totals[z] * np.linspace(1.0, 0.0, CELLS + 1)
    edges = np.interp(levels, tables.tails_b[z][::-1], GRID_S[::-1])
    tails = tables.a(z, edges)
    return (tails[:, :-1] - tails[:, 1:]) * CELLS / tables.totals[z], levels


def _turn(sums: FloatArray, mass: FloatArray) -> FloatArray:
    """Turn clustered features (C, G) onto a few axes that carry the square of their mean.

    With mean mu and resampled deviation d, ``|mu + d|^2 = |mu|^2 + 2 mu d + |d|^2``. The first axis
    is mu's, so the middle term is exact. The others are the principal axes of what is left, and
    their number is such that the variance of ``|d|^2``, which goes by the squares of the variances,
    keeps all but a hundredth.
    """
    total = mass.sum()
    if not (total > 0 and np.isfinite(sums).all()):
        return sums[:, :1]
    mean = sums.sum(axis=0) / total
    apart = sums - mass[:, None] * mean
    length = np.sqrt(mean @ mean)
    first = mean / length if length > 0 else np.eye(len(mean))[0]
    along = apart @ first
    apart -= along[:, None] * first
    variances, axes = np.linalg.eigh(apart.T @ apart)
    squares = np.maximum(variances, 0.0) ** 2
    lost = np.cumsum(squares) <= _SQUARES_LOST * (squares.sum() + (along @ along) ** 2)
    return np.asarray(sums @ np.column_stack([first, axes[:, ~lost][:, ::-1]]))
