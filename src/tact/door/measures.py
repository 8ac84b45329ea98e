"""Levels of the channels of a conversation, held against its words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import lags
from tact.clock import Flags, FloatArray, IntArray
from tact.door.kinds import FRAME_MS, Heard
from tact.hearing.levels import decibel
from tact.lags import Likeness
from tact.settings import Door

FURTHEST = 10_000 // FRAME_MS
"""Sound is looked for this far from its place, frames: 10 s."""
LEAST = 6 * FURTHEST
"""In a shorter conversation chance alone makes two curves alike at some lag."""
RANGE_DB = 40.0
"""Levels further below the 95 % quantile count as this far below: what is softer is silence."""


class Said(NamedTuple):
    """Where words lie, one array of (n_frames,) for each channel.

    Attributes
    ----------
    own : frames that words of its speaker touch; of anyone, where all share the channel
    sole : frames wholly in words of its speaker that nobody else's touch
    """

    own: list[Flags]
    sole: list[Flags]


class Fit(NamedTuple):
    """How the level of a channel goes with words.

    Attributes
    ----------
    own : with those of its speaker
    each : in place, with those of the speaker of each channel; nan where they are too few
    """

    own: Likeness
    each: FloatArray


def levels(heard: Sequence[Heard]) -> FloatArray:
    """Give the level of each frame, dBFS, (n_channels, n_frames); channels end together."""
    n_frames = min(len(channel.power) for channel in heard)
    power = np.array([channel.power[:n_frames] for channel in heard])
    return decibel(power)


def curve(level: FloatArray) -> FloatArray:
    """Cut the level of a channel, (n_frames,), to the range in which speech lies."""
    top = np.quantile(level, 0.95)
    return np.asarray(np.clip(level, top - RANGE_DB, top))


def said(recordings: pd.DataFrame, words: pd.DataFrame, n_frames: int) -> Said:
    """Find the frames of the words of each channel."""
    spoken = words[(words["kind"] == "word") & (words["end_ms"] > words["start_ms"])]
    by_speaker = dict(iter(spoken.groupby("speaker")))
    inside, near = [], []
    for speaker in recordings["speaker"]:
        spans = _spans(by_speaker.get(speaker, spoken.head(0)))
        inside.append(_cover(-(-spans[:, 0] // FRAME_MS), spans[:, 1] // FRAME_MS, n_frames))
        near.append(touched(spans, n_frames))
    others = np.array(near).sum(axis=0)
    sole = [mine & (others - own == 0) for mine, own in zip(inside, near, strict=True)]
    anyone = touched(_spans(spoken), n_frames)
    own = [anyone if mixed else mine for mixed, mine in zip(recordings["mixed"], near, strict=True)]
    return Said(own, sole)


def touched(spans: IntArray, n_frames: int) -> Flags:
    """Mark the frames that spans, (n, 2) in ms, touch."""
    return _cover(spans[:, 0] // FRAME_MS, -(-spans[:, 1] // FRAME_MS), n_frames)


def fits(level: FloatArray, own: Sequence[Flags], settings: Door) -> list[Fit | None]:
    """Hold the level of each channel against the words of each.

    Parameters
    ----------
    level : (n_channels, n_frames)
        dBFS.
    own : (n_frames,) for each channel
        Frames in words of its speaker.

    Returns
    -------
    list of Fit or None
        None where the conversation, the words or the silence between them are too short, or the
        level is one throughout.
    """
    told = [_enough(mine, settings) and _enough(~mine, settings) for mine in own]
    found: list[Fit | None] = []
    for k, heard in enumerate(map(curve, level)):
        if not told[k] or len(heard) < LEAST or not np.ptp(heard):
            found.append(None)
            continue
        likeness = lags.compare(own[k].astype(float), heard, furthest=FURTHEST)
        each = [
            float(np.corrcoef(mine, heard)[0, 1]) if enough else np.nan
            for mine, enough in zip(own, told, strict=True)
        ]
        found.append(Fit(likeness, np.array(each)))
    return found


def bleeds(level: FloatArray, sole: Sequence[Flags], settings: Door) -> list[float | None]:
    """Tell how loud each speaker is on the loudest other channel, against the own one, dB."""
    found: list[float | None] = []
    for k, mine in enumerate(sole):
        if len(sole) < 2 or not _enough(mine, settings):
            found.append(None)
            continue
        other = np.delete(level, k, axis=0).max(axis=0)
        found.append(float(np.median((other - level[k])[mine])))
    return found


def _spans(words: pd.DataFrame) -> IntArray:
    return np.asarray(words[["start_ms", "end_ms"]], dtype=np.int64)


def _cover(first: IntArray, last: IntArray, n_frames: int) -> Flags:
    """Mark the frames [first, last) of spans; a span without a whole frame marks none."""
    kept = first < last
    first, last = np.clip(first[kept], 0, n_frames), np.clip(last[kept], 0, n_frames)
    steps = np.bincount(first, minlength=n_frames + 1) - np.bincount(last, minlength=n_frames + 1)
    return np.asarray(np.cumsum(steps)[:n_frames] > 0)


def _enough(frames: Flags, settings: Door) -> bool:
    return int(frames.sum()) * FRAME_MS >= settings.least_ms
