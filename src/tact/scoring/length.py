"""The length score S_L: how far the lengths of a system's responses lie from people's.

A length runs from the first onset to the end of that turn, s. Lengths are cut to W_L
(``scores.length_max_s``, settled 30 s), which is printed with every score; a run without response
has no length. S_L = sum over z of pi(z) (1 - d_L(Q_z, g_z) / W_L), d_L the CRPS divergence with
weight 1 on [0, W_L] (equation (5) of arXiv 2609.27372).
"""

from collections.abc import Callable

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.kernels import nodes_between

_CELLS_PER_S = 1000


def length_divergence_of(
    own: Callable[[FloatArray], FloatArray],
    human: Callable[[FloatArray], FloatArray],
    *,
    length_max_s: float,
) -> float:
    """Integrate (Q(t) - g(t))^2 over [0, W_L] for two smooth CDFs, s."""
    edges = np.linspace(0.0, length_max_s, round(length_max_s * _CELLS_PER_S) + 1)
    nodes, weights = nodes_between(edges)
    apart = own(nodes) - human(nodes)
    return float((apart * apart * weights).sum())


def steps(t_ms: IntArray, cdf: FloatArray, *, length_max_ms: int) -> FloatArray:
    """Spread a step CDF over the milliseconds of [0, W_L): shape (length_max_ms,).

    ``t_ms`` is ascending; element i is the CDF on [i, i + 1) ms: 0 before the first step.
    """
    reached = np.searchsorted(t_ms, np.arange(length_max_ms), side="right")
    return np.concatenate([[0.0], cdf])[reached]


def own_steps(duration_ms: IntArray, weights: FloatArray, *, length_max_ms: int) -> FloatArray:
    """Make the weighted empirical step CDF of lengths (n,), ms: shape (length_max_ms,)."""
    cut = np.clip(duration_ms, 0, length_max_ms)
    mass = np.bincount(cut, weights=weights, minlength=length_max_ms + 1)[:length_max_ms]
    return np.asarray(np.cumsum(mass) / weights.sum())


def length_divergence(own: FloatArray, human: FloatArray) -> float:
    """Integrate the squared difference of two step CDFs on 1 ms cells, exactly: d_L, s."""
    apart = own - human
    return float(apart @ apart) / _CELLS_PER_S


def length_crps(human: FloatArray, posterior: FloatArray, duration_ms: IntArray) -> FloatArray:
    """Score single lengths against the mixture of human CDFs: CRPS (n,), s.

    Parameters
    ----------
    human : (K, length_max_ms) step CDFs; a NaN row leaves its share to the other intents
    posterior : (n, K)
    duration_ms : (n,)
    """
    known = ~np.isnan(human[:, 0])
    with np.errstate(invalid="ignore"):
        share = posterior[:, known] / posterior[:, known].sum(axis=1, keepdims=True)
    cut = np.clip(duration_ms, 0, human.shape[1])
    crps = np.zeros(len(cut))
    for i, one in enumerate(human[known]):
        for j, two in enumerate(human[known]):
            below = np.concatenate([[0.0], np.cumsum(one * two)])
            above = np.concatenate([[0.0], np.cumsum((1.0 - one) * (1.0 - two))])
            crps += share[:, i] * share[:, j] * (below[cut] + above[-1] - above[cut])
    return np.asarray(crps / _CELLS_PER_S if known.any() else np.full(len(cut), np.nan))
