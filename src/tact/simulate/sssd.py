"""The layout of SSSD: one FLAC per session, one speaker per channel, and lhotse manifests.

::

    original/<session>_mixed.flac
    lhotse_manifests_48/recordings.jsonl.gz  supervisions.jsonl.gz

With audio, supervisions are what a recogniser would give: jittered edges, spans that overlap,
holes where speech has no label, a text without marks. Words-only, there is one supervision per IPU
with exact times, and lhotse's ``alignment`` holds the words.
"""

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from tact import audio
from tact.files import Output, write_together
from tact.simulate.cast import dyads, hexadecimal
from tact.simulate.dice import Dice
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk, Utterance

RATE_HZ = 48_000
ELSEWHERE = "/data/ScalableSpontaneousSpeechDataset/original"
HOLE_SHARE = 0.06
JITTER_S = 0.08
NAMELESS_EVERY = 11

Json = dict[str, object]


class Manifest:
    """JSON lines, gzipped as they come with no time in the header, and put in place at the end."""

    def __init__(self) -> None:
        self._packed = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `put`
        self._lines = gzip.GzipFile(
            filename="", mode="wb", compresslevel=4, fileobj=self._packed, mtime=0
        )

    def add(self, rows: Iterable[Json]) -> None:
        """Add rows."""
        self._lines.write("".join(json.dumps(row) + "\n" for row in rows).encode())

    def put(self, path: Path) -> None:
        """Write the file, whole."""
        self._lines.close()
        self._packed.seek(0)
        with self._packed:
            write_together(Output(path, self._fill))

    def _fill(self, partial: Path) -> None:
        with partial.open("wb") as file:
            shutil.copyfileobj(self._packed, file)


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write the whole corpus below ``root``, session by session."""
    size, key = studio.size, (studio.seed, studio.corpus)
    ids = [hexadecimal(16, *key, "speaker", number) for number in range(size.speakers)]
    recordings, supervisions = Manifest(), Manifest()
    for meeting in dyads(size.conversations, size.speakers):
        session = hexadecimal(12, *key, "session", meeting.index)
        talk = studio.dyad(session, names(meeting, ids))
        recordings.add([_recording(talk)])
        if studio.words_only:
            supervisions.add(_exact(talk, number) for number in range(len(talk.utterances)))
        else:
            nameless = meeting.index % NAMELESS_EVERY == NAMELESS_EVERY - 1
            supervisions.add(_heard(talk, Dice(*key, "recogniser", session), nameless=nameless))
            _sound(root, talk, studio)
        yield talk
    folder = root / "lhotse_manifests_48"
    recordings.put(folder / "recordings.jsonl.gz")
    supervisions.put(folder / "supervisions.jsonl.gz")


def _recording(talk: Talk) -> Json:
    source = f"{ELSEWHERE}/{talk.conversation}_mixed.flac"
    return {
        "id": talk.conversation,
        "sources": [{"type": "file", "channels": [0, 1], "source": source}],
        "sampling_rate": RATE_HZ,
        "num_samples": talk.duration_ms * RATE_HZ // 1000,
        "duration": talk.duration_ms / 1000,
        "channel_ids": [0, 1],
    }


def _exact(talk: Talk, number: int) -> Json:
    utterance = talk.utterances[number]
    spoken = [word for word in utterance.words if not word.punctuation]
    return _supervision(talk, number, utterance) | {
        "alignment": {
            "word": [
                [word.text, word.start_ms / 1000, (word.end_ms - word.start_ms) / 1000, None]
                for word in spoken
            ]
        }
    }


def _heard(talk: Talk, dice: Dice, *, nameless: bool) -> Iterator[Json]:
    """Label what a recogniser would hear; one channel may have lost its speaker."""
    for number, utterance in enumerate(talk.utterances):
        if dice.uniform() < HOLE_SHARE:
            continue
        row = _supervision(talk, number, utterance)
        start = max(0.0, utterance.start_ms / 1000 + JITTER_S * dice.normal())
        end = max(start + 0.05, utterance.end_ms / 1000 + 0.1 + JITTER_S * dice.normal())
        row |= {"start": round(start, 2), "duration": round(end - start, 2)}
        if number % 2:
            row["channel"] = [row["channel"]]
        if nameless and utterance.speaker == talk.speakers[1]:
            row["speaker"] = ""
        yield row


def _supervision(talk: Talk, number: int, utterance: Utterance) -> Json:
    return {
        "id": f"{talk.conversation}-{number}",
        "recording_id": talk.conversation,
        "start": utterance.start_ms / 1000,
        "duration": (utterance.end_ms - utterance.start_ms) / 1000,
        "channel": talk.speakers.index(utterance.speaker),
        "text": " ".join(word.text for word in utterance.words if not word.punctuation),
        "speaker": utterance.speaker,
    }


def _sound(root: Path, talk: Talk, studio: Studio) -> None:
    folder = root / "original"
    folder.mkdir(parents=True, exist_ok=True)
    encoded = audio.flac(studio.sound(talk, RATE_HZ), RATE_HZ, depth="PCM_16")
    (folder / f"{talk.conversation}_mixed.flac").write_bytes(encoded)
