"""AMI: meetings of three to five people, one headset each, from the manual annotations in NXT.

Layout, wherever it lies below the root (release 1.7; ``ami_public_manual_1.6.2.zip`` unpacked)::

    corpusResources/meetings.xml, participants.xml     who sat where; who they are
    words/<meeting>.<agent>.words.xml                  words with times
    segments/<meeting>.<agent>.segments.xml            segments timed by hand
    dialogueActs/<meeting>.<agent>.dialog-act.xml      acts; <meeting>.adjacency-pairs.xml
    ontologies/da-types.xml                            names of act types
    <meeting>.Headset-<N>.wav                          N = @channel of the speaker, not the agent

Headset files may lie anywhere below the root, and may be missing: words only. A file of more than
one channel counts by its first. Meetings of one series, and meetings of exactly the same people,
are one split group: ES2002a to ES2002d, and IB4001 with IB4002.

Known bad timings (README of the release: TS3009c channel 3, EN2002a, EN2002c, EN2003a): measured
against the segments timed by hand, 1 to 11 % of the edges of their words differ by over 0.5 s, and
4 % of all. So they are kept, each with a quarantine row that says what was measured. A meeting is
left out where over a third of one person's edges differ so; in release 1.7 none does (the worst,
IS1008b.D, has 22 %).

The ``duration`` of meetings.xml is no length of a recording: in 124 of 171 meetings it is in whole
seconds, and in 23 the words or segments go on after it, by up to 236 s (TS3011d). So the door does
not hold the audio to it.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from tact.corpora import nxt, raw
from tact.corpora.ami_acts import Agent, read_acts
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Channel, Conversation, Person, age_band, gender
from tact.errors import InputError
from tact.settings import Corpus

MEETINGS = "corpusResources/meetings.xml"
BAD_SHARE = 1 / 3
KNOWN_BAD = {"TS3009c": (3,), "EN2002a": range(5), "EN2002c": range(5), "EN2003a": range(5)}


@dataclass(frozen=True)
class Seat:
    """One person in one meeting."""

    agent: str
    channel: int
    person: str


@dataclass(frozen=True)
class Meeting:
    """One row of meetings.xml."""

    name: str
    duration_ms: int
    seats: tuple[Seat, ...]


@dataclass(frozen=True)
class Folder:
    """The corpus on disk: the root, the annotation folder in it, headset files by name."""

    root: Path
    base: str
    headsets: Mapping[str, raw.File]
    release: str | None

    def file(self, *parts: str) -> raw.File:
        """Give an annotation file."""
        return raw.File(self.root, str(PurePosixPath(self.base, *parts)))

    def tree(self, *parts: str) -> Element:
        """Parse an annotation file; `InputError` where it is missing or broken."""
        file = self.file(*parts)
        return raw.xml(file.content(), file.name)


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the AMI corpus.

    Parameters
    ----------
    root : Path
        Folder that holds the annotations, and the headset files if there are any.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no meetings.xml that can be read.
    """
    files = raw.listing(root, corpus=corpus, obtain=settings.obtain)
    found = [path for path in files if path.endswith(MEETINGS)]
    if not found:
        raise InputError(raw.missing(root, MEETINGS, corpus=corpus, obtain=settings.obtain))
    folder = _folder(root, found[0].removesuffix(MEETINGS), files)
    ledger = Ledger(corpus, settings)
    meetings = _meetings(folder.tree(MEETINGS))
    groups = split_groups(meetings)
    types = _act_types(folder, ledger)
    for meeting in meetings:
        _read_meeting(meeting, folder, ledger, group=groups[meeting.name], types=types)
    _describe(folder, meetings, ledger)
    return ledger.tables()


def split_groups(meetings: list[Meeting]) -> dict[str, str]:
    """Name the split group of each meeting: its series, joined with series of the same people."""
    groups: dict[str, str] = {}
    first: dict[frozenset[str], str] = {}
    for meeting in sorted(meetings, key=lambda meeting: meeting.name):
        people = frozenset(seat.person for seat in meeting.seats)
        groups[meeting.name] = first.setdefault(people, re.sub(r"[a-z]$", "", meeting.name))
    return groups


def _folder(root: Path, base: str, files: list[str]) -> Folder:
    headsets = {file.name: file for file in raw.files(root, files, suffix=".wav")}
    release = None
    readme = f"{base}00README_MANUAL.txt"
    if readme in files:
        named = re.search(rb"release ([\d.]+)", raw.File(root, readme).content()[:200])
        release = named[1].decode() if named else None
    return Folder(root, base, headsets, release)


def _meetings(tree: Element) -> list[Meeting]:
    return [
        Meeting(
            element.get("observation", ""),
            round(1000 * max(0.0, seconds(element.get("duration")) or 0.0)),
            tuple(
                Seat(seat.get("nxt_agent", ""), int(channel), seat.get("global_name", ""))
                for seat in element.iter("speaker")
                if (channel := seat.get("channel", "")).isascii() and channel.isdigit()
            ),
        )
        for element in tree.iter("meeting")
    ]


def _act_types(folder: Folder, ledger: Ledger) -> Mapping[str, str]:
    try:
        return nxt.act_types(folder.tree("ontologies", "da-types.xml"))
    except InputError as error:
        ledger.leave_out("da-types.xml", Reason.UNREADABLE, error)
        return {}


def _read_meeting(
    meeting: Meeting, folder: Folder, ledger: Ledger, *, group: str, types: Mapping[str, str]
) -> None:
    name = ledger.id(meeting.name)
    agents: list[Agent] = []
    channels: list[Channel] = []
    for seat in meeting.seats:
        stem = f"{meeting.name}.{seat.agent}"
        words = folder.file("words", f"{stem}.words.xml")
        try:
            stream = nxt.words(raw.xml(words.content(), words.name))
            sha256 = words.sha256()
        except InputError as error:
            ledger.leave_out(name, Reason.UNREADABLE, error)
            return
        if (wrong := _timing(meeting, seat, folder, stream)) is not None:
            ledger.leave_out(name, *wrong)
            if wrong[0] is Reason.BAD_TIMING:
                return
        try:
            headset = folder.headsets.get(f"{meeting.name}.Headset-{seat.channel}.wav")
            sound = raw.hear(headset) if headset else None
        except InputError as error:
            ledger.leave_out(name, Reason.BAD_AUDIO, error)
            return
        agents.append(Agent(seat.agent, seat.person, stream))
        channels.append(
            Channel(
                number=seat.channel,
                speaker=seat.person,
                items=stream.items,
                source="manual",
                sound=sound,
                annotation_path=words.path,
                annotation_sha256=sha256,
            )
        )
    conversation = Conversation(
        meeting.name, tuple(channels), meeting.duration_ms, group, folder.release
    )
    if ledger.add(conversation):
        read_acts(meeting.name, agents, folder.tree, ledger, types=types)


def _timing(
    meeting: Meeting, seat: Seat, folder: Folder, stream: nxt.Stream
) -> tuple[Reason, str] | None:
    known = seat.channel in KNOWN_BAD.get(meeting.name, ())
    try:
        segments = folder.tree("segments", f"{meeting.name}.{seat.agent}.segments.xml")
    except InputError:
        return (Reason.KNOWN_TIMING, f"channel {seat.channel}: no segments") if known else None
    apart, edges = nxt.misplaced(segments, stream)
    detail = (
        f"channel {seat.channel}: {apart} of {edges} edges of the words lie over 0.5 s from those"
        " of the segments"
    )
    if apart > BAD_SHARE * edges:
        return Reason.BAD_TIMING, detail
    return (Reason.KNOWN_TIMING, detail) if known else None


def _describe(folder: Folder, meetings: list[Meeting], ledger: Ledger) -> None:
    """Say who the speakers are; where participants.xml has no row, what the letters of the id say.

    Letter 1 is the sex and letter 3 is E for English, in 189 and 188 of the 189 rows. Letter 3 is
    D for the 40 people of the TS meetings: that they speak Dutch is nowhere stated.
    """
    stated: dict[str, Element] = {}
    try:
        tree = folder.tree("corpusResources", "participants.xml")
        stated = {row.get(nxt.ID, ""): row for row in tree.iter("participant")}
    except InputError as error:
        ledger.leave_out("participants.xml", Reason.UNREADABLE, error)
    everyone = Counter(seat.person for meeting in meetings for seat in meeting.seats)
    for person in everyone:
        if person in stated:
            ledger.describe(person, _participant(stated[person]))
        sex = gender(person[:1])
        language = "English" if person[2:3] == "E" else None
        ledger.describe(person, Person.by("from id", gender=sex, first_language=language))


def _participant(row: Element) -> Person:
    sex = gender(row.get("sex", ""))
    age = age_band(seconds(row.get("age_at_collection")))
    language = row.get("native_language") or None
    regions = [english.get("region") for english in row.iter("english_language")]
    region = regions[0] if regions and regions[0] else None
    return Person.by(
        "participants.xml", gender=sex, age=age, first_language=language, region=region
    )
