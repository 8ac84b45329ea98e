"""The population score S_T and its skill: a system's own onset laws against the human ones.

Equation (4) of arXiv 2609.27372. An onset is in seconds from the decision point; ``inf`` is no
response, and so is an onset at or after T_h.

Every divergence is the square norm, under w_z, of a weighted mean over episodes of
``D_e = I_e - sum over k of q(k | e) H_k``, with I_e the mean step function of the episode's runs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from tact.clock import FloatArray, IntArray
from tact.scoring.tables import LawTables

_ONE_EPISODE = 1e-12


@dataclass(frozen=True)
class Population:
    """Divergence of a system's own onset laws from the matched reference, in one cell.

    Attributes
    ----------
    share : (K,) pi(z), the weighted mean posterior
    plug_in : (K,) d_z / W_z of the empirical law; NaN where z has no weight
    fair : (K,) the same less its bias; NaN where z rests on one episode
    blind : (K,) d_z / W_z of the intent-blind human marginal
    """

    share: FloatArray
    plug_in: FloatArray
    fair: FloatArray
    blind: FloatArray


@dataclass(frozen=True)
class Runs:
    """The runs of n episodes, and what the laws' tables give at their onsets.

    Attributes
    ----------
    episodes : (m,) episode of each run, in the order of the onsets
    per_run : (m,) 1 over the runs of that episode
    tails_b : (m, K) B_z at each onset
    mean_a : (K, n, K) int w_z I_e H_k
    energy : (n, K) int w_z D_e^2
    score : (n,) mean of `episode_scores` over the runs
    """

    episodes: IntArray
    per_run: FloatArray
    tails_b: FloatArray
    mean_a: FloatArray
    energy: FloatArray
    score: FloatArray

    @classmethod
    def of(
        cls, tables: LawTables, posterior: FloatArray, episodes: IntArray, onsets: FloatArray
    ) -> "Runs":
        """Look the onsets (m,), s, of the episodes (m,), 0 to n - 1, up in the tables."""
        order = np.argsort(onsets, kind="stable")
        episodes, onsets = episodes[order], onsets[order]
        n, m = len(posterior), len(onsets)
        per_run = 1.0 / np.bincount(episodes, minlength=n)[episodes]
        average = csr_matrix((per_run, (episodes, np.arange(m))), shape=(n, m))
        tails_b = np.ascontiguousarray(tables.b(onsets).T)
        intents = range(len(tables.intents))
        mean_a = np.stack([average @ tables.a(z, onsets).T for z in intents])
        # Of an episode's r runs, 2 i - 1 of the r^2 pairs have the i-th onset as the later one.
        pairs = (2.0 * _rank(episodes) + 1.0) * per_run
        by_law = ((posterior @ tables.squares - 2.0 * mean_a) * posterior).sum(axis=2).T
        loss = ((average @ tails_b + by_law) * posterior).sum(axis=1)
        return cls(
            episodes=episodes,
            per_run=per_run,
            tails_b=tails_b,
            mean_a=mean_a,
            energy=average @ (pairs[:, None] * tails_b) + by_law,
            score=1.0 - loss / (posterior @ tables.totals),
        )

    def among(self, rows: IntArray) -> "Runs":
        """Keep some of the episodes, told by their rows, ascending; they are numbered anew."""
        episodes, kept = renumbered(self.episodes, rows, len(self.energy))
        return Runs(
            episodes=episodes,
            per_run=self.per_run[kept],
            tails_b=self.tails_b[kept],
            mean_a=self.mean_a[:, rows],
            energy=self.energy[rows],
            score=self.score[rows],
        )


class _Sum(NamedTuple):
    """A weighted sum of D_e over episodes, for each z.

    Attributes
    ----------
    mix : (K, K) sum of the posteriors
    crossed : (K, K) int w_z H_k times the sum of the step functions
    at, upto : (m, K) weight of each run, and of all up to it
    """

    mix: FloatArray
    crossed: FloatArray
    at: FloatArray
    upto: FloatArray

    @classmethod
    def of(cls, posterior: FloatArray, runs: Runs, weights: FloatArray) -> "_Sum":
        """Sum with weights (n, K)."""
        at = weights[runs.episodes] * runs.per_run[:, None]
        crossed = (weights.T[:, None] @ runs.mean_a)[:, 0]
        return cls(weights.T @ posterior, crossed, at, np.cumsum(at, axis=0))


def renumbered(episodes: IntArray, rows: IntArray, n: int) -> tuple[IntArray, IntArray]:
    """Number the runs' episodes (m,), 0 to n - 1, by their place in ``rows``.

    Returns the numbers of the runs that are in it, and which runs those are.
    """
    number = np.full(n, -1)
    number[rows] = np.arange(len(rows))
    found = number[episodes]
    kept = np.flatnonzero(found >= 0)
    return found[kept], kept


def population(
    tables: LawTables,
    posterior: FloatArray,
    weights: FloatArray,
    episodes: IntArray,
    onsets: FloatArray,
) -> Population:
    """Measure how far a system's onset law lies from the human one, intent by intent.

    The empirical law P_z weighs episode e by its weight times q(z | e), each run equally within
    its episode. It meets the matched reference, the sum over k of E[q(k | e) | z] H_k: with soft
    posteriors a human's own P_z tends to that, not to H_z.

    Parameters
    ----------
    posterior : (n, K) q(z | e) of n episodes
    weights : (n,) candidates over chosen
    episodes : (m,) episode of each run, 0 to n - 1; every episode with weight has a run
    onsets : (m,) onset of each run, s

    Notes
    -----
    The plug-in d is too large by the variance of P_z; *fair* subtracts the estimate
    ``sum_e o_e^2 int w (D_e - mean D)^2 / (1 - sum_e o_e^2)``, where o_e are the normalised weights
    and D_e the episode's step function less its reference. With one-hot posteriors, equal weights
    and one run this is ``int w P (1 - P) / (n - 1)``.
    """
    return population_of(tables, posterior, weights, Runs.of(tables, posterior, episodes, onsets))


def population_of(
    tables: LawTables, posterior: FloatArray, weights: FloatArray, runs: Runs
) -> Population:
    """Measure the same from runs that are looked up.

    Parameters are those of `population`.
    """
    share = weights @ posterior / weights.sum()
    raw = weights[:, None] * posterior
    with np.errstate(divide="ignore", invalid="ignore"):
        omega = raw / raw.sum(axis=0)
    squared = omega**2
    held = squared.sum(axis=0)
    mean = _Sum.of(posterior, runs, omega)
    plug_in = _product(tables, runs, mean, mean)
    spread = (squared * runs.energy).sum(axis=0)
    by_square = _Sum.of(posterior, runs, squared)
    spread += held * plug_in - 2.0 * _product(tables, runs, by_square, mean)
    alone = 1.0 - held < _ONE_EPISODE
    bias = spread / np.where(alone, np.nan, 1.0 - held)
    apart = share - omega.T @ posterior
    blind = np.einsum("zj,zjk,zk->z", apart, tables.squares, apart)
    totals = tables.totals
    return Population(share, plug_in / totals, (plug_in - bias) / totals, blind / totals)


def total(share: FloatArray, divergence: FloatArray) -> float:
    """Add divergences over intents by pi(z), NaN where an intent with weight has none.

    The population score is ``1 - total``.
    """
    held = share > 0
    if not held.any():
        return float("nan")
    return float((share[held] * divergence[held]).sum() / share[held].sum())


def _rank(episodes: IntArray) -> IntArray:
    """Number the runs of each episode from 0 in the order given: (m,)."""
    order = np.argsort(episodes, kind="stable")
    ordered = episodes[order]
    first = np.searchsorted(ordered, ordered)
    rank = np.empty(len(episodes), dtype=np.int64)
    rank[order] = np.arange(len(episodes)) - first
    return rank


def _product(tables: LawTables, runs: Runs, first: _Sum, second: _Sum) -> FloatArray:
    """Integrate w_z times two weighted sums of D_e: shape (K,)."""
    # The sum over all pairs of a_i b_j B(max(y_i, y_j)): the runs are in the order of the onsets.
    pairs = first.at * second.upto + second.at * first.upto - first.at * second.at
    cross = (first.mix * second.crossed + second.mix * first.crossed).sum(axis=1)
    own = np.einsum("zj,zjk,zk->z", first.mix, tables.squares, second.mix)
    return np.asarray(own - cross + np.einsum("mz,mz->z", pairs, runs.tails_b))
