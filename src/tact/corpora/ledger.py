"""What an adapter gathers: conversations and people in, the five tables out, faults on the way."""

from dataclasses import dataclass, field

import pandas as pd

from tact import frames
from tact.corpora.places import Fault, Placed, place
from tact.corpora.raw import clean
from tact.corpora.reasons import Reason
from tact.corpora.told import Act, Channel, Conversation, Length, Person
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
        words = pd.concat(self._pieces or [frames.empty("words")], ignore_index=True)
        self._pieces = []
        if copies:
            words = words[~words["conversation"].isin(copies)].reset_index(drop=True)
        acts = [act for act in self._acts.values() if act[0] not in copies]
        return Tables(
            recordings=frames.frame(recordings, "recordings"),
            speakers=frames.frame(speakers, "speakers"),
            words=words,
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
