"""Commands laws paper, respond and score."""

from pathlib import Path
from typing import Annotated

import typer

from tact import frames, systems, tables
from tact.cli.app import announce, app, settings
from tact.errors import ConfigError
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
def respond(
    system: Annotated[str, typer.Argument(help="Name in systems of config.yaml.")],
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    points: Annotated[list[Path], typer.Option(help="Table points; repeat for each corpus.")],
    posteriors: Annotated[Path, typer.Option(help="Table posteriors.")],
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    out: Annotated[Path, typer.Option(help="Folder for responses and overlaps.")],
    ipus: Annotated[
        list[Path] | None, typer.Option(help="Table ipus, for the human's overlaps; repeatable.")
    ] = None,
) -> None:
    """Let one system answer every episode.

    Example: tact respond median --episodes E.parquet --points P.parquet --posteriors Q.parquet
    --laws L.parquet --out responses/median
    """
    known = settings().systems
    if system not in known:
        raise ConfigError(f"no system {system!r} in systems; known: {', '.join(known)}")
    setting, asked = known[system], tables.read(episodes, "episodes")
    at, spoken = tables.read(points, "points"), None
    if ipus and setting.kind == "human":
        spoken = systems.partner_overlaps(asked, at, tables.read(ipus, "ipus"))
    responses = systems.respond(
        system,
        systems.make(system, setting, overlaps_ms=spoken),
        asked,
        at,
        tables.read(posteriors, "posteriors"),
        tables.read(laws, "laws"),
        settings=setting,
        mode=settings().scores.mode,
    )
    overlaps = systems.overlaps_table(system, responses, asked, at, spoken or {})
    tables.write(responses, out / "responses.parquet", "responses")
    tables.write(overlaps, out / "overlaps.parquet", "overlaps")
    announce("respond", responses=len(responses), silent=int(responses["onset_ms"].isna().sum()))


@app.command()
def score(
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    posteriors: Annotated[Path, typer.Option(help="Table posteriors.")],
    responses: Annotated[list[Path], typer.Option(help="Table responses; repeat per system.")],
    out: Annotated[Path, typer.Option(help="Folder for episode_scores and composites.")],
    overlaps: Annotated[list[Path] | None, typer.Option(help="Table overlaps; repeatable.")] = None,
    episodes: Annotated[Path | None, typer.Option(help="Table episodes.")] = None,
    durations: Annotated[Path | None, typer.Option(help="Table durations.")] = None,
) -> None:
    """Score systems: each run, and by scenario, slice and intent with intervals.

    Example: tact score --laws L.parquet --posteriors Q.parquet --responses mine.parquet
    --episodes E.parquet --durations D.parquet --out scores
    """
    by_run, composites = score_systems(
        tables.read(laws, "laws"),
        tables.read(posteriors, "posteriors"),
        tables.read(responses, "responses"),
        tables.read(overlaps, "overlaps") if overlaps else None,
        tables.read(episodes, "episodes") if episodes else None,
        tables.read(durations, "durations") if durations else None,
        settings=settings().scores,
        gamma=settings().reference.gamma,
        epsilon=settings().reference.epsilon,
        seed=settings().seed,
    )
    tables.write(by_run, out / "episode_scores.parquet", "episode_scores")
    tables.write(composites, out / "composites.parquet", "composites")
    announce(
        "score",
        systems=by_run["system"].nunique(),
        runs=len(by_run),
        composites=len(composites),
    )
