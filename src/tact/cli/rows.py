"""What a stage that reads audio works on: a shard, less what the door turned away, and errors."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import door, shards, tables
from tact.errors import InputError
from tact.hearing.bias import Corrections
from tact.vocabulary import DETECTORS

Name = Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")]
Recordings = Annotated[Path, typer.Option(help="Table recordings.")]
Shard = Annotated[str, typer.Option(help="Which part of the corpus, I/N.")]
Inspected = Annotated[
    Path | None, typer.Option(help="Table quarantine of `tact inspect`, to heed.")
]
Errors = Annotated[
    Path | None, typer.Option(help="Table detector_errors of `tact calibrate`, to correct by.")
]
AS_DETECTED = "ends are as the detector has them, off by .1 s: --errors corrects them"


def pick(recordings: Path, shard: str, inspected: Path | None = None) -> pd.DataFrame:
    """Read a shard of table ``recordings``, heeding the table ``quarantine`` of the door."""
    rows = shards.pick(tables.read(recordings, "recordings"), *shards.parse(shard))
    if inspected is None:
        return rows
    away = door.turned_away(tables.read(inspected, "quarantine"))
    return rows[~rows["conversation"].isin(away)]


def corrections(errors: Path | None, detector: str) -> Corrections:
    """Read what a detector is off by; without a table, and for words, nothing is corrected.

    Raises
    ------
    InputError
        The table tells of other detectors alone, or what cannot be.
    """
    if errors is None:
        return Corrections()
    measured = tables.read(errors, "detector_errors")
    try:
        found = Corrections.of(measured, detector)
    except InputError as error:
        raise InputError(f"{errors}: {error}") from error
    if found == Corrections() and detector in DETECTORS:
        others = ", ".join(sorted(measured["detector"].unique())) or "none"
        raise InputError(
            f"{errors}: says nothing of {detector}, but of: {others}; make it with `tact calibrate"
            f" {detector}`"
        )
    return found
