"""The composite of a category on many resamples at once.

Each divergence is the square norm of a weighted mean of step functions. A step function is kept as
its averages over a few cells of equal weight, summed over each cluster, so that a resample is one
row of cluster counts times a matrix. The cells lose little, and what they lose at the data itself
is added back: the replicates are centred on the exact estimate.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from tact.clock import FloatArray, IntArray
from tact.kernels import GRID_S
from tact.scoring import LawTables

_CELLS = 32
_ENERGY_LOST = 2e-3


@dataclass(frozen=True)
class Squares:
    """Clustered sums of features for the K intents: d_z(m) = |m @ sums_z|^2 / (m @ mass_z)^2.

    Attributes
    ----------
    mass : (C, K) sum of weights
    sums : (C, K, G) weighted sum of features
    spread, mass_squared : (C, K) for the bias of d_z; zeros where it is not taken off
    shift : (K,) what the cells lost, and the excess that drawing clusters twice adds
    """

    mass: FloatArray
    sums: FloatArray
    spread: FloatArray
    mass_squared: FloatArray
    shift: FloatArray

    def divergence(self, counts: FloatArray) -> FloatArray:
        """Give d_z on resamples (r, C), less its bias: (r, K); NaN where z is not drawn."""
        clusters, intents, cells = self.sums.shape
        drawn = counts @ self.sums.reshape(clusters, intents * cells)
        drawn = drawn.reshape(-1, intents, cells)
        square = np.einsum("rkg,rkg->rk", drawn, drawn)
        mass = counts @ self.mass
        spare = mass**2 - counts @ self.mass_squared
        with np.errstate(divide="ignore", invalid="ignore"):
            bias = np.where(spare > 1e-12 * mass**2, counts @ self.spread / spare, 0.0)
            return np.asarray(square / mass**2 - bias + self.shift)


def centre(squares: Squares, exact: FloatArray) -> Squares:
    """Shift the divergences (K,) so that resamples scatter about the exact ones.

    A resample draws clusters again from the sample, so its d exceeds the sample's by the variance
    of the clusters once more; that is taken off with what the cells lost.
    """
    whole = np.ones((1, len(squares.mass)))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = squares.sums.sum(axis=0) / squares.mass.sum(axis=0)[:, None]
        apart = squares.sums - squares.mass[:, :, None] * mean
        excess = (apart**2).sum(axis=(0, 2)) / squares.mass.sum(axis=0) ** 2
    shift = exact - squares.divergence(whole)[0] - excess
    held = squares.mass, squares.sums, squares.spread, squares.mass_squared
    return Squares(*held, shift)


def timing_squares(
    tables: LawTables,
    posterior: FloatArray,
    weights: FloatArray,
    cluster: IntArray,
    episodes: IntArray,
    onsets: FloatArray,
) -> Squares:
    """Make the features of onsets: step function less the episode's reference, in each w_z.

    ``episodes`` and ``onsets`` are (m,) runs; the rest is by episode. ``cluster`` is 0 to C - 1.
    """
    n, clusters = len(posterior), int(cluster.max()) + 1
    per_run = 1.0 / np.bincount(episodes, minlength=n)[episodes]
    average = csr_matrix((per_run, (episodes, np.arange(len(episodes)))), shape=(n, len(episodes)))
    tails = tables.b(onsets)
    sums, spread = [], []
    for z in range(posterior.shape[1]):
        reference, levels = _reference(tables, z)
        cell = tables.totals[z] / _CELLS
        step = np.clip((tails[z][:, None] - levels[1:]) / cell, 0.0, 1.0)
        features = (average @ step - posterior @ reference) * np.sqrt(cell)
        mass = weights * posterior[:, z]
        sums.append(_turn(_by_cluster(mass[:, None] * features, cluster, clusters)))
        mean = mass @ features / mass.sum() if mass.sum() > 0 else 0.0
        spread.append(mass**2 * ((features - mean) ** 2).sum(axis=1))
    mass = weights[:, None] * posterior
    return Squares(
        mass=_by_cluster(mass, cluster, clusters),
        sums=_stack(sums),
        spread=_by_cluster(np.stack(spread, axis=1), cluster, clusters),
        mass_squared=_by_cluster(mass**2, cluster, clusters),
        shift=np.zeros(posterior.shape[1]),
    )


def length_squares(
    human: FloatArray, mass: FloatArray, cluster: IntArray, clusters: int, duration_ms: IntArray
) -> Squares:
    """Make the features of lengths: step function less the human CDF, in cells of [0, W_L].

    Parameters
    ----------
    human : (K, length_max_ms) human step CDFs; NaN rows where there is none
    mass : (m, K) weight of each run with a length
    cluster, duration_ms : (m,)
    """
    longest = human.shape[1]
    cut = np.clip(duration_ms, 0, longest)
    # Cells at the quantiles of the lengths: where both CDFs rise.
    edges = np.unique(np.concatenate([[0, longest], np.quantile(cut, np.linspace(0, 1, _CELLS))]))
    edges = np.unique(np.rint(edges).astype(np.int64))
    width = np.diff(edges)
    step = np.clip((edges[1:] - cut[:, None]) / width, 0.0, 1.0)
    levels = np.stack([np.add.reduceat(row, edges[:-1]) / width for row in human])
    scale = np.sqrt(width / 1000)
    sums = [
        _turn(_by_cluster(mass[:, [z]] * (step - levels[z]) * scale, cluster, clusters))
        for z in range(len(human))
    ]
    totals = _by_cluster(mass, cluster, clusters)
    none = np.zeros_like(totals)
    return Squares(totals, _stack(sums), none, none, np.zeros(len(human)))


def _reference(tables: LawTables, z: int) -> tuple[FloatArray, FloatArray]:
    """Average H_k over the cells of equal w_z: (K, G), with the levels of B_z at their edges."""
    levels = tables.totals[z] * np.linspace(1.0, 0.0, _CELLS + 1)
    edges = np.interp(levels, tables.tails_b[z][::-1], GRID_S[::-1])
    tails = tables.a(z, edges)
    return (tails[:, :-1] - tails[:, 1:]) * _CELLS / tables.totals[z], levels


def _turn(sums: FloatArray) -> FloatArray:
    """Turn features (C, G) onto their principal axes and keep those that hold the energy.

    A turn changes no norm, so a few axes do the work of all cells.
    """
    if not np.isfinite(sums).all():
        return sums[:, :1]
    values, axes = np.linalg.eigh(sums.T @ sums)
    kept = np.cumsum(np.maximum(values, 0.0)) > _ENERGY_LOST * np.maximum(values, 0.0).sum()
    return np.asarray(sums @ axes[:, kept]) if kept.any() else sums[:, :1]


def _stack(sums: list[FloatArray]) -> FloatArray:
    """Lay the features of the intents side by side, padded with zeros: (C, K, G)."""
    widest = max(own.shape[1] for own in sums)
    return np.stack([np.pad(own, ((0, 0), (0, widest - own.shape[1]))) for own in sums], axis=1)


def _by_cluster(values: FloatArray, cluster: IntArray, clusters: int) -> FloatArray:
    rows = np.arange(len(cluster))
    pick = csr_matrix((np.ones(len(cluster)), (cluster, rows)), shape=(clusters, len(cluster)))
    return np.asarray(pick @ values)
