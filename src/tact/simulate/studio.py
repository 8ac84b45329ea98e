"""What a layout needs to make a corpus: people with habits, talk between them, and its sound."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import cycle

from tact.audio import Samples
from tact.laws import Law
from tact.settings import SimulatedCorpus
from tact.simulate import speech
from tact.simulate.cast import Meeting
from tact.simulate.converse import HORIZON_MS, TAIL_MS, Manner, Scene, converse, stretch
from tact.simulate.dice import Dice
from tact.simulate.habits import Habits, habits_of
from tact.simulate.talk import Talk

STRETCH_MS = (50_000, 110_000)
SPREAD = 0.15
PAIRS = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))
"""Who talks in turn in a meeting of four: everyone after two stretches. The first of a pair was
not in the pair before, so that their first IPU makes three voices in the context: it is left out
whether or not anyone answers."""


@dataclass
class Studio:
    """One corpus in the making; its people are drawn when they first appear."""

    corpus: str
    size: SimulatedCorpus
    laws: Mapping[str, Law]
    intents: Mapping[str, float]
    seed: int
    words_only: bool
    snr_db: float
    bleed_db: float
    people: dict[str, Habits] = field(default_factory=dict)

    def person(self, speaker: str, *, gender: str | None = None) -> Habits:
        """Give the person of an id, the same each time; ``gender`` where the id tells it."""
        if speaker not in self.people:
            self.people[speaker] = habits_of(
                speaker, corpus=self.corpus, laws=self.laws, seed=self.seed, gender=gender
            )
        return self.people[speaker]

    def dyad(self, conversation: str, speakers: tuple[str, ...]) -> Talk:
        """Let two people talk for about the length of the corpus's conversations."""
        dice = Dice(self.seed, "talk", self.corpus, conversation)
        scene = Scene(dice, Manner(self.intents, self.size.interruptions))
        first, second = (self.person(speaker) for speaker in speakers)
        if dice.uniform() < 0.5:
            first, second = second, first
        start_ms = dice.between(500, 1_500)
        converse(scene, first, second, start_ms=start_ms, until_ms=self._length_ms(dice))
        return scene.talk(conversation, speakers, tail_ms=TAIL_MS)

    def group(self, conversation: str, speakers: tuple[str, ...]) -> Talk:
        """Let four people talk, two at a time; pairs change after a minute or so.

        A new pair starts after the horizon of the last point of the pair before.
        """
        dice = Dice(self.seed, "talk", self.corpus, conversation)
        scene = Scene(dice, Manner(self.intents, self.size.interruptions))
        at_ms, end_ms = dice.between(500, 1_500), self._length_ms(dice)
        for one, other in cycle(PAIRS):
            if at_ms >= end_ms:
                break
            first, second = speakers[one], speakers[other]
            until_ms = min(at_ms + dice.between(*STRETCH_MS), end_ms)
            last_ms = stretch(
                scene,
                self.person(first),
                self.person(second),
                start_ms=at_ms,
                until_ms=until_ms,
            )
            at_ms = last_ms + HORIZON_MS + dice.between(100, 2_000)
        return scene.talk(conversation, speakers, tail_ms=HORIZON_MS + TAIL_MS)

    def sound(self, talk: Talk, rate_hz: int) -> Samples:
        """Speak a conversation, float32, (n, channels), one speaker per channel."""
        voices = {
            speaker: speech.voice_of(speaker, self.person(speaker).gender, self.seed)
            for speaker in talk.speakers
        }
        return speech.render(
            talk,
            voices,
            rate_hz=rate_hz,
            snr_db=self.snr_db,
            bleed_db=self.bleed_db,
            seed=self.seed,
        )

    def _length_ms(self, dice: Dice) -> int:
        return 10 * round(6_000 * self.size.minutes * (1 + SPREAD * (2 * dice.uniform() - 1)))


def names(meeting: Meeting, ids: list[str]) -> tuple[str, ...]:
    """Give the ids of the people of a meeting."""
    return tuple(ids[person] for person in meeting.people)
