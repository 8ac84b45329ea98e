"""Probes: synthetic speakers who follow a script, in the layout that `tact simulate` writes.

Files of the root::

    probes.json           speakers: [{speaker, gender, age, first_language, ...}]
    <conversation>.json   {conversation, speakers: [id, id], duration_ms, audio, words, script}
    <conversation>.wav    one channel per speaker; absent words-only

    words   {channel, start_ms, end_ms, text, punctuation}
    script  {channel, start_ms, t0_ms, intent}: what the speaker was told to do, IPU by IPU

A row of the script becomes a row of ``acts`` whose type is ``script:<intent>`` and whose end is the
decision point; it answers nothing, since a script does not tell what the other does.
"""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from tact.corpora import raw
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import LONGEST_S, Item, seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Act, Channel, Conversation, Length, Person, age_band, gender
from tact.errors import InputError
from tact.settings import Corpus
from tact.vocabulary import INTENTS

PEOPLE = "probes.json"
SCRIPT = "script"


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the probes.

    Parameters
    ----------
    root : Path
        Folder of the JSON files and, with audio, the WAVs.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no JSON.
    """
    paths = raw.listing(root, corpus=corpus, obtain=settings.obtain)
    scripts = [file for file in raw.files(root, paths, suffix=".json") if file.name != PEOPLE]
    if not scripts:
        raise InputError(raw.missing(root, "JSON", corpus=corpus, obtain=settings.obtain))
    ledger = Ledger(corpus, settings)
    for file in scripts:
        try:
            stated = raw.mapping(raw.parse_json(file.content(), file.name))
        except InputError as error:
            ledger.leave_out(file.path, Reason.UNREADABLE, error)
            continue
        _read_conversation(file, stated, ledger)
    _describe(raw.File(root, PEOPLE), ledger)
    return ledger.tables()


def _read_conversation(file: raw.File, stated: Mapping[str, Any], ledger: Ledger) -> None:
    name = raw.text(stated.get("conversation")) or PurePosixPath(file.name).stem
    speakers = [raw.text(speaker) for speaker in raw.entries(stated.get("speakers"))]
    sound = None
    if heard := raw.text(stated.get("audio")):
        beside = PurePosixPath(file.path).with_name(PurePosixPath(heard).name or "unnamed")
        try:
            sound = raw.hear(raw.File(file.root, str(beside)))
        except InputError as error:
            ledger.leave_out(ledger.id(name), Reason.BAD_AUDIO, error)
            return
        if sound.header.n_channels != len(speakers):
            detail = f"{sound.header.n_channels} channels of {len(speakers)} speakers"
            ledger.leave_out(ledger.id(name), Reason.CHANNELS, detail)
            return
    items = _items(name, stated, len(speakers), ledger)
    sha256 = file.sha256()
    duration_ms = _ms(stated.get("duration_ms"))
    lengths = (Length(duration_ms, 1),) if duration_ms and duration_ms > 0 else ()
    channels = tuple(
        Channel(number, speaker, items[number], SCRIPT, sound, file.path, sha256, lengths)
        for number, speaker in enumerate(speakers)
    )
    if ledger.add(Conversation(name, channels, max(0, duration_ms or 0))):
        _follow_script(name, stated, speakers, ledger)


def _items(
    name: str, stated: Mapping[str, Any], n_channels: int, ledger: Ledger
) -> list[list[Item]]:
    items: list[list[Item]] = [[] for _ in range(n_channels)]
    for number, word in enumerate(map(raw.mapping, raw.entries(stated.get("words")))):
        item, channel = f"{name} word {number}", _channel(word, n_channels)
        if channel is None:
            ledger.leave_out(item, Reason.CHANNELS, f"channel {word.get('channel')!r} of a word")
            continue
        start, end = _ms(word.get("start_ms")), _ms(word.get("end_ms"))
        kind = "punctuation" if word.get("punctuation") is True else "word"
        items[channel].append(Item(item, _s(start), _s(end), raw.text(word.get("text")), kind))
    return items


def _follow_script(
    name: str, stated: Mapping[str, Any], speakers: list[str], ledger: Ledger
) -> None:
    for number, row in enumerate(map(raw.mapping, raw.entries(stated.get("script")))):
        item, channel = f"{name} script {number}", _channel(row, len(speakers))
        start, t0 = _ms(row.get("start_ms")), _ms(row.get("t0_ms"))
        intent = raw.text(row.get("intent"))
        if intent not in INTENTS:
            ledger.leave_out(item, Reason.UNTYPED_ACT, f"intent {row.get('intent')!r}")
        elif channel is None or start is None or t0 is None or not 0 <= start <= t0:
            ledger.leave_out(item, Reason.UNPLACED_ACT, dict(row))
        else:
            act = Act(speakers[channel], item, start, t0, f"{SCRIPT}:{intent}", False)
            ledger.act(name, act)


def _describe(file: raw.File, ledger: Ledger) -> None:
    try:
        stated = raw.mapping(raw.parse_json(file.content(), file.name))
    except InputError as error:
        ledger.leave_out(file.path, Reason.UNREADABLE, error)
        return
    for row in map(raw.mapping, raw.entries(stated.get("speakers"))):
        sex = gender(raw.text(row.get("gender")))
        age = age_band(seconds(row.get("age")))
        language = raw.text(row.get("first_language")) or None
        ledger.describe(
            raw.text(row.get("speaker")),
            Person.by(SCRIPT, gender=sex, age=age, first_language=language),
        )


def _channel(row: Mapping[str, Any], n_channels: int) -> int | None:
    number = row.get("channel")
    return number if type(number) is int and 0 <= number < n_channels else None


def _ms(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if abs(value) < 1000 * LONGEST_S else None


def _s(ms: int | None) -> float | None:
    return None if ms is None else ms / 1000
