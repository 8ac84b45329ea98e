"""The layout of otoSpeech: WebDataset shards of FLAC and JSON, in two releases.

::

    otoSpeech-full-duplex-280h/data/train/shard-000000.tar            48 kHz, raw
    otoSpeech-full-duplex-processed-141h/data/train/shard-000000.tar  44.1 kHz, denoised
        <session>.flac  <session>.json  [<session>.words.csv]

The processed release holds some sessions of the raw one again, denoised to digital zeros between
speech, and some that the raw one lacks. The real corpus has no words; words-only, a sidecar
``<session>.words.csv`` (``channel,start,end,text``; s, marks of punctuation with no length) stands
in for the FLAC. Speakers are named by ``profile_id``. One session has a redacted segment.
"""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tact import audio
from tact.audio import Samples
from tact.files import Output, write_together
from tact.simulate import mixing
from tact.simulate.cast import dyads, hexadecimal
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk

RAW = "otoSpeech-full-duplex-280h"
PROCESSED = "otoSpeech-full-duplex-processed-141h"
RATES_HZ = {RAW: 48_000, PROCESSED: 44_100}
PER_SHARD = 20
GATE_MARGIN_MS = 60
REDACTED_S = (0.1, 0.4)
"""Before anyone speaks."""

Members = dict[str, bytes]


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write the whole corpus below ``root``, session by session."""
    size, key = studio.size, (studio.seed, studio.corpus)
    ids = [hexadecimal(12, *key, "profile", number) for number in range(size.speakers)]
    meetings = dyads(size.conversations, size.speakers)
    shards = {release: Shards(root / release / "data/train") for release in RATES_HZ}
    for meeting in meetings:
        session = hexadecimal(32, *key, "session", meeting.index)
        talk = studio.dyad(session, names(meeting, ids))
        for release in _releases(meeting.index):
            shards[release].add(_members(talk, release, studio, redacted=meeting.index == 0))
        yield talk
    for written in shards.values():
        written.close()


def _releases(index: int) -> tuple[str, ...]:
    """Tell which releases hold a session: every third both, every ninth only the processed."""
    if index % 9 == 8:
        return (PROCESSED,)
    return (RAW, PROCESSED) if index % 3 == 2 else (RAW,)


class Shards:
    """Tars of up to twenty sessions, each put in place when it is full; no time is stored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._members: Members = {}
        self._sessions = 0
        self._shard = 0

    def add(self, members: Members) -> None:
        """Add the files of one session."""
        self._members |= members
        self._sessions += 1
        if self._sessions == PER_SHARD:
            self.close()

    def close(self) -> None:
        """Write what has been gathered."""
        if self._members:
            path = self._folder / f"shard-{self._shard:06d}.tar"
            write_together(Output(path, self._fill))
        self._members, self._sessions, self._shard = {}, 0, self._shard + 1

    def _fill(self, partial: Path) -> None:
        with tarfile.open(partial, "w", format=tarfile.USTAR_FORMAT) as tar:
            for name, content in self._members.items():
                header = tarfile.TarInfo(name)
                header.size = len(content)
                tar.addfile(header, io.BytesIO(content))


def _members(talk: Talk, release: str, studio: Studio, *, redacted: bool) -> Members:
    members: Members = {}
    if studio.words_only:
        members[f"{talk.conversation}.words.csv"] = _words(talk)
    else:
        samples = _sound(talk, release, studio, redacted=redacted)
        encoded = audio.flac(samples, RATES_HZ[release], depth="PCM_16")
        members[f"{talk.conversation}.flac"] = encoded
    about = {
        "duration": talk.duration_ms / 1000,
        "session_type": "casual",
        "topics": ["travel"],
        "redacted_segments": _redactions(redacted),
        "speakers": [
            {"profile_id": speaker, "gender": studio.person(speaker).gender}
            for speaker in talk.speakers
        ],
    }
    members[f"{talk.conversation}.json"] = json.dumps(about).encode()
    return members


def _redactions(redacted: bool) -> list[dict[str, float]] | None:
    start, end = REDACTED_S
    return [{"start_sec": start, "end_sec": end}] if redacted else None


def _sound(talk: Talk, release: str, studio: Studio, *, redacted: bool) -> Samples:
    rate_hz = RATES_HZ[release]
    samples = studio.sound(talk, rate_hz)
    if release == PROCESSED:
        for index, speaker in enumerate(talk.speakers):
            speech = [(u.start_ms, u.end_ms) for u in talk.utterances if u.speaker == speaker]
            samples[:, index] = mixing.gate(
                samples[:, index], speech, rate_hz=rate_hz, margin_ms=GATE_MARGIN_MS
            )
    if redacted:
        start, end = (round(at * rate_hz) for at in REDACTED_S)
        samples[start:end] = np.float32(0)
    return samples


def _words(talk: Talk) -> bytes:
    lines = ["channel,start,end,text"]
    for utterance in talk.utterances:
        channel = talk.speakers.index(utterance.speaker)
        for word in utterance.words:
            start, end = word.start_ms / 1000, word.end_ms / 1000
            text = f'"{word.text}"' if word.text == "," else word.text
            lines.append(f"{channel},{start:.2f},{end:.2f},{text}")
    return ("\n".join(lines) + "\n").encode()
