"""Commands activity and calibrate: who speaks when, and how far a detector may be trusted."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import activity, calibrating, detectors, door, frames, shards, tables
from tact.cli.app import announce, app, corpus_entry, corpus_root, settings
from tact.detectors import Activities
from tact.errors import InputError
from tact.hearing.bias import Corrections

Recordings = Annotated[Path, typer.Option(help="Table recordings.")]


class Source(StrEnum):
    """Where IPUs come from."""

    words = "words"
    webrtc = "webrtc"
    silero = "silero"
    pyannote = "pyannote"


class DetectorName(StrEnum):
    """The detectors that can be calibrated."""

    webrtc = "webrtc"
    silero = "silero"
    pyannote = "pyannote"


@app.command("activity")
def find_activity(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    recordings: Recordings,
    out: Annotated[Path, typer.Option(help="Table ipus to write.")],
    quarantine: Annotated[Path, typer.Option(help="Table quarantine to write.")],
    evidence: Annotated[
        Path | None, typer.Option(help="Folder for the tables heard, leaks and crosstalk.")
    ] = None,
    words: Annotated[Path | None, typer.Option(help="Table words (source words).")] = None,
    shard: Annotated[str, typer.Option(help="Which part of the corpus, I/N.")] = "1/1",
    source: Annotated[
        Source | None, typer.Option(help="Where IPUs come from; else as the config says.")
    ] = None,
    errors: Annotated[
        Path | None, typer.Option(help="Table detector_errors of `tact calibrate`, to correct by.")
    ] = None,
    inspected: Annotated[
        Path | None, typer.Option(help="Table quarantine of `tact inspect`, to heed.")
    ] = None,
) -> None:
    """Find the inter-pausal units of a corpus, from words or from audio.

    Without --errors the ends of what a detector hears are not corrected.

    Example: tact activity ami --recordings R.parquet --words W.parquet --out IPUS.parquet
    --quarantine Q.parquet --shard 1/4
    """
    entry = corpus_entry(corpus)
    rows = shards.pick(tables.read(recordings, "recordings"), *shards.parse(shard))
    if inspected is not None:
        away = door.turned_away(tables.read(inspected, "quarantine"))
        rows = rows[~rows["conversation"].isin(away)]
    measured = frames.empty("detector_errors")
    if errors is not None:
        measured = tables.read(errors, "detector_errors")
    asked = source or Source(entry.activity)
    if asked == Source.words:
        ipus, left_out = activity.from_words(rows, _words(words), settings=settings().activity)
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
            corrections=Corrections.of(measured, asked),
            settings=settings().activity,
        )
    tables.write(found.ipus, out, "ipus")
    tables.write(found.quarantine, quarantine, "quarantine")
    if evidence is not None:
        tables.write(found.heard, evidence / "heard.parquet", "heard")
        tables.write(found.leaks, evidence / "leaks.parquet", "leaks")
        tables.write(found.crosstalk, evidence / "crosstalk.parquet", "crosstalk")
    announce(
        "activity",
        conversations=found.ipus["conversation"].nunique(),
        ipus=len(found.ipus),
        crosstalk=len(found.crosstalk),
        quarantined=len(found.quarantine),
    )


@app.command("calibrate")
def calibrate(
    detector: Annotated[DetectorName, typer.Argument(help="Which detector.")],
    out: Annotated[Path, typer.Option(help="Table detector_errors to write.")],
    corpus: Annotated[
        str | None,
        typer.Option(help="Corpus whose word times can be trusted; else made speech."),
    ] = None,
    recordings: Annotated[Path | None, typer.Option(help="Table recordings of it.")] = None,
    words: Annotated[Path | None, typer.Option(help="Table words of it.")] = None,
) -> None:
    """Measure how early or late a detector is at starts and ends, by SNR.

    Example: tact calibrate silero --out E.parquet
    Example: tact calibrate webrtc --corpus mine --recordings R.parquet --words W.parquet
    --out E.parquet
    """
    own = settings().activity
    listener = detectors.create(detector, own)
    if corpus is None:
        samples = calibrating.on_made_speech(listener, settings=own)
    elif recordings is None or words is None:
        raise InputError("calibrate: --corpus needs --recordings and --words")
    else:
        samples = calibrating.on_words(
            tables.read(recordings, "recordings"),
            tables.read(words, "words"),
            corpus_root(corpus_entry(corpus)),
            detector=listener,
            settings=own,
        )
    measured = calibrating.measure(
        detector, samples, measured_on=corpus or calibrating.MADE, settings=own
    )
    tables.write(measured, out, "detector_errors")
    over = measured[measured["edge"] == "transfer"]
    announce("calibrate", bands=len(over), ipus=int(over["n_true"].sum()), met=int(over["n"].sum()))


def _words(path: Path | None) -> pd.DataFrame:
    if path is None:
        raise InputError("activity: --words is needed where IPUs come from words")
    return tables.read(path, "words")
