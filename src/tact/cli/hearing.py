"""Command activity: who speaks when."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import activity, detectors, files, frames, tables
from tact.cli.app import announce, app, corpus_entry, corpus_root, settings
from tact.cli.rows import (
    AS_DETECTED,
    Errors,
    Inspected,
    Name,
    Recordings,
    Shard,
    corrections,
    pick,
)
from tact.detectors import Activities
from tact.errors import InputError
from tact.vocabulary import SHARED


class Source(StrEnum):
    """Where IPUs come from."""

    words = "words"
    webrtc = "webrtc"
    silero = "silero"
    pyannote = "pyannote"


@app.command("activity")
def find_activity(
    corpus: Name,
    recordings: Recordings,
    out: Annotated[Path, typer.Option(help="Table ipus to write.", writable=True)],
    quarantine: Annotated[Path, typer.Option(help="Table quarantine to write.", writable=True)],
    evidence: Annotated[
        Path | None,
        typer.Option(help="Folder for the tables heard, leaks and crosstalk.", writable=True),
    ] = None,
    words: Annotated[Path | None, typer.Option(help="Table words (source words).")] = None,
    shard: Shard = "1/1",
    source: Annotated[
        Source | None, typer.Option(help="Where IPUs come from; else as the config says.")
    ] = None,
    errors: Errors = None,
    inspected: Inspected = None,
) -> None:
    """Find the inter-pausal units of a corpus, from words or from audio.

    Without --errors ends are as the detector has them, some .1 s early or late.

    Example: tact activity ami --recordings R.parquet --words W.parquet --out IPUS.parquet
    --quarantine Q.parquet --shard 1/4
    """
    entry = corpus_entry(corpus)
    rows = pick(recordings, shard, inspected)
    asked = source or _source(corpus, entry.activity)
    known = corrections(errors, asked)
    if asked == Source.words:
        ipus, left_out = activity.from_words(
            rows, _words(words, rows), settings=settings().activity
        )
        found = Activities(
            ipus,
            heard=frames.empty("heard"),
            leaks=frames.empty("leaks"),
            crosstalk=frames.empty("crosstalk"),
            quarantine=left_out,
        )
    else:
        found = detectors.detect(
            rows,
            corpus_root(entry),
            detector=detectors.create(asked, settings().activity),
            corrections=known,
            settings=settings().activity,
        )
    beside = {"heard": found.heard, "leaks": found.leaks, "crosstalk": found.crosstalk}
    files.write_together(
        tables.output(found.ipus, out, "ipus"),
        tables.output(found.quarantine, quarantine, "quarantine"),
        *(tables.outputs(evidence, beside) if evidence else []),
    )
    announce(
        "activity",
        "" if errors or asked == Source.words else AS_DETECTED,
        conversations=found.ipus["conversation"].nunique(),
        ipus=len(found.ipus),
        crosstalk=len(found.crosstalk),
        quarantined=len(found.quarantine),
    )


def _source(corpus: str, activity: str) -> Source:
    """Give the source that a corpus names in the config."""
    if activity == SHARED:
        raise InputError(
            f"activity: corpora.{corpus}.activity is {SHARED}, for channels that speakers share:"
            f" use `tact diarize {corpus}`, or give --source for those of one speaker"
        )
    return Source(activity)


def _words(path: Path | None, rows: pd.DataFrame) -> pd.DataFrame:
    if path is None:
        raise InputError("activity: --words is needed where IPUs come from words")
    return tables.read(path, "words", conversations=rows["conversation"])
