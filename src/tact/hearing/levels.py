"""How loud a channel is: mean square of each 5 ms frame, the noise under it, the speech over it.

Of an hour these are 720,000 numbers, so they are kept in single precision, and what is made of them
on the way is made for some frames at a time.
"""

import numpy as np
import numpy.typing as npt

from tact.clock import Flags, FloatArray, IntArray

Power = npt.NDArray[np.float32]

FRAME_MS = 5
LEAST_POWER = 1e-12
"""Mean square of silence, -120 dBFS: digital zeros have a level, too."""

SMOOTH_FRAMES = 5
NOISE_QUANTILE = 0.25
SPEECH_QUANTILE = 0.75
SNR_CEILING_DB = 80.0

GATE_OVER_DB = 6.0
GATE_UNDER_DB = 6.0
GATE_LOUD_DB = 10.0
GATE_WIDE_DB = 4.0
GATE_STEP_DB = 0.5
GATE_SHARE = 0.01
GATE_SOFTER = 0.3
GATE_SPEECH_MS = 10_000


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

    Between the first and the last loud frame of a span the gate is open, and noise is a floor:
    where a voice pauses, the level falls to it and no further. A voice alone has no floor, only
    soft sounds and softer ones. So there is a gate if somewhere 4 dB of level hold at least 1 % of
    these frames and at most .3 times as many are softer, 6 dB above the noise between and below
    the speech. Of made talks behind gates (open 20 to 400 ms beside speech, shut at once or faded
    out, noise 12 to 30 dB under speech, steady or wandering by 6 dB) at most .24 times as many
    were, mostly none; without a gate .59 and more, of real clips .5 and more. The floor is where
    the 4 dB hold the most, less what is softer; the noise is the lower quartile in it, as it is of
    frames between.

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
        Power of the noise beside speech; None without a gate, or in less than 10 s of speech, in
        which few words, said again and again, may hold a level as noise does.
    """
    parts = [power[frames] for frames in frames_of(spans)]
    if not parts:
        return None
    speech = float(np.quantile(np.concatenate(parts), SPEECH_QUANTILE))
    open_frames = np.concatenate([_amid(part, speech * ratio(-GATE_LOUD_DB)) for part in parts])
    if len(open_frames) * FRAME_MS < GATE_SPEECH_MS:
        return None
    open_frames.sort()
    noise_db, speech_db = float(decibel(noise)), float(decibel(speech))
    levels_db = np.arange(noise_db - GATE_WIDE_DB, speech_db, GATE_STEP_DB)
    softer = _count_softer(open_frames, levels_db)
    within = _count_softer(open_frames, levels_db + GATE_WIDE_DB) - softer
    clear = np.where(within >= GATE_SHARE * len(open_frames), within - softer / GATE_SOFTER, -1.0)
    if not (clear >= 0.0).any():
        return None
    at = int(np.argmax(clear))
    floor = float(open_frames[softer[at] + int(NOISE_QUANTILE * within[at])])
    gated = noise_db + GATE_OVER_DB <= decibel(floor) <= speech_db - GATE_UNDER_DB
    return floor if gated else None


def _amid(power: Power, loud: float) -> Power:
    """Give the frames from the first to the last that is as loud."""
    at = np.flatnonzero(power >= loud)
    return power[at[0] : at[-1] + 1] if len(at) else power[:0]


def _count_softer(rising: Power, levels_db: FloatArray) -> IntArray:
    return np.searchsorted(rising, (10.0 ** (levels_db / 10.0)).astype(np.float32))


def snr_db(power: Power, speech: Flags, noise: float) -> float:
    """Tell how much louder a channel's speech is than its noise, dB, 0 to 80; no speech is 0."""
    if not speech.any():
        return 0.0
    over = max(float(power[speech].mean(dtype=np.float64)) - noise, LEAST_POWER)
    return float(np.clip(10.0 * np.log10(over / max(noise, LEAST_POWER)), 0.0, SNR_CEILING_DB))
