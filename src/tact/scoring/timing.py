"""The timing scores of single onsets: twCRPS and the episode score s_T.

Equation (3) of arXiv 2609.27372. An onset is in seconds from the decision point; ``inf``
is no response, and so is an onset at or after T_h.
"""

from collections.abc import Callable, Sequence

import numpy as np

from tact.clock import FloatArray
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
