"""Command concord: how far two sources agree on who spoke when."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tact import files, tables
from tact.cli.app import announce, app, corpus_entry, settings
from tact.frames import check_known


@app.command(name="concord")
def set_side_by_side(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    recordings: Annotated[Path, typer.Option(help="Table recordings.")],
    reference: Annotated[
        list[Path], typer.Option(help="Table ipus that is held to be true; repeat for each shard.")
    ],
    hypothesis: Annotated[
        list[Path], typer.Option(help="Table ipus of another source; repeat for each shard.")
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for tables, concord.txt and concord.svg.", writable=True)
    ],
) -> None:
    """Set words beside a detector, or two detectors, and measure how far they agree.

    Example: tact concord ami --recordings R.parquet --reference WORDS.parquet
    --hypothesis SILERO.parquet --out DIR
    """
    # pyannote.metrics brings scikit-learn, for which no other command and no --help should wait.
    from tact import concord

    entry, known = corpus_entry(corpus), tables.read(recordings, "recordings")
    true, found = tables.read(reference, "ipus"), tables.read(hypothesis, "ipus")
    for ipus in (true, found):
        check_known(ipus, "ipus", known["conversation"], "conversation", "recordings")
    made = concord.compare(
        corpus,
        true,
        found,
        known,
        contiguous_words=entry.contiguous_words,
        bins_ms=settings().concord.bins_ms,
        settings=settings().turns,
    )
    page = concord.page(made)
    files.write_together(
        *tables.outputs(out, vars(made)),
        files.text(out / "concord.txt", page),
        files.Output(out / "concord.svg", partial(concord.draw, made)),
    )
    row = made.concord.iloc[0]
    announce(
        "concord",
        conversations=int(row["conversations"]),
        ipus=int(row["n_reference"]),
        met=int(row["n_met"]),
        missed=int(row["n_missed"]),
        false=int(row["n_false"]),
        transfers=int(row["n_transfers_met"]),
    )
