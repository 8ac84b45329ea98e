"""What an adapter gathers: conversations and people in, the five tables out, faults on the way."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import pandas as pd

from tact import frames
from tact.audio import COUNT_MAX
from tact.corpora.places import Fault, Item, Placed, place, seconds
from tact.corpora.raw import Sound, clean
from tact.corpora.reasons import Reason
from tact.settings import Corpus

STAGE = "ingest"
CHANNELS_MAX = 1024
ROWS_PER_PIECE = 200_000
UNEVEN_MS = 1000
"""Files of one conversation whose lengths differ by more get a row."""


@dataclass(frozen=True)
class Tables:
    """The five tables of one corpus."""

    recordings: pd.DataFrame
    speakers: pd.DataFrame
    words: pd.DataFrame
    acts: pd.DataFrame
    quarantine: pd.DataFrame


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


@dataclass
class Ledger:
    """Gathers one corpus; the order in which things come in leaves no trace in the tables."""

    corpus: str
    settings: Corpus
    _recordings: list[dict[str, object]] = field(default_factory=list)
    _people: dict[str, Person] = field(default_factory=dict)
    _words: list[tuple[object, ...]] = field(default_factory=list)
    _pieces: list[pd.DataFrame] = field(default_factory=list)
    _acts: dict[tuple[str, str, str], tuple[object, ...]] = field(default_factory=dict)
    _faults: dict[Fault, None] = field(default_factory=dict)
    _names: set[str] = field(default_factory=set)

    def id(self, name: str) -> str:
        """Give a native id the corpus prefix."""
        return f"{self.corpus}:{name}"

    def leave_out(self, item: str, reason: Reason, detail: object) -> None:
        """Write one quarantine row."""
        fault = Fault(clean(item) or "unnamed", reason, clean(detail) or "nothing there")
        self._faults[fault] = None

    def describe(self, speaker: str, person: Person) -> None:
        """Say who a speaker is; a later statement fills what earlier ones left open."""
        known = self._people.get(speaker, Person())
        if known.gender and person.gender and known.gender != person.gender:
            detail = f"gender {known.gender}, then {person.gender}; the first is kept"
            self.leave_out(self.id(speaker), Reason.DEMOGRAPHICS, detail)
        filled = (new if old is None else old for old, new in zip(known, person, strict=True))
        self._people[speaker] = Person(*filled)

    def add(self, conversation: Conversation) -> bool:
        """Take in a conversation, or leave it out whole with its reason; tells which it was."""
        if (wrong := self._unfit(conversation)) is not None:
            self.leave_out(self.id(conversation.name), *wrong)
            return False
        self._names.add(conversation.name)
        ends = [channel.sound.duration_ms for channel in conversation.channels if channel.sound]
        last = conversation.duration_ms
        for channel in conversation.channels:
            placed, faults = place(channel.items, limit_ms=min(ends, default=None))
            for fault in faults:
                self.leave_out(*fault)
            last = max([last, *(word.end_ms for word in placed)])
            self._write(conversation.name, channel, placed)
        if ends and max(ends) - min(ends) > UNEVEN_MS:
            self._note_lengths(conversation)
        self._record(conversation, last)
        return True

    def act(self, conversation: str, act: Act) -> None:
        """Take in a dialogue act; the second of two with one id is left out."""
        names = (self.id(conversation), self.id(act.speaker), act.name)
        if names in self._acts:
            self.leave_out(act.name, Reason.UNPLACED_ACT, "a second act of this id")
            return
        self._acts[names] = (*names, *act[2:])

    def tables(self) -> Tables:
        """Give what was gathered, checked against the contracts.

        Of conversations that share the bytes of a sound, the first by its id is kept.
        """
        self._flush()
        copies = self._copies()
        recordings = [row for row in self._recordings if row["conversation"] not in copies]
        self._note_silence(recordings)
        present = dict.fromkeys(row["speaker"] for row in recordings)
        people = {self.id(name): person for name, person in self._people.items()}
        speakers = [(self.corpus, name, *people.get(str(name), Person())) for name in present]
        faults = ((self.corpus, item, STAGE, *why) for item, *why in self._faults)
        pieces = [piece[~piece["conversation"].isin(copies)] for piece in self._pieces]
        acts = [act for act in self._acts.values() if act[0] not in copies]
        return Tables(
            recordings=frames.frame(recordings, "recordings"),
            speakers=frames.frame(speakers, "speakers"),
            words=pd.concat(pieces or [frames.empty("words")], ignore_index=True),
            acts=frames.frame(acts, "acts"),
            quarantine=frames.frame(faults, "quarantine"),
        )

    def _copies(self) -> set[str]:
        """Leave out each conversation with a sound that an earlier one has, earlier by its id."""
        sounds: dict[str, dict[str, str]] = {}
        for row in self._recordings:
            if row["sha256"]:
                own = sounds.setdefault(str(row["conversation"]), {})
                own[str(row["sha256"])] = str(row["path"])
        owners: dict[str, tuple[str, str]] = {}
        copies: set[str] = set()
        for name, files in sorted(sounds.items()):
            known = [sha256 for sha256 in files if sha256 in owners]
            if known:
                copies.add(name)
                path, other = owners[known[0]]
                detail = f"{files[known[0]]} holds the bytes of {path} of {other}, which is kept"
                self.leave_out(name, Reason.DUPLICATE, detail)
                continue
            owners |= {sha256: (path, name) for sha256, path in files.items()}
        return copies

    def _note_lengths(self, conversation: Conversation) -> None:
        sounds = [channel.sound for channel in conversation.channels if channel.sound]
        shown = " and ".join(f"{sound.duration_ms / 1000:.1f}" for sound in sounds)
        detail = f"{shown} s; words past the end of the shortest are left out"
        self.leave_out(self.id(conversation.name), Reason.UNEVEN, detail)

    def _note_silence(self, recordings: list[dict[str, object]]) -> None:
        """Where some recordings have audio, name the conversations in which one has none."""
        silent = [row["conversation"] for row in recordings if not row["path"]]
        if len(silent) < len(recordings):
            for conversation in dict.fromkeys(silent):
                self.leave_out(str(conversation), Reason.NO_AUDIO, "read words only")

    def _unfit(self, conversation: Conversation) -> tuple[Reason, str] | None:
        numbers = [channel.number for channel in conversation.channels]
        speakers = [channel.speaker for channel in conversation.channels]
        if conversation.name in self._names:
            return Reason.DUPLICATE, "a second conversation of this id"
        if len(speakers) < 2 or len(set(speakers)) < len(speakers) or not all(speakers):
            return Reason.SPEAKERS, f"speakers: {', '.join(map(repr, speakers)) or 'none'}"
        if len(set(numbers)) < len(numbers) or not all(0 <= n < CHANNELS_MAX for n in numbers):
            return Reason.CHANNELS, f"channels {', '.join(map(str, numbers))}"
        return None

    def _write(self, conversation: str, channel: Channel, placed: list[Placed]) -> None:
        who = (self.id(conversation), self.id(channel.speaker))
        self._words += [
            (*who, position, *word, channel.source) for position, word in enumerate(placed)
        ]
        if len(self._words) > ROWS_PER_PIECE:
            self._flush()

    def _flush(self) -> None:
        if self._words:
            self._pieces.append(frames.frame(self._words, "words"))
            self._words = []

    def _record(self, conversation: Conversation, last_ms: int) -> None:
        people = "+".join(sorted(channel.speaker for channel in conversation.channels))
        for channel in conversation.channels:
            sound, stated = channel.sound, _furthest(channel)
            self._recordings.append(
                {
                    "corpus": self.corpus,
                    "conversation": self.id(conversation.name),
                    "channel": channel.number,
                    "speaker": self.id(channel.speaker),
                    "path": sound and sound.path,
                    "sample_rate_hz": sound and sound.header.sample_rate_hz,
                    "n_samples": sound and sound.header.n_samples,
                    "duration_ms": sound.duration_ms if sound else last_ms,
                    "stated_ms": stated and stated.ms,
                    "stated_unit_ms": stated and stated.unit_ms,
                    "sha256": sound and sound.sha256,
                    "licence": self.settings.licence,
                    "mixed": channel.mixed,
                    "release": conversation.release,
                    "language": self.settings.language,
                    "split_group": self.id(conversation.split_group or people),
                    "annotation_path": channel.annotation_path,
                    "annotation_sha256": channel.annotation_sha256,
                }
            )


def _furthest(channel: Channel) -> Length | None:
    """Of what is stated of the length of a channel's audio, give what is furthest off."""
    if channel.sound is None:
        return None
    header_ms = channel.sound.duration_ms
    return max(channel.stated, key=lambda s: abs(s.ms - header_ms) - s.unit_ms, default=None)


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
