"""How loud a channel is: mean square of each 5 ms frame, the noise under it, the speech over it."""

import numpy as np
from scipy.ndimage import uniform_filter1d

from tact.clock import Flags, FloatArray

FRAME_MS = 5
LEAST_POWER = 1e-12
"""Mean square of silence, -120 dBFS: digital zeros have a level, too."""

SMOOTH_FRAMES = 5
NOISE_QUANTILE = 0.25
SNR_CEILING_DB = 80.0


def smooth(power: FloatArray) -> FloatArray:
    """Average power over 25 ms."""
    return np.asarray(uniform_filter1d(power, SMOOTH_FRAMES, mode="constant"))


def decibel(power: "FloatArray | float") -> FloatArray:
    """Turn power into dB of full scale, -120 at least."""
    level = np.asarray(np.maximum(power, LEAST_POWER))
    # In place: a long recording has millions of frames.
    np.log10(level, out=level)
    level *= 10.0
    return level


def inside(spans: FloatArray, n_frames: int) -> Flags:
    """Mark the frames that a span touches, (n_frames,)."""
    flags = np.zeros(n_frames, dtype=np.bool_)
    for frames in frames_of(spans):
        flags[frames] = True
    return flags


def frames_of(spans: FloatArray) -> list[slice]:
    """Give the frames that each span touches, spans in ms."""
    return [slice(int(start // FRAME_MS), int(-(-end // FRAME_MS))) for start, end in spans]


def noise_power(power: FloatArray, speech: Flags) -> float:
    """Estimate the noise: the lower quartile of the frames that hold no speech.

    A quartile, since a neighbour's voice or a breath may be in the louder half. Where all frames
    are speech it is the lower quartile of all.
    """
    silent = power[~speech] if not speech.all() else power
    return float(np.quantile(silent, NOISE_QUANTILE)) if len(silent) else 0.0


def snr_db(power: FloatArray, speech: Flags, noise: float) -> float:
    """Tell how much louder a channel's speech is than its noise, dB, 0 to 80; no speech is 0."""
    if not speech.any():
        return 0.0
    over = max(float(power[speech].mean()) - noise, LEAST_POWER)
    return float(np.clip(10.0 * np.log10(over / max(noise, LEAST_POWER)), 0.0, SNR_CEILING_DB))
