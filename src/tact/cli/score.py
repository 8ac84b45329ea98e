"""Commands laws paper, score and fairness."""

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import files, frames, systems, tables
from tact.cli.app import App, announce, app, settings
from tact.laws import paper_rows
from tact.scores import fairness as compare_groups
from tact.scores import score as score_systems

laws_app = App(help="Write laws that are not fitted.", no_args_is_help=True)
app.add_typer(laws_app, name="laws")


@laws_app.callback()
def laws() -> None:
    """Write laws that are not fitted."""


@laws_app.command("paper")
def write_paper_laws(out: Annotated[Path, typer.Option(help="Table laws.", writable=True)]) -> None:
    """Write the paper's laws as a table, slice `all`.

    Example: tact laws paper --out laws.parquet
    """
    rows = frames.frame(paper_rows(settings().reference.paper), "laws")
    tables.write(rows, out, "laws")
    announce("laws", laws=len(rows))


class Mode(StrEnum):
    """How the posteriors that scores use were made."""

    share = "share"
    fused = "fused"
    calibrated = "calibrated"
    judge = "judge"
    script = "script"


class Psi(StrEnum):
    """Which completion probability overlaps are scored by."""

    best = "best"
    words = "words"


Laws = Annotated[Path, typer.Option(help="Table laws.")]
Posteriors = Annotated[Path, typer.Option(help="Table posteriors.")]
Responses = Annotated[list[Path], typer.Option(help="Table responses; repeat per system.")]
Overlaps = Annotated[list[Path] | None, typer.Option(help="Table overlaps; repeatable.")]
Durations = Annotated[Path | None, typer.Option(help="Table durations.")]
Cores = Annotated[
    int | None, typer.Option(min=1, help="Systems scored at a time; else one on every core.")
]


@app.command()
def score(
    laws: Laws,
    posteriors: Posteriors,
    responses: Responses,
    out: Annotated[
        Path, typer.Option(help="Folder for episode_scores and composites.", writable=True)
    ],
    overlaps: Overlaps = None,
    episodes: Annotated[Path | None, typer.Option(help="Table episodes.")] = None,
    durations: Durations = None,
    points: Annotated[
        list[Path] | None,
        typer.Option(help="Table points: measures onsets, and tells what the human did."),
    ] = None,
    mode: Annotated[
        Mode | None, typer.Option(help="Mode of the posteriors; else scores.mode.")
    ] = None,
    psi: Annotated[Psi, typer.Option(help="words = psi of overlaps without sound.")] = Psi.best,
    cores: Cores = None,
) -> None:
    """Score systems beside the anchors: each run, and by scenario, slice and intent.

    Anchors that the responses lack are added. Without --points the human is drawn from the law.

    Example: tact score --laws L.parquet --posteriors Q.parquet --responses mine.parquet
    --episodes E.parquet --points P.parquet --durations D.parquet --out scores
    """
    own_settings = settings().scores
    if mode is not None:
        own_settings = own_settings.model_copy(update={"mode": mode.value})
    asked = tables.read(episodes, "episodes") if episodes else None
    at = tables.read(points, "points") if points else None
    known, law = tables.read(posteriors, "posteriors"), tables.read(laws, "laws")
    own = tables.read(responses, "responses")
    said = [systems.say_given(own, settings().systems)]
    if asked is not None and at is not None:
        found = systems.measure(own, asked, at)
        own = found.responses
        said.append(found.said)
    beside = systems.anchors(
        own, asked, at, known, law, settings=settings().systems, mode=own_settings.mode,
        seed=settings().seed,
    )  # fmt: skip
    by_run, composites = score_systems(
        law,
        known,
        frames.join([own, beside], "responses"),
        _overlaps(overlaps, psi),
        asked,
        tables.read(durations, "durations") if durations else None,
        settings=own_settings,
        axes=settings().reference.axes,
        gamma=settings().reference.gamma,
        epsilon=settings().reference.epsilon,
        seed=settings().seed,
        cores=cores or os.cpu_count() or 1,
    )
    if at is None:
        composites = systems.say_drawn(composites, beside, settings().systems)
    made = {"episode_scores": by_run, "composites": composites}
    files.write_together(*tables.outputs(out, made))
    announce(
        "score",
        "; ".join(filter(None, said)),
        systems=by_run["system"].nunique(),
        runs=len(by_run),
        composites=len(composites),
    )


@app.command()
def fairness(
    laws: Laws,
    posteriors: Posteriors,
    responses: Responses,
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    out: Annotated[Path, typer.Option(help="Table fairness to write.", writable=True)],
    overlaps: Overlaps = None,
    durations: Durations = None,
    cores: Cores = None,
) -> None:
    """Compare the scores of systems between groups of speakers, with clustered intervals.

    Example: tact fairness --laws L.parquet --posteriors Q.parquet --responses mine.parquet
    --episodes E.parquet --durations D.parquet --out fairness.parquet
    """
    found = compare_groups(
        tables.read(laws, "laws"),
        tables.read(posteriors, "posteriors"),
        tables.read(responses, "responses"),
        _overlaps(overlaps, Psi.best),
        tables.read(episodes, "episodes"),
        tables.read(durations, "durations") if durations else None,
        settings=settings().scores,
        axes=settings().reference.axes,
        gamma=settings().reference.gamma,
        epsilon=settings().reference.epsilon,
        seed=settings().seed,
        cores=cores or os.cpu_count() or 1,
    )
    tables.write(found, out, "fairness")
    announce("fairness", differences=len(found), axes=found["axis"].nunique())


def _overlaps(paths: list[Path] | None, psi: Psi) -> pd.DataFrame | None:
    if not paths:
        return None
    rows = tables.read(paths, "overlaps")
    return systems.overlap.psi_without_sound(rows) if psi == Psi.words else rows
