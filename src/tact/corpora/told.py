"""What an adapter tells of a conversation: channels, people and acts, as the corpus has them.

Ids are without the corpus prefix; times are ms on the conversation's clock.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tact.audio import COUNT_MAX
from tact.corpora.places import Item, seconds
from tact.corpora.raw import Sound


class Length(NamedTuple):
    """A length that a corpus states of a recording, ms, and the unit that it is stated in, ms.

    The unit is that of the last digit that is not 0, whole seconds at most, since nobody tells how
    a number was rounded: 1080.0 s may be anything from 1079 to 1081 s, and 1079.53 s is known to 10
    ms. A count of samples, or a number with over three decimals, is exact.
    """

    ms: float
    unit_ms: int

    @classmethod
    def of_seconds(cls, value: object) -> "tuple[Length, ...]":
        """Take a length in s, a number or its text; nothing where it is none, or not over 0."""
        length_s = seconds(value)
        if length_s is None or length_s <= 0:
            return ()
        micros = round(1e6 * length_s)
        unit_ms = next((unit for unit in (1000, 100, 10, 1) if micros % (1000 * unit) == 0), 0)
        return (cls(1000 * length_s, unit_ms),)

    @classmethod
    def of_samples(cls, n_samples: object, sample_rate_hz: object) -> "tuple[Length, ...]":
        """Take a count of samples at a rate, Hz; nothing where one is missing, or not over 0."""
        counts = (n_samples, sample_rate_hz)
        if not all(type(count) is int and 0 < count < COUNT_MAX for count in counts):
            return ()
        return (cls(1000 * int(str(n_samples)) / int(str(sample_rate_hz)), 0),)


@dataclass(frozen=True)
class Channel:
    """One speaker in one conversation: where heard, what said, in which file that is written.

    ``stated`` is what the corpus says of the length of ``sound``, apart from the file's header.
    ``mixed``: all speakers are on the one channel of it, and ``number`` only orders them.
    """

    number: int
    speaker: str
    items: Iterable[Item]
    source: str
    sound: Sound | None = None
    annotation_path: str | None = None
    annotation_sha256: str | None = None
    stated: tuple[Length, ...] = ()
    mixed: bool = False


@dataclass(frozen=True)
class Conversation:
    """One conversation as a corpus holds it; ids without the corpus prefix, times in ms.

    ``duration_ms`` is the annotation's, used where there is no audio. ``split_group`` is null for
    a dyad, whose group is its two people.
    """

    name: str
    channels: tuple[Channel, ...]
    duration_ms: int = 0
    split_group: str | None = None
    release: str | None = None


class Person(NamedTuple):
    """What a corpus states of a speaker, and where; None where it states nothing."""

    gender: str | None = None
    age: str | None = None
    first_language: str | None = None
    region: str | None = None
    gender_source: str | None = None
    age_source: str | None = None
    first_language_source: str | None = None
    region_source: str | None = None

    @classmethod
    def by(
        cls,
        source: str,
        *,
        gender: str | None = None,
        age: str | None = None,
        first_language: str | None = None,
        region: str | None = None,
    ) -> "Person":
        """Note what one source states; what it does not state has no source."""
        stated = (gender, age, first_language, region)
        return cls(*stated, *(value and source for value in stated))


class Act(NamedTuple):
    """One dialogue act of a speaker, ms."""

    speaker: str
    name: str
    start_ms: int
    end_ms: int
    act: str
    answers: bool


def age_band(years: float | None) -> str | None:
    """Give the decade of an age, such as ``30-39``; None where it makes no sense."""
    if years is None or not 0 <= years < 120:
        return None
    decade = int(years) // 10 * 10
    return f"{decade}-{decade + 9}"


def gender(stated: str) -> str | None:
    """Map what a corpus states to the vocabulary; what is not stated is None."""
    word = stated.strip().lower()
    if word in ("f", "female", "woman"):
        return "female"
    if word in ("m", "male", "man"):
        return "male"
    return "other" if word in ("other", "non-binary", "nonbinary", "x") else None
