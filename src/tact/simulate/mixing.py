"""What a room and a recorder do to clean speech: noise, bleed, gated channels, drifting clocks.

Arrays are float32, (n,) for one channel or (n, channels); full scale is 1.
"""

from collections.abc import Sequence

import numpy as np

from tact.audio import Samples
from tact.clock import Interval
from tact.keys import generator

NOISE_POLE_HZ = 500.0
BLEED_DELAY_MS = (2.0, 12.0)


def amplitude(level_db: float) -> float:
    """Turn a level in dB into a factor on samples."""
    return float(10.0 ** (level_db / 20.0))


def noise(n_samples: int, *, rate_hz: int, level_db: float, key: Sequence[object]) -> Samples:
    """Make room noise: white noise through one pole at 500 Hz, so that it lies where speech does.

    Parameters
    ----------
    level_db : float
        RMS level, dB of full scale.
    key : sequence
        What the noise is drawn from: the same key gives the same samples.
    """
    # It loads half of scipy, and commands that make no sound load this module.
    from scipy.signal import lfilter

    white = generator("noise", *key).standard_normal(n_samples, dtype=np.float32)
    pole = float(np.exp(-2.0 * np.pi * NOISE_POLE_HZ / rate_hz))
    # A unit white input leaves one pole with variance 1 / (1 - pole^2).
    gain = amplitude(level_db) * np.sqrt(1.0 - pole**2)
    shaped = lfilter(np.array([gain], np.float32), np.array([1.0, -pole], np.float32), white)
    return np.asarray(shaped, dtype=np.float32)


def bleed(clean: Samples, *, rate_hz: int, level_db: float, key: Sequence[object]) -> Samples:
    """Let each channel hear the others, softer and 2 to 12 ms later.

    Parameters
    ----------
    clean : float32 array, (n, channels)
        One speaker per channel.
    level_db : float
        A neighbour's voice in a channel, dB of its level in its own.

    Returns
    -------
    float32 array, (n, channels)
        A new array; the delay of each pair of channels is drawn from ``key``.
    """
    heard = clean.copy()
    n_samples, n_channels = clean.shape
    low, high = BLEED_DELAY_MS
    for into in range(n_channels):
        for of in set(range(n_channels)) - {into}:
            delay_ms = generator("bleed", *key, into, of).uniform(low, high)
            lag = min(round(delay_ms * rate_hz / 1000), n_samples)
            heard[lag:, into] += amplitude(level_db) * clean[: n_samples - lag, of]
    return heard


def gate(channel: Samples, speech: Sequence[Interval], *, rate_hz: int, margin_ms: int) -> Samples:
    """Set a channel to digital zero outside its speech, as a denoiser does.

    Parameters
    ----------
    channel : float32 array, (n,)
    speech : sequence of (start_ms, end_ms)
        Speech to keep, each stretch with ``margin_ms`` on either side.
    """
    gated = np.zeros_like(channel)
    for start_ms, end_ms in speech:
        start = max(0, (start_ms - margin_ms) * rate_hz // 1000)
        stop = (end_ms + margin_ms) * rate_hz // 1000
        gated[start:stop] = channel[start:stop]
    return gated


def drift(channel: Samples, *, parts_per_million: float) -> Samples:
    """Play a channel against a clock that is fast by ``parts_per_million``: it comes out longer."""
    n_samples = round(len(channel) * (1.0 + parts_per_million * 1e-6))
    places = np.arange(n_samples) / (1.0 + parts_per_million * 1e-6)
    drifted = np.interp(places, np.arange(len(channel)), channel)
    return np.asarray(drifted, dtype=np.float32)
