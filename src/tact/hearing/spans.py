r"""From a detector's frames to spans of speech: one rule for every detector.

::

    enter .5  - - - - - /- - \- - - - -     speech from where the line meets `enter` ...
    leave .35 - - - - -/- - - -\- /\- -     ... until it meets `leave`; the second hill is too low
    p           ______/         \_/  \__
    span               |-------|            to the ms: between frames the line is straight

A detector knows its ends to a frame or three, and holds on after speech. So each end is moved to
where the level rises over the noise, if that is near (`sharpen`); what then is left of its being
late or early is measured (`tact.hearing.bias`) and taken off (`settle`). No padding is added.
"""

import numpy as np
import numpy.typing as npt

from tact.clock import Flags, FloatArray, IntArray, runs
from tact.hearing.levels import FRAME_MS, frames_of
from tact.settings import Edges

SPEECH_QUANTILE = 0.75


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
    first, last = runs(_holds(probability, enter, leave))
    start = _crossing(probability, first, enter) * frame_ms
    end = _crossing(probability, last, leave) * frame_ms
    return np.minimum(np.stack((start, end), axis=1), duration_ms)


def sharpen(
    spans: FloatArray, level_db: FloatArray, *, noise_db: float, voice: Flags, settings: Edges
) -> FloatArray:
    r"""Move each end of a span to the rise or fall of the level that is near it.

    A frame is loud if it is ``over_db`` above the noise, at most ``range_db`` below the channel's
    speech, not a neighbour's voice, and next to another. The start moves to the first loud frame
    from ``before_ms`` before it to ``into_ms`` after it; the end mirrors that. An end without loud
    frames stays; a span without any is no speech and is dropped::

        level                ______
        threshold ..........|......|....
                  _________/        \____
        detected          |-----------|
        sharpened           |------|

    Parameters
    ----------
    spans : float64 array, (n_spans, 2)
        In ms, ordered and apart.
    level_db : float64 array, (n_frames,)
        Level of each 5 ms frame, dBFS.
    noise_db : float
        Level of the noise, dBFS.
    voice : bool array, (n_frames,)
        Frames that are a neighbour's.

    Returns
    -------
    float64 array, (n, 2)
    """
    if not len(spans):
        return spans
    loud = _loud(spans, level_db, noise_db, voice, settings)
    before, into = settings.before_ms // FRAME_MS, settings.into_ms // FRAME_MS
    sharp: list[tuple[float, float]] = []
    reached = 0
    limits = [*(spans[1:, 0] // FRAME_MS).astype(int), len(loud)]
    for (start, end), frames, limit in zip(spans, frames_of(spans), limits, strict=True):
        first, last = frames.start, frames.stop
        if not loud[first:last].any():
            continue
        opening = max(first - before, reached)
        rises = np.flatnonzero(loud[opening : min(first + into, last)])
        begin = opening + int(rises[0]) if len(rises) else first
        closing = max(last - into, begin)
        falls = np.flatnonzero(loud[closing : min(last + before, limit)])
        reached = closing + int(falls[-1]) + 1 if len(falls) else last
        sharp.append(
            (
                begin * FRAME_MS if len(rises) else start,
                reached * FRAME_MS if len(falls) else end,
            )
        )
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


def _loud(
    spans: FloatArray, level_db: FloatArray, noise_db: float, voice: Flags, settings: Edges
) -> Flags:
    """Mark the loud frames, those alone among soft ones left out."""
    speech = np.concatenate([level_db[:0], *(level_db[frames] for frames in frames_of(spans))])
    speech_db = float(np.quantile(speech, SPEECH_QUANTILE)) if len(speech) else 0.0
    loud = (level_db > max(noise_db + settings.over_db, speech_db - settings.range_db)) & ~voice
    beside = np.pad(loud, 1)
    return np.asarray(loud & (beside[:-2] | beside[2:]))


def _holds(probability: npt.NDArray[np.float32], enter: float, leave: float) -> Flags:
    """Tell which frames are speech: between the two thresholds a frame is as the one before."""
    told = (probability >= enter) | (probability < leave)
    latest = np.maximum.accumulate(np.where(told, np.arange(len(told)), -1))
    spoken = np.asarray((probability >= enter)[np.maximum(latest, 0)])
    return spoken & (latest >= 0)


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
