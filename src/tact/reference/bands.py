"""Intervals of what a score is made of: the kernel, its whole weight, and the score itself."""

from dataclasses import dataclass

import numpy as np

from tact import kernels
from tact.clock import FloatArray
from tact.fitting import Component
from tact.reference.doubt import Doubt
from tact.reference.fits import law_of
from tact.settings import Reference as Settings

_EVERY = 10
"""Replicates are laid on every tenth millisecond, and between by lines."""


@dataclass(frozen=True)
class Band:
    """Of one law, at the level of the settings.

    Attributes
    ----------
    low, high : (7001,) of the kernel on the 1 ms grid
    limits : ``total_weight`` (W_z, s) and ``score`` -> [low, high]
    """

    low: FloatArray
    high: FloatArray
    limits: dict[str, list[float]]


def band(component: Component, doubt: Doubt, *, settings: Settings) -> Band | None:
    """Give the intervals of a law's kernel and score; None where nothing is known to vary.

    ``score`` is of 1 - d_z(H* || H) / W_z over replicates H* of the law: the timing score that
    people get when another sample of dyads is scored by this one. What lies below 1 is owed to how
    few dyads the law rests on.
    """
    if not (len(doubt.draws) and np.any(doubt.covariance)):
        return None
    grid = kernels.GRID_S[::_EVERY]
    law, weigh = law_of(component), {"gamma": settings.gamma, "epsilon": settings.epsilon}
    w, h = kernels.weight(law, grid, **weigh), law.cdf(grid)
    total = float(np.trapezoid(w, grid))
    u, totals, scores = [], [], []
    for other in map(law_of, doubt.replicates(component, level=settings.level)):
        u.append(kernels.kernel(other, grid, gamma=settings.gamma))
        raised = (1.0 - settings.epsilon) * u[-1] + settings.epsilon
        totals.append(float(np.trapezoid(raised, grid)))
        scores.append(1.0 - float(np.trapezoid(w * (other.cdf(grid) - h) ** 2, grid)) / total)
    tails = [0.5 - 0.5 * settings.level, 0.5 + 0.5 * settings.level]
    low, high = np.quantile(u, tails, axis=0)
    return Band(
        np.interp(kernels.GRID_S, grid, low),
        np.interp(kernels.GRID_S, grid, high),
        {"total_weight": _ends(totals, tails), "score": _ends(scores, tails)},
    )


def _ends(values: list[float], tails: list[float]) -> list[float]:
    return [float(end) for end in np.quantile(values, tails)]
