"""How a turn sounds at a moment: pitch, level and pace of its last half second beside the turn's.

Pitch is the highest peak of the normalised autocorrelation of 40 ms windows (Boersma 1993 without
its path finder); a window is voiced where that peak is over .5 and it is not soft.
"""

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from tact.clock import FloatArray

RATE_HZ = 8_000
LONGEST_MS = 4_000
HOP, WINDOW = 80, 320
HOP_S = HOP / RATE_HZ
LOWEST_HZ, HIGHEST_HZ = 70, 400
LEAST_PEAK = 0.5
OCTAVE_COST = 0.05
"""Taken off a peak for each octave of lag: a period of two is a period, too."""
SOFT_DB = 25.0
LEAST_POWER = 1e-10
FRAMES_100_MS, FRAMES_300_MS, FRAMES_500_MS, FRAMES_1_S = 10, 30, 50, 100

FEATURES = (
    "level_end_db",
    "level_slope_db_per_s",
    "pitch_end_st",
    "pitch_slope_st_per_s",
    "voiced_end",
    "pace_end",
)


def measure(samples: npt.NDArray[np.float32]) -> FloatArray:
    """Measure the sound of a turn up to a moment.

    Parameters
    ----------
    samples : float32 array, (n,)
        The focal channel at 8 kHz, from the start of the turn (at most 4 s) to the moment.

    Returns
    -------
    float64 array, (6,)
        As `FEATURES`: level of the last 100 ms less the turn's median, dB; slope of the level over
        .5 s, dB/s; pitch of the last 300 ms less the turn's median, semitones; its slope over
        .5 s; voiced share of the last 300 ms; peaks of the level per s in the last second less
        those of the turn. What cannot be told (no voice) is 0. NaN where there are under 100 ms.
    """
    if len(samples) < WINDOW + FRAMES_100_MS * HOP:
        return np.full(len(FEATURES), np.nan)
    windows = sliding_window_view(samples.astype(np.float64), WINDOW)[::HOP]
    windows = windows - windows.mean(axis=1, keepdims=True)
    power = (windows**2).mean(axis=1)
    level = 10.0 * np.log10(np.maximum(power, LEAST_POWER))
    loud = level > np.quantile(level, 0.9) - SOFT_DB
    pitch = np.where(loud, _pitch(windows, power), np.nan)
    voiced = np.isfinite(pitch)
    middle = np.median(pitch[voiced]) if voiced.any() else 1.0
    semitones = 12.0 * np.log2(pitch / middle)
    end = semitones[-FRAMES_300_MS:]
    heard = np.isfinite(end)
    return np.array(
        [
            level[-FRAMES_100_MS:].mean() - np.median(level[loud]),
            _slope(level[-FRAMES_500_MS:]),
            np.median(end[heard]) if heard.any() else 0.0,
            _slope(semitones[-FRAMES_500_MS:]),
            voiced[-FRAMES_300_MS:].mean(),
            _pace(level[-FRAMES_1_S:]) - _pace(level),
        ]
    )


def _pitch(windows: FloatArray, power: FloatArray) -> FloatArray:
    """Estimate the pitch of each window, Hz; NaN where it has none."""
    size = 2 * WINDOW
    taper = np.hanning(WINDOW)
    spectrum = np.fft.rfft(windows * taper, size, axis=1)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=1)
    own = np.fft.irfft(np.abs(np.fft.rfft(taper, size)) ** 2, size)
    first, last = RATE_HZ // HIGHEST_HZ, RATE_HZ // LOWEST_HZ
    energy = np.maximum(correlation[:, :1], LEAST_POWER)
    normal = correlation[:, : last + 2] / energy * (own[0] / own[: last + 2])
    lags = np.arange(first, last + 1)
    lag = first + np.argmax(normal[:, lags] - OCTAVE_COST * np.log2(lags), axis=1)
    rows = np.arange(len(windows))
    before, peak, after = (normal[rows, lag + step] for step in (-1, 0, 1))
    bend = before - 2.0 * peak + after
    shift = np.where(bend < 0, 0.5 * (before - after) / np.where(bend < 0, bend, 1.0), 0.0)
    found = RATE_HZ / (lag + np.clip(shift, -0.5, 0.5))
    return np.where((peak > LEAST_PEAK) & (power > LEAST_POWER), found, np.nan)


def _slope(values: FloatArray) -> float:
    """Fit a line to the known values of consecutive frames: change per s; 0 for under five."""
    known = np.isfinite(values)
    if known.sum() < 5:
        return 0.0
    time = np.flatnonzero(known) * HOP_S
    return float(np.polyfit(time, values[known], 1)[0])


def _pace(level: FloatArray) -> float:
    """Count the peaks of the smoothed level, per s: about its syllables."""
    smooth = np.convolve(level, np.ones(7) / 7, mode="valid")
    if len(smooth) < 3:
        return 0.0
    peaks = (smooth[1:-1] > smooth[:-2]) & (smooth[1:-1] >= smooth[2:])
    return float(peaks.sum() / (len(level) * HOP_S))
