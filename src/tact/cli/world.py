"""Commands simulate and annotate: the made world."""

from pathlib import Path
from typing import Annotated

import typer

from tact import files, frames, tables
from tact.cli.app import announce, app, corpus_entry, settings
from tact.errors import InputError
from tact.laws import paper_laws
from tact.simulate import annotators, world
from tact.simulate import truth as truths
from tact.simulate.annotators import Panel
from tact.simulate.studio import Studio


@app.command()
def simulate(
    out: Annotated[
        Path, typer.Option(help="Folder; each corpus goes into a folder below it.", writable=True)
    ],
    truth: Annotated[
        Path, typer.Option(help="Folder of the truth, which no stage reads.", writable=True)
    ],
    corpus: Annotated[list[str] | None, typer.Option(help="Corpus; repeat for several.")] = None,
    words_only: Annotated[bool, typer.Option(help="Write no audio.")] = False,
) -> None:
    """Write made corpora in their native layouts, with known truth.

    Example: tact simulate --out demo/corpora --truth demo/truth --corpus candor --words-only
    """
    for name in corpus or settings().build:
        studio = _studio(name, words_only)
        adapter = corpus_entry(name).adapter
        counts = world.simulate(studio, adapter=adapter, root=out / name, truth_folder=truth)
        announce(f"simulate {name}", **counts)


@app.command()
def annotate(
    corpus: Annotated[str, typer.Argument(help="Name in config.yaml.")],
    points: Annotated[Path, typer.Option(help="Table points.")],
    frame: Annotated[Path, typer.Option(help="Table frame: the train points to label.")],
    episodes: Annotated[Path, typer.Option(help="Table episodes: their points are labelled too.")],
    truth: Annotated[Path, typer.Option(help="Folder of the truth.")],
    out: Annotated[
        Path, typer.Option(help="Folder for labels.parquet and judge.parquet.", writable=True)
    ],
) -> None:
    """Let made annotators and a made judge label the points of a made corpus.

    Example: tact annotate candor --points P --frame F --episodes E --truth demo/truth --out DIR
    """
    wanted = {*tables.read(frame, "frame")["point"], *tables.read(episodes, "episodes")["point"]}
    units = tables.read(points, "points")
    units = units[units["point"].isin(wanted)]
    matched = annotators.match(units, truths.read(truth, corpus))
    if settings().scripted(corpus):
        labels, judged = annotators.script(matched), frames.empty("judge")
    else:
        panel = _panel()
        labels, judged = annotators.label(matched, panel), annotators.judge(matched, panel)
    files.write_together(*tables.outputs(out, {"labels": labels, "judge": judged}))
    unmatched = len(units) - len(matched)
    announce(f"annotate {corpus}", units=len(units), unmatched=unmatched, labels=len(labels))


def _panel() -> Panel:
    simulation, paper = settings().simulation, settings().reference.paper
    return Panel(
        seed=settings().seed,
        annotators=simulation.annotators,
        accuracy=simulation.annotator_accuracy,
        judge_temperature=simulation.judge_temperature,
        laws=paper_laws(paper),
        shares={str(intent): entry.share for intent, entry in paper.items()},
    )


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
