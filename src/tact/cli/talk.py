"""Commands turns, points and acts."""

from pathlib import Path
from typing import Annotated

import typer

from tact import files, tables, turns
from tact import points as points_stage
from tact.acts import labels_of_acts
from tact.cli.app import announce, app, corpus_entry, settings
from tact.frames import check_known

Recordings = Annotated[Path, typer.Option("--recordings", help="Table of recordings.")]
Words = Annotated[Path, typer.Option("--words", help="Table of words.")]
Folder = Annotated[Path, typer.Option("--out", help="Folder for the tables.", writable=True)]


@app.command(name="turns")
def take_turns(
    ipus: Annotated[list[Path], typer.Argument(help="IPU tables of one corpus, one per shard.")],
    recordings: Recordings,
    words: Words,
    acts: Annotated[Path, typer.Option(help="Table of dialogue acts.")],
    out: Folder,
) -> None:
    """Tell backchannels from turns, and measure how the floor passes.

    Example: tact turns results/activity/ami/1.parquet --recordings R --words W --acts A --out DIR
    """
    heard, known = tables.read(ipus, "ipus"), tables.read(recordings, "recordings")
    check_known(heard, "ipus", known["conversation"], "conversation", "recordings")
    made = turns.take_turns(
        heard,
        tables.read(words, "words"),
        tables.read(acts, "acts"),
        known.set_index("conversation")["language"].to_dict(),
        settings=settings().turns,
    )
    files.write_together(*tables.outputs(out, vars(made)))
    announce(
        "turns",
        turns=len(made.turns),
        backchannels=len(made.backchannels),
        transfers=len(made.transfers),
    )


@app.command(name="points")
def find_points(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    recordings: Recordings,
    words: Words,
    turn_tables: Annotated[Path, typer.Option("--turns", help="Folder of the turn tables.")],
    ipus: Annotated[list[Path], typer.Option(help="IPU table; repeat for each shard.")],
    out: Folder,
) -> None:
    """List every candidate decision point, and sample the fitting frame.

    Example: tact points ami --recordings R --words W --turns DIR --ipus I --out DIR
    """
    corpus_entry(corpus)
    heard, known = tables.read(ipus, "ipus"), tables.read(recordings, "recordings")
    check_known(heard, "ipus", known["conversation"], "conversation", "recordings")
    made = points_stage.find_points(
        corpus,
        known,
        heard,
        tables.read(turn_tables / "backchannels.parquet", "backchannels"),
        tables.read(turn_tables / "turns.parquet", "turns"),
        tables.read(words, "words"),
        settings=settings(),
    )
    frame = points_stage.sample_frame(made, settings=settings().labels, seed=settings().seed)
    files.write_together(*tables.outputs(out, {"points": made, "frame": frame}))
    announce(
        "points", points=len(made), **made["scenario"].value_counts().to_dict(), frame=len(frame)
    )


@app.command(name="acts")
def label_by_acts(
    points: Annotated[Path, typer.Option(help="Table of points.")],
    frame: Annotated[Path, typer.Option(help="Table of frame points.")],
    acts: Annotated[Path, typer.Option(help="Table of dialogue acts.")],
    out: Annotated[Path, typer.Option(help="Table of labels.", writable=True)],
) -> None:
    """Read dialogue acts, or a probe's script, as labels.

    Example: tact acts --points P --frame F --acts A --out labels.parquet
    """
    wanted = tables.read(points, "points")
    labels = labels_of_acts(
        wanted,
        tables.read(frame, "frame"),
        tables.read(acts, "acts"),
        settings=settings().labels,
    )
    tables.write(labels, out, "labels")
    announce("acts", points=len(wanted), labelled=labels["unit"].nunique())
