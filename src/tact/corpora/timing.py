"""Timing files: who spoke when, and what they meant, from RTTM, TextGrid, ELAN or CSV.

Whatever the format, a file becomes *tiers*: spans of one speaker that play one role. The name of a
tier tells both::

    A            speech of A, by words or by utterances
    A - words    words of A               words     of the one speaker whose file it is
    A - intent   what A meant, by span    intent    likewise
    A - phones   passed over              phones    likewise

RTTM and CSV name the speaker row by row; a row of a CSV without the column ``speaker`` belongs to
the one whose file it is. A file is never trusted: it has a largest size and a largest number of
rows, no parser goes back over what it has read, and a fault is a row or one `InputError`.
"""

import io
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from tact.corpora import raw, textgrid
from tact.corpora.places import Fault, Item, seconds
from tact.corpora.reasons import Reason
from tact.corpora.sheets import content, decode, sheet
from tact.errors import InputError

SPEECH, WORDS, INTENT, PHONES = "speech", "words", "intent", "phones"
ROWS_MAX = 500_000
FAULTS_MAX = 1_000
TAGS_MAX = 2_000_000
SILENCE = re.compile(r"[#_]|sil|sp|[<\[({](?:sil|silence|sp|eps|p|p:|pause)[>\])}]", re.IGNORECASE)
RTTM_OTHERS = re.compile(
    r"SPKR-INFO|SEGMENT|NOSCORE|NO_RT_METADATA|LEXEME|NON-LEX|NON-SPEECH|FILLER|EDIT|SU|IP|CB|A/P"
)
RTTM_FIELDS = 8


class Row(NamedTuple):
    """One span: where in the file, whose (None: of the file's one speaker), role, s, text."""

    where: str
    speaker: str | None
    role: str
    start_s: float | None
    end_s: float | None
    text: str


class Timing(NamedTuple):
    """What a file tells: items by speaker and role, in its order, and the rows left out."""

    tiers: Mapping[tuple[str | None, str], list[Item]]
    faults: list[Fault]


Rows = Iterator[Row | Fault]


def read(file: raw.File) -> Timing:
    """Read a timing file by its suffix.

    Marks of silence (``<sil>``, ``sp``, ``#`` and their like) are passed over.

    Raises
    ------
    InputError
        It cannot be read, has an unknown suffix or a wrong encoding, is broken or too large.
    """
    parser = PARSERS.get(PurePosixPath(file.path).suffix.lower())
    if parser is None:
        raise InputError(f"{file.name} is no timing file; known are .rttm, .TextGrid, .eaf, .csv")
    tiers: dict[tuple[str | None, str], list[Item]] = {}
    faults: list[Fault] = []
    for number, row in enumerate(parser(content(file), file.name)):
        if number >= ROWS_MAX or len(faults) >= FAULTS_MAX:
            what = f"{FAULTS_MAX} faults" if number < ROWS_MAX else f"{ROWS_MAX} rows"
            raise InputError(f"{file.name} has over {what}; is it the right file?")
        if isinstance(row, Fault):
            faults.append(row._replace(item=f"{file.path} {row.item}"))
        elif not SILENCE.fullmatch(row.text):
            item = Item(f"{file.path} {row.where}", row.start_s, row.end_s, row.text)
            tiers.setdefault((row.speaker, row.role), []).append(item)
    return Timing(tiers, faults)


def _rttm(data: bytes, name: str) -> Rows:
    recordings: set[str] = set()
    for number, line in enumerate(io.StringIO(decode(data, name), newline=None), start=1):
        fields, where = line.split(), f"line {number}"
        if not fields or fields[0].startswith(";") or RTTM_OTHERS.fullmatch(fields[0]):
            continue
        if fields[0] != "SPEAKER" or len(fields) < RTTM_FIELDS:
            detail = f"no SPEAKER line of {RTTM_FIELDS} fields: {line.strip()[:80]}"
            yield Fault(where, Reason.UNREADABLE, detail)
            continue
        _, recording, _, begins, lasts, _, _, speaker, *_ = fields
        recordings.add(recording)
        if len(recordings) > 1:
            raise InputError(
                f"{name} holds several recordings ({', '.join(sorted(recordings))}); give each"
                " conversation a file of its own"
            )
        start, length = seconds(begins), seconds(lasts)
        end = None if start is None or length is None else start + length
        yield Row(where, speaker, SPEECH, start, end, "")


def _textgrid(data: bytes, name: str) -> Rows:
    for interval in textgrid.intervals(decode(data, name), name):
        speaker, role = _named(interval.tier)
        where = f"tier {raw.clean(interval.tier)!r} interval {interval.number}"
        # An interval without a mark is silence; a SILENCE keeps it in the count of rows.
        mark = raw.clean(interval.mark) or "#"
        yield Row(where, speaker, role, seconds(interval.start_s), seconds(interval.end_s), mark)


def _csv(data: bytes, name: str) -> Rows:
    for number, told in sheet(data, name, wanted=("start_s", "end_s")):
        where, speaker = f"line {number}", raw.clean(told.get("speaker", "")) or None
        span = seconds(told.get("start_s")), seconds(told.get("end_s"))
        yield Row(where, speaker, SPEECH, *span, raw.clean(told.get("text", "")))
        if intent := raw.clean(told.get("intent", "")):
            yield Row(f"{where} intent", speaker, INTENT, *span, intent)


def _eaf(data: bytes, name: str) -> Rows:
    # A tree takes some hundred bytes a tag, so that it is not made of what has too many.
    if data.count(b"<") > TAGS_MAX:
        raise InputError(f"{name} has over {TAGS_MAX} tags; is it the right file?")
    tree = raw.xml(data, name)
    if tree.tag != "ANNOTATION_DOCUMENT":
        raise InputError(f"{name} is no ELAN file; its root is {raw.clean(tree.tag)[:80]}")
    header = tree.find("HEADER")
    units = "milliseconds" if header is None else header.get("TIME_UNITS", "milliseconds")
    if units != "milliseconds":
        raise InputError(f"{name} counts time in {raw.clean(units)[:80]}, not in milliseconds")
    slots = {
        slot.get("TIME_SLOT_ID", ""): _slot(slot.get("TIME_VALUE", ""))
        for slot in tree.findall("TIME_ORDER/TIME_SLOT")
    }
    for tier in tree.findall("TIER"):
        title = raw.clean(tier.get("TIER_ID", ""))
        speaker, role = _named(title)
        for number, mark in enumerate(tier.findall("ANNOTATION/*"), start=1):
            # An annotation that refers to another has no time of its own, and is named so.
            start = slots.get(mark.get("TIME_SLOT_REF1", ""))
            end = slots.get(mark.get("TIME_SLOT_REF2", ""))
            text = raw.clean(mark.findtext("ANNOTATION_VALUE") or "")
            yield Row(f"tier {title[:80]!r} annotation {number}", speaker, role, start, end, text)


def _slot(value: str) -> float | None:
    """Read a time in ms as s."""
    return int(value) / 1000 if value.isascii() and value.isdigit() and len(value) < 10 else None


def _named(tier: str) -> tuple[str | None, str]:
    """Tell from the name of a tier whose it is and what role it plays."""
    title = raw.clean(tier)
    if title.lower() in (WORDS, INTENT, PHONES):
        return None, title.lower()
    speaker, dash, role = title.rpartition(" - ")
    if dash and role.lower() in (WORDS, INTENT, PHONES):
        return speaker, role.lower()
    return title, SPEECH


PARSERS = {".rttm": _rttm, ".textgrid": _textgrid, ".csv": _csv, ".eaf": _eaf}
