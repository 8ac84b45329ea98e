"""From a made conversation to its sound: words spoken, fitted to their times and mixed.

Each word is spoken once per voice and rate, cut to its audible part and fitted to the very samples
that its times claim, so that an IPU starts and ends in audible speech::

    truth     |yeah|             |so I was|
    samples   |####|             |##|#|###|        to the sample, but for a fade of 3 ms
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tact import audio
from tact.audio import Samples
from tact.errors import InputError
from tact.keys import draw
from tact.simulate import espeak, mixing
from tact.simulate.talk import Talk, Word

LEVEL_DB = -26.0
FADE_MS = 3.0
FRAME_MS = 5
AUDIBLE_DB = -20.0
RATES_PER_MIN = (110, 150, 200, 270, 360)
MIDDLE_RATE = 200
BANK_WORDS = 4096
FEMALE = ("f1", "f4", "aunty", "linda", "steph")
MALE = ("m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8")
PITCHES = (40, 50, 60)
SAID = {"mm-hmm": "muh hum", "mhm": "muh hum", "uh-huh": "uh huh", "hmm": "hum", "hm": "hum",
        "mm": "um", "mmm": "um"}  # fmt: skip


@dataclass(frozen=True)
class Voice:
    """How a speaker sounds: espeak-ng voice, pitch 0 to 99, gain in dB over the common level."""

    name: str
    pitch: int
    gain_db: float


def voice_of(speaker: str, gender: str | None, seed: int) -> Voice:
    """Give a speaker a voice, the same in every conversation."""
    both = FEMALE + MALE
    variants = {"female": FEMALE, "male": MALE}.get(gender or "", both)
    return Voice(
        name="en-us+" + variants[int(draw(seed, "variant", speaker) * len(variants))],
        pitch=PITCHES[int(draw(seed, "pitch", speaker) * len(PITCHES))],
        gain_db=round(6.0 * draw(seed, "gain", speaker) - 3.0, 1),
    )


def render(
    talk: Talk,
    voices: Mapping[str, Voice],
    *,
    rate_hz: int,
    snr_db: float,
    bleed_db: float,
    seed: int,
) -> Samples:
    """Speak a conversation, one channel per speaker in the order of ``talk.speakers``.

    Parameters
    ----------
    talk : Talk
        Times in ms; punctuation and words without length are not spoken.
    voices : mapping
        Voice of each speaker.
    rate_hz : int
        Sample rate, Hz.
    snr_db : float
        Level of a channel's own voice over its noise, dB; ``inf`` for none.
    bleed_db : float
        Level of a neighbour's voice, dB of its own channel; ``-inf`` for none.
    seed : int
        Noise and delays are drawn from it and the conversation's id.

    Returns
    -------
    float32 array, (n_samples, channels)
        Inside full scale; n_samples covers ``talk.duration_ms``.
    """
    n_samples = _place(talk.duration_ms, rate_hz)
    clean = np.zeros((n_samples, len(talk.speakers)), dtype=np.float32)
    column = {speaker: index for index, speaker in enumerate(talk.speakers)}
    for utterance in talk.utterances:
        voice = voices[utterance.speaker]
        for word in utterance.words:
            start, stop = _place(word.start_ms, rate_hz), _place(word.end_ms, rate_hz)
            if not word.punctuation and start < min(stop, n_samples):
                spoken = say(word, voice, rate_hz=rate_hz)[: n_samples - start]
                clean[start : start + len(spoken), column[utterance.speaker]] += spoken
    key = (seed, talk.conversation)
    mixed = mixing.bleed(clean, rate_hz=rate_hz, level_db=bleed_db, key=key)
    for speaker, index in column.items():
        level_db = LEVEL_DB + voices[speaker].gain_db - snr_db
        mixed[:, index] += mixing.noise(
            n_samples, rate_hz=rate_hz, level_db=level_db, key=(*key, index)
        )
    return np.clip(mixed, -1.0, 1.0, out=mixed)


def say(word: Word, voice: Voice, *, rate_hz: int) -> Samples:
    """Speak one word so that it fills its own time to the sample.

    Of five speaking rates the one whose natural length is nearest is taken, and the rest of the
    way is resampling (up to a fifth in length and pitch, more for words that are very long or
    very short).

    Returns
    -------
    float32 array, (n,)
        n covers the word's start to end at ``rate_hz``; RMS at the common level plus the voice's
        gain.
    """
    n_samples = _place(word.end_ms, rate_hz) - _place(word.start_ms, rate_hz)
    duration_s = n_samples / rate_hz
    natural_s = len(_audible(word.text, voice.name, voice.pitch, MIDDLE_RATE)) / espeak.RATE_HZ
    wanted = MIDDLE_RATE * natural_s / duration_s
    nearest = min(RATES_PER_MIN, key=lambda rate: abs(np.log(rate / wanted)))
    fitted = audio.stretch(_audible(word.text, voice.name, voice.pitch, nearest), n_samples)
    fade = min(round(FADE_MS * rate_hz / 1000), n_samples // 2)
    ramp = (np.arange(fade, dtype=np.float32) + 1) / (fade + 1)
    fitted[:fade] *= ramp
    fitted[n_samples - fade :] *= ramp[::-1]
    loudness = float(np.sqrt(np.mean(fitted**2, dtype=np.float64)))
    fitted *= mixing.amplitude(LEVEL_DB + voice.gain_db) / max(loudness, 1e-9)
    return fitted


@lru_cache(maxsize=BANK_WORDS)
def _audible(text: str, voice: str, pitch: int, words_per_min: int) -> Samples:
    """Speak a text and cut it to where its level is within 20 dB of its loudest 5 ms."""
    said = SAID.get(text.lower(), text)
    spoken = espeak.speak(said, voice=voice, pitch=pitch, words_per_min=words_per_min)
    samples = spoken.astype(np.float32) / 32768.0
    n_frame = FRAME_MS * espeak.RATE_HZ // 1000
    frames = samples[: len(samples) // n_frame * n_frame].reshape(-1, n_frame)
    power = np.mean(frames**2, axis=1, dtype=np.float64)
    if not power.any():
        raise InputError(f"speech: espeak-ng says nothing for {text!r}; write a word with letters")
    loud = np.flatnonzero(power >= power.max() * 10 ** (AUDIBLE_DB / 10))
    return samples[loud[0] * n_frame : (loud[-1] + 1) * n_frame]


def _place(at_ms: int, rate_hz: int) -> int:
    """Find the sample that stands at a time; a time between two samples takes the earlier."""
    return at_ms * rate_hz // 1000
