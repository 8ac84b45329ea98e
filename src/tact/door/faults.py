"""What is wrong with the channels of a conversation, as reasons and details."""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from tact import lags
from tact.clock import FloatArray
from tact.door.kinds import FRAME_MS, Channel, Heard, Reason
from tact.door.measures import FURTHEST, LEAST, Fit, curve
from tact.drift import Drift
from tact.lags import Likeness
from tact.settings import Door

SAME_DB = 0.1
LOUD_DB = 30.0
"""Frames this far below the loudest are silence where two channels are compared."""
APART = 2
"""A copy less late than this, frames, cannot be told from loud bleed."""
CURE = "mend the file or the times of the words, or name the conversation in door.trusted"


def lengths(
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


def alone(
    channels: Sequence[Channel], heard: Sequence[Heard], settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Judge each channel by itself; of one that is too short nothing else can be told."""
    for channel, sound in zip(channels, heard, strict=True):
        who = f"channel {channel.channel}"
        length_ms = 1000 * sound.n_samples / sound.sample_rate_hz
        if length_ms < settings.shortest_ms:
            n_samples = f"{sound.n_samples} samples"
            yield Reason.SHORT, f"{who} lasts {length_ms:.0f} ms ({n_samples}); name a whole file"
            continue
        if channel.n_not_finite:
            yield Reason.NOT_FINITE, f"{who} has {channel.n_not_finite} samples that are no number"
        if channel.level_dbfs < settings.silent_dbfs:
            yield Reason.SILENT, f"{who} is at {channel.level_dbfs:.0f} dBFS"
        else:
            yield from _loud(channel, sound, settings)
        if channel.bleed_db is not None and channel.bleed_db > settings.bleed_db:
            yield Reason.BLEED, f"the voice of {who} is {channel.bleed_db:+.0f} dB on another"


def _loud(channel: Channel, sound: Heard, settings: Door) -> Iterator[tuple[Reason, str]]:
    """Judge what is at full scale or beyond it."""
    who, share = f"channel {channel.channel}", channel.clipped_share
    peak_dbfs = 20 * math.log10(max(sound.peak, math.ulp(0.0)))
    if peak_dbfs > settings.peak_dbfs:
        yield (
            Reason.SCALE,
            f"{who} reaches {peak_dbfs:+.0f} dBFS, {sound.n_clipped} samples at full scale or"
            " beyond it; write floats between -1 and 1, or mend the samples",
        )
    elif share > settings.clipped_most:
        yield (
            Reason.DISTORTED,
            f"{who} is clipped for {share:.1%}, at {peak_dbfs:+.0f} dBFS, so that detectors lose"
            " speech; take a softer recording, or name the conversation in door.trusted",
        )
    elif share > settings.clipped_share:
        yield Reason.CLIPPED, f"{who} is at full scale for {share:.1%}"


def together(
    channels: Sequence[Channel], level: FloatArray, settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Judge pairs of channels: the same sound twice (or its inverse), at once or later."""
    for a, b in combinations(range(len(channels)), 2):
        if max(level[a].max(), level[b].max()) < settings.silent_dbfs:
            continue
        who = f"channels {channels[a].channel} and {channels[b].channel}"
        if _are_same(level[a], level[b]):
            yield Reason.SAME, f"{who} differ by under {SAME_DB} dB"
            continue
        like = _copied(level[a], level[b], settings)
        if like is None:
            continue
        later = f"{abs(like.lag) * FRAME_MS / 1000:.2f} s later"
        who = f"channel {channels[b if like.lag > 0 else a].channel}"
        whose = f"channel {channels[a if like.lag > 0 else b].channel}"
        if _are_same(*_overlap(level[a], level[b], like.lag)):
            yield Reason.SAME, f"{who} differs from {whose} by under {SAME_DB} dB, {later}"
        else:
            yield Reason.COPY, f"{who} goes as {whose} does, {later} (correlation {like.best:.2f})"


def _are_same(one: FloatArray, other: FloatArray) -> bool:
    """Tell whether two level curves are one wherever either is loud."""
    loud = np.maximum(one, other)
    apart = np.abs(one - other)[loud > loud.max() - LOUD_DB]
    return bool(np.quantile(apart, 0.99) < SAME_DB)


def _copied(one: FloatArray, other: FloatArray, settings: Door) -> Likeness | None:
    """Find the lag at which a channel goes as another; what is at none is bleed, not a copy."""
    if len(one) < LEAST or min(np.ptp(one), np.ptp(other)) == 0:
        return None
    like = lags.compare(curve(one), curve(other), furthest=FURTHEST)
    return like if like.best >= settings.copy_fit and abs(like.lag) >= APART else None


def _overlap(one: FloatArray, other: FloatArray, lag: int) -> tuple[FloatArray, FloatArray]:
    """Lay one(t) beside other(t + lag)."""
    n = len(one) - abs(lag)
    return one[max(0, -lag) :][:n], other[max(0, lag) :][:n]


def worded(
    channels: Sequence[Channel], found: Sequence[Fit | None], settings: Door
) -> Iterator[tuple[Reason, str]]:
    """Judge the sound by the words: of another channel, at another time, of nobody, hardly.

    Where channels are swapped nothing else is said: each is then out of step with its own, too.
    """
    swapped = list(_swaps(channels, found, settings))
    yield from ((Reason.SWAPPED, f"{detail}; {CURE}") for detail in swapped)
    if swapped:
        return
    told = [(channel.channel, fit.own) for channel, fit in zip(channels, found, strict=True) if fit]
    elsewhere = [_is_elsewhere(own, settings) for _, own in told]
    is_lost = not any(elsewhere) and all(own.here < settings.word_fit_lost for _, own in told)
    for (number, own), is_off in zip(told, elsewhere, strict=True):
        shown = f"correlation {own.here:.2f} in place, {own.best:.2f} at best; {CURE}"
        if is_off:
            way = "late" if own.lag > 0 else "early"
            off = f"{abs(own.lag) * FRAME_MS / 1000:.2f} s {way}"
            yield Reason.LATE, f"channel {number} is {off} ({shown})"
        elif own.here < settings.word_fit_low:
            why = Reason.OTHER if is_lost else Reason.DOUBT
            yield why, f"channel {number} does not go with its words ({shown})"


def _swaps(
    channels: Sequence[Channel], found: Sequence[Fit | None], settings: Door
) -> Iterator[str]:
    """Find the pairs of channels each of which goes with the other's words, and better so."""
    for (a, one), (b, other) in combinations(enumerate(found), 2):
        if one is None or other is None:
            continue
        crossed = ((one.each[b], one.own.here), (other.each[a], other.own.here))
        if all(
            there >= max(settings.word_fit_sure, here + settings.word_gain)
            for there, here in crossed
        ):
            who = f"channels {channels[a].channel} and {channels[b].channel}"
            by = " and ".join(f"{there:.2f} against {here:.2f}" for there, here in crossed)
            yield f"{who} go with each other's words (correlation {by})"


def _is_elsewhere(own: Likeness, settings: Door) -> bool:
    is_off = abs(own.lag) * FRAME_MS > settings.word_lag_ms
    return is_off and own.best >= max(settings.word_fit_sure, own.here + settings.word_gain)


def apart(
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
