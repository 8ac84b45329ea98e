"""Commands laws paper and score."""

from pathlib import Path
from typing import Annotated

import typer

from tact import frames, systems, tables
from tact.cli.app import announce, app, settings
from tact.laws import paper_rows
from tact.scores import score as score_systems

laws_app = typer.Typer(help="Write laws that are not fitted.", no_args_is_help=True)
app.add_typer(laws_app, name="laws")


@laws_app.callback()
def laws() -> None:
    """Write laws that are not fitted."""


@laws_app.command("paper")
def write_paper_laws(out: Annotated[Path, typer.Option(help="Table laws.")]) -> None:
    """Write the paper's laws as a table, slice `all`.

    Example: tact laws paper --out laws.parquet
    """
    rows = frames.frame(paper_rows(settings().reference.paper), "laws")
    tables.write(rows, out, "laws")
    announce("laws", laws=len(rows))


@app.command()
def score(
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    posteriors: Annotated[Path, typer.Option(help="Table posteriors.")],
    responses: Annotated[list[Path], typer.Option(help="Table responses; repeat per system.")],
    out: Annotated[Path, typer.Option(help="Folder for episode_scores and composites.")],
    overlaps: Annotated[list[Path] | None, typer.Option(help="Table overlaps; repeatable.")] = None,
    episodes: Annotated[Path | None, typer.Option(help="Table episodes.")] = None,
    durations: Annotated[Path | None, typer.Option(help="Table durations.")] = None,
    points: Annotated[
        list[Path] | None,
        typer.Option(help="Table points: measures onsets, and tells what the human did."),
    ] = None,
) -> None:
    """Score systems beside the anchors: each run, and by scenario, slice and intent.

    Anchors that the responses lack are added. Without --points the human is drawn from the law.

    Example: tact score --laws L.parquet --posteriors Q.parquet --responses mine.parquet
    --episodes E.parquet --points P.parquet --durations D.parquet --out scores
    """
    asked = tables.read(episodes, "episodes") if episodes else None
    at = tables.read(points, "points") if points else None
    known, law = tables.read(posteriors, "posteriors"), tables.read(laws, "laws")
    own, outside = tables.read(responses, "responses"), ""
    if asked is not None and at is not None:
        found = systems.measure(own, asked, at)
        own = found.responses
        outside = f"{found.early} onsets before the focal turn, {found.late} after h: no response"
    beside = systems.anchors(
        own, asked, at, known, law, settings=settings().systems, mode=settings().scores.mode,
        seed=settings().seed,
    )  # fmt: skip
    by_run, composites = score_systems(
        law,
        known,
        frames.join([own, beside], "responses"),
        tables.read(overlaps, "overlaps") if overlaps else None,
        asked,
        tables.read(durations, "durations") if durations else None,
        settings=settings().scores,
        gamma=settings().reference.gamma,
        epsilon=settings().reference.epsilon,
        seed=settings().seed,
    )
    if at is None:
        composites = systems.say_drawn(composites, beside, settings().systems)
    tables.write(by_run, out / "episode_scores.parquet", "episode_scores")
    tables.write(composites, out / "composites.parquet", "composites")
    announce(
        "score",
        outside,
        systems=by_run["system"].nunique(),
        runs=len(by_run),
        composites=len(composites),
    )
