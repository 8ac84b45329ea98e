"""Speech whose every edge is known, at many levels of noise, to measure detectors on.

Two people take short turns: sentences of two to eight words and backchannels of 150 to 400 ms,
silences from .3 to 2 s between them, a fifth of the onsets before the other's end. Words are of a
small vocabulary with stops, fricatives, nasals and vowels at their ends, in all voices of the cast,
and fade in and out as they are said (`tact.simulate.speech`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tact.audio import Samples
from tact.simulate import speech
from tact.simulate.dice import Dice
from tact.simulate.talk import Talk, Utterance, Word

WORDS = (
    "about", "and", "because", "fish", "five", "garden", "happy", "holiday", "house", "if", "just",
    "like", "maybe", "meeting", "money", "never", "people", "rather", "school", "six", "so",
    "strange", "thanks", "them", "they", "think", "thought", "through", "town", "was", "yesterday",
)  # fmt: skip
BACKCHANNELS = ("mm-hmm", "yeah", "uh-huh", "right", "okay", "sure")
SPEAKERS = ("A", "B")
BACKCHANNEL_SHARE = 0.3
SILENCES_MS = (-300, 300, 700, 1_200, 2_000)
OWN_SILENCE_MS = 400
BACKCHANNEL_MS = (150, 400)
WORD_MS = (180, 450)
TAIL_MS = 1_000


@dataclass(frozen=True)
class Check:
    """One conversation of a sound check: its speech, and its sound, (n_samples, 2)."""

    talk: Talk
    sound: Samples


def checks(
    snrs_db: Sequence[float], *, rate_hz: int, bleed_db: float, n_utterances: int, seed: int
) -> Iterator[Check]:
    """Make one conversation at each SNR.

    Parameters
    ----------
    snrs_db : sequence of float
        Level of a channel's own voice over its noise, dB; ``inf`` for none.
    rate_hz : int
        Sample rate, Hz.
    bleed_db : float
        Level of a neighbour's voice, dB of its own channel; ``-inf`` for none.
    n_utterances : int
        In each conversation.
    """
    for index, snr_db in enumerate(snrs_db):
        talk = converse(f"check-{index}", n_utterances=n_utterances, seed=seed)
        voices = {
            speaker: speech.voice_of(f"{talk.conversation}-{speaker}", None, seed)
            for speaker in talk.speakers
        }
        sound = speech.render(
            talk,
            voices,
            rate_hz=rate_hz,
            snr_db=snr_db,
            bleed_db=bleed_db,
            seed=seed,
            natural=True,
        )
        yield Check(talk, sound)


def converse(name: str, *, n_utterances: int, seed: int) -> Talk:
    """Let two people speak in turn."""
    dice = Dice(seed, "soundcheck", name)
    utterances: list[Utterance] = []
    ends = dict.fromkeys(SPEAKERS, 0)
    now = TAIL_MS
    for turn in range(n_utterances):
        speaker = SPEAKERS[turn % 2]
        start = max(now, ends[speaker] + OWN_SILENCE_MS)
        short = dice.uniform() < BACKCHANNEL_SHARE
        words = _backchannel(dice, start) if short else _sentence(dice, start)
        ends[speaker] = words[-1].end_ms
        utterances.append(Utterance(speaker, start, ends[speaker], words, backchannel=short))
        now = ends[speaker] + dice.pick(SILENCES_MS)
    return Talk(name, SPEAKERS, max(ends.values()) + TAIL_MS, tuple(utterances), ())


def _backchannel(dice: Dice, start: int) -> tuple[Word, ...]:
    return (Word(dice.pick(BACKCHANNELS), start, start + dice.between(*BACKCHANNEL_MS)),)


def _sentence(dice: Dice, start: int) -> tuple[Word, ...]:
    words = []
    for _ in range(2 + int(7 * dice.uniform())):
        end = start + dice.between(*WORD_MS)
        words.append(Word(dice.pick(WORDS), start, end))
        start = end
    return tuple(words)
