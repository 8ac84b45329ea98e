"""The cells that onsets are known to lie in, and the atom beside them."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.vocabulary import T_A_S, T_H_S

_MS_PER_S = 1000


@dataclass(frozen=True)
class Cells:
    """K cells (low, high], s, inside a window [start, end] to which laws are truncated.

    Onset i falls in cell ``index[i]``; K stands for no response, the atom.
    """

    low: FloatArray
    high: FloatArray
    start: float
    end: float

    @property
    def atom(self) -> int:
        """The index of no response."""
        return int(self.low.size)


@cache
def horizon_cells(resolution_ms: int) -> Cells:
    """Cut T into cells around the multiples of the recording step.

    ::

        -2.000  -1.995   -1.985        -.005     .005              4.985    5.000
           |-------|--------| ... |------|---------| ... |------------|---------|
           -2.00    -1.99                    .00                4.98     4.99

    An onset of 4.99 s was somewhere in (4.985, 4.995]; the last cell takes in what is left of T.
    """
    steps = np.arange(round(-T_A_S * _MS_PER_S), round(T_H_S * _MS_PER_S), resolution_ms)
    edges = np.concatenate(
        [[-T_A_S], (steps[1:] - 0.5 * resolution_ms) / _MS_PER_S, [T_H_S]], dtype=np.float64
    )
    return Cells(edges[:-1], edges[1:], -T_A_S, T_H_S)


def cell_of(onsets: FloatArray, cells: Cells) -> IntArray:
    """Find the cell of each onset, s; at ``inf``, or at T_h and later, the atom.

    Raises
    ------
    ValueError
        An onset lies before the window, or is NaN.
    """
    if np.isnan(onsets).any() or (onsets < cells.start).any():
        raise ValueError(f"an onset is missing or earlier than {cells.start} s")
    inside = onsets < cells.end
    if inside.all():
        return _cell_inside(onsets, cells)
    found = np.full(len(onsets), cells.atom, dtype=np.int64)
    found[inside] = _cell_inside(onsets[inside], cells)
    return found


def _cell_inside(onsets: FloatArray, cells: Cells) -> IntArray:
    """Find the cells of onsets in the window: nearly all as if the cells were equal."""
    low, high = cells.low[0], cells.high[-1]
    guess = ((onsets - low) * (cells.atom / (high - low))).astype(np.int64)
    np.clip(guess, 0, cells.atom - 1, out=guess)
    # The first cell may be half as wide as the others, and an onset on an edge is below it.
    guess += (onsets > cells.high[guess]) & (guess < cells.atom - 1)
    guess -= (onsets <= cells.low[guess]) & (guess > 0)
    wrong = np.flatnonzero((onsets <= cells.low[guess]) | (onsets > cells.high[guess]))
    guess[wrong] = np.searchsorted(cells.high, onsets[wrong], side="left")
    return np.asarray(guess)
