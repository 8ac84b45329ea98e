"""From items with times in seconds to words on the millisecond clock, and what is wrong with each.

An *item* is what an annotation lists: a word, a mark of punctuation, a laugh. It is placed or it
is left out with a reason; none is dropped in silence.
"""

from collections.abc import Iterable
from typing import NamedTuple

from tact.clock import to_ms
from tact.corpora.reasons import Reason

LONGEST_S = 1e6


class Item(NamedTuple):
    """One item of an annotation: what it is called there, its times in s, text and kind."""

    name: str
    start_s: float | None
    end_s: float | None
    text: str
    kind: str = "word"


class Placed(NamedTuple):
    """One item on the conversation's clock, ms."""

    start_ms: int
    end_ms: int
    text: str
    kind: str


class Fault(NamedTuple):
    """What was left out or mended: the item, a reason from the short list, what was found."""

    item: str
    reason: Reason
    detail: str


def seconds(value: object) -> float | None:
    """Read a time in s from a number or its text; None where there is none that makes sense."""
    if value is None or isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if -LONGEST_S < number < LONGEST_S else None


def place(items: Iterable[Item], *, limit_ms: int | None) -> tuple[list[Placed], list[Fault]]:
    """Put the items of one speaker on the clock, in the order in which they are listed.

    Punctuation that has no time takes the end of what came before it; a laugh or another sound
    that has a start but no end has no length. Left out are: words without times, items that end
    before they start or start before 0, words without length, and what starts after the recording
    has ended. An item that runs past the end of the recording is cut there::

        recording  |------------------|
        items        ###  ##  ##########  ###
        placed       ###  ##  ########           one fault for the cut, one for the last

    Parameters
    ----------
    items : iterable of Item
        Times in s.
    limit_ms : int or None
        Length of the recording; None where there is no audio to hold the items to.
    """
    placed: list[Placed] = []
    faults: list[Fault] = []
    latest = 0
    for item in items:
        start, end = _span(item, latest)
        reason = _wrong(item, start, end, limit_ms)
        if reason is not None:
            faults.append(Fault(item.name, reason, _shown(item)))
            continue
        if limit_ms is not None and end > limit_ms:
            detail = f"{_shown(item)} cut at {limit_ms} ms, the end of the recording"
            faults.append(Fault(item.name, Reason.CUT, detail))
            end = limit_ms
        latest = max(latest, end)
        placed.append(Placed(start, end, item.text, item.kind))
    return placed, faults


def _span(item: Item, latest: int) -> tuple[int, int]:
    """Give the span in ms; -1 stands for a time that is not there and cannot be made up."""
    if item.start_s is None and item.kind == "punctuation":
        return latest, latest
    start = -1 if item.start_s is None else to_ms(item.start_s)
    if item.end_s is not None:
        return start, to_ms(item.end_s)
    return start, -1 if item.kind == "word" else start


def _wrong(item: Item, start: int, end: int, limit_ms: int | None) -> Reason | None:
    lexical = item.kind == "word"
    if (item.start_s is None and item.kind != "punctuation") or (item.end_s is None and lexical):
        return Reason.UNTIMED
    if end < start:
        return Reason.BACKWARDS
    if start < 0:
        return Reason.BEFORE_START
    if lexical and end == start:
        return Reason.NO_LENGTH
    if limit_ms is not None and (start > limit_ms or (lexical and start == limit_ms)):
        return Reason.PAST_END
    return None


def _shown(item: Item) -> str:
    times = " to ".join(
        "no time" if time is None else f"{time:.3f} s" for time in (item.start_s, item.end_s)
    )
    return f"{item.kind} {item.text!r}, {times}"
