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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d

from tact.clock import Flags, FloatArray, IntArray, runs, subtract
from tact.hearing.levels import FRAME_MS, LEAST_POWER, decibel, inside
from tact.hearing.likeness import Likeness, Samples
from tact.settings import Crosstalk

SAME_LAG_MS = 1.0
LARGEST_DRIFT_MS = 40
LEAST_REACH = 0.25
"""Of the recording: windows that reach over less of it tell nothing of a drift."""

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
    power : (n_frames,) smoothed, as long as this channel's
    likeness : (n_frames,) peak of the cross-correlation at the leak's delay
    leak : Leak or None
    voice : (n_frames,) this channel holds no more than that neighbour's voice
    """

    channel: int
    power: FloatArray
    likeness: Samples
    leak: Leak | None
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


def leak(likeness: Likeness, *, settings: Crosstalk) -> Leak | None:
    """Measure what a channel hears of a neighbour, from the likeness of the two, neighbour first.

    The gain that best explains this channel by the neighbour is the cross-correlation over the
    neighbour's energy; noise and other voices do not enter it.

    Returns
    -------
    Leak or None
        None where fewer than ``least_windows`` windows sound alike along one line of delays, to
        1 ms.
    """
    alike = (likeness.peak >= settings.alike) & (likeness.gain_db < 0)
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
    own: FloatArray,
    other: FloatArray,
    likeness: Likeness,
    *,
    channel: int,
    noise: float,
    settings: Crosstalk,
) -> Neighbour:
    """Find where a channel holds no more than one neighbour's voice.

    Parameters
    ----------
    own, other : float64 arrays, (n_frames,) each
        Smoothed power of the channel and of the neighbour.
    likeness : Likeness
        Of the two, the neighbour first.
    channel : int
        Which channel the neighbour is.
    noise : float
        Power of this channel's noise.
    """
    there = other[: len(own)]
    if len(there) < len(own):
        there = np.pad(there, (0, len(own) - len(there)))
    found = leak(likeness, settings=settings)
    alike = np.zeros(len(own), dtype=np.float32)
    voice = np.zeros(len(own), dtype=np.bool_)
    explained = np.zeros(len(own), dtype=np.bool_)
    leaks = np.zeros(len(own), dtype=np.bool_)
    # In parts, so that what is needed on the way does not grow with the recording.
    for first in range(0, len(own), FRAMES_AT_ONCE):
        part = slice(first, first + FRAMES_AT_ONCE)
        voice[part] = there[part] > _factor(settings.far_db) * own[part] + LEAST_POWER
        if found is not None:
            frame = first + np.arange(len(own[part]))
            alike[part] = likeness.per_frame(frame, line=found.lag_ms, tolerance_ms=SAME_LAG_MS)
            leaked = _leaked(frame, there, found)
            explained[part] = own[part] <= _factor(settings.margin_db) * (leaked + noise)
            leaks[part] = leaked >= noise
    if found is not None:
        voice |= leaks & _sounding_alike(explained, alike, leaks, least=settings.likeness)
    return Neighbour(channel, there, alike, found, voice)


def _sounding_alike(explained: Flags, alike: Samples, leaks: Flags, *, least: float) -> Flags:
    """Keep the stretches that sound alike on the mean of where a leak is above the noise."""
    first, last = runs(explained)
    n_leaks = np.concatenate(([0], np.cumsum(leaks)))
    total = np.concatenate(([0.0], np.cumsum(alike * leaks, dtype=np.float64)))
    kept = total[last] - total[first] >= least * (n_leaks[last] - n_leaks[first])
    flags = np.zeros(len(explained), dtype=np.bool_)
    for begin, end in zip(first[kept], last[kept], strict=True):
        flags[begin:end] = True
    return flags


def _leaked(frame: IntArray, there: FloatArray, leak: Leak) -> FloatArray:
    """Tell how much of a neighbour's power leaks into some frames."""
    late = np.rint(leak.lag_ms((frame * FRAME_MS).astype(np.float64)) / FRAME_MS).astype(np.int64)
    leaking: FloatArray = there[np.clip(frame - late, 0, len(there) - 1)]
    return _factor(leak.level_db) * leaking


def remove(
    spans: FloatArray, own: FloatArray, neighbours: Sequence[Neighbour], *, settings: Crosstalk
) -> Left:
    """Cut the voices of neighbours out of a channel's spans.

    Parameters
    ----------
    spans : float64 array, (n_spans, 2)
        As detected, ms, ordered and apart.
    own : float64 array, (n_frames,)
        Smoothed power of the channel.
    """
    any_voice = np.zeros(len(own), dtype=np.bool_)
    for neighbour in neighbours:
        any_voice |= neighbour.voice
    # Single frames flicker: the majority of 55 ms counts.
    any_voice = uniform_filter1d(any_voice.astype(np.float32), MAJORITY_FRAMES) > 0.5
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


def _evidence(first: int, last: int, own: FloatArray, neighbours: Sequence[Neighbour]) -> Removed:
    """Tell whose voice the frames [first, last) are: the neighbour's who has most of them."""
    whose = max(neighbours, key=lambda neighbour: int(neighbour.voice[first:last].sum()))
    frames = slice(first, last)
    return Removed(
        start_ms=first * FRAME_MS,
        end_ms=last * FRAME_MS,
        neighbour=whose.channel,
        level_db=float(np.median(decibel(own[frames]) - decibel(whose.power[frames]))),
        leak_db=whose.leak.level_db if whose.leak else None,
        likeness=float(np.median(whose.likeness[frames])) if whose.leak else None,
    )


def _factor(level_db: float) -> float:
    return float(10.0 ** (level_db / 10.0))
