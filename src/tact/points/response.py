"""The outcome at a decision point, measured in the same way for people and for systems."""

from typing import NamedTuple

import numpy as np

from tact.clock import IntArray
from tact.vocabulary import T_A_S, T_H_S

BEFORE_MS = int(T_A_S * 1000)
HORIZON_MS = int(T_H_S * 1000)
NONE = np.iinfo(np.int64).max


class Onsets(NamedTuple):
    """First onsets on the clock of ``starts``; NONE where there is none.

    ``ipu`` points at the answering IPU where there is one.
    """

    response: IntArray
    raw: IntArray
    ipu: IntArray
    carry_over: np.ndarray
    spans: np.ndarray


def window_start(t0: IntArray, turn_start: IntArray) -> IntArray:
    """Open the window: 2 s before t0, or at the start of the focal turn."""
    opened: IntArray = np.maximum(t0 - BEFORE_MS, turn_start)
    return opened


def first_onset(
    starts: IntArray, ends: IntArray, t0: IntArray, opened: IntArray, focal_next: IntArray
) -> Onsets:
    """Find the first onset of the partner in [opened, t0 + h).

    Parameters
    ----------
    starts, ends : (n_ipus,) ms, ascending: the partner's IPUs, backchannel or turn
    t0, opened : (n_points,) ms: the decision points and where their windows open
    focal_next : (n_points,) ms: start of the focal speaker's next IPU, NONE if there is none;
        h = focal_next - t0, at most T_h; an onset at exactly t0 + h is the atom

    Returns
    -------
    Onsets
        ``raw`` ignores the focal speaker's next IPU; ``carry_over``: an IPU was under way when the
        window opened; ``spans``: that IPU lasts to t0 or beyond.
    """
    at = np.searchsorted(starts, opened, side="left")
    onset = np.append(starts, NONE)[at]
    limit = np.minimum(focal_next, t0 + HORIZON_MS)
    response = np.where(onset < limit, onset, NONE)
    raw = np.where(onset < t0 + HORIZON_MS, onset, NONE)
    under_way = np.append(np.int64(-NONE), np.maximum.accumulate(ends))[at]
    return Onsets(response, raw, at, under_way > opened, under_way >= t0)
