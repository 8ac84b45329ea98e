"""Commands ingest: raw corpora to tables."""

from pathlib import Path
from typing import Annotated

import typer

from tact import corpora, files, tables
from tact.cli.app import announce, app, corpus_entry


@app.command()
def ingest(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    root: Annotated[Path, typer.Option(help="Folder of the raw corpus.")],
    out: Annotated[Path, typer.Option(help="Folder for the five tables.", writable=True)],
) -> None:
    """Read a raw corpus into recordings, speakers, words, acts and quarantine.

    Example: tact ingest ami --root data/ami --out results/corpora/ami
    """
    made = corpora.read(root.expanduser(), corpus=corpus, settings=corpus_entry(corpus))
    files.write_together(*tables.outputs(out, vars(made)))
    announce(
        "ingest",
        conversations=made.recordings["conversation"].nunique(),
        speakers=len(made.speakers),
        words=int((made.words["kind"] == "word").sum()),
        acts=len(made.acts),
        quarantined=len(made.quarantine),
    )
