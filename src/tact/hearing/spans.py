r"""From a detector's frames to spans of speech: one rule for every detector.

::

    enter .5  - - - - - /- - \- - - - -     speech from where the line meets `enter` ...
    leave .35 - - - - -/- - - -\- /\- -     ... until it meets `leave`; the second hill is too low
    p           ______/         \_/  \__
    span               |-------|            to the ms: between frames the line is straight

A detector knows its ends to a frame or three, and holds on after speech; how far from them the true
ends lie has been measured (`Reach`). So each end is moved to where the level rises over the noise,
if that is within this reach, and else by the middle of it (`sharpen`); what then is left of its
being late or early (`tact.hearing.bias`) is taken off (`settle`). No padding is added.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tact.clock import Flags, FloatArray, IntArray, runs, subtract
from tact.hearing.levels import FRAME_MS, LEAST_POWER, SPEECH_QUANTILE, Power, frames_of, ratio
from tact.settings import Edges

SILENCE_MS = 200


class Reach(NamedTuple):
    """How far from a detected end the true one lies, ms; later is above 0.

    Attributes
    ----------
    low_ms, high_ms : float
        Where 95 of 100 lie.
    middle_ms : float
        Their median.
    """

    low_ms: float
    high_ms: float
    middle_ms: float


NOWHERE = Reach(0.0, 0.0, 0.0)


class Reaches(NamedTuple):
    """The reach of starts and of ends."""

    start: Reach
    end: Reach


class Speech(NamedTuple):
    """A channel's speech, its ends as detected.

    Attributes
    ----------
    spans : float64 array, (n_spans, 2)
        In ms, ordered and apart.
    cut : bool array, (n_spans, 2)
        Starts and ends at which a neighbour's voice was cut off; no detector told them.
    loud : bool array, (n_frames,)
        Frames of 5 ms that are loud enough to be speech.
    gated : bool
        A gate lets noise through beside the speech (`tact.hearing.levels.gated_noise`).
    """

    spans: FloatArray
    cut: Flags
    loud: Flags
    gated: bool


def from_frames(
    probability: npt.NDArray[np.float32],
    *,
    frame_ms: float,
    enter: float,
    leave: float,
    duration_ms: int,
) -> FloatArray:
    """Find where a channel speaks, as the detector has it.

    Parameters
    ----------
    probability : float32 array, (n_frames,)
        Of speech; frame k is about ``frame_ms`` * [k, k + 1), and its value stands at the middle.
    frame_ms : float
        Length of a frame, ms.
    enter, leave : float
        Speech begins at ``enter`` or above and ends below ``leave``; ``leave`` <= ``enter``.
    duration_ms : int
        Length of the recording; no span goes beyond it.

    Returns
    -------
    float64 array, (n_spans, 2)
        Start and end, ms, in order and apart.
    """
    enters, _ = runs(probability >= enter)
    low, last = runs(probability >= leave)
    at = np.searchsorted(enters, low)
    spoken = at < np.searchsorted(enters, last)
    first, last = enters[at[spoken]], last[spoken]
    start = _crossing(probability, first, enter) * frame_ms
    end = _crossing(probability, last, leave) * frame_ms
    return np.minimum(np.stack((start, end), axis=1), duration_ms)


def loudness(
    spans: FloatArray, power: Power, *, noise: float, voice: Flags, settings: Edges
) -> Flags:
    """Mark the frames that are loud enough to be speech.

    A frame is loud if it is ``over_db`` above the noise, at most ``range_db`` below the channel's
    speech, not a neighbour's voice, and next to another.

    Parameters
    ----------
    spans : float64 array, (n_spans, 2)
        Of speech, ms.
    power : float32 array, (n_frames,)
        Mean square of each 5 ms frame.
    noise : float
        Power of the noise.
    voice : bool array, (n_frames,)
        Frames that are a neighbour's.

    Returns
    -------
    bool array, (n_frames,)
    """
    speech = np.concatenate([power[:0], *(power[frames] for frames in frames_of(spans))])
    usual = (
        float(np.quantile(speech, SPEECH_QUANTILE, overwrite_input=True)) if len(speech) else 1.0
    )
    over = ratio(settings.over_db) * max(noise, LEAST_POWER)
    loud = (power > max(over, usual / ratio(settings.range_db))) & ~voice
    beside = np.pad(loud, 1)
    return np.asarray(loud & (beside[:-2] | beside[2:]))


def without_silence(spans: FloatArray, cut: Flags, loud: Flags) -> tuple[FloatArray, Flags]:
    """Take out of spans what is silent for 200 ms: a detector hears on through a gate's noise.

    Parameters
    ----------
    spans, cut, loud
        As in `Speech`.

    Returns
    -------
    spans, cut
        What is left, and which of its ends were cut before.
    """
    first, last = runs(~loud)
    long = (last - first) * FRAME_MS >= SILENCE_MS
    holes = FRAME_MS * np.stack((first[long], last[long]), axis=1).astype(np.float64)
    left = subtract(spans.tolist(), holes.tolist())
    rest = np.array(left, dtype=np.float64).reshape(-1, 2)
    still = [np.isin(rest[:, edge], spans[cut[:, edge], edge]) for edge in (0, 1)]
    return rest, np.stack(still, axis=1)


def sharpen(speech: Speech, reaches: Reaches) -> FloatArray:
    r"""Move each end of a span to the rise or fall of the level that is within its reach.

    The start moves to the first loud frame in its reach; the end mirrors that::

        level                ______
        threshold ..........|......|....
                  _________/        \____
        detected          |-----------|
        reach            |---|    |-----|
        sharpened           |------|

    In a reach without a loud frame an end moves by the middle of the reach. Where a neighbour's
    voice was cut off, an end moves into the span alone, as far as the first loud frame; where a
    gate opens noise beside speech, which detectors take for speech, it may move as far, too. A span
    without loud frames is no speech and is dropped.

    Returns
    -------
    float64 array, (n, 2)
        Ordered and apart, none before 0.
    """
    sharp: list[tuple[float, float]] = []
    reached = 0.0
    spans, cuts = speech.spans.tolist(), speech.cut.tolist()
    limits = [start for start, _ in spans[1:]] + [float(len(speech.loud) * FRAME_MS)]
    for (start, end), (start_cut, end_cut), limit in zip(spans, cuts, limits, strict=False):
        if not _loud_ms(speech.loud, start, end):
            continue
        low, high, middle = reaches.start if not start_cut else NOWHERE
        if start_cut or speech.gated:
            high = end - start
        rise = _loud_ms(speech.loud, max(start + low, reached), min(start + high, end))
        begin = max(rise[0] if rise else start + middle, reached)
        low, high, middle = reaches.end if not end_cut else NOWHERE
        if end_cut or speech.gated:
            low = start - end
        fall = _loud_ms(speech.loud, max(end + low, begin), min(end + high, limit))
        stop = min(fall[1] if fall else end + middle, limit)
        if begin < stop:
            sharp.append((begin, stop))
            reached = stop
    return np.array(sharp, dtype=np.float64).reshape(-1, 2)


def settle(
    spans: FloatArray,
    *,
    start_shift_ms: float,
    end_shift_ms: float,
    min_speech_ms: int,
    duration_ms: int,
) -> IntArray:
    """Move the ends of spans by what the detector is off, and drop what is too short.

    Spans that then touch become one. Times are rounded to ms.

    Returns
    -------
    int64 array, (n_spans, 2)
        Inside [0, ``duration_ms``], ordered, apart.
    """
    whole = np.rint(spans + np.array([start_shift_ms, end_shift_ms]))
    moved: IntArray = np.clip(whole, 0, duration_ms).astype(np.int64)
    moved = moved[moved[:, 0] < moved[:, 1]]
    if not len(moved):
        return moved
    reached = np.maximum.accumulate(moved[:, 1])
    opens = np.concatenate(([True], moved[1:, 0] > reached[:-1]))
    closes = np.concatenate((opens[1:], [True]))
    joined = np.stack((moved[opens, 0], reached[closes]), axis=1)
    return np.asarray(joined[joined[:, 1] - joined[:, 0] >= min_speech_ms])


def _loud_ms(loud: Flags, start_ms: float, end_ms: float) -> tuple[float, float] | None:
    """Tell when the first loud frame that a stretch touches begins and the last one ends, ms."""
    if start_ms >= end_ms:
        return None
    first = int(start_ms // FRAME_MS)
    at = first + np.flatnonzero(loud[first : int(-(-end_ms // FRAME_MS))])
    return (float(at[0] * FRAME_MS), float((at[-1] + 1) * FRAME_MS)) if len(at) else None


def _crossing(probability: npt.NDArray[np.float32], frame: IntArray, level: float) -> FloatArray:
    """Find where the line from the middle of the frame before to this frame's meets a level.

    In frames from the start of the recording; the first and last edge of the recording are edges.
    """
    inside = (frame > 0) & (frame < len(probability))
    after = probability[np.where(inside, frame, 0)].astype(np.float64)
    before = probability[np.where(inside, frame - 1, 0)].astype(np.float64)
    rise = np.where(after == before, 1.0, after - before)
    part = np.clip((level - before) / rise, 0.0, 1.0)
    return np.where(inside, frame - 0.5 + part, frame)
