"""The layout of Seamless Interaction: a WAV, a transcript and a VAD file per participant.

::

    filelist.csv  participants.csv  relationships.csv  interactions.csv
    naturalistic/<split>/audio/<file id>.wav
    naturalistic/<split>/metadata/transcript/<file id>.jsonl  metadata/vad/<file id>.jsonl

``file id`` is ``V<vendor>_S<session>_I<prompt>_P<participant>``; two people of one session go
through two prompts. A participant id counts within its vendor; some carry a letter. With audio, the
two files of an interaction differ in length, and beside them lie three broken interactions: empty
VAD file, words with null times, truncated WAV.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from tact import audio
from tact.simulate.cast import circles, dyads
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk, Utterance

RATE_HZ = 48_000
PER_SESSION = 2
LONGER_MS = 700
VAD_MARGIN_MS = 40
SPLITS = ("train", "dev", "test")
BROKEN_MINUTES = 0.5


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write the whole corpus below ``root``, interaction by interaction."""
    size = studio.size
    ids = [_name(number, circles(size.speakers)) for number in range(size.speakers)]
    files: list[str] = []
    sessions: list[str] = []
    n_sessions = -(-size.conversations // PER_SESSION)
    for meeting in dyads(n_sessions, size.speakers):
        pair = names(meeting, ids)
        sessions.append(f"{pair[0][:3]},{meeting.index + 1:04d},stranger,")
        for turn in range(PER_SESSION):
            if meeting.index * PER_SESSION + turn >= size.conversations:
                break
            talk = _interaction(studio, meeting.index, turn, pair)
            files += _write(root / "naturalistic" / _split(meeting.index), talk, studio)
            yield talk
    if not studio.words_only:
        files += _break(root, studio, n_sessions, names(dyads(1, size.speakers)[0], ids))
    _write_tables(root, ids, files, sessions)


def _name(number: int, n_circles: int) -> str:
    """Name a person by vendor and participant; people of one circle share a vendor."""
    letter = "A" if number % 9 == 8 else ""
    return f"V{number % n_circles % 2:02d}_P{number + 1:04d}{letter}"


def _file_id(talk: Talk, speaker: str) -> str:
    return f"{talk.conversation}_{speaker.partition('_')[2]}"


def _interaction(studio: Studio, session: int, turn: int, pair: tuple[str, ...]) -> Talk:
    prompt = f"{(session * PER_SESSION + turn) % 997:08d}"
    return studio.dyad(f"{pair[0][:3]}_S{session + 1:04d}_I{prompt}", pair)


def _split(session: int) -> str:
    return SPLITS[session % 10] if session % 10 < len(SPLITS) else SPLITS[0]


def _write(folder: Path, talk: Talk, studio: Studio) -> list[str]:
    """Write both files of an interaction, and give their rows of filelist.csv."""
    rows = []
    sound = None if studio.words_only else studio.sound(talk, RATE_HZ)
    for index, speaker in enumerate(talk.speakers):
        name = _file_id(talk, speaker)
        own = [u for u in talk.utterances if u.speaker == speaker]
        _lines(folder / f"metadata/transcript/{name}.jsonl", [_heard(u) for u in own])
        _lines(folder / f"metadata/vad/{name}.jsonl", [_active(u) for u in own])
        if sound is not None:
            # The second participant's recorder runs a little longer.
            longer = np.zeros(index * LONGER_MS * RATE_HZ // 1000, np.float32)
            samples = np.concatenate([sound[:, index], longer])
            path = folder / f"audio/{name}.wav"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(audio.wav(samples, RATE_HZ, depth="FLOAT"))
        rows.append(f"{name},naturalistic,{folder.name},0,0,0,0,0")
    return rows


def _heard(utterance: Utterance) -> dict[str, object]:
    """Write an IPU as WhisperX does: a mark belongs to the word before it."""
    words: list[dict[str, object]] = []
    for word in utterance.words:
        if word.punctuation:
            words[-1]["word"] = f"{words[-1]['word']}{word.text}"
        else:
            start, end = word.start_ms / 1000, word.end_ms / 1000
            words.append({"word": word.text, "start": start, "end": end, "score": 0.9})
    return {
        "words": words,
        "start": utterance.start_ms / 1000,
        "end": utterance.end_ms / 1000,
        "transcript": " ".join(str(word["word"]) for word in words),
    }


def _active(utterance: Utterance) -> dict[str, float]:
    start_ms = max(0, utterance.start_ms - VAD_MARGIN_MS)
    return {"start": start_ms / 1000, "end": (utterance.end_ms + VAD_MARGIN_MS) / 1000}


def _break(root: Path, studio: Studio, session: int, pair: tuple[str, ...]) -> list[str]:
    """Write three short interactions, each with one thing wrong."""
    short = replace(
        studio, size=studio.size.model_copy(update={"minutes": BROKEN_MINUTES}), people={}
    )
    folder = root / "naturalistic" / SPLITS[0]
    rows = []
    for kind in range(3):
        talk = _interaction(short, session + kind, 0, pair)
        rows += _write(folder, talk, short)
        name = _file_id(talk, pair[0])
        if kind == 0:
            (folder / f"metadata/vad/{name}.jsonl").write_text("")
        elif kind == 1:
            path = folder / f"metadata/transcript/{name}.jsonl"
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            lines[0]["words"][-1] |= {"start": None, "end": None}
            _lines(path, lines)
        else:
            path = folder / f"audio/{name}.wav"
            path.write_bytes(path.read_bytes()[: -RATE_HZ * 8])
    return rows


def _lines(path: Path, rows: list[dict[str, object]] | list[dict[str, float]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _write_tables(root: Path, ids: list[str], files: list[str], sessions: list[str]) -> None:
    tables = {
        "filelist": (
            "file_id,label,split,batch_idx,archive_idx,has_imitator_movement,has_annotation_1p,"
            "has_annotation_3p",
            files,
        ),
        "participants": ("vendor_id,participant_id", [name.replace("_P", ",") for name in ids]),
        "relationships": ("vendor_id,session_id,relationship,relationship_detail", sessions),
        "interactions": ("prompt_hash,interaction_type,ipc_a,ipc_b", []),
    }
    for name, (header, rows) in tables.items():
        (root / f"{name}.csv").write_text("\n".join([header, *rows]) + "\n")
