"""Kernel u_z, weight w_z and its integral W_z over T, and the quadrature that they share.

::

    u_z(t) = (f_z(t) / sup f_z)^gamma           1 where a response is likeliest
    w_z(t) = (1 - epsilon) u_z(t) + epsilon     never 0, so no onset is free
    W_z    = integral of w_z over T, s

Equation (2) of arXiv 2609.27372. The truncation of f_z to T cancels in u_z.
"""

from typing import Any

import numpy as np

from tact.clock import FloatArray
from tact.laws import Law
from tact.vocabulary import T_A_S, T_H_S

_MS_PER_S = 1000

GRID_MS = np.arange(round(-T_A_S * _MS_PER_S), round(T_H_S * _MS_PER_S) + 1, dtype=np.int64)
"""The 1 ms grid over T, both ends included, shape (7001,), ms from t0."""

GRID_S: FloatArray = GRID_MS / _MS_PER_S
"""The same in seconds."""

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(3)


def nodes_between(edges: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Lay three Gauss-Legendre nodes into each cell.

    Parameters
    ----------
    edges : (n + 1,) ascending, s

    Returns
    -------
    nodes : (n, 3), s
    weights : (n, 3), s; ``(f(nodes) * weights).sum(axis=1)`` integrates f over each cell
    """
    width = np.diff(edges)[:, None]
    return edges[:-1, None] + 0.5 * width * (1.0 + _POINTS), 0.5 * width * _WEIGHTS


NODES_S, NODE_WEIGHTS = nodes_between(GRID_S)
"""Nodes in the 1 ms cells of T and their weights, both (7000, 3), s."""


def kernel(law: Law, t: Any, *, gamma: float) -> FloatArray:
    """Give u_z(t), 1 at the mode of the density; t in s, any shape; 0 outside T."""
    t = np.asarray(t, dtype=np.float64)
    inside = (t >= -T_A_S) & (t <= T_H_S)
    log_ratio = law.density.logpdf(np.where(inside, t, 0.0)) - _log_sup(law)
    return np.asarray(np.where(inside, np.exp(gamma * np.minimum(log_ratio, 0.0)), 0.0))


def weight(law: Law, t: Any, *, gamma: float, epsilon: float) -> FloatArray:
    """Give w_z(t), in [epsilon, 1] on T and 0 outside it; t in s, any shape."""
    t = np.asarray(t, dtype=np.float64)
    inside = (t >= -T_A_S) & (t <= T_H_S)
    raised = (1.0 - epsilon) * kernel(law, t, gamma=gamma) + epsilon
    return np.asarray(np.where(inside, raised, 0.0))


def total_weight(law: Law, *, gamma: float, epsilon: float) -> float:
    """Integrate w_z over T: W_z, s."""
    return float((weight(law, NODES_S, gamma=gamma, epsilon=epsilon) * NODE_WEIGHTS).sum())


def on_grid(law: Law, *, gamma: float, epsilon: float) -> dict[str, FloatArray]:
    """Tabulate a law on the 1 ms grid, as table ``kernels`` holds it; each column (7001,)."""
    return {
        "density": law.pdf(GRID_S),
        "cdf": law.cdf(GRID_S),
        "kernel": kernel(law, GRID_S, gamma=gamma),
        "weight": weight(law, GRID_S, gamma=gamma, epsilon=epsilon),
    }


def _log_sup(law: Law) -> float:
    # The density is unimodal: where the mode lies outside T, its highest value in T is at an end.
    if -T_A_S <= law.density.mode <= T_H_S:
        return law.density.log_sup
    return float(law.density.logpdf(T_H_S if law.density.mode > T_H_S else -T_A_S))
