"""What a stage that reads audio works on: one shard, less what the door turned away."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import door, shards, tables

Name = Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")]
Recordings = Annotated[Path, typer.Option(help="Table recordings.")]
Shard = Annotated[str, typer.Option(help="Which part of the corpus, I/N.")]
Inspected = Annotated[
    Path | None, typer.Option(help="Table quarantine of `tact inspect`, to heed.")
]


def pick(recordings: Path, shard: str, inspected: Path | None = None) -> pd.DataFrame:
    """Read a shard of table ``recordings``, heeding the table ``quarantine`` of the door."""
    rows = shards.pick(tables.read(recordings, "recordings"), *shards.parse(shard))
    if inspected is None:
        return rows
    away = door.turned_away(tables.read(inspected, "quarantine"))
    return rows[~rows["conversation"].isin(away)]
