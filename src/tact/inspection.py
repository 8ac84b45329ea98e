"""Decode every channel of a corpus once, in blocks, and hold it against its tables (`tact.door`).

Tables in: ``recordings`` with their audio, ``words``. Tables out: ``inspections``, ``quarantine``.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from tact import audio, door, frames
from tact.audio import Samples
from tact.clock import FloatArray
from tact.door import FRAME_MS, Heard
from tact.errors import InputError
from tact.settings import Door

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
    audible = recordings[recordings["path"].notna()]
    said = words[words["conversation"].isin(audible["conversation"])]
    spoken = dict(iter(said.groupby("conversation")))
    for name, own in audible.groupby("conversation"):
        try:
            heard = _heard(own, root)
        except InputError as error:
            left_out.append(door.fault(own, door.Reason.UNREADABLE, _bare(error, root)))
            continue
        found, faults = door.inspect(own, heard, spoken.get(name, words.head(0)), settings=settings)
        rows += found
        if name not in settings.trusted:
            left_out += faults
    return frames.frame(rows, "inspections"), frames.frame(left_out, "quarantine")


class Meter:
    """One channel, measured piece by piece."""

    def __init__(self, sample_rate_hz: int) -> None:
        self._rate = sample_rate_hz
        self._n_frame = max(1, sample_rate_hz * FRAME_MS // 1000)
        self._rest = np.zeros(0, dtype=np.float32)
        self._power: list[FloatArray] = []
        self._n = self._n_not_finite = self._n_clipped = 0

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 (n,)."""
        self._n += len(samples)
        samples = np.ascontiguousarray(samples)
        # The sum is a number only if every sample is: one pass, and the slow way where it is not.
        if not np.isfinite(samples.sum(dtype=np.float64)):
            finite = np.isfinite(samples)
            self._n_not_finite += int((~finite).sum())
            samples = np.where(finite, samples, np.float32(0))
        if max(samples.max(initial=0), -samples.min(initial=0)) >= CLIPPED:
            self._n_clipped += int((np.abs(samples) >= CLIPPED).sum())
        pending = np.concatenate((self._rest, samples)) if len(self._rest) else samples
        whole = len(pending) - len(pending) % self._n_frame
        self._power.append(_mean_square(pending[:whole].reshape(-1, self._n_frame)))
        self._rest = pending[whole:]

    def finish(self) -> Heard:
        """Give what was measured; a last piece shorter than a frame is a frame of its own."""
        if len(self._rest):
            self._power.append(_mean_square(self._rest[None, :]))
        power = np.concatenate(self._power) if self._power else np.zeros(0)
        return Heard(self._n, self._rate, self._n_not_finite, self._n_clipped, power)


def _heard(rows: pd.DataFrame, root: Path) -> list[Heard]:
    """Decode each file of a conversation once; one result per row, in the order of the rows."""
    index = audio.file_channels(rows)
    found: dict[object, Heard] = {}
    for path, sharing in rows.groupby("path"):
        place = root / str(path)
        header = audio.probe(place)
        meters = {row: Meter(header.sample_rate_hz) for row in sharing.index}
        if index[sharing.index].max() >= header.n_channels:
            raise InputError(f"audio: {place} has {header.n_channels} channels")
        for block in audio.blocks(place):
            for row, meter in meters.items():
                meter.feed(block[:, index[row]])
        found |= {row: meter.finish() for row, meter in meters.items()}
    return [found[row] for row in rows.index]


def _mean_square(samples: Samples) -> FloatArray:
    """Average the squares of each row, in float64."""
    return np.asarray(np.einsum("ij,ij->i", samples, samples, dtype=np.float64) / samples.shape[1])


def _bare(error: InputError, root: Path) -> str:
    return str(error).replace(f"{root}/", "")
