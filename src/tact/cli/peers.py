"""Command binary: the field's binary metrics."""

from pathlib import Path
from typing import Annotated

import typer

from tact import binary, tables
from tact.cli.app import announce, app, settings


@app.command("binary")
def score_binary(
    responses: Annotated[list[Path], typer.Option(help="Table responses; repeat per system.")],
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    posteriors: Annotated[Path, typer.Option(help="Table posteriors.")],
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    out: Annotated[Path, typer.Option(help="Table binary to write.", writable=True)],
    spoken: Annotated[
        list[Path] | None, typer.Option(help="Table spoken: all that systems said; repeatable.")
    ] = None,
) -> None:
    """Score systems by Full-Duplex-Bench v1, by a window, and by a window that heeds the intent.

    Example: tact binary --responses R.parquet --episodes E.parquet --posteriors Q.parquet
    --laws L.parquet --out binary.parquet
    """
    found = binary.score(
        tables.read(responses, "responses"),
        tables.read(episodes, "episodes"),
        tables.read(posteriors, "posteriors"),
        tables.read(laws, "laws"),
        tables.read(spoken, "spoken") if spoken else None,
        settings=settings().binary,
        scores=settings().scores,
        seed=settings().seed,
    )
    tables.write(found, out, "binary")
    announce("binary", systems=found["system"].nunique(), rows=len(found))
