"""How loud a channel is: mean square of each 5 ms frame, the noise under it, the speech over it.

Of an hour these are 720,000 numbers, so they are kept in single precision, and what is made of them
on the way is made for some frames at a time.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tact.clock import Flags, FloatArray

Power = npt.NDArray[np.float32]

FRAME_MS = 5
LEAST_POWER = 1e-12
"""Mean square of silence, -120 dBFS: digital zeros have a level, too."""

SMOOTH_FRAMES = 5
NOISE_QUANTILE = 0.25
SPEECH_QUANTILE = 0.75
SNR_CEILING_DB = 80.0

GATE_FRAMES = 16
GATE_STEADY_DB = 2.0
GATE_SPREAD_DB = 5.0
GATE_OVER_DB = 6.0
GATE_UNDER_DB = 10.0
GATE_FLOOR_DB = 6.0
GATE_FLOOR_SHARE = 0.012
GATE_SPANS = 10
PART_FRAMES = 12_000


def smooth(power: Power, frames: slice) -> FloatArray:
    """Average power over 25 ms, in some frames, (n,); beyond its end there is none."""
    half = SMOOTH_FRAMES // 2
    first, last = frames.start - half, frames.stop + half
    own = power[max(first, 0) : last].astype(np.float64)
    before = max(-first, 0)
    around = np.pad(own, (before, last - first - before - len(own)))
    return np.convolve(around, np.full(SMOOTH_FRAMES, 1.0 / SMOOTH_FRAMES), mode="valid")


def decibel(power: "Power | FloatArray | float") -> FloatArray:
    """Turn power into dB of full scale, -120 at least."""
    level: FloatArray = 10.0 * np.log10(np.maximum(power, LEAST_POWER))
    return level


def ratio(level_db: float) -> float:
    """Turn dB into a ratio of powers."""
    return float(10.0 ** (level_db / 10.0))


def inside(spans: FloatArray, n_frames: int) -> Flags:
    """Mark the frames that a span touches, (n_frames,)."""
    flags = np.zeros(n_frames, dtype=np.bool_)
    for frames in frames_of(spans):
        flags[frames] = True
    return flags


def frames_of(spans: FloatArray) -> list[slice]:
    """Give the frames that each span touches, spans in ms."""
    return [slice(int(start // FRAME_MS), int(-(-end // FRAME_MS))) for start, end in spans]


def noise_power(power: Power, speech: Flags) -> float:
    """Estimate the noise: the lower quartile of the frames that hold no speech.

    A quartile, since a neighbour's voice or a breath may be in the louder half. Where all frames
    are speech it is the lower quartile of all.
    """
    silent = power[~speech] if not speech.all() else power.copy()
    if not len(silent):
        return 0.0
    return float(np.quantile(silent, NOISE_QUANTILE, overwrite_input=True))


def gated_noise(power: Power, spans: FloatArray, noise: float) -> float | None:
    r"""Find the noise that a gate lets through beside speech, if there is a gate.

    A gate, or a suppressor of noise, shuts where nobody speaks and opens around speech. What a
    detector takes for speech then begins and ends in noise that is not there between::

        level                _____                __
                         ___/     \___         ___/  \___
                        |             \       |          |
        noise    _______|              \______|          |______
        span            |--------------|      |----------|

    There is a gate if most spans have such noise, if it is alike and if there is nothing under it:

    - the softest 80 ms that neither rise nor fall by 2 dB are, in half of the spans (the shortest
      half, or shorth), within 5 dB of one another, 6 dB above the noise between and 10 below the
      speech. Behind gates that half was found to be .3 to 1.3 dB wide, 4.6 where the noise itself
      wanders by 6 dB, and of speech without one 4.4 dB and more;
    - of the frames within spans at most 1.2 % are 6 dB softer than it. Noise is under all of the
      speech: behind gates at most 1.1 % were. A soft sound held at the end of all words is as alike
      as noise, but 1.8 % and more of a voice are softer.

    Parameters
    ----------
    power : float32 array, (n_frames,)
    spans : float64 array, (n_spans, 2)
        Of speech, ms.
    noise : float
        Power of the noise between.

    Returns
    -------
    float or None
        Power of the noise beside speech; None without a gate, or with too little speech to tell.
    """
    least = ratio(GATE_OVER_DB) * max(noise, LEAST_POWER)
    parts = [power[frames] for frames in frames_of(spans)]
    parts = [part for part in parts if len(part) >= GATE_FRAMES]
    softest = [one for one in (_softest(part, least) for part in parts) if one is not None]
    n_half = -(-len(parts) // 2)
    if len(parts) < GATE_SPANS or len(softest) < n_half:
        return None
    level = np.sort(decibel(np.array(softest)))
    width = level[n_half - 1 :] - level[: len(level) - n_half + 1]
    first = int(np.argmin(width))
    middle = float(np.median(level[first : first + n_half]))
    speech = float(np.quantile(np.concatenate(parts), SPEECH_QUANTILE))
    gated = (
        width[first] <= GATE_SPREAD_DB
        and middle <= decibel(speech) - GATE_UNDER_DB
        and _under(parts, ratio(middle - GATE_FLOOR_DB)) <= GATE_FLOOR_SHARE
    )
    return ratio(middle) if gated else None


def _softest(power: Power, least: float) -> float | None:
    """Give the mean of the softest steady 80 ms in which no frame is below ``least``, if any."""
    softest = []
    for first in range(0, len(power) - GATE_FRAMES + 1, PART_FRAMES):
        part = power[first : first + PART_FRAMES + GATE_FRAMES - 1]
        windows = np.lib.stride_tricks.sliding_window_view(part, GATE_FRAMES)
        windows = windows[windows.min(axis=1) > least]
        halves = decibel(windows.reshape(-1, 2, GATE_FRAMES // 2).mean(axis=2))
        steady = np.abs(halves[:, 1] - halves[:, 0]) <= GATE_STEADY_DB
        softest += windows[steady].mean(axis=1).tolist()
    return min(softest, default=None)


def _under(parts: Sequence[Power], floor: float) -> float:
    """Tell what share of frames is softer than a floor, each part's ends up to the floor aside."""
    n_under = n_frames = 0
    for part in parts:
        over = np.flatnonzero(part >= floor)
        if len(over):
            n_frames += over[-1] + 1 - over[0]
            n_under += over[-1] + 1 - over[0] - len(over)
    return n_under / max(n_frames, 1)


def snr_db(power: Power, speech: Flags, noise: float) -> float:
    """Tell how much louder a channel's speech is than its noise, dB, 0 to 80; no speech is 0."""
    if not speech.any():
        return 0.0
    over = max(float(power[speech].mean(dtype=np.float64)) - noise, LEAST_POWER)
    return float(np.clip(10.0 * np.log10(over / max(noise, LEAST_POWER)), 0.0, SNR_CEILING_DB))
