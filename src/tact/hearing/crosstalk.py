"""Whose voice is it? Speech on a channel that is only a neighbour's leak, found and evidenced.

A microphone hears its own speaker and, softer and later, the others. Two signs tell a neighbour's
voice from one's own: it is no louder than that neighbour's leak, and it is the same wave::

    channel j   ######          j speaks
    channel k   ......  ####    j's leak, then k speaks

    level       k - j = -18 dB, the leak of j on k, in the first stretch; +20 dB in the second
    likeness    .9 at a lag of 6 ms in the first; .1 in the second

First the leak of each pair is measured, in windows that sound alike and in which j is the louder:
its level and its delay, and how the delay moves where two recorders' clocks run apart. Then a frame
of k is j's voice

- if k holds no more than j's leak and the noise, plus ``margin_db``, the leak being above the
  noise, in a stretch that sounds like j at the pair's delay on the mean; or
- if j is louder than k by ``far_db``, at which nobody speaks on k whatever the leak.

A voice over another's leak stays: it is louder than the leak.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tact.clock import Flags, FloatArray, runs, subtract
from tact.hearing.levels import FRAME_MS, LEAST_POWER, Power, decibel, inside, ratio, smooth
from tact.hearing.likeness import Likeness, Samples
from tact.settings import Crosstalk

SAME_LAG_MS = 1.0
LARGEST_DRIFT_MS = 40
LEAST_REACH = 0.25
"""Of the recording: windows that reach over less of it tell nothing of a drift."""

SOUNDING_DB = 12.0
MAJORITY_FRAMES = 11
FRAMES_AT_ONCE = 60_000


@dataclass(frozen=True)
class Leak:
    """What a channel hears of a neighbour.

    Attributes
    ----------
    level_db : float
        Level of the neighbour's voice here, dB of its level there.
    delay_ms : float
        How much later it is here, at the start of the recording, ms.
    drift_ppm : float
        How much later it becomes; 60 ppm is 3.6 ms a minute.
    n_windows : int
        Windows that tell.
    """

    level_db: float
    delay_ms: float
    drift_ppm: float
    n_windows: int

    def lag_ms(self, time_ms: FloatArray) -> FloatArray:
        """Tell how much later the voice is here at times of the recording, ms."""
        return self.delay_ms + 1e-6 * self.drift_ppm * time_ms


@dataclass(frozen=True)
class Neighbour:
    """Another channel, as heard from this one.

    Attributes
    ----------
    channel : int
    power : (n_frames,) of the other channel
    leak : Leak or None
    likeness : Likeness or None
        Of the two at the leak's delay; None without a leak.
    voice : (n_frames,) this channel holds no more than that neighbour's voice
    """

    channel: int
    power: Power
    leak: Leak | None
    likeness: Likeness | None
    voice: Flags


@dataclass(frozen=True)
class Removed:
    """A stretch that was cut out of a channel's speech, and why.

    Attributes
    ----------
    start_ms, end_ms : int
    neighbour : int
        The channel whose voice it is.
    level_db : float
        Level here less level there, median, dB.
    leak_db : float or None
        Level of the pair's leak; None where none was found and the level alone decided.
    likeness : float or None
        Median likeness of the stretch at the leak's delay; None as above.
    """

    start_ms: int
    end_ms: int
    neighbour: int
    level_db: float
    leak_db: float | None
    likeness: float | None


class Left(NamedTuple):
    """What is left of a channel's speech without its neighbours'.

    Attributes
    ----------
    spans : float64 array, (n, 2)
        In ms.
    cut : bool array, (n, 2)
        Starts and ends at which something was cut off.
    voice : bool array, (n_frames,)
        Frames that are a neighbour's.
    removed : list of Removed
        Each stretch of at least ``least_ms`` that was cut out.
    """

    spans: FloatArray
    cut: Flags
    voice: Flags
    removed: list[Removed]


def leak(likeness: Likeness, sounding: Flags, *, settings: Crosstalk) -> Leak | None:
    """Measure what a channel hears of a neighbour, from the likeness of the two, neighbour first.

    The gain that best explains this channel by the neighbour is the cross-correlation over the
    neighbour's energy; noise and other voices do not enter it.

    Parameters
    ----------
    likeness : Likeness
    sounding : bool array, (n_windows,)
        The neighbour is well above its noise. Where it is not, channels may sound alike by a noise
        that both hear (mains, a fan, one room), which tells nothing of voices.

    Returns
    -------
    Leak or None
        None where fewer than ``least_windows`` windows sound alike along one line of delays, to
        1 ms.
    """
    alike = sounding & (likeness.peak >= settings.alike) & (likeness.gain_db < 0)
    if not alike.any():
        return None
    time_ms = likeness.time_ms()
    delay_ms, drift_ppm = _line(time_ms[alike], likeness.lag_ms[alike], time_ms[-1])
    found = Leak(0.0, delay_ms, drift_ppm, 0)
    agree = alike & (np.abs(likeness.lag_ms - found.lag_ms(time_ms)) <= SAME_LAG_MS)
    if agree.sum() < settings.least_windows:
        return None
    level_db = likeness.gain_db[agree] + 20.0 * np.log10(likeness.peak[agree])
    return replace(found, level_db=float(np.median(level_db)), n_windows=int(agree.sum()))


def _line(time_ms: FloatArray, lag_ms: Samples, length_ms: float) -> tuple[float, float]:
    """Find the line along which most lags lie: the delay at the start, ms, and its slope, ppm.

    A vote over slopes and delays (the Hough transform), so that lags off the line count for
    nothing; the least drift wins where votes are equal. Then least squares on those that agree.
    """
    part = time_ms / max(length_ms, 1.0)
    best_votes, best = 0, (0.0, 0.0)
    for total_ms in sorted(range(-LARGEST_DRIFT_MS, LARGEST_DRIFT_MS + 1), key=abs):
        bins = np.floor(lag_ms - total_ms * part).astype(np.int64)
        low = int(bins.min())
        votes = np.convolve(np.bincount(bins - low), (1, 1))
        if votes.max() > best_votes:
            best_votes, best = int(votes.max()), (float(low + np.argmax(votes)), float(total_ms))
    near = np.abs(lag_ms - best[0] - best[1] * part) <= SAME_LAG_MS
    if np.ptp(part[near]) < LEAST_REACH:
        return float(np.median(lag_ms[near])), 0.0
    slope, delay_ms = np.polyfit(part[near], lag_ms[near], 1)
    return float(delay_ms), float(1e6 * slope / max(length_ms, 1.0))


def hear(
    own: Power,
    other: Power,
    likeness: Likeness,
    *,
    channel: int,
    noise: float,
    other_noise: float,
    settings: Crosstalk,
) -> Neighbour:
    """Find where a channel holds no more than one neighbour's voice.

    Parameters
    ----------
    own, other : float32 arrays, (n_frames,) and (n_other,)
        Power of the channel and of the neighbour.
    likeness : Likeness
        Of the two, the neighbour first.
    channel : int
        Which channel the neighbour is.
    noise, other_noise : float
        Power of this channel's noise, and of the neighbour's.
    """
    sounding = likeness.power(other) >= ratio(SOUNDING_DB) * other_noise
    found = leak(likeness, sounding, settings=settings)
    voice = np.zeros(len(own), dtype=np.bool_)
    explained = np.zeros(len(own), dtype=np.bool_)
    leaks = np.zeros(len(own), dtype=np.bool_)
    for part in _parts(len(own)):
        here = smooth(own, part)
        voice[part] = smooth(other, part) > ratio(settings.far_db) * here + LEAST_POWER
        if found is not None:
            leaked = _leaked(part, other, len(own), found)
            explained[part] = here <= ratio(settings.margin_db) * (leaked + noise)
            leaks[part] = leaked >= max(noise, LEAST_POWER)
    if found is None:
        return Neighbour(channel, other, None, None, voice)
    alike = likeness.along(found.lag_ms(likeness.time_ms()), tolerance_ms=SAME_LAG_MS)
    for stretch in _sounding_alike(explained, leaks, alike, least=settings.likeness):
        voice[stretch] |= leaks[stretch]
    return Neighbour(channel, other, found, alike, voice)


def _parts(n_frames: int) -> Iterator[slice]:
    """Go through frames in parts, so that what is needed on the way does not grow with them."""
    for first in range(0, n_frames, FRAMES_AT_ONCE):
        yield slice(first, min(first + FRAMES_AT_ONCE, n_frames))


def _leaked(frames: slice, other: Power, n_frames: int, leak: Leak) -> FloatArray:
    """Tell how much of a neighbour's power leaks into some frames of a channel."""
    frame = np.arange(frames.start, frames.stop)
    late = np.rint(leak.lag_ms((frame * FRAME_MS).astype(np.float64)) / FRAME_MS).astype(np.int64)
    heard = np.clip(frame - late, 0, n_frames - 1)
    first, last = int(heard.min()), int(heard.max()) + 1
    leaking: FloatArray = smooth(other, slice(first, last))[heard - first]
    return ratio(leak.level_db) * leaking


def _sounding_alike(
    explained: Flags, leaks: Flags, likeness: Likeness, *, least: float
) -> Iterator[slice]:
    """Give the explained stretches that sound alike on the mean of where a leak is above noise."""
    first, last = runs(explained)
    total = np.zeros((2, len(first)))
    for part in _parts(len(explained)):
        # Of the stretches that reach into this part, as much as lies in it.
        met = slice(np.searchsorted(last, part.start, "right"), np.searchsorted(first, part.stop))
        begin = np.maximum(first[met], part.start) - part.start
        end = np.minimum(last[met], part.stop) - part.start
        counts = np.stack((likeness.per_frame(part), np.ones(part.stop - part.start)))
        summed = np.pad(np.cumsum(counts * leaks[part], axis=1), ((0, 0), (1, 0)))
        total[:, met] += summed[:, end] - summed[:, begin]
    kept = total[0] >= least * total[1]
    for start, stop in zip(first[kept].tolist(), last[kept].tolist(), strict=True):
        yield slice(start, stop)


def remove(
    spans: FloatArray, own: Power, neighbours: Sequence[Neighbour], *, settings: Crosstalk
) -> Left:
    """Cut the voices of neighbours out of a channel's spans.

    Parameters
    ----------
    spans : float64 array, (n_spans, 2)
        As detected, ms, ordered and apart.
    own : float32 array, (n_frames,)
        Power of the channel.
    """
    any_voice = np.zeros(len(own), dtype=np.bool_)
    for neighbour in neighbours:
        any_voice |= neighbour.voice
    any_voice = _steady(any_voice)
    first, last = runs(any_voice & inside(spans, len(own)))
    long = (last - first) * FRAME_MS >= settings.least_ms
    removed = [
        _evidence(int(begin), int(end), own, neighbours)
        for begin, end in zip(first[long], last[long], strict=True)
    ]
    holes = [(float(one.start_ms), float(one.end_ms)) for one in removed]
    left = subtract([(start, end) for start, end in spans.tolist()], holes)
    rest = np.array(left, dtype=np.float64).reshape(-1, 2)
    return Left(rest, ~np.isin(rest, spans), any_voice, removed)


def _steady(flags: Flags) -> Flags:
    """Go by the majority of 55 ms: single frames flicker."""
    if not len(flags):
        return flags
    half = MAJORITY_FRAMES // 2
    around = np.pad(flags.astype(np.int8), half, mode="symmetric")
    counts = np.convolve(around, np.ones(MAJORITY_FRAMES, dtype=np.int8), mode="valid")
    return np.asarray(counts > half)


def _evidence(first: int, last: int, own: Power, neighbours: Sequence[Neighbour]) -> Removed:
    """Tell whose voice the frames [first, last) are: the neighbour's who has most of them."""
    whose = max(neighbours, key=lambda neighbour: int(neighbour.voice[first:last].sum()))
    frames, leak = slice(first, last), whose.leak
    level_db = decibel(smooth(own, frames)) - decibel(smooth(whose.power, frames))
    alike = whose.likeness.per_frame(frames) if whose.likeness else None
    return Removed(
        start_ms=first * FRAME_MS,
        end_ms=last * FRAME_MS,
        neighbour=whose.channel,
        level_db=float(np.median(level_db)),
        leak_db=leak.level_db if leak else None,
        likeness=None if alike is None else float(np.median(alike)),
    )
