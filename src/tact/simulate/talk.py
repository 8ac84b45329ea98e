"""What a made conversation is: who speaks when, which words, and what was drawn at each point."""

from dataclasses import dataclass
from typing import NamedTuple


class Word(NamedTuple):
    """A word with its times, ms on the conversation's clock; punctuation has no length."""

    text: str
    start_ms: int
    end_ms: int
    punctuation: bool = False


@dataclass(frozen=True)
class Utterance:
    """One IPU: a run of words of one speaker with no silence inside.

    ``intent`` is that of the candidate at its end; an IPU that was barged into has none.
    """

    speaker: str
    start_ms: int
    end_ms: int
    words: tuple[Word, ...]
    backchannel: bool = False
    intent: str | None = None


@dataclass(frozen=True)
class Candidate:
    """The truth of a decision point: the intent, and the response drawn from its law."""

    focal: str
    partner: str
    t0_ms: int
    intent: str
    response_ms: int | None
    kind: str | None = None


@dataclass(frozen=True)
class Talk:
    """A conversation: its native id, its speakers by channel, its speech and its truth."""

    conversation: str
    speakers: tuple[str, ...]
    duration_ms: int
    utterances: tuple[Utterance, ...]
    candidates: tuple[Candidate, ...]
