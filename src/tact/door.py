"""Stage: is the sound of a conversation what the tables say it is?

A channel is reduced to its mean square per 50 ms frame, and counts. Held against the header of its
file and the words of its speaker they tell what no later stage would notice::

    words A     ######        ####         channel of A loud in A's words, soft in B's: right
    words B            #####               the other way round on both channels: swapped
    channel A   ▆▆▆▆▆▆ ▁▁▁▁▁  ▆▆▆▆         bleed: how loud A's voice is on the channel of B
    channel B   ▂▂▂▂▂▂ ▆▆▆▆▆  ▂▂▂▂

Where channels lie in files of their own, that leak also tells how far their clocks run apart
(`tact.drift`).

Tables in: one conversation of ``recordings``, its ``words``. Tables out: ``inspections``,
``quarantine``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import combinations

import numpy as np
import pandas as pd

from tact.clock import Flags, FloatArray, IntArray
from tact.drift import Drift
from tact.hearing.levels import decibel
from tact.settings import Door

FRAME_MS = 50
SAME_DB = 0.1
LOUD_DB = 30.0
"""Frames this far below the loudest are silence where two channels are compared."""


class Reason(StrEnum):
    """Why a conversation is turned away at the door, or looked at twice."""

    UNREADABLE = "unreadable audio"
    LENGTH = "length disagrees"
    NOT_FINITE = "samples not finite"
    SILENT = "silent channel"
    SAME = "same sound on two channels"
    SWAPPED = "channels swapped"
    DRIFT = "clock drift"
    CLIPPED = "clipped"
    BLEED = "loud bleed"


KEPT = (Reason.CLIPPED, Reason.BLEED)
"""A row of these is a caution; the conversation of any other is left out."""


@dataclass(frozen=True)
class Heard:
    """One channel as decoded.

    Attributes
    ----------
    n_samples, sample_rate_hz : of the channel
    n_not_finite, n_clipped : samples that are no number, and those at full scale
    power : (n_frames,) mean square of each 50 ms frame, full scale 1; the last frame may be short
    """

    n_samples: int
    sample_rate_hz: int
    n_not_finite: int
    n_clipped: int
    power: FloatArray


@dataclass(frozen=True)
class Channel:
    """One row of ``inspections``."""

    corpus: str
    conversation: str
    channel: int
    speaker: str
    n_decoded: int
    off_ms: float
    stated_off_ms: float | None
    n_not_finite: int
    clipped_share: float
    level_dbfs: float
    floor_dbfs: float
    contrast_db: float | None
    bleed_db: float | None
    drift_ppm: float | None
    drift_low_ppm: float | None
    drift_high_ppm: float | None


def inspect(
    recordings: pd.DataFrame,
    heard: Sequence[Heard],
    drifts: Sequence[Drift | None],
    words: pd.DataFrame,
    *,
    settings: Door,
) -> tuple[list[dict[str, object]], list[dict[str, str]]]:
    """Judge the channels of one conversation.

    Parameters
    ----------
    recordings : rows of one conversation
    heard : what was decoded of each row
    drifts : clock of each row against that of the first; None where it is not known
    words : table ``words`` of the conversation; may be empty

    Returns
    -------
    rows of ``inspections``, one per channel, and of ``quarantine``
    """
    level = levels(heard)
    own = _own_frames(recordings, words, level.shape[1])
    contrast, bleed = _contrasts(level, own, settings), _bleeds(level, own, settings)
    channels = [
        Channel(
            corpus=str(row.corpus),
            conversation=str(row.conversation),
            channel=int(row.channel),
            speaker=str(row.speaker),
            n_decoded=channel.n_samples,
            off_ms=_off_ms(row.n_samples, channel),
            stated_off_ms=_stated_off_ms(row.stated_ms, channel),
            n_not_finite=channel.n_not_finite,
            clipped_share=channel.n_clipped / max(1, channel.n_samples),
            level_dbfs=float(np.quantile(level[k], 0.95)),
            floor_dbfs=float(np.quantile(level[k], 0.05)),
            contrast_db=contrast[k],
            bleed_db=bleed[k],
            drift_ppm=drift and drift.ppm,
            drift_low_ppm=drift and drift.low_ppm,
            drift_high_ppm=drift and drift.high_ppm,
        )
        for k, (row, channel, drift) in enumerate(
            zip(recordings.itertuples(), heard, drifts, strict=True)
        )
    ]
    faults = [
        *_lengths(channels, recordings, settings),
        *_alone(channels, settings),
        *_together(channels, level, settings),
        *_apart(channels, drifts, level.shape[1] * FRAME_MS, settings),
    ]
    if any(why not in KEPT for why, _ in faults):
        # Of one that is left out, what is only said is no news: a swapped channel bleeds, too.
        faults = [(why, detail) for why, detail in faults if why not in KEPT]
    rows = [asdict(channel) for channel in channels]
    return rows, [fault(recordings, why, detail) for why, detail in faults]


def fault(recordings: pd.DataFrame, why: Reason, detail: str) -> dict[str, str]:
    """Make a row of ``quarantine`` for the one conversation of ``recordings``."""
    first = recordings.iloc[0]
    return {
        "corpus": str(first["corpus"]),
        "item": str(first["conversation"]),
        "stage": "door",
        "reason": str(why),
        "detail": detail,
    }


def turned_away(quarantine: pd.DataFrame) -> "pd.Series[str]":
    """Name the conversations that no later stage may use."""
    rows = quarantine[(quarantine["stage"] == "door") & ~quarantine["reason"].isin(KEPT)]
    return rows["item"]


def _off_ms(stated: object, channel: Heard) -> float:
    """Tell how much longer the sound is than its header says, ms."""
    n_stated = channel.n_samples if pd.isna(stated) else int(str(stated))
    return 1000.0 * (channel.n_samples - n_stated) / channel.sample_rate_hz


def _stated_off_ms(stated: object, channel: Heard) -> float | None:
    """Tell how much longer the sound is than its corpus says, ms."""
    if pd.isna(stated):
        return None
    return 1000.0 * channel.n_samples / channel.sample_rate_hz - float(str(stated))


def levels(heard: Sequence[Heard]) -> FloatArray:
    """Give the level of each frame, dBFS, (n_channels, n_frames); channels end together."""
    n_frames = min(len(channel.power) for channel in heard)
    power = np.array([channel.power[:n_frames] for channel in heard])
    return decibel(power)


def _own_frames(recordings: pd.DataFrame, words: pd.DataFrame, n_frames: int) -> list[Flags]:
    """Find the frames that lie in words of each channel's speaker and in nobody else's."""
    said = words[(words["kind"] == "word") & (words["end_ms"] > words["start_ms"])]
    by_speaker = dict(iter(said.groupby("speaker")))
    inside, touched = [], []
    for speaker in recordings["speaker"]:
        spans = by_speaker.get(speaker, said.head(0))
        start, end = spans["start_ms"].to_numpy(np.int64), spans["end_ms"].to_numpy(np.int64)
        inside.append(_cover(-(-start // FRAME_MS), end // FRAME_MS, n_frames))
        touched.append(_cover(start // FRAME_MS, -(-end // FRAME_MS), n_frames))
    others = np.array(touched).sum(axis=0)
    return [mine & (others - near == 0) for mine, near in zip(inside, touched, strict=True)]


def _cover(first: IntArray, last: IntArray, n_frames: int) -> Flags:
    """Mark the frames [first, last) of spans; a span without a whole frame marks none."""
    kept = first < last
    first, last = np.clip(first[kept], 0, n_frames), np.clip(last[kept], 0, n_frames)
    steps = np.bincount(first, minlength=n_frames + 1) - np.bincount(last, minlength=n_frames + 1)
    return np.asarray(np.cumsum(steps)[:n_frames] > 0)


def _enough(frames: Flags, settings: Door) -> bool:
    return int(frames.sum()) * FRAME_MS >= settings.least_ms


def _contrasts(level: FloatArray, own: list[Flags], settings: Door) -> list[float | None]:
    """Tell how much louder each channel is in its speaker's words than in the others', dB."""
    found: list[float | None] = []
    for k, mine in enumerate(own):
        others = np.any([frames for j, frames in enumerate(own) if j != k], axis=0)
        told = len(own) > 1 and _enough(mine, settings) and _enough(others, settings)
        found.append(
            float(np.median(level[k][mine]) - np.median(level[k][others])) if told else None
        )
    return found


def _bleeds(level: FloatArray, own: list[Flags], settings: Door) -> list[float | None]:
    """Tell how loud each speaker is on the loudest other channel, against the own one, dB."""
    found: list[float | None] = []
    for k, mine in enumerate(own):
        if len(own) < 2 or not _enough(mine, settings):
            found.append(None)
            continue
        other = np.delete(level, k, axis=0).max(axis=0)
        found.append(float(np.median((other - level[k])[mine])))
    return found


def _lengths(
    channels: Sequence[Channel], recordings: pd.DataFrame, settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Hold each length against the header, and against the metadata as far as they state it."""
    for channel, row in zip(channels, recordings.itertuples(), strict=True):
        who = f"channel {channel.channel}"
        if abs(channel.off_ms) > settings.length_ms:
            yield Reason.LENGTH, f"{who} is {channel.off_ms:+.0f} ms off its header"
        off_ms = channel.stated_off_ms
        if off_ms is not None and abs(off_ms) > settings.length_ms + row.stated_unit_ms:
            stated = f"{row.stated_ms / 1000:.3f} s, stated to {row.stated_unit_ms} ms"
            yield Reason.LENGTH, f"{who} is {off_ms:+.0f} ms off its metadata ({stated})"


def _alone(channels: Sequence[Channel], settings: Door) -> Iterator[tuple[Reason, str]]:
    """Judge each channel by itself."""
    for channel in channels:
        who = f"channel {channel.channel}"
        if channel.n_not_finite:
            yield Reason.NOT_FINITE, f"{who} has {channel.n_not_finite} samples that are no number"
        if channel.level_dbfs < settings.silent_dbfs:
            yield Reason.SILENT, f"{who} is at {channel.level_dbfs:.0f} dBFS"
        if channel.clipped_share > settings.clipped_share:
            yield Reason.CLIPPED, f"{who} is at full scale for {channel.clipped_share:.1%}"
        if channel.bleed_db is not None and channel.bleed_db > settings.bleed_db:
            yield Reason.BLEED, f"the voice of {who} is {channel.bleed_db:+.0f} dB on another"


def _together(
    channels: Sequence[Channel], level: FloatArray, settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Judge pairs of channels: the same sound twice (or its inverse), or each at the other's."""
    for a, b in combinations(range(len(channels)), 2):
        loud = np.maximum(level[a], level[b])
        if loud.max() < settings.silent_dbfs:
            continue
        apart = np.abs(level[a] - level[b])[loud > loud.max() - LOUD_DB]
        if np.quantile(apart, 0.99) < SAME_DB:
            who = f"channels {channels[a].channel} and {channels[b].channel}"
            yield Reason.SAME, f"{who} differ by under {SAME_DB} dB"
    contrasts = [channel.contrast_db for channel in channels]
    told = [c for c in contrasts if c is not None]
    if len(told) == len(channels) == 2 and max(told) < -settings.swapped_db:
        shown = " and ".join(f"{-c:.0f}" for c in told)
        yield Reason.SWAPPED, f"each is louder in the other's words, by {shown} dB"


def _apart(
    channels: Sequence[Channel], drifts: Sequence[Drift | None], length_ms: int, settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Judge the clocks: too far apart by the end, wherever in the interval the truth lies."""
    for channel, drift in zip(channels, drifts, strict=True):
        if drift is None:
            continue
        low, at, high = (
            ppm * 1e-6 * length_ms for ppm in (drift.low_ppm, drift.ppm, drift.high_ppm)
        )
        if max(low, -high) > settings.drift_ms:
            yield (
                Reason.DRIFT,
                f"channel {channel.channel} runs {drift.ppm:+.1f} ppm ({drift.low_ppm:+.1f} to"
                f" {drift.high_ppm:+.1f}) against channel {channels[0].channel}: {at:+.0f} ms in"
                " all",
            )
