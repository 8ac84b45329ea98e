"""From a made conversation to its sound: words spoken, fitted to their times and mixed.

Each word is spoken once per voice and rate, cut to its audible part and fitted to the very samples
that its times claim, so that an IPU starts and ends in audible speech::

    truth     |yeah|             |so I was|
    samples   |####|             |##|#|###|        to the sample, but for a fade of 3 ms
    natural  .|####|..          .|##|#|###|..      onset and release lie outside

Words said naturally are for measuring detectors, whose errors hard edges would flatter. Their times
are then those of audible speech, the 30 dB below the loudest that speech is heard in (ANSI S3.5,
Speech Intelligibility Index, 1997).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

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
CUT_DB = -20.0
AUDIBLE_DB = -30.0
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
    natural: bool = False,
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
    natural : bool
        Words keep their onset and release, outside their times; else they are cut.

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
                spoken, n_onset = say(word, voice, rate_hz=rate_hz, natural=natural)
                begin = max(0, start - n_onset)
                spoken = spoken[begin - start + n_onset :][: n_samples - begin]
                clean[begin : begin + len(spoken), column[utterance.speaker]] += spoken
    key = (seed, talk.conversation)
    mixed = mixing.bleed(clean, rate_hz=rate_hz, level_db=bleed_db, key=key)
    for speaker, index in column.items():
        level_db = LEVEL_DB + voices[speaker].gain_db - snr_db
        mixed[:, index] += mixing.noise(
            n_samples, rate_hz=rate_hz, level_db=level_db, key=(*key, index)
        )
    return np.clip(mixed, -1.0, 1.0, out=mixed)


def say(word: Word, voice: Voice, *, rate_hz: int, natural: bool = False) -> tuple[Samples, int]:
    """Speak one word so that it fills its own time to the sample.

    Of five speaking rates the one whose natural length is nearest is taken, and the rest of the
    way is resampling (up to a fifth in length and pitch, more for words that are very long or
    very short).

    Parameters
    ----------
    natural : bool
        Its audible part fills the time, with its onset before and its release after it; else what
        is 20 dB below the loudest is cut off.

    Returns
    -------
    float32 array, (n,)
        Over the word's own time the RMS is the common level plus the voice's gain.
    int
        How many samples lie before the word's start; without ``natural`` none, and n covers the
        time to the sample.
    """
    n_samples = _place(word.end_ms, rate_hz) - _place(word.start_ms, rate_hz)
    limit_db = AUDIBLE_DB if natural else CUT_DB
    middle = _speak(word.text, voice.name, voice.pitch, MIDDLE_RATE, limit_db)
    wanted = MIDDLE_RATE * middle.n_audible / espeak.RATE_HZ / (n_samples / rate_hz)
    nearest = min(RATES_PER_MIN, key=lambda rate: abs(np.log(rate / wanted)))
    spoken = _speak(word.text, voice.name, voice.pitch, nearest, limit_db)
    if natural:
        ratio = n_samples / spoken.n_audible
        fitted = audio.stretch(spoken.samples, round(ratio * len(spoken.samples)))
        n_onset = round(ratio * spoken.first)
    else:
        fitted, n_onset = audio.stretch(spoken.audible, n_samples), 0
        _fade(fitted, rate_hz)
    own = fitted[n_onset : n_onset + n_samples]
    loudness = float(np.sqrt(np.mean(own**2, dtype=np.float64)))
    fitted *= mixing.amplitude(LEVEL_DB + voice.gain_db) / max(loudness, 1e-9)
    return fitted, n_onset


class _Spoken(NamedTuple):
    """A word as it is said, with what is around it, and its audible part [first, last)."""

    samples: Samples
    first: int
    last: int

    @property
    def n_audible(self) -> int:
        return self.last - self.first

    @property
    def audible(self) -> Samples:
        return self.samples[self.first : self.last]


@lru_cache(maxsize=BANK_WORDS)
def _speak(text: str, voice: str, pitch: int, words_per_min: int, limit_db: float) -> _Spoken:
    """Speak a text; audible are the 5 ms from the first to the last within a limit of the loudest.

    What is around it reaches as far as espeak-ng makes any sound.
    """
    said = SAID.get(text.lower(), text)
    spoken = espeak.speak(said, voice=voice, pitch=pitch, words_per_min=words_per_min)
    samples = spoken.astype(np.float32) / 32768.0
    n_frame = FRAME_MS * espeak.RATE_HZ // 1000
    frames = samples[: len(samples) // n_frame * n_frame].reshape(-1, n_frame)
    power = np.mean(frames**2, axis=1, dtype=np.float64)
    if not power.any():
        raise InputError(f"speech: espeak-ng says nothing for {text!r}; write a word with letters")
    any_sound = np.flatnonzero(power)
    loud = np.flatnonzero(power >= power.max() * 10 ** (limit_db / 10))
    begin, end = any_sound[0] * n_frame, (any_sound[-1] + 1) * n_frame
    first, last = loud[0] * n_frame - begin, (loud[-1] + 1) * n_frame - begin
    return _Spoken(samples[begin:end], int(first), int(last))


def _fade(samples: Samples, rate_hz: int) -> None:
    """Fade the first and last ms in and out, in place."""
    fade = min(round(FADE_MS * rate_hz / 1000), len(samples) // 2)
    ramp = (np.arange(fade, dtype=np.float32) + 1) / (fade + 1)
    samples[:fade] *= ramp
    samples[len(samples) - fade :] *= ramp[::-1]


def _place(at_ms: int, rate_hz: int) -> int:
    """Find the sample that stands at a time; a time between two samples takes the earlier."""
    return at_ms * rate_hz // 1000
