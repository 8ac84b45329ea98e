"""What timing files tell of the speakers of one conversation, on its clock.

A speaker's tier of words comes before one of speech. In a file of one speaker, tiers without a
name are theirs too; in a file of several they are nobody's.
"""

from collections.abc import Mapping
from typing import NamedTuple

from tact.corpora import raw
from tact.corpora.ledger import Ledger
from tact.corpora.places import Fault, Item, place
from tact.corpora.reasons import Reason
from tact.corpora.timing import INTENT, PHONES, SPEECH, WORDS, Timing
from tact.corpora.told import Act
from tact.vocabulary import INTENTS

MANUAL, UTTERANCE = "manual", "utterance"
MS_IN_S = 1000
LEAST_FACTOR = 100
"""Times in ms run this much past the end or more, unless nearly all of the sound has no words."""


class Spoken(NamedTuple):
    """What a timing file tells of one speaker: items on the clock, their source, marks, faults."""

    items: list[Item]
    source: str
    intents: list[Item]
    faults: list[Fault]


def spoken_by(
    speaker: str,
    timings: Mapping[str, Timing],
    files: Mapping[str, raw.File],
    limit_ms: int,
) -> Spoken:
    """Find the tiers of a speaker: words before speech, named before unnamed."""
    if (file := files.get(speaker)) is None:
        return Spoken([], UTTERANCE, [], [])
    tiers = timings[file.path].tiers
    alone = sum(other.path == file.path for other in files.values()) == 1
    owners = (speaker, None) if alone else (speaker,)
    keys = [(owner, role) for role in (WORDS, SPEECH) for owner in owners]
    key = next((key for key in keys if key in tiers), None)
    said = tiers[key] if key else []
    words = key is not None and key[1] == WORDS
    source = MANUAL if words or all(len(item.text.split()) == 1 for item in said) else UTTERANCE
    marks = [item for owner in owners for item in tiers.get((owner, INTENT), [])]
    items, faults = _placed(said, limit_ms, apart=True)
    intents, more = _placed([mark._replace(kind="other") for mark in marks], limit_ms, apart=False)
    return Spoken(items, source, intents, [*faults, *more])


def in_ms(path: str, told: Timing, limit_ms: int) -> str | None:
    """Say so where the times of a file look like ms, read as s.

    Most of its spans start past the end of the sound, and the last time is about a thousand times
    as large as it may be. ELAN counts in ms.
    """
    items = [item for rows in told.tiers.values() for item in rows if item.start_s is not None]
    past = sum(1000 * (item.start_s or 0.0) > limit_ms for item in items)
    last = max((item.end_s or item.start_s or 0.0 for item in items), default=0.0)
    # A thousandth of it lies in the sound, or less than a second past its end.
    fits = LEAST_FACTOR * limit_ms <= 1000 * last <= MS_IN_S * (limit_ms + 1000)
    if 2 * past <= len(items) or not fits or path.lower().endswith(".eaf"):
        return None
    return (
        f"{path}: {past} of {len(items)} intervals start past the end, {limit_ms / 1000:.1f} s, and"
        f" the last ends at {last:.0f}; are these ms? seconds are wanted"
    )


def _placed(said: list[Item], limit_ms: int, *, apart: bool) -> tuple[list[Item], list[Fault]]:
    """Put items on the clock, in the order of time, and say what is wrong with each.

    With ``apart``, one that starts before an earlier one has ended gets a row, and is kept.
    """
    kept: list[Item] = []
    faults: list[Fault] = []
    latest = 0
    for item in sorted(said, key=lambda item: (item.start_s is None, item.start_s or 0.0)):
        placed, wrong = place([item], limit_ms=limit_ms)
        faults += wrong
        for span in placed:
            if apart and span.start_ms < latest:
                detail = f"{span.text!r} starts at {span.start_ms} ms, before {latest} ms"
                faults.append(Fault(item.name, Reason.OVERLAP, detail))
            latest = max(latest, span.end_ms)
            kept.append(item._replace(start_s=span.start_ms / 1000, end_s=span.end_ms / 1000))
    return kept, faults


def note(
    name: str,
    spoken: Mapping[str, Spoken],
    timings: Mapping[str, Timing],
    files: Mapping[str, raw.File],
    ledger: Ledger,
) -> None:
    """Write the acts of a conversation, and a row for each fault of its timing files."""
    for speaker, own in spoken.items():
        for fault in own.faults:
            ledger.leave_out(*fault)
        if not own.items and speaker in files:
            detail = f"nothing of {speaker!r} in {files[speaker].path}"
            ledger.leave_out(ledger.id(name), Reason.EMPTY, detail)
        for mark in own.intents:
            _act(name, speaker, mark, ledger)
    for path, told in timings.items():
        for fault in told.faults:
            ledger.leave_out(*fault)
        owners = [speaker for speaker, file in files.items() if file.path == path]
        for (named, role), rows in told.tiers.items():
            known = len(owners) == 1 if named is None else named in owners
            if not known and role != PHONES:
                whose = "of nobody" if named is None else f"of {named!r}"
                detail = f"{len(rows)} rows ({role}) {whose}, in a file of {', '.join(owners)}"
                ledger.leave_out(path, Reason.UNKNOWN_SPEAKER, detail)


def _act(name: str, speaker: str, mark: Item, ledger: Ledger) -> None:
    intent = mark.text.lower()
    if intent not in INTENTS:
        detail = f"intent {mark.text!r}, none of {', '.join(INTENTS)}"
        ledger.leave_out(mark.name, Reason.UNTYPED_ACT, detail)
        return
    start_ms, end_ms = (round(1000 * (time or 0.0)) for time in (mark.start_s, mark.end_s))
    ledger.act(name, Act(speaker, mark.name, start_ms, end_ms, f"{INTENT}:{intent}", False))
