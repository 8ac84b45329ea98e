"""Commands simulate and annotate: the made world."""

from pathlib import Path
from typing import Annotated

import typer

from tact.cli.app import announce, app, settings
from tact.errors import InputError
from tact.laws import paper_laws
from tact.simulate import world
from tact.simulate.studio import Studio


@app.command()
def simulate(
    out: Annotated[Path, typer.Option(help="Folder; each corpus goes into a folder below it.")],
    truth: Annotated[Path, typer.Option(help="Folder of the truth, which no stage reads.")],
    corpus: Annotated[list[str] | None, typer.Option(help="Corpus; repeat for several.")] = None,
    words_only: Annotated[bool, typer.Option(help="Write no audio.")] = False,
) -> None:
    """Write made corpora in their native layouts, with known truth.

    Example: tact simulate --out demo/corpora --truth demo/truth --corpus candor --words-only
    """
    for name in corpus or settings().build:
        studio = _studio(name, words_only)
        adapter = settings().corpora[name].adapter
        counts = world.simulate(studio, adapter=adapter, root=out / name, truth_folder=truth)
        announce(f"simulate {name}", **counts)


def _studio(corpus: str, words_only: bool) -> Studio:
    simulation, paper = settings().simulation, settings().reference.paper
    if corpus not in simulation.corpora or corpus not in settings().corpora:
        known = ", ".join(simulation.corpora)
        raise InputError(f"simulate: no corpus {corpus!r} in simulation.corpora; known: {known}")
    return Studio(
        corpus=corpus,
        size=simulation.corpora[corpus],
        laws=paper_laws(paper),
        intents={str(intent): entry.share for intent, entry in paper.items()},
        seed=settings().seed,
        words_only=words_only or simulation.words_only,
        snr_db=simulation.snr_db,
        bleed_db=simulation.bleed_db,
    )
