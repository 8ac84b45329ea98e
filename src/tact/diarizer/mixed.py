"""Stage: from a channel that speakers share to the IPUs of each of them.

Tables in: ``recordings`` with their audio, and optionally ``voices``. Tables out: ``ipus`` (source
``diarization``), ``people`` and ``quarantine``.

A channel is heard once, in blocks. The voices of its windows are clustered together, with a cap on
how many take part, rather than stretch by stretch with the stretches joined afterwards: a person
who is silent for a stretch is then no special case, there is one threshold and not two, and memory
is bounded all the same (`benchmarks/diarization.py` measures it on three hours).
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import activity, frames
from tact.clock import Flags
from tact.diarization import (
    Heard,
    Name,
    Vectors,
    assign,
    cluster,
    named,
    spans,
    spread,
    stitch,
)
from tact.diarizer.listener import Ears, listen
from tact.errors import InputError
from tact.settings import Activity, Diarization

SOURCE = "diarization"


class Diarized(NamedTuple):
    """The tables that the stage writes."""

    ipus: pd.DataFrame
    people: pd.DataFrame
    quarantine: pd.DataFrame


class Found(NamedTuple):
    """The people of one channel, by their first speech: when each talks, and the mean voice."""

    speech: Flags
    voices: Vectors


def diarize(
    recordings: pd.DataFrame,
    root: Path,
    voices: pd.DataFrame,
    *,
    ears: Ears,
    settings: Diarization,
    ipu: Activity,
) -> Diarized:
    """Find who speaks when in the conversations whose speakers share a channel.

    A conversation is left out whole, with a row that says why, when its channel cannot be read or
    is not one, and when not as many people were found on it as it has speakers.

    Parameters
    ----------
    recordings : table ``recordings``
        Rows that are not mixed are passed over.
    root : Path
        Folder of the corpus.
    voices : table ``voices``
        May be empty: speakers are then named by the order in which they first talk.
    ears : Ears
    settings : Diarization
    ipu : Activity
        ``min_speech_ms`` and ``ipu_silence_ms``.
    """
    shared = recordings.groupby("conversation")["mixed"].transform("any")
    known = mean_voices(voices)
    ipus: list[pd.DataFrame] = []
    people: list[dict[str, object]] = []
    left_out: list[dict[str, object]] = []
    for name, rows in recordings[shared].groupby("conversation"):
        corpus, speakers = str(rows["corpus"].iloc[0]), list(rows.sort_values("channel")["speaker"])
        try:
            heard, duration_ms = listen(root / _only_file(rows), ears, channel=None)
        except InputError as error:
            left_out.append(left_out_row("diarize", corpus, name, "unreadable audio", str(error)))
            continue
        n_told = len(speakers) if settings.people == "told" else None
        found = find(heard, ears.segmentation.frame_ms, settings=settings, n_people=n_told)
        fits = len(found.speech) == len(speakers)
        names = named(found.voices, speakers, known, least=settings.least_likeness) if fits else []
        people += _people(corpus, str(name), found, names, ears.segmentation.frame_ms)
        if not fits:
            detail = f"{len(found.speech)} voices found, {len(speakers)} speakers in recordings"
            left_out.append(left_out_row("diarize", corpus, name, "number of speakers", detail))
            continue
        ipus.append(_spans(str(name), found, names, ears, duration_ms, ipu))
    joined = activity.join(
        pd.concat(ipus, ignore_index=True) if ipus else _spanless(), silence_ms=ipu.ipu_silence_ms
    )
    return Diarized(
        joined.assign(source=SOURCE, confidence=None),
        frames.frame(people, "people"),
        frames.frame(left_out, "quarantine"),
    )


def find(heard: Heard, frame_ms: float, *, settings: Diarization, n_people: int | None) -> Found:
    """Find the people of a channel and when they talk.

    Parameters
    ----------
    heard : Heard
    frame_ms : float
        From one frame to the next, ms.
    settings : Diarization
    n_people : int or None
        How many there are; None = as many as the threshold finds.
    """
    well = np.flatnonzero(heard.alone * frame_ms >= 1000 * settings.least_alone_s)
    if not len(well):
        well = np.arange(len(heard.vectors))
    voices = cluster(
        heard.vectors[spread(well, settings.most_voices)],
        threshold=settings.threshold,
        least=settings.least_voices,
        least_share=settings.least_share,
        n_people=n_people,
    )
    speech = stitch(heard, assign(heard, voices), len(voices))
    talks = np.flatnonzero(speech.any(axis=1))
    order = talks[np.argsort(speech[talks].argmax(axis=1), kind="stable")]
    return Found(speech[order], voices[order])


def mean_voices(voices: pd.DataFrame) -> dict[str, Vectors]:
    """Average what is known of each speaker's voice, by its speech, to length 1."""
    means = {}
    for speaker, rows in voices.groupby("speaker"):
        vectors = np.stack(list(rows["embedding"]))
        mean = np.average(vectors, axis=0, weights=np.maximum(rows["speech_ms"], 1))
        means[str(speaker)] = (mean / np.linalg.norm(mean)).astype(np.float32)
    return means


def left_out_row(
    stage: str, corpus: str, item: object, reason: str, detail: str
) -> dict[str, object]:
    """Make a row of ``quarantine``."""
    return {"corpus": corpus, "item": item, "stage": stage, "reason": reason, "detail": detail}


def _only_file(rows: pd.DataFrame) -> str:
    paths = rows["path"].unique()
    if not rows["mixed"].all() or len(paths) > 1:
        raise InputError("speakers share a channel, but not all of them or not one")
    if pd.isna(paths[0]):
        raise InputError("there is no audio")
    return str(paths[0])


def _spans(
    name: str, found: Found, names: list[Name], ears: Ears, duration_ms: int, ipu: Activity
) -> pd.DataFrame:
    parts = [_spanless()]
    for speech, who in zip(found.speech, names, strict=True):
        times = spans(
            speech,
            frame_ms=ears.segmentation.frame_ms,
            first_ms=ears.segmentation.first_ms,
            duration_ms=duration_ms,
        )
        times = times[times[:, 1] - times[:, 0] >= max(1, ipu.min_speech_ms)]
        part = pd.DataFrame(times, columns=["start_ms", "end_ms"])
        parts.append(part.assign(conversation=name, speaker=who.speaker))
    return pd.concat(parts, ignore_index=True)


def _spanless() -> pd.DataFrame:
    kinds = {"conversation": "str", "speaker": "str", "start_ms": "int64", "end_ms": "int64"}
    return pd.DataFrame({column: pd.Series(dtype=kind) for column, kind in kinds.items()})


def _people(
    corpus: str, name: str, found: Found, names: list[Name], frame_ms: float
) -> list[dict[str, object]]:
    return [
        {
            "corpus": corpus,
            "conversation": name,
            "person": person,
            "speaker": names[person].speaker if names else None,
            "named_by": names[person].how if names else None,
            "likeness": names[person].likeness if names else None,
            "speech_ms": round(int(speech.sum()) * frame_ms),
        }
        for person, speech in enumerate(found.speech)
    ]
