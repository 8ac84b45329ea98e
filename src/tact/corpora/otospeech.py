"""otoSpeech: calls of two people, a stereo FLAC and a JSON per session, in WebDataset tars.

Layout, both releases (280h: 48 kHz, as recorded; processed-141h: 44.1 kHz, denoised)::

    .../data/train/shard-000000.tar
        <session>.flac        channel 0 = speaker A, 1 = speaker B
        <session>.json        {duration, redacted_segments: [{start_sec, end_sec}] or null,
                               speakers: [{gender, ...}, {...}], session_type, topics}
        <session>.words.csv   optional, ours: channel, start, end, text; also beside the tars

Assumed: ``speakers[k]`` is channel k, and the key of a person's profile is one of ``PROFILE_KEYS``
(its name is published nowhere). Without one, or with ``link_speakers: false``, a speaker is known
in that session alone, and has no evidence for a profile from another. A session that lies in both
releases is read from the one as recorded, since the denoiser takes weak backchannels away.

Redacted spans are kept out of nothing here: each becomes a quarantine row, and an item of kind
``other`` and text ``[redacted]`` in the words of both channels, so that what meets it can be left
out. A session without JSON is left out, for its redactions are not known.
"""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tact.corpora import raw
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import Item, seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Channel, Conversation, Length, Person, age_band, gender
from tact.errors import InputError
from tact.settings import Corpus
from tact.vocabulary import REDACTED

PROFILE_KEYS = ("profile_id", "speaker_id", "participant_id", "user_id", "id")
AUDIO, ANNOTATION, WORDS = "flac", "json", "words.csv"
PROCESSED = "processed"
RELEASE = re.compile(r"([^/]+)/data/train/")
SIDES = (0, 1)

Copy = Mapping[str, raw.File]
"""One copy of a session: its files by extension."""


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the otoSpeech corpus, either release or both.

    Parameters
    ----------
    root : Path
        Folder that holds the tars, at any depth.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no tar.
    """
    paths = raw.listing(root, corpus=corpus, obtain=settings.obtain)
    tars = raw.files(root, paths, suffix=".tar")
    if not tars:
        raise InputError(raw.missing(root, "tars", corpus=corpus, obtain=settings.obtain))
    ledger = Ledger(corpus, settings)
    sessions: defaultdict[str, list[Copy]] = defaultdict(list)
    for tar in sorted(tars, key=lambda tar: (PROCESSED in tar.path, tar.path)):
        for session, copy in _copies(tar, ledger):
            sessions[session].append(copy)
    loose = {file.name: file for file in raw.files(root, paths, suffix=f".{WORDS}")}
    for session, copies in sorted(sessions.items()):
        beside = {WORDS: file} if (file := loose.get(f"{session}.{WORDS}")) else {}
        kept = False
        for copy in copies:
            if kept:
                where = copy[min(copy)].path
                ledger.leave_out(ledger.id(session), Reason.DUPLICATE, f"{where} is a second copy")
            else:
                kept = _read_session(session, {**beside, **copy}, ledger)
    return ledger.tables()


def _copies(tar: raw.File, ledger: Ledger) -> Iterator[tuple[str, Copy]]:
    """Gather the members of a tar by session."""
    copies: defaultdict[str, dict[str, raw.File]] = defaultdict(dict)
    try:
        for member in raw.members(tar):
            session, _, extension = member.name.partition(".")
            if session and extension in (AUDIO, ANNOTATION, WORDS):
                copies[session].setdefault(extension, member)
    except InputError as error:
        ledger.leave_out(tar.path, Reason.UNREADABLE, error)
    yield from copies.items()


def _read_session(session: str, copy: Copy, ledger: Ledger) -> bool:
    name = ledger.id(session)
    if ANNOTATION not in copy:
        ledger.leave_out(name, Reason.MISSING, f"{session}.json")
        return False
    try:
        stated = raw.parse_json(copy[ANNOTATION].content(), f"{session}.json")
    except InputError as error:
        ledger.leave_out(name, Reason.UNREADABLE, error)
        return False
    people = [raw.mapping(person) for person in raw.entries(raw.mapping(stated).get("speakers"))]
    if len(people) != len(SIDES):
        ledger.leave_out(name, Reason.SPEAKERS, f"{len(people)} speakers in {session}.json, not 2")
        return False
    try:
        sound = _sound(copy)
    except InputError as error:
        ledger.leave_out(name, Reason.BAD_AUDIO, error)
        return False
    linked = ledger.settings.link_speakers
    speakers = [
        (linked and _profile(person)) or f"{session}-{side}" for side, person in enumerate(people)
    ]
    spoken = _spoken(session, copy, ledger)
    redacted = list(_redactions(session, stated, ledger))
    told = copy.get(WORDS, copy[ANNOTATION])
    sha256 = told.sha256()
    lengths = Length.of_seconds(raw.mapping(stated).get("duration"))
    channels = tuple(
        Channel(
            number=side,
            speaker=speakers[side],
            items=[*spoken[side], *redacted],
            source="forced",
            sound=sound,
            annotation_path=told.path,
            annotation_sha256=sha256,
            stated=lengths,
        )
        for side in SIDES
    )
    duration_s = max(0.0, seconds(raw.mapping(stated).get("duration")) or 0.0)
    release = next(iter(RELEASE.findall(copy[ANNOTATION].path)), None)
    added = ledger.add(Conversation(session, channels, round(1000 * duration_s), release=release))
    if added:
        for speaker, person in zip(speakers, people, strict=True):
            ledger.describe(speaker, _person(person))
    return added


def _sound(copy: Copy) -> raw.Sound | None:
    if AUDIO not in copy:
        return None
    sound = raw.hear(copy[AUDIO])
    if sound.header.n_channels != len(SIDES):
        raise InputError(f"{copy[AUDIO].name} has {sound.header.n_channels} channels, not 2")
    return sound


def _profile(person: Mapping[str, Any]) -> str:
    return next((found for key in PROFILE_KEYS if (found := raw.text(person.get(key)))), "")


def _person(person: Mapping[str, Any]) -> Person:
    sex = gender(raw.text(person.get("gender")))
    age = age_band(seconds(person.get("age")))
    return Person.by("session", gender=sex, age=age)


def _redactions(session: str, stated: object, ledger: Ledger) -> Iterator[Item]:
    for number, span in enumerate(raw.entries(raw.mapping(stated).get("redacted_segments"))):
        start = seconds(raw.mapping(span).get("start_sec"))
        end = seconds(raw.mapping(span).get("end_sec"))
        if start is None or end is None:
            detail = f"redacted segment {number} of {session} has no times"
            ledger.leave_out(ledger.id(session), Reason.UNTIMED, detail)
            continue
        ledger.leave_out(ledger.id(session), Reason.REDACTED, f"{start:.3f} to {end:.3f} s")
        yield Item(f"{session} redaction {number}", start, end, REDACTED, "other")


def _spoken(session: str, copy: Copy, ledger: Ledger) -> dict[int, list[Item]]:
    """Read the words of each channel from the optional file; a bad row gets a quarantine row."""
    spoken: dict[int, list[Item]] = {side: [] for side in SIDES}
    if WORDS not in copy:
        return spoken
    try:
        text = copy[WORDS].content().decode("utf-8-sig")
        for number, row in enumerate(csv.DictReader(io.StringIO(text, newline="")), start=2):
            item = f"{session}.{WORDS} line {number}"
            side = row.get("channel") or ""
            if side not in ("0", "1"):
                ledger.leave_out(item, Reason.CHANNELS, f"channel {side!r} of a word")
                continue
            start, end = seconds(row.get("start")), seconds(row.get("end"))
            said = raw.text(row.get("text"))
            mark = start is not None and start == end and not any(map(str.isalnum, said))
            kind = "punctuation" if mark else "word"
            spoken[int(side)].append(Item(item, start, end, said, kind))
    except (InputError, ValueError, csv.Error) as error:
        ledger.leave_out(ledger.id(session), Reason.UNREADABLE, f"{session}.{WORDS}: {error}")
    return spoken
