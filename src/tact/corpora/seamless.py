"""Seamless Interaction: two people, one file each, words timed by WhisperX, speech by Silero.

A file id is ``V<vendor>_S<session>_I<prompt>_P<participant>``; the two files that share all but P
are one interaction (I alone names a prompt). Participants such as ``P1275A`` have a letter. Files
lie anywhere below the root, as single files or in tars::

    .../audio/<file id>.wav                   one mono WAV per person
    .../transcript/<file id>.jsonl            {words: [{word, start, end, score}], start, end}
    .../vad/<file id>.jsonl                   {start, end}
    <label>/<split>/<batch>/<archive>.tar     <file id>.wav; <file id>.json with the same as
                                              {"metadata:transcript": [...], "metadata:vad": [...]}

WhisperX writes marks at the end of words; they become items of their own. A speaker is
``V<vendor>_P<participant>``: vendors give out their own numbers, and the ranges overlap. The VAD
stops early or is empty in places, so words give the activity; where it is empty though there are
words, a row says so. The two files may differ in length: words are cut at the end of the shorter.

An interaction is left out where it has not exactly two files with words, or where over 30 % of one
person's words stand in the other's transcript at the same time: bleed that was transcribed.

No demographics are disclosed. Who met whom under two ids is not known.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from tact.corpora import raw
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import Item, seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Channel, Conversation
from tact.errors import InputError
from tact.settings import Corpus

FILE_ID = re.compile(r"(V\d+)_S(\w+?)_I(\w+?)_P(\w+)")
AUDIO, BOTH, TRANSCRIPT, VAD = "wav", "json", "transcript", "vad"
LABELS = ("improvised", "naturalistic")
BLED_SHARE = 0.3
BLED_MIN_WORDS = 20
SAME_TIME_S = 0.3
MARKS = ".,?!;:…"


class _Side(NamedTuple):
    """One person in one interaction: id, files by what they hold."""

    file_id: str
    speaker: str
    files: Mapping[str, raw.File]


class _Told(NamedTuple):
    """What the annotation of one person says: words, spans of VAD, the file it came from."""

    items: list[Item]
    n_spans: int | None
    file: raw.File


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the Seamless Interaction corpus.

    Parameters
    ----------
    root : Path
        Folder of the files or tars; ``filelist.csv`` is not needed.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no file with such an id.
    """
    ledger = Ledger(corpus, settings)
    interactions: defaultdict[str, dict[str, dict[str, raw.File]]] = defaultdict(dict)
    for file in _files(root, raw.listing(root, corpus=corpus, obtain=settings.obtain), ledger):
        stem, _, extension = file.name.partition(".")
        named, part = FILE_ID.fullmatch(stem), _part(file, extension)
        if named and part:
            sides = interactions[stem.rpartition("_P")[0]]
            sides.setdefault(stem, {}).setdefault(part, file)
    if not interactions:
        raise InputError(raw.missing(root, "V_S_I_P files", corpus=corpus, obtain=settings.obtain))
    for interaction, sides in sorted(interactions.items()):
        _read_interaction(interaction, [_side(*side) for side in sorted(sides.items())], ledger)
    return ledger.tables()


def _files(root: Path, paths: list[str], ledger: Ledger) -> Iterator[raw.File]:
    for file in raw.files(root, paths):
        if not file.path.endswith(".tar"):
            yield file
            continue
        try:
            yield from raw.members(file)
        except InputError as error:
            ledger.leave_out(file.path, Reason.UNREADABLE, error)


def _part(file: raw.File, extension: str) -> str | None:
    """Tell what a file holds, from its extension and its folders."""
    folders = PurePosixPath(file.path).parts
    if extension == "jsonl":
        return next((part for part in (TRANSCRIPT, VAD) if part in folders), None)
    if extension == BOTH and "annotations" not in folders:
        return BOTH
    return AUDIO if extension == AUDIO else None


def _side(file_id: str, files: Mapping[str, raw.File]) -> _Side:
    vendor, participant = file_id.partition("_")[0], file_id.rpartition("_P")[2]
    return _Side(file_id, f"{vendor}_P{participant}", files)


def _read_interaction(interaction: str, sides: list[_Side], ledger: Ledger) -> None:
    name = ledger.id(interaction)
    if len(sides) != 2:
        files = ", ".join(side.file_id for side in sides)
        ledger.leave_out(name, Reason.SPEAKERS, f"{len(sides)} people, not 2: {files}")
        return
    told: list[_Told] = []
    channels: list[Channel] = []
    for number, side in enumerate(sides):
        try:
            said = _told(side, ledger)
        except InputError as error:
            missing = not {BOTH, TRANSCRIPT} & set(side.files)
            ledger.leave_out(name, Reason.MISSING if missing else Reason.UNREADABLE, error)
            return
        try:
            sound = raw.hear(side.files[AUDIO]) if AUDIO in side.files else None
        except InputError as error:
            ledger.leave_out(name, Reason.BAD_AUDIO, error)
            return
        if said.items and said.n_spans == 0:
            lacking = f"{side.file_id}: {len(said.items)} items, no span"
            ledger.leave_out(name, Reason.EMPTY_VAD, lacking)
        told.append(said)
        channels.append(
            Channel(
                number=number,
                speaker=side.speaker,
                items=said.items,
                source="forced",
                sound=sound,
                annotation_path=said.file.path,
                annotation_sha256=said.file.sha256(),
            )
        )
    if (detail := _bled(told)) is not None:
        ledger.leave_out(name, Reason.BLED, detail)
        return
    release = next((label for label in LABELS if label in told[0].file.path), None)
    ledger.add(Conversation(interaction, tuple(channels), release=release))


def _told(side: _Side, ledger: Ledger) -> _Told:
    if BOTH in side.files:
        file = side.files[BOTH]
        stated = raw.mapping(raw.parse_json(file.content(), file.name))
        spans = stated.get("metadata:vad")
        segments = raw.entries(stated.get("metadata:transcript"))
        return _Told(list(_items(side.file_id, segments)), _count(spans), file)
    if TRANSCRIPT not in side.files:
        raise InputError(f"no transcript of {side.file_id}")
    file = side.files[TRANSCRIPT]
    segments = _lines(file, ledger)
    spans = _lines(side.files[VAD], ledger) if VAD in side.files else None
    return _Told(list(_items(side.file_id, segments)), _count(spans), file)


def _lines(file: raw.File, ledger: Ledger) -> list[Any]:
    rows = []
    for line in raw.json_lines(file.content(), file.name):
        if isinstance(line.value, InputError):
            ledger.leave_out(f"{file.path} line {line.number}", Reason.UNREADABLE, line.value)
        else:
            rows.append(line.value)
    return rows


def _count(spans: object) -> int | None:
    return len(spans) if isinstance(spans, list) else None


def _items(file_id: str, segments: list[Any]) -> Iterator[Item]:
    """Give the words in order, each mark at the end of a word as an item of its own."""
    words = (word for row in segments for word in raw.entries(raw.mapping(row).get("words")))
    for number, word in enumerate(map(raw.mapping, words)):
        name, said = f"{file_id} word {number}", raw.text(word.get("word"))
        spoken = said.rstrip(MARKS)
        start, end = seconds(word.get("start")), seconds(word.get("end"))
        yield Item(name, start, end, spoken or said)
        if spoken and spoken != said:
            yield Item(f"{name} mark", None, None, said[len(spoken) :], "punctuation")


def _bled(told: list[_Told]) -> str | None:
    """Find transcribed bleed: words of one that the other says within 0.3 s.

    ::

        A  so I went to the market        A's voice, soft in B's channel, was transcribed too
        B  so I went to the      right    5 of B's 6 words are A's
    """
    shared = _shared(told)
    fewest = min(sum(item.kind == "word" for item in side.items) for side in told)
    if fewest < BLED_MIN_WORDS or shared <= BLED_SHARE * fewest:
        return None
    return f"{shared} of {fewest} words stand in both transcripts at the same time"


def _shared(told: list[_Told]) -> int:
    """Count the words that both say at one time, each matched once."""
    heard: Counter[tuple[str, int]] = Counter()
    for item in told[0].items:
        if item.start_s is not None:
            heard[item.text.lower(), round(item.start_s / SAME_TIME_S)] += 1
    shared = 0
    for item in told[1].items:
        if item.start_s is None:
            continue
        slot = round(item.start_s / SAME_TIME_S)
        for key in ((item.text.lower(), slot + step) for step in (0, -1, 1)):
            if heard[key] > 0:
                heard[key] -= 1
                shared += 1
                break
    return shared
