"""SSSD: conversations of two people, one FLAC with one speaker per channel, lhotse manifests.

Layout (from the only public code found that reads it; that the manifests are the distributor's own
is assumed)::

    original/<session>_mixed.flac                         one speaker per channel, despite its name
    lhotse_manifests_48/recordings.jsonl.gz, supervisions.jsonl.gz

    recordings    {id, sources: [{channels, source: absolute path}], sampling_rate, num_samples,
                   duration}
    supervisions  {id, recording_id, start, duration, channel: int or [int], text, speaker}

Only the file name of ``source`` counts. Texts and times of supervisions are pseudo-labels with
jittered edges, overlaps and long holes: they become words of source ``utterance``, one row per
supervision, for text alone; activity comes from the audio. Where every supervision of a session has
lhotse's ``alignment: {word: [[text, start, duration, score]]}``, which the real corpus lacks, its
words are taken instead, with source ``forced``. A session is left out unless it has one
source, two channels, and at most one speaker per channel, not the same on both. A channel whose
speaker is empty gets a speaker of its own, so that nobody is taken for somebody else.

Nothing is known of gender, age or language.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from tact.corpora import raw
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import Item, seconds
from tact.corpora.raw import Sound
from tact.corpora.reasons import Reason
from tact.corpora.told import Channel, Conversation, Length
from tact.errors import InputError
from tact.settings import Corpus

RECORDINGS = "recordings.jsonl.gz"
SUPERVISIONS = "supervisions.jsonl.gz"
BEST_FOLDER = "lhotse_manifests_48"


class _Label(NamedTuple):
    """One supervision: who says what and when."""

    item: Item
    channel: int
    speaker: str
    words: list[Item]


class _Manifests(NamedTuple):
    """The corpus on disk: FLACs by name, lines of supervisions by session, and their file.

    Lines are parsed again when their session is read: all at once they take six times the room.
    """

    audio: Mapping[str, raw.File]
    lines: Mapping[str, list[bytes]]
    path: str
    sha256: str


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read the SSSD corpus.

    Parameters
    ----------
    root : Path
        Folder that holds the manifests and the folder ``original``, at any depth.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language and how to get the corpus.

    Raises
    ------
    InputError
        The root holds no manifest of recordings, or one that cannot be read.
    """
    files = raw.listing(root, corpus=corpus, obtain=settings.obtain)
    found = [path for path in files if PurePosixPath(path).name == RECORDINGS]
    if not found:
        raise InputError(raw.missing(root, RECORDINGS, corpus=corpus, obtain=settings.obtain))
    best = min(found, key=lambda path: (BEST_FOLDER not in path, path))
    ledger = Ledger(corpus, settings)
    audio = {file.name: file for file in raw.files(root, files, suffix=".flac")}
    _read_sessions(root, best, audio, ledger)
    return ledger.tables()


def _read_sessions(root: Path, path: str, audio: Mapping[str, raw.File], ledger: Ledger) -> None:
    supervisions = str(PurePosixPath(path).with_name(SUPERVISIONS))
    lines, sha256 = _by_session(root, supervisions, ledger)
    manifests = _Manifests(audio, lines, supervisions, sha256)
    known: set[str] = set()
    for line in _rows(root, path, ledger):
        session = raw.text(line.value.get("id"))
        known.add(session)
        _read_session(session, line.value, manifests, ledger)
    for session in sorted(set(lines) - known):
        detail = f"{len(lines[session])} supervisions of a session without a recording"
        ledger.leave_out(ledger.id(session), Reason.MISSING, detail)


def _rows(root: Path, path: str, ledger: Ledger) -> Iterator[raw.Line]:
    name = PurePosixPath(path).name
    for line in raw.json_lines(raw.gunzip(raw.File(root, path).content(), name), name):
        if isinstance(line.value, dict):
            yield line
        else:
            ledger.leave_out(f"{name} line {line.number}", Reason.UNREADABLE, line.value)


def _by_session(root: Path, path: str, ledger: Ledger) -> tuple[dict[str, list[bytes]], str]:
    """Sort the supervisions by session; where there are none, a row says so."""
    lines: defaultdict[str, list[bytes]] = defaultdict(list)
    try:
        sha256 = raw.File(root, path).sha256()
        for line in _rows(root, path, ledger):
            lines[raw.text(line.value.get("recording_id"))].append(line.data)
    except InputError as error:
        ledger.leave_out(SUPERVISIONS, Reason.UNREADABLE, error)
        return {}, ""
    return dict(lines), sha256


def _labels(lines: list[bytes], ledger: Ledger) -> Iterator[_Label]:
    """Read the supervisions of a session."""
    for line in lines:
        row = raw.parse_json(line, SUPERVISIONS)
        channels = row.get("channel")
        channel = channels[0] if isinstance(channels, list) and channels else channels
        start, duration = seconds(row.get("start")), seconds(row.get("duration"))
        end = None if start is None or duration is None else start + duration
        name, text = raw.text(row.get("id")), raw.text(row.get("text"))
        if isinstance(channel, bool) or not isinstance(channel, int):
            ledger.leave_out(name, Reason.CHANNELS, f"channel {channels!r} of a supervision")
            continue
        speaker, words = raw.text(row.get("speaker")), list(_aligned(name, row))
        yield _Label(Item(name, start, end, text), channel, speaker, words)


def _aligned(name: str, row: Mapping[str, Any]) -> Iterator[Item]:
    words = raw.entries(raw.mapping(row.get("alignment")).get("word"))
    for number, word in enumerate(words):
        symbol, start, duration, *_ = [*raw.entries(word), None, None, None]
        begins, lasts = seconds(start), seconds(duration)
        ends = None if begins is None or lasts is None else begins + lasts
        yield Item(f"{name} word {number}", begins, ends, raw.text(symbol))


def _items(labels: list[_Label], channel: int, *, aligned: bool) -> list[Item]:
    """Give what is said on a channel, in the order of time."""
    own = [label for label in labels if label.channel == channel]
    own.sort(key=lambda label: (label.item.start_s is None, label.item.start_s or 0.0))
    if aligned:
        return [word for label in own for word in label.words]
    return [label.item for label in own]


def _read_session(
    session: str, row: Mapping[str, Any], manifests: _Manifests, ledger: Ledger
) -> None:
    name = ledger.id(session)
    sources = [raw.mapping(source) for source in raw.entries(row.get("sources"))]
    numbers = raw.entries(sources[0].get("channels")) if sources else []
    if len(sources) != 1 or len(numbers) != 2 or not all(type(n) is int for n in numbers):
        detail = f"{len(sources)} sources, channels {numbers}; one source of two is read"
        ledger.leave_out(name, Reason.CHANNELS, detail)
        return
    labels = list(_labels(manifests.lines.get(session, []), ledger))
    speakers = _speakers(session, numbers, labels)
    if isinstance(speakers, str):
        ledger.leave_out(name, Reason.SPEAKERS, speakers)
        return
    try:
        sound = _sound(raw.text(sources[0].get("source")), manifests, numbers)
    except InputError as error:
        ledger.leave_out(name, Reason.BAD_AUDIO, error)
        return
    aligned = bool(labels) and all(label.words for label in labels)
    if not labels:
        ledger.leave_out(name, Reason.EMPTY, "no supervisions")
    counted = Length.of_samples(row.get("num_samples"), row.get("sampling_rate"))
    stated = (*counted, *Length.of_seconds(row.get("duration")))
    channels = tuple(
        Channel(
            number=number,
            speaker=speakers[number],
            items=_items(labels, number, aligned=aligned),
            source="forced" if aligned else "utterance",
            sound=sound,
            annotation_path=manifests.path if labels else None,
            annotation_sha256=manifests.sha256 if labels else None,
            stated=stated,
        )
        for number in numbers
    )
    duration_s = max(0.0, seconds(row.get("duration")) or 0.0)
    ledger.add(Conversation(session, channels, round(1000 * duration_s)))


def _speakers(session: str, numbers: list[int], labels: list[_Label]) -> dict[int, str] | str:
    """Name the speaker of each channel, or say what is wrong."""
    heard: dict[int, set[str]] = {number: set() for number in numbers}
    for label in labels:
        if label.channel not in heard:
            return f"a supervision on channel {label.channel} of {numbers}"
        if label.speaker:
            heard[label.channel].add(label.speaker)
    if crowded := [number for number in numbers if len(heard[number]) > 1]:
        return f"channel {crowded[0]} has speakers {', '.join(sorted(heard[crowded[0]]))}"
    return {n: next(iter(heard[n]), f"{session}-channel-{n}") for n in numbers}


def _sound(source: str, manifests: _Manifests, numbers: list[int]) -> Sound | None:
    name = PurePosixPath(source.replace("\\", "/")).name
    if name not in manifests.audio:
        return None
    sound = raw.hear(manifests.audio[name])
    if sound.header.n_channels <= max(numbers):
        raise InputError(f"{name} has {sound.header.n_channels} channels, not {max(numbers) + 1}")
    return sound
