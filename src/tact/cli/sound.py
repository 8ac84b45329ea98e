"""Commands inspect and clips: the sound of a corpus, checked and cut."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import clips, door, files, inspection, shards, tables
from tact.cli.app import announce, app, corpus_entry, corpus_root, settings
from tact.cli.rows import Name, Recordings, Shard, pick


@app.command("inspect")
def inspect_sound(
    corpus: Name,
    recordings: Recordings,
    words: Annotated[Path, typer.Option(help="Table words.")],
    out: Annotated[Path, typer.Option(help="Table inspections to write.", writable=True)],
    quarantine: Annotated[Path, typer.Option(help="Table quarantine to write.", writable=True)],
    shard: Shard = "1/1",
) -> None:
    """Hold the sound of each conversation against its tables, before anyone listens to it.

    Example: tact inspect ami --recordings R.parquet --words W.parquet --out I.parquet
    --quarantine Q.parquet --shard 1/4
    """
    root = corpus_root(corpus_entry(corpus))
    rows = pick(recordings, shard)
    spoken = tables.read(words, "words", conversations=rows["conversation"])
    found, left_out = inspection.inspect(rows, spoken, root, settings=settings().door)
    files.write_together(
        tables.output(found, out, "inspections"),
        tables.output(left_out, quarantine, "quarantine"),
    )
    announce("inspect", channels=len(found), quarantined=len(left_out))


@app.command("repeats")
def find_repeats(
    inspections: Annotated[list[Path], typer.Argument(help="Tables inspections, of all corpora.")],
    out: Annotated[Path, typer.Option(help="Table quarantine to write.", writable=True)],
) -> None:
    """Name the conversations, of one corpus or of two, that hold the same sound; none is left out.

    Example: tact repeats door/candor/1.parquet door/otospeech/1.parquet --out repeats.parquet
    """
    found = door.repeated(tables.read(inspections, "inspections"))
    tables.write(found, out, "quarantine")
    announce("repeats", conversations=len(found))


@app.command("clips")
def cut_clips(
    corpus: Name,
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    recordings: Recordings,
    out: Annotated[
        Path, typer.Option(help="Folder for the tar and the table clips.", writable=True)
    ],
    shard: Shard = "1/1",
) -> None:
    """Cut the audio of a corpus's episodes and pack it in one tar per shard.

    Example: tact clips ami --episodes E.parquet --recordings R.parquet --out clips/ami --shard 1/4
    """
    root = corpus_root(corpus_entry(corpus))
    number, _ = shards.parse(shard)
    rows = pick(recordings, shard)
    chosen = tables.read(episodes, "episodes")
    chosen = chosen[chosen["conversation"].isin(rows["conversation"])]
    made: list[pd.DataFrame] = []

    def fill(partial: Path) -> None:
        with partial.open("wb") as tar:
            made.append(clips.pack(chosen, rows, root, shard=str(number), into=tar))

    # The rows are known when the tar is full; outputs are filled in their order.
    files.write_together(
        files.Output(out / f"{number}.tar", fill),
        files.Output(
            out / f"{number}.parquet", lambda partial: tables.fill(made[0], partial, "clips")
        ),
    )
    announce("clips", episodes=len(made[0]), clips=int(made[0]["clip"].notna().sum()))
