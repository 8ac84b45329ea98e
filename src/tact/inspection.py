"""Decode every channel of a corpus once, in blocks, and hold it against its tables (`tact.door`).

Where channels lie in files of their own, stretches of them are read again to compare their clocks
(`tact.drift`).

Tables in: ``recordings`` with their audio, ``words``. Tables out: ``inspections``, ``quarantine``.
"""

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import audio, door, drift, frames
from tact.audio import Samples
from tact.clock import FloatArray, IntArray, Interval
from tact.door import FRAME_MS, Heard
from tact.drift import Drift, Echo
from tact.errors import InputError
from tact.settings import Door

QUIET = 1e-3
"""A channel that is never louder is not looked at for flat tops: its steps are coarse."""
AT_ONCE = 100_000
"""Samples that are measured at once."""
CLIPPED = 0.999
"""Samples from here on count as full scale, since 16 bits reach 1 - 2^-15 at most."""


def inspect(
    recordings: pd.DataFrame, words: pd.DataFrame, root: Path, *, settings: Door
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Inspect the conversations that have audio.

    A conversation whose sound cannot be decoded to its end is left out with a row.

    Parameters
    ----------
    recordings : table ``recordings``, paths relative to ``root``
    words : table ``words``; may be empty
    settings : Door
        What is too much; the conversations of ``trusted`` are not held to it.

    Returns
    -------
    tables ``inspections`` and ``quarantine``
    """
    rows: list[dict[str, object]] = []
    left_out: list[dict[str, str]] = []
    audible = recordings[recordings["path"].notna()].sort_values("channel", kind="stable")
    said = words[words["conversation"].isin(audible["conversation"])]
    spoken = dict(iter(said.groupby("conversation")))
    # A channel that all speakers share is one channel, whoever is written beside it.
    audible = audible[~(audible["mixed"] & audible.duplicated(["conversation", "path"]))]
    for name, own in audible.groupby("conversation"):
        try:
            heard = _heard(own, root)
            drifts = _drifts(own, heard, root)
        except InputError as error:
            left_out.append(door.fault(own, door.Reason.UNREADABLE, _bare(error, root)))
            continue
        said_here = spoken.get(name, words.head(0))
        found, faults = door.inspect(own, heard, drifts, said_here, settings=settings)
        rows += found
        if name not in settings.trusted:
            left_out += faults
    return frames.frame(rows, "inspections"), frames.frame(left_out, "quarantine")


class _Side(NamedTuple):
    """One of two channels: its file, which channel of that it is, what was decoded."""

    path: Path
    at: int
    heard: Heard


class Meter:
    """One channel, measured piece by piece."""

    def __init__(self, sample_rate_hz: int) -> None:
        self._rate = sample_rate_hz
        # In thousandths of a sample: at 22,050 Hz frames of 1102 and 1103 samples take turns.
        self._frame = max(1000, sample_rate_hz * FRAME_MS)
        self._rest = np.zeros(0, dtype=np.float32)
        self._power: list[FloatArray] = []
        self._n = self._n_frames = self._n_not_finite = self._n_clipped = 0
        self._peak = 0.0
        self._ceiling, self._bottom = _Flat(), _Flat()

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 (n,); a few seconds at once stay in the fast memory."""
        for at in range(0, len(samples), AT_ONCE):
            self._take(samples[at : at + AT_ONCE])

    def _take(self, samples: Samples) -> None:
        self._n += len(samples)
        samples = np.ascontiguousarray(samples)
        high, low = float(samples.max(initial=0)), float(samples.min(initial=0))
        # Both are numbers only if every sample is.
        if not math.isfinite(high - low):
            finite = np.isfinite(samples)
            self._n_not_finite += int((~finite).sum())
            samples = np.where(finite, samples, np.float32(0))
            high, low = float(samples.max(initial=0)), float(samples.min(initial=0))
        self._peak = max(self._peak, high, -low)
        if max(high, -low) >= CLIPPED:
            self._n_clipped += int((np.abs(samples) >= CLIPPED).sum())
        self._ceiling.feed(samples, high)
        self._bottom.feed(samples, low)
        pending = np.concatenate((self._rest, samples)) if len(self._rest) else samples
        n_frames = 1000 * self._n // self._frame
        edges = np.arange(self._n_frames, n_frames + 1) * self._frame // 1000
        edges += len(pending) - self._n
        self._power.append(_power(pending, edges))
        self._rest, self._n_frames = pending[edges[-1] :], n_frames

    def finish(self) -> Heard:
        """Give what was measured; a last piece shorter than a frame is a frame of its own."""
        if len(self._rest):
            self._power.append(_power(self._rest, np.array([0, len(self._rest)])))
        power = np.concatenate(self._power) if self._power else np.zeros(0)
        n_flat = self._ceiling.n + self._bottom.n
        return Heard(
            self._n, self._rate, self._n_not_finite, self._n_clipped, self._peak, n_flat, power
        )


class _Flat:
    """Counts the samples at the furthest value on one side that follow another there."""

    def __init__(self) -> None:
        self.n = 0
        self._furthest, self._last = QUIET, 0.0

    def feed(self, samples: Samples, furthest: float) -> None:
        """Take the next samples, one or more, and the furthest from 0 of them on this side."""
        if abs(furthest) > abs(self._furthest):
            self.n, self._furthest = 0, furthest
        if furthest == self._furthest:
            there = samples == furthest
            self.n += int((there[1:] & there[:-1]).sum()) + int(there[0] and self._last == furthest)
        self._last = float(samples[-1])


def _heard(rows: pd.DataFrame, root: Path) -> list[Heard]:
    """Decode each file of a conversation once; one result per row, in the order of the rows."""
    index = audio.file_channels(rows)
    found: dict[object, Heard] = {}
    for path, sharing in rows.groupby("path"):
        place = root / str(path)
        header = audio.probe(place)
        meters = {row: Meter(header.sample_rate_hz) for row in sharing.index}
        audio.demand_channel(place, header.n_channels, index[sharing.index].max())
        for block in audio.blocks(place):
            for row, meter in meters.items():
                meter.feed(block[:, index[row]])
        found |= {row: meter.finish() for row, meter in meters.items()}
    return [found[row] for row in rows.index]


def _drifts(rows: pd.DataFrame, heard: list[Heard], root: Path) -> list[Drift | None]:
    """Compare the clock of each file with that of the first channel's file."""
    index = audio.file_channels(rows)
    sides = [
        _Side(root / str(path), index[row], channel)
        for (row, path), channel in zip(rows["path"].items(), heard, strict=True)
    ]
    first = sides[0]
    return [None if side.path == first.path else _drift((first, side)) for side in sides]


def _drift(sides: tuple[_Side, _Side]) -> Drift | None:
    """Listen for each voice on the other's channel, in a few stretches of both files."""
    heard = [side.heard for side in sides]
    if any(channel.n_not_finite for channel in heard):
        return None
    frame_s = FRAME_MS / 1000
    level = door.levels(heard)
    length_s = level.shape[1] * frame_s
    windows = drift.windows(level, frame_s=frame_s)
    reach_s = drift.reach_s(length_s)

    def spans(side: int) -> list[Interval]:
        rate = heard[side].sample_rate_hz
        around = [0 if window.talker == side else reach_s for window in windows]
        starts = [round((w.start_s - more) * rate) for w, more in zip(windows, around, strict=True)]
        lengths = [(drift.WINDOW_S + 2 * more) * rate for more in around]
        return [(start, start + n) for start, n in zip(starts, lengths, strict=True)]

    pieces = [audio.pieces(side.path, spans(k), channel=side.at) for k, side in enumerate(sides)]
    echoes = []
    for window, *both in zip(windows, *pieces, strict=True):
        talker, listener = window.talker, 1 - window.talker
        delay_s = drift.delay(
            both[talker],
            both[listener],
            talker_hz=heard[talker].sample_rate_hz,
            listener_hz=heard[listener].sample_rate_hz,
        )
        if delay_s is not None:
            echoes.append(Echo(talker, window.start_s, delay_s))
    return drift.line(echoes, length_s=length_s)


def _power(samples: Samples, edges: IntArray) -> FloatArray:
    """Give the mean square about the mean between any two edges, in float64."""
    if len(edges) < 2:
        return np.zeros(0)
    n = np.diff(edges)
    exact = samples[: edges[-1]].astype(np.float64)
    mean = np.add.reduceat(exact, edges[:-1]) / n
    square = np.add.reduceat(np.square(exact, out=exact), edges[:-1]) / n
    # What is left of a constant by rounding may be below 0.
    return np.asarray(np.maximum(square - mean**2, 0.0))


def _bare(error: InputError, root: Path) -> str:
    return str(error).replace(f"{root}/", "")
