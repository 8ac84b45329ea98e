"""One conversation in arrays: who speaks when, what is a backchannel, where turns begin."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tact.clock import IntArray, Interval
from tact.floor import Floor, sweep


@dataclass(frozen=True)
class Side:
    """One speaker: IPUs in order, whether each is a backchannel, start and end of its unit.

    The unit of an IPU is its turn, or its group of backchannels.
    """

    start: IntArray
    end: IntArray
    backchannel: np.ndarray
    unit_start: IntArray
    unit_end: IntArray


@dataclass(frozen=True)
class Clauses:
    """Where a speaker's words end, and which of them end a clause."""

    end: IntArray
    terminal: np.ndarray

    def finished(self, times: IntArray) -> np.ndarray:
        """Tell whether the last word that ended by each time ended a clause too."""
        last = np.searchsorted(self.end, times, side="right") - 1
        done: np.ndarray = np.append(self.terminal, False)[last]
        return done


@dataclass(frozen=True)
class Conversation:
    """The speech of one conversation, by speaker."""

    name: str
    speakers: tuple[str, ...]
    sides: tuple[Side, ...]
    clauses: tuple[Clauses, ...]
    redacted: tuple[Interval, ...]
    duration_ms: int

    @cached_property
    def floor(self) -> Floor:
        """The floor with backchannels out."""
        parts = [
            (side.start[~side.backchannel], side.end[~side.backchannel], index)
            for index, side in enumerate(self.sides)
        ]
        speaker = np.concatenate([np.full(len(start), index) for start, _, index in parts])
        start = np.concatenate([start for start, _, _ in parts])
        return sweep(start, np.concatenate([end for _, end, _ in parts]), speaker)

    @cached_property
    def boundaries(self) -> IntArray:
        """Every start and end of an IPU of any speaker."""
        return np.unique(np.concatenate([np.append(s.start, s.end) for s in self.sides]))

    def pooled(self, without: int) -> tuple[Side, IntArray]:
        """Pool everyone but one speaker: one side, and whose each IPU is."""
        others = [i for i in range(len(self.sides)) if i != without]
        whose = np.concatenate([np.full(len(self.sides[i].start), i) for i in others])
        fields = [
            np.concatenate([getattr(self.sides[i], name) for i in others])
            for name in Side.__dataclass_fields__
        ]
        order = np.lexsort((whose, fields[0]))
        return Side(*(field[order] for field in fields)), whose[order]

    def touches_redaction(self, start: IntArray, end: IntArray) -> np.ndarray:
        """Tell whether a stretch taken out of the recording lies in each [start, end)."""
        touched = np.zeros(len(start), bool)
        for first, last in self.redacted:
            touched |= (start < last) & (end > first)
        return touched

    def speaks_in(self, index: int, start: IntArray, end: IntArray) -> np.ndarray:
        """Tell whether a speaker is heard in each [start, end)."""
        side = self.sides[index]
        last = np.searchsorted(side.start, end, side="left") - 1
        ends = np.append(side.end, np.iinfo(np.int64).min)
        heard: np.ndarray = ends[last] > start
        return heard

    def nearest_boundary(self, target: IntArray, tolerance: int) -> tuple[IntArray, np.ndarray]:
        """Move each target to the nearest boundary within the tolerance, and tell which moved."""
        if not len(self.boundaries):
            return target, np.zeros(len(target), bool)
        after = np.clip(np.searchsorted(self.boundaries, target), 0, len(self.boundaries) - 1)
        before = np.maximum(after - 1, 0)
        choices = self.boundaries[np.stack([before, after])]
        best = np.abs(choices - target).argmin(axis=0)
        nearest = choices[best, np.arange(len(target))]
        near = np.abs(nearest - target) <= tolerance
        return np.where(near, nearest, target), near
