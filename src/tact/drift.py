"""How far apart the clocks of two files run, heard from each voice's leak on the other's channel.

Delays of the leak, listener's clock less talker's, over the conversation::

    the other is 100 ppm fast       A's voice on the other's channel    B's voice on A's channel
    after an hour, 360 ms                                   ..--''      ''--..
    at the start, the way by air    ..--''                                    ''--..

The way of a voice gives each direction a start of its own. A clock gives both one slope, of
opposite sign; what changes the ways alone (a call's delay, say) does not, so both are needed.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import fft
from scipy.special import ndtri

from tact.clock import FloatArray

WINDOW_S = 2
"""Longer ones smear the peak: at 300 ppm a delay moves by .6 ms in 2 s."""
N_PARTS = 24
MOST_PPM = 300.0
STARTS_APART_S = 0.5
"""Recordings that start further apart are not compared: the leak lies out of reach."""
LOUD_DB = 20.0
"""A frame counts where it is within this of the 95 % quantile of its channel."""
CLEAR_DB = 20.0
LEAST_DB = 3.0
"""By how much the talker's frames are louder than the listener's: at most so far as it counts, and
at least on the average of a window."""
BAND_HZ = (100, 3800)
RATE_HZ = 8000
PEAK = 8.0
"""How far the peak stands out, in spreads of the lags; that of 32,000 lags of noise has 4 to 5."""
LEAST_FOUND = 5
LEAST_SHARE = 0.5
OFF_LINE_S = 0.002
"""Room for people to move: the way by air changes by 2 ms in 70 cm."""
CONFIDENCE = 0.99


class Window(NamedTuple):
    """A stretch in which one of two channels (0 or 1) is loud and the other is not; start in s."""

    talker: int
    start_s: float


class Echo(NamedTuple):
    """A leak that was found: whose voice, when, s, and how much later the other channel has it."""

    talker: int
    start_s: float
    delay_s: float


class Drift(NamedTuple):
    """How fast one clock runs against another, parts per million, and an interval of 99 %."""

    ppm: float
    low_ppm: float
    high_ppm: float


def reach_s(length_s: float) -> int:
    """Tell how far from its place a leak is looked for, whole s: 300 ppm, and starts .5 s apart."""
    return int(np.ceil(STARTS_APART_S + MOST_PPM * 1e-6 * length_s))


def windows(level: FloatArray, *, frame_s: float) -> list[Window]:
    """Choose where to listen: in each of 24 parts, for either voice, where it stands out most.

    A part is no shorter than a window, so short conversations have fewer.

    Parameters
    ----------
    level : (2, n_frames)
        Level of the two channels, dB.
    frame_s : float
        Length of a frame, s.

    Returns
    -------
    list of Window
        In order of time; the window and `reach_s` on either side lie inside both channels.
    """
    n_window, n_frames = round(WINDOW_S / frame_s), level.shape[1]
    margin = round(reach_s(n_frames * frame_s) / frame_s)
    n_starts = n_frames - n_window - 2 * margin
    n_parts = min(N_PARTS, n_starts // n_window)
    if n_parts < LEAST_FOUND:
        return []
    chosen: list[Window] = []
    edges = margin + np.arange(n_parts + 1) * n_starts // n_parts
    for talker, (own, other) in enumerate((level, level[::-1])):
        loud = own > np.quantile(own, 0.95) - LOUD_DB
        clear = np.where(loud, np.clip(own - other, 0.0, CLEAR_DB), 0.0)
        total = np.concatenate(([0.0], np.cumsum(clear)))
        score = (total[n_window:] - total[:-n_window]) / n_window
        for first, last in pairwise(edges):
            best = first + int(np.argmax(score[first:last]))
            if score[best] >= LEAST_DB:
                chosen.append(Window(talker, float(best * frame_s)))
    return sorted(chosen, key=lambda window: (window.start_s, window.talker))


def delay(
    talker: npt.NDArray[np.float32],
    listener: npt.NDArray[np.float32],
    *,
    talker_hz: int,
    listener_hz: int,
) -> float | None:
    """Find a voice on another channel by generalised cross-correlation with phase transform.

    Parameters
    ----------
    talker : (n,)
        Samples in which the voice is loud.
    listener : (m,)
        Samples of the other channel, which begin and end the same time before and after.
    talker_hz, listener_hz : int
        Rates, Hz; both arrays last whole seconds.

    Returns
    -------
    float or None
        How much later the listener has the voice, s, finer than a sample; None where no lag stands
        out.

    Notes
    -----
    Knapp and Carter (1976), doi:10.1109/TASSP.1976.1162830.
    """
    length_s = len(listener) // listener_hz
    reach = (length_s - len(talker) // talker_hz) // 2
    # Spectra over the same seconds have the same bins in Hz, whatever the rates.
    n_bins = 1 + min(talker_hz, listener_hz, RATE_HZ) // 2 * length_s
    cross = (
        fft.rfft(_even(listener, listener_hz))[:n_bins]
        * fft.rfft(talker, length_s * talker_hz)[:n_bins].conj()
    )
    size = np.abs(cross)
    low, high = (hz * length_s for hz in BAND_HZ)
    cross[:low] = cross[high:] = 0.0
    phase = np.divide(cross, size, out=np.zeros_like(cross), where=size > 0)
    lags = np.abs(fft.irfft(phase, length_s * RATE_HZ)[: 2 * reach * RATE_HZ + 1])
    best = int(np.argmax(lags))
    spread = float(np.median(lags)) / float(ndtri(0.75))
    if not 0 < best < len(lags) - 1 or not 0 < PEAK * spread <= lags[best]:
        return None
    before, peak, after = lags[best - 1 : best + 2]
    between = 0.5 * (before - after) / (before - 2 * peak + after)
    return float((best + between) / RATE_HZ - reach)


def _even(samples: npt.NDArray[np.float32], rate_hz: int) -> npt.NDArray[np.float32]:
    """Bring every 50 ms to one level, so that the listener's own voice does not drown the leak."""
    n_frame = max(1, rate_hz // 20)
    frames = np.resize(samples, (-(-len(samples) // n_frame), n_frame))
    size = np.sqrt(np.mean(frames**2, axis=1, keepdims=True))
    even = np.divide(frames, size, out=np.zeros_like(frames), where=size > 0)
    return np.asarray(even.ravel()[: len(samples)])


def line(echoes: Sequence[Echo], *, length_s: float) -> Drift | None:
    """Fit how fast the clock of channel 1 runs against that of channel 0.

    The slope is the median of the slopes between any two echoes of one voice, the voices pooled.

    Returns
    -------
    Drift or None
        None where either voice has fewer than 5 echoes, they reach over less than half of the
        conversation, or most of them lie over 2 ms off the line.

    Notes
    -----
    Seasonal Kendall slope and its interval, a voice for a season: Hirsch, Slack and Smith (1982),
    doi:10.1029/WR018i001p00107.
    """
    voices = [np.array([e[1:] for e in echoes if e.talker == k]).reshape(-1, 2) for k in (0, 1)]
    starts = np.concatenate(voices)[:, 0]
    if min(map(len, voices)) < LEAST_FOUND or np.ptp(starts) < LEAST_SHARE * length_s:
        return None
    voices[1] = voices[1] * (1.0, -1.0)
    slopes = np.sort(np.concatenate([_slopes(voice) for voice in voices]))
    slope = float(np.median(slopes))
    rest = [voice[:, 1] - slope * voice[:, 0] for voice in voices]
    if np.median(np.abs(np.concatenate([r - np.median(r) for r in rest]))) > OFF_LINE_S:
        return None
    variance = sum(len(v) * (len(v) - 1) * (2 * len(v) + 5) / 18 for v in voices)
    beside = float(ndtri(0.5 + CONFIDENCE / 2)) * variance**0.5
    low = max(0, int((len(slopes) - beside) / 2) - 1)
    return Drift(1e6 * slope, 1e6 * float(slopes[low]), 1e6 * float(slopes[-1 - low]))


def _slopes(voice: FloatArray) -> FloatArray:
    """Give the slope between any two points, rows (time, delay) of which no two share a time."""
    first, second = np.triu_indices(len(voice), 1)
    steps = voice[second] - voice[first]
    return np.asarray(steps[:, 1] / steps[:, 0])
