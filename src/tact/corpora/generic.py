"""Any corpus, in any language: a list of recordings, and timing files in a common format.

Files of the root; every path is relative to it and stays in it::

    recordings.csv   conversation, speaker, channel
                     [, audio, timing, duration_s, split_group, release]
    speakers.csv     speaker [, gender, age, first_language, region]; may be missing

``recordings.csv`` has one row per conversation and speaker. ``audio`` names one file whose channel
``channel`` is the speaker's, or a file of the speaker's own, of which the first channel counts;
then ``channel`` only orders the speakers. With ``activity: diarization`` all speakers of a
conversation share the one channel of one file, and are told apart by voice. ``duration_s`` is the
length of the row's audio, and the door holds the audio to it; it is needed where no speaker has
audio.
``timing`` names an RTTM, TextGrid, ELAN or CSV file (`tact.corpora.timing`), of one speaker or of
all; without one the corpus needs an ``activity`` that comes from audio.

The source of words is ``manual`` where their tier is called so or each of its marks is one word,
else ``utterance``. A mark on a tier ``intent`` becomes a row of ``acts`` whose type is
``intent:<intent>``; it answers nothing, since a mark does not tell what the other does.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from tact.corpora import raw, timing
from tact.corpora.ledger import Ledger, Tables
from tact.corpora.places import seconds
from tact.corpora.raw import Sound
from tact.corpora.reasons import Reason
from tact.corpora.sheets import (
    RECORDINGS,
    WANTED,
    Row,
    Unfit,
    agreed,
    conversations,
    describe,
    inside,
)
from tact.corpora.spoken import in_ms, note, spoken_by
from tact.corpora.timing import Timing
from tact.corpora.told import Channel, Conversation, Length
from tact.errors import InputError
from tact.settings import Corpus
from tact.vocabulary import SHARED

Files = Mapping[str, raw.File]
"""Files of one conversation by speaker."""

"""The `activity` of a corpus whose speakers share a channel."""


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read a corpus that recordings.csv lists.

    Parameters
    ----------
    root : Path
        Folder of recordings.csv and of what it names.
    corpus : str
        Prefix of all ids.
    settings : Corpus
        Licence, language, where activity comes from and how to get the corpus.

    Raises
    ------
    InputError
        There is no recordings.csv, or it cannot be read, lacks a column or has no row.
    """
    if not (root / RECORDINGS).is_file():
        what = f"{RECORDINGS} (columns {', '.join(WANTED)}, and what else is known)"
        raise InputError(raw.missing(root, what, corpus=corpus, obtain=settings.obtain))
    ledger = Ledger(corpus, settings)
    try:
        listed = conversations(root, ledger)
    except InputError as error:
        raise InputError(f"ingest: {corpus}: {error}; mend the file") from None
    users: dict[str, str] = {}
    for name, rows in sorted(listed.items()):
        try:
            _read_conversation(name, rows, root, users, ledger)
        except Unfit as unfit:
            ledger.leave_out(ledger.id(name), *unfit.why)
    everyone = {row.speaker for rows in listed.values() for row in rows if isinstance(row, Row)}
    describe(root, everyone, ledger)
    return ledger.tables()


def _read_conversation(
    name: str, stated: Sequence[Row | Unfit], root: Path, users: dict[str, str], ledger: Ledger
) -> None:
    rows = _fit(stated, shared=ledger.settings.activity == SHARED)
    heard, told = _files(root, rows, "audio"), _files(root, rows, "timing")
    _claim(name, [*heard.values(), *told.values()], users)
    sounds = _hear(rows, heard, shared=ledger.settings.activity == SHARED)
    duration_ms = _duration_ms(name, rows, sounds, ledger)
    timings = _timings(rows, told, needed=ledger.settings.activity == "words")
    limit_ms = min((sound.duration_ms for sound in sounds.values()), default=duration_ms)
    if wrong := [line for path in timings if (line := in_ms(path, timings[path], limit_ms))]:
        raise Unfit(Reason.BAD_TIMING, "; ".join(wrong))
    spoken = {row.speaker: spoken_by(row.speaker, timings, told, limit_ms) for row in rows}
    hashes = {file.path: file.sha256() for file in told.values()}
    channels = []
    for number, row in enumerate(rows):
        own, file = spoken[row.speaker], told.get(row.speaker)
        channels.append(
            Channel(
                number=number if ledger.settings.activity == SHARED else row.channel,
                speaker=row.speaker,
                items=own.items,
                source=own.source,
                sound=sounds.get(row.speaker),
                annotation_path=file.path if file else None,
                annotation_sha256=hashes[file.path] if file else None,
                stated=Length.of_seconds(row.told.get("duration_s")),
                mixed=ledger.settings.activity == SHARED,
            )
        )
    group, release = (agreed(name, rows, column, ledger) for column in ("split_group", "release"))
    if ledger.add(Conversation(name, tuple(channels), duration_ms, group, release)):
        note(name, spoken, timings, told, ledger)


def _fit(stated: Sequence[Row | Unfit], *, shared: bool) -> list[Row]:
    """Give the rows of a conversation, if all can be read and the speakers can be told apart.

    Speakers on a ``shared`` channel are told apart by their voices, later on.
    """
    rows: list[Row] = []
    for row in stated:
        if isinstance(row, Unfit):
            raise row
        rows.append(row)
    if len(rows) < 2:
        raise Unfit(Reason.SPEAKERS, f"{len(rows)} speaker in {RECORDINGS}, not 2 or more")
    number, n_rows = Counter(row.channel for row in rows).most_common(1)[0]
    if n_rows > 1 and not shared:
        who = ", ".join(row.speaker for row in rows if row.channel == number)
        raise Unfit(
            Reason.CHANNELS,
            f"{who} are all on channel {number}; number them 0 and 1"
            f", or set activity: {SHARED} if that is how they were recorded",
        )
    return rows


def _files(root: Path, rows: list[Row], column: str) -> Files:
    """Find the files that a column names, by speaker."""
    return {row.speaker: inside(root, path) for row in rows if (path := row.told.get(column, ""))}


def _claim(name: str, files: list[raw.File], users: dict[str, str]) -> None:
    """Demand that no other conversation names the same file."""
    for path in sorted({file.path for file in files}):
        if (other := users.setdefault(path, name)) != name:
            raise Unfit(Reason.DUPLICATE, f"{path} is a file of conversation {other!r} too")


def _hear(rows: list[Row], files: Files, *, shared: bool) -> dict[str, Sound]:
    """Probe each audio file once; one of several speakers needs a channel for each of them.

    Where they share a channel, there is one file, of one channel.
    """
    sharing = Counter(file.path for file in files.values())
    heard: dict[str, Sound] = {}
    for row in rows:
        if (file := files.get(row.speaker)) is None:
            continue
        if file.path not in heard:
            try:
                heard[file.path] = raw.hear(file)
            except InputError as error:
                raise Unfit(Reason.BAD_AUDIO, str(error)) from None
        n_channels = heard[file.path].header.n_channels
        if shared and (n_channels > 1 or len(sharing) > 1 or len(files) < len(rows)):
            detail = f"activity is {SHARED}, so all speakers need one file of one channel"
            raise Unfit(Reason.CHANNELS, f"{detail}; {file.path} has {n_channels}")
        if not shared and sharing[file.path] > 1 and row.channel >= n_channels:
            detail = f"{file.path} has {n_channels} channels; {row.speaker} is on {row.channel}"
            raise Unfit(Reason.CHANNELS, detail)
    return {speaker: heard[file.path] for speaker, file in files.items()}


def _duration_ms(name: str, rows: list[Row], sounds: Mapping[str, Sound], ledger: Ledger) -> int:
    """Give the stated length; it is needed where there is no audio."""
    if sounds:
        return 0
    length = seconds(agreed(name, rows, "duration_s", ledger))
    if length is None or length <= 0:
        raise Unfit(Reason.UNTIMED, f"no audio and no length; write duration_s in {RECORDINGS}")
    return round(1000 * length)


def _timings(rows: list[Row], files: Files, *, needed: bool) -> dict[str, Timing]:
    """Read each timing file once, by its path."""
    if needed and (without := [row.speaker for row in rows if row.speaker not in files]):
        detail = f"no timing of {', '.join(without)}; name a file, or set activity: webrtc"
        raise Unfit(Reason.MISSING, detail)
    by_path = {file.path: file for file in files.values()}
    try:
        return {path: timing.read(file) for path, file in by_path.items()}
    except InputError as error:
        raise Unfit(Reason.UNREADABLE, str(error)) from None
