"""CANDOR: video calls of two people, one stereo mp3, words timed by AWS Transcribe.

Layout, one folder per conversation at any depth (checked against third-party code that reads the
corpus; that the folders of the hub's newest release look the same is assumed)::

    <conversation id>/
      metadata.json                            speakers: [{user_id, channel: L or R}]
      survey.csv                               one row per person: user_id, sex, age
      processed/<conversation id>.mp3          stereo: channel 0 = L, 1 = R
      processed/channel_map.json               {"L": user_id, "R": user_id}
      transcription/transcribe_output.json     words by channel: ch_0 = L, ch_1 = R

The folder of a file in ``processed``, ``transcription`` or ``raw`` is the one above. Files of one
conversation may lie in several trees (processed, tabular, raw). Turns come from the words, never
from the transcript CSVs, whose turns swallow the partner's talk.

``channel_map.json`` and ``metadata.json`` must agree on who is on which channel. Where one is
missing or broken, the other counts and a row says so; without both, without words, or with one
person only, the conversation is left out.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tact.corpora import raw
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import Item, seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Channel, Conversation, Person, age_band, gender
from tact.errors import InputError
from tact.settings import Corpus

INSIDE = ("processed", "transcription", "raw")
METADATA, CHANNEL_MAP, WORDS, SURVEY = (
    "metadata.json",
    "channel_map.json",
    "transcribe_output.json",
    "survey.csv",
)
SIDES = ("L", "R")


class _Case(NamedTuple):
    """One conversation while it is read."""

    name: str
    files: Mapping[str, str]
    root: Path
    ledger: Ledger

    def file(self, name: str) -> raw.File:
        """Give one of its files, which is there."""
        return raw.File(self.root, self.files[name])

    def content(self, name: str) -> bytes | None:
        """Read one of its files; a missing one is None and gets a row."""
        if name not in self.files:
            self.leave_out(Reason.MISSING, name)
            return None
        return self.file(name).content()

    def json(self, name: str) -> object:
        """Parse one of its files; a missing or broken one is None and gets a row."""
        try:
            data = self.content(name)
            return None if data is None else raw.parse_json(data, name)
        except InputError as error:
            self.leave_out(Reason.UNREADABLE, error)
            return None

    def leave_out(self, reason: Reason, detail: object) -> None:
        """Write one quarantine row on this conversation."""
        self.ledger.leave_out(self.ledger.id(self.name), reason, detail)


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the CANDOR corpus.

    Parameters
    ----------
    root : Path
        Folder of the conversation folders.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no conversation.
    """
    files = raw.listing(root, corpus=corpus, obtain=settings.obtain)
    cases = _by_conversation(files)
    if not cases:
        raise InputError(raw.missing(root, METADATA, corpus=corpus, obtain=settings.obtain))
    ledger = Ledger(corpus, settings)
    for name, inside in sorted(cases.items()):
        _read_conversation(_Case(name, inside, root, ledger))
    return ledger.tables()


def _by_conversation(files: list[str]) -> dict[str, dict[str, str]]:
    """Gather the files of each conversation by name; the first path of a name counts."""
    cases: dict[str, dict[str, str]] = {}
    known = {METADATA, CHANNEL_MAP, WORDS, SURVEY}
    for path in map(PurePosixPath, files):
        folder = path.parent.parent if path.parent.name in INSIDE else path.parent
        if folder.name and (path.name in known or path.name == f"{folder.name}.mp3"):
            cases.setdefault(folder.name, {}).setdefault(path.name, str(path))
    return cases


def _read_conversation(case: _Case) -> None:
    sides = _sides(case)
    spoken = case.json(WORDS)
    survey = _survey(case)
    if sides is None or spoken is None:
        return
    items = _items(case.name, spoken)
    if len(items) < len(SIDES):
        channels = ", ".join(sorted(items)) or "none"
        case.leave_out(Reason.CHANNELS, f"channels in {WORDS}: {channels}; not ch_0 and ch_1")
        return
    try:
        sound = _sound(case)
    except InputError as error:
        case.leave_out(Reason.BAD_AUDIO, error)
        return
    sha256 = case.file(WORDS).sha256()
    channels_made = tuple(
        Channel(number, sides[side], items[f"ch_{number}"], "aws", sound, case.files[WORDS], sha256)
        for number, side in enumerate(SIDES)
    )
    if case.ledger.add(Conversation(case.name, channels_made)):
        for person, stated in survey.items():
            if person in sides.values():
                case.ledger.describe(person, stated)
            else:
                detail = f"{SURVEY} has a row of {person}, who does not take part"
                case.leave_out(Reason.UNKNOWN_SPEAKER, detail)


def _sides(case: _Case) -> dict[str, str] | None:
    """Find who is on which channel, from the two files that say so; None where it stays open."""
    mapped = raw.mapping(case.json(CHANNEL_MAP))
    by_map = {side: user for side in SIDES if (user := raw.text(mapped.get(side)))}
    by_metadata = {
        side: raw.text(row.get("user_id"))
        for row in map(raw.mapping, raw.entries(raw.mapping(case.json(METADATA)).get("speakers")))
        if (side := raw.text(row.get("channel"))) in SIDES
    }
    stated = [sides for sides in (by_map, by_metadata) if sides]
    if len(stated) == 2 and by_map != by_metadata:
        detail = f"{CHANNEL_MAP} says {by_map}, {METADATA} says {by_metadata}"
        case.leave_out(Reason.CHANNELS, detail)
        return None
    if not stated or len(stated[0]) < len(SIDES):
        detail = f"of L and R only {', '.join(stated[0])} is" if stated else "neither L nor R is"
        case.leave_out(Reason.SPEAKERS, f"{detail} mapped to a person")
        return None
    return stated[0]


def _items(conversation: str, spoken: object) -> dict[str, list[Item]]:
    results = raw.mapping(raw.mapping(spoken).get("results"))
    labels = raw.mapping(results.get("channel_labels"))
    return {
        label: list(_channel_items(f"{conversation} {label}", row))
        for row in map(raw.mapping, raw.entries(labels.get("channels")))
        if (label := raw.text(row.get("channel_label"))) in ("ch_0", "ch_1")
    }


def _channel_items(prefix: str, row: Mapping[str, object]) -> Iterator[Item]:
    for number, item in enumerate(map(raw.mapping, raw.entries(row.get("items")))):
        said = [raw.mapping(guess) for guess in raw.entries(item.get("alternatives"))]
        yield Item(
            f"{prefix} item {number}",
            seconds(item.get("start_time")),
            seconds(item.get("end_time")),
            raw.text(said[0].get("content")) if said else "",
            "punctuation" if item.get("type") == "punctuation" else "word",
        )


def _sound(case: _Case) -> raw.Sound | None:
    name = f"{case.name}.mp3"
    if name not in case.files:
        return None
    sound = raw.hear(case.file(name))
    if sound.header.n_channels != len(SIDES):
        raise InputError(f"{name} has {sound.header.n_channels} channels, not 2")
    return sound


def _survey(case: _Case) -> dict[str, Person]:
    """Read who the two people are. Every cell is text: a person may well be called NA."""
    try:
        data = case.content(SURVEY)
        rows = _table(data.decode("utf-8-sig")) if data is not None else []
    except (InputError, ValueError, csv.Error) as error:
        case.leave_out(Reason.UNREADABLE, f"{SURVEY}: {error}")
        return {}
    people: dict[str, Person] = {}
    for row in rows:
        sex = gender(row.get("sex") or "")
        age = age_band(seconds(row.get("age")))
        if user := raw.text(row.get("user_id")):
            people[user] = Person.by(SURVEY, gender=sex, age=age)
    return people


def _table(text: str) -> list[dict[str, str | None]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))
