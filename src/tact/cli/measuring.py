"""Command calibrate: how far a detector may be trusted."""

from pathlib import Path
from typing import Annotated

import typer

from tact import calibrating, detectors, tables
from tact.cli.app import DetectorName, announce, app, corpus_entry, corpus_root, settings
from tact.errors import InputError


@app.command("calibrate")
def calibrate(
    detector: Annotated[DetectorName, typer.Argument(help="Which detector.")],
    out: Annotated[Path, typer.Option(help="Table detector_errors to write.", writable=True)],
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
    if corpus is None and (recordings or words):
        raise InputError("calibrate: --recordings and --words need --corpus, whose they are")
    if corpus is None:
        heard = calibrating.on_made_speech(listener, settings=own)
    elif recordings is None or words is None:
        raise InputError("calibrate: --corpus needs --recordings and --words")
    else:
        heard = calibrating.on_words(
            tables.read(recordings, "recordings"),
            tables.read(words, "words"),
            corpus_root(corpus_entry(corpus)),
            detector=listener,
            settings=own,
        )
    measured = calibrating.measure(
        detector, heard, measured_on=corpus or calibrating.MADE, settings=own
    )
    tables.write(measured, out, "detector_errors")
    over = measured[measured["edge"] == "transfer"]
    announce("calibrate", bands=len(over), ipus=int(over["n_true"].sum()), met=int(over["n"].sum()))
