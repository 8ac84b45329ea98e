"""Sheets: CSV with a header, and the two that list a generic corpus, its recordings and people.

Whatever is wrong with a row leaves out its conversation (`Unfit`), or the row alone.
"""

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from tact import audio
from tact.corpora import raw
from tact.corpora.ledger import Ledger
from tact.corpora.places import seconds
from tact.corpora.reasons import Reason
from tact.corpora.told import Person, age_band, gender
from tact.errors import InputError

RECORDINGS, SPEAKERS = "recordings.csv", "speakers.csv"
WANTED = ("conversation", "speaker", "channel")
CHANNEL_MAX = 64
SIZE_MAX = 2**25
MARKS_OF_ORDER = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
BAND = re.compile(r"[0-9]{1,3}-[0-9]{1,3}")
DRIVE = re.compile(r"[A-Za-z]:")


class Unfit(Exception):
    """A conversation cannot be read: the reason, and what was found."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.why = (reason, detail)


class Row(NamedTuple):
    """One row of recordings.csv: its line, who is on which channel, all that it states."""

    line: int
    speaker: str
    channel: int
    told: Mapping[str, str]


def content(file: raw.File) -> bytes:
    """Read a sheet or a timing file whole.

    Raises
    ------
    InputError
        It cannot be read, or is too large to be one.
    """
    data = file.content()
    if len(data) > SIZE_MAX:
        raise InputError(f"{file.name} is over {SIZE_MAX // 2**20} MiB; is it the right file?")
    return data


def decode(data: bytes, name: str) -> str:
    """Decode text in UTF-8, or in UTF-16 with a byte-order mark.

    Raises
    ------
    InputError
        It is in another encoding.
    """
    marked = (code for mark, code in MARKS_OF_ORDER.items() if data.startswith(mark))
    try:
        text = data.decode(next(marked, "utf-8"))
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise InputError(
            f"{name} has an encoding that is not known; save it as UTF-8, or as UTF-16 with a"
            " byte-order mark"
        )
    return text


def sheet(
    data: bytes, name: str, *, wanted: tuple[str, ...]
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Read a CSV with a header: number of the line, and what its columns hold, stripped.

    Raises
    ------
    InputError
        It is no CSV, or lacks a wanted column.
    """
    lines = csv.DictReader(io.StringIO(decode(data, name), newline=""))
    try:
        header = [column.strip().lower() for column in lines.fieldnames or ()]
        if missing := [column for column in wanted if column not in header]:
            raise InputError(
                f"{name} has no column {missing[0]!r}; its first line names"
                f" {', '.join(wanted)}, with commas between"
            )
        lines.fieldnames = header
        for row in lines:
            told = {key: value.strip() for key, value in row.items() if key and value}
            if told:
                yield lines.line_num, told
    except csv.Error as error:
        raise InputError(f"{name} is not CSV ({raw.clean(error)})") from None


def conversations(root: Path, ledger: Ledger) -> dict[str, list[Row | Unfit]]:
    """Gather the rows by conversation; a row that cannot be read spoils its conversation.

    Raises
    ------
    InputError
        recordings.csv cannot be read, lacks a column or has no row.
    """
    conversations: dict[str, list[Row | Unfit]] = {}
    known: set[tuple[str, str]] = set()
    n_rows = 0
    for line, told in sheet(content(raw.File(root, RECORDINGS)), RECORDINGS, wanted=WANTED):
        n_rows += 1
        name, speaker = (raw.clean(told.get(column, "")) for column in WANTED[:2])
        item = f"{RECORDINGS} line {line}"
        if not name:
            ledger.leave_out(item, Reason.UNREADABLE, "no conversation")
        elif (name, speaker) in known:
            detail = f"a second row of {speaker!r} in conversation {name!r}"
            ledger.leave_out(item, Reason.REPEATED, detail)
        else:
            known.add((name, speaker))
            conversations.setdefault(name, []).append(_row(item, line, speaker, told))
    if not n_rows:
        raise InputError(f"{RECORDINGS} has no row; write one per conversation and speaker")
    return conversations


def _row(item: str, line: int, speaker: str, told: Mapping[str, str]) -> Row | Unfit:
    channel = told.get("channel", "")
    if not speaker:
        return Unfit(Reason.SPEAKERS, f"{item} has no speaker")
    if not (channel.isascii() and channel.isdigit() and len(channel) < 4):
        return Unfit(Reason.CHANNELS, f"{item}: channel {channel!r}, not 0 or 1")
    if (number := int(channel)) >= CHANNEL_MAX:
        return Unfit(Reason.CHANNELS, f"{item}: channel {number}; number the speakers from 0")
    return Row(line, speaker, number, told)


def agreed(name: str, rows: list[Row], column: str, ledger: Ledger) -> str | None:
    """Give what the rows of a conversation state in common; the first where they disagree."""
    stated = [*dict.fromkeys(text for row in rows if (text := raw.clean(row.told.get(column, ""))))]
    if len(stated) > 1:
        detail = f"{column}: {', '.join(stated)}; the first is kept"
        ledger.leave_out(ledger.id(name), Reason.DISAGREE, detail)
    return stated[0] if stated else None


def inside(root: Path, path: str) -> raw.File:
    """Give the file that a path of recordings.csv names.

    Raises
    ------
    Unfit
        The path is absolute or leaves the root, or there is no such file.
    """
    parts = PurePosixPath(path).parts
    strange = "\\" in path or audio.MEMBER in path or not path.isprintable()
    if path.startswith("/") or ".." in parts or DRIVE.match(path) or strange:
        detail = f"{path!r}: write paths relative to the folder of {RECORDINGS}, with /"
        raise Unfit(Reason.OUTSIDE, detail)
    # Unlike Path.is_file, this is false of any name that the system refuses.
    if not os.path.isfile(root / path):
        raise Unfit(Reason.MISSING, f"{path} of {RECORDINGS}")
    return raw.File(root, str(PurePosixPath(path)))


def describe(root: Path, known: set[str], ledger: Ledger) -> None:
    """Say who the speakers are, where speakers.csv does."""
    if not (root / SPEAKERS).is_file():
        return
    try:
        for line, told in sheet(content(raw.File(root, SPEAKERS)), SPEAKERS, wanted=("speaker",)):
            speaker = raw.clean(told.get("speaker", ""))
            if speaker in known:
                ledger.describe(speaker, _person(line, told, ledger))
            else:
                detail = f"{speaker!r} is not in {RECORDINGS}"
                ledger.leave_out(f"{SPEAKERS} line {line}", Reason.UNKNOWN_SPEAKER, detail)
    except InputError as error:
        ledger.leave_out(SPEAKERS, Reason.UNREADABLE, error)


def _person(line: int, told: Mapping[str, str], ledger: Ledger) -> Person:
    stated = {key: raw.clean(told[key]) for key in ("gender", "age") if key in told}
    sex = gender(stated.get("gender", ""))
    years = stated.get("age", "")
    age = years if BAND.fullmatch(years) else age_band(seconds(years))
    for column, understood in (("gender", sex), ("age", age)):
        if column in stated and understood is None:
            wanted = "female, male or other" if column == "gender" else "years, or a band as 30-39"
            detail = f"{column} {stated[column]!r}: write {wanted}"
            ledger.leave_out(f"{SPEAKERS} line {line}", Reason.DEMOGRAPHICS, detail)
    language, region = (
        raw.clean(told.get(key, "")) or None for key in ("first_language", "region")
    )
    return Person.by(SPEAKERS, gender=sex, age=age, first_language=language, region=region)
