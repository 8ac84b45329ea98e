"""Milliseconds and seconds, and the algebra of half-open intervals [start, end).

Tables hold int64 milliseconds; laws and scores take float seconds. ``5.1 - 4.5 >= 0.6`` is False
in float64, so no rule of the pipeline compares seconds.
"""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

Interval = tuple[int, int]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Time = TypeVar("Time", int, float)


def to_ms(seconds: float) -> int:
    """Round seconds to whole milliseconds, halves away from zero."""
    return int(np.floor(abs(seconds) * 1000 + 0.5)) * (1 if seconds >= 0 else -1)


def to_seconds(onset_ms: "pd.Series[int]") -> FloatArray:
    """Turn nullable milliseconds into seconds; a missing onset becomes ``inf``, the atom."""
    seconds = pd.array(onset_ms, dtype="Float64") / 1000.0
    return np.asarray(seconds.to_numpy(dtype=np.float64, na_value=np.inf), dtype=np.float64)


def merge(
    intervals: Iterable[tuple[Time, Time]], *, max_silence: int = 0
) -> list[tuple[Time, Time]]:
    """Join intervals that overlap, touch, or lie at most ``max_silence`` apart."""
    merged: list[tuple[Time, Time]] = []
    for start, end in sorted(intervals):
        if merged and start - merged[-1][1] <= max_silence:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def subtract(
    intervals: Iterable[tuple[Time, Time]], holes: Iterable[tuple[Time, Time]]
) -> list[tuple[Time, Time]]:
    """Take ``holes`` out of ``intervals``; both may overlap among themselves."""
    cut = merge(holes)
    left: list[tuple[Time, Time]] = []
    next_hole = 0
    for start, end in merge(intervals):
        while next_hole < len(cut) and cut[next_hole][0] < end:
            hole_start, hole_end = cut[next_hole]
            if start < hole_start:
                left.append((start, hole_start))
            start = max(start, hole_end)
            if end < hole_end:
                break
            next_hole += 1
        if start < end:
            left.append((start, end))
    return left


def runs(flags: Flags) -> tuple[IntArray, IntArray]:
    """Find where runs of true begin and where they are over."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return edges[::2], edges[1::2]


def overlaps(a: Interval, b: Interval) -> bool:
    """Tell whether two intervals share more than an edge."""
    return a[0] < b[1] and b[0] < a[1]


def length(intervals: Iterable[Interval]) -> int:
    """Measure the union of intervals, in their unit."""
    return sum(end - start for start, end in merge(intervals))
