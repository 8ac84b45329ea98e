"""The timing scores: twCRPS of one onset, episode score s_T, population score S_T and its skill.

Equations (3) and (4) of arXiv 2609.27372. An onset is in seconds from the decision point; ``inf``
is no response, and so is an onset at or after T_h.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.kernels import GRID_S, nodes_between
from tact.scoring.tables import LawTables
from tact.vocabulary import T_A_S, T_H_S

Curve = Callable[[FloatArray], FloatArray]


def twcrps_of(
    forecast: Curve, weighting: Curve, onset: float, *, breaks: Sequence[float] = ()
) -> float:
    """Integrate w(t) (P(t) - 1[y <= t])^2 over T as it is written, for any P and w.

    This is the definition; ``twcrps`` gives the same for a reference law from tables.

    Parameters
    ----------
    forecast : sub-CDF P(t), t in s
    weighting : weight w(t)
    onset : y, s; ``inf`` is no response
    breaks : where P or w jumps, s

    Returns
    -------
    the integral, s
    """
    cuts = [cut for cut in (onset, *breaks) if -T_A_S < cut < T_H_S]
    nodes, weights = nodes_between(np.unique(np.concatenate([GRID_S, cuts])))
    miss = forecast(nodes) - (onset <= nodes)
    return float((weighting(nodes) * miss * miss * weights).sum())


def twcrps(tables: LawTables, intent: str, onsets: FloatArray) -> FloatArray:
    """Score onsets (n,), s, against the law of one intent: twCRPS(h_z, y), shape (n,), s."""
    z = tables.position(intent)
    constant = tables.squares[z, z, z]
    return np.asarray(constant - 2.0 * tables.a(z, onsets)[z] + tables.b(onsets)[z])


def human_loss(tables: LawTables, intent: str) -> float:
    """Give R_z, the expected twCRPS of a human draw: int w H (1 - H), s."""
    z = tables.position(intent)
    return float(tables.tails_a[z, z, 0] - tables.squares[z, z, z])


def episode_scores(tables: LawTables, posterior: FloatArray, onsets: FloatArray) -> FloatArray:
    """Score each onset against the mixture of its own posterior: s_T(e), shape (n,).

    ``1 - twCRPS(P_q, y) / W_q`` with P_q, w_q and W_q mixed by q(z | e): a cubic form in q.

    Parameters
    ----------
    posterior : (n, K), rows summing to 1, in the order of ``tables.intents``
    onsets : (n,), s

    Notes
    -----
    The score makes the human law the forecast and the system's onset the outcome, so it punishes
    dispersion: always the median of h_z beats a human draw.
    """
    cubic = np.einsum("nz,nj,nk,zjk->n", posterior, posterior, posterior, tables.squares)
    tails_a = sum(
        posterior[:, z] * np.einsum("nk,kn->n", posterior, tables.a(z, onsets))
        for z in range(len(tables.intents))
    )
    tails_b = np.einsum("nz,zn->n", posterior, tables.b(onsets))
    return np.asarray(1.0 - (cubic - 2.0 * tails_a + tails_b) / (posterior @ tables.totals))


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
    episodes : (m,) episode of each run, 0 to n - 1; every episode has a run
    onsets : (m,) onset of each run, s

    Notes
    -----
    The plug-in d is too large by the variance of P_z; *fair* subtracts the estimate
    ``sum_e o_e^2 int w (D_e - mean D)^2 / (1 - sum_e o_e^2)``, where o_e are the normalised weights
    and D_e the episode's step function less its reference. With one-hot posteriors, equal weights
    and one run this is ``int w P (1 - P) / (n - 1)``.
    """
    share = weights @ posterior / weights.sum()
    order = np.lexsort((onsets, episodes))
    runs = _Runs.of(episodes[order], onsets[order], len(posterior))
    rows = [_one_intent(tables, z, posterior, weights, runs) for z in range(posterior.shape[1])]
    plug_in, fair = (np.array(column) for column in zip(*rows, strict=True))
    blind = np.array(
        [_blind(tables, z, posterior, weights, share) for z in range(posterior.shape[1])]
    )
    return Population(share, plug_in, fair, blind)


def total(share: FloatArray, divergence: FloatArray) -> float:
    """Add divergences over intents by pi(z), NaN where an intent with weight has none.

    The population score is ``1 - total``.
    """
    held = share > 0
    if not held.any():
        return float("nan")
    return float((share[held] * divergence[held]).sum() / share[held].sum())


@dataclass(frozen=True)
class _Runs:
    """Runs sorted by episode and onset, with what is needed to integrate their step functions."""

    episodes: IntArray
    onsets: FloatArray
    per_run: FloatArray  # 1 over the runs of the episode
    squared: FloatArray  # (2 i - 1) over their square: int w I_e^2 = sum squared * B
    by_onset: IntArray

    @classmethod
    def of(cls, episodes: IntArray, onsets: FloatArray, n: int) -> "_Runs":
        count = np.bincount(episodes, minlength=n)
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        rank = np.arange(len(episodes)) - first[episodes]
        size = count[episodes].astype(np.float64)
        by_onset = np.argsort(onsets, kind="stable")
        return cls(episodes, onsets, 1.0 / size, (2.0 * rank + 1.0) / size**2, by_onset)


def _one_intent(
    tables: LawTables, z: int, posterior: FloatArray, weights: FloatArray, runs: _Runs
) -> tuple[float, float]:
    raw = weights * posterior[:, z]
    if not raw.sum() > 0:
        return float("nan"), float("nan")
    omega = raw / raw.sum()
    tails_a, tails_b = tables.a(z, runs.onsets), tables.b(runs.onsets)[z]
    squares = tables.squares[z]

    def combine(first: FloatArray, second: FloatArray) -> float:
        """Integrate w times two weighted sums of D_e over episodes."""
        one, two = first[runs.episodes] * runs.per_run, second[runs.episodes] * runs.per_run
        mix_one, mix_two = first @ posterior, second @ posterior
        steps = _step_product(one[runs.by_onset], two[runs.by_onset], tails_b[runs.by_onset])
        cross = mix_one @ (tails_a @ two) + mix_two @ (tails_a @ one)
        return float(mix_one @ squares @ mix_two - cross + steps)

    divergence = combine(omega, omega)
    spare = 1.0 - float((omega**2).sum())
    if spare < 1e-12:
        return divergence / tables.totals[z], float("nan")
    own = (runs.squared * tails_b) @ (omega**2)[runs.episodes]
    mixed = np.einsum("km,mk->m", tails_a, posterior[runs.episodes])
    own -= 2.0 * (runs.per_run * mixed) @ (omega**2)[runs.episodes]
    own += float(np.einsum("n,nj,nk,jk->", omega**2, posterior, posterior, squares))
    spread = own - 2.0 * combine(omega**2, omega) + float((omega**2).sum()) * divergence
    bias = spread / spare
    return divergence / tables.totals[z], (divergence - bias) / tables.totals[z]


def _step_product(one: FloatArray, two: FloatArray, tail: FloatArray) -> float:
    """Sum a_i b_j B(max(y_i, y_j)) over all pairs; everything sorted by onset."""
    return float(tail @ (one * np.cumsum(two) + two * np.cumsum(one) - one * two))


def _blind(
    tables: LawTables, z: int, posterior: FloatArray, weights: FloatArray, share: FloatArray
) -> float:
    raw = weights * posterior[:, z]
    if not raw.sum() > 0:
        return float("nan")
    apart = share - (raw / raw.sum()) @ posterior
    return float(apart @ tables.squares[z] @ apart / tables.totals[z])
