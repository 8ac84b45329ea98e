"""Commands laws paper, respond and score."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import frames, systems, tables
from tact.cli.app import announce, app, settings
from tact.errors import ConfigError, InputError
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
    at = tables.read(points, "points")
    if setting.path is not None:
        found = systems.measure(_answers(system, Path(setting.path)), asked, at)
        responses = found.responses
        overlaps = tables.read(Path(setting.path) / "overlaps.parquet", "overlaps")
        outside = f"{found.early} onsets before the focal turn, {found.late} after h: no response"
    else:
        responses, overlaps = _anchor(system, asked, at, posteriors, laws, ipus or [])
        outside = ""
    tables.write(responses, out / "responses.parquet", "responses")
    tables.write(overlaps, out / "overlaps.parquet", "overlaps")
    silent = int(responses["onset_ms"].isna().sum())
    announce("respond", outside, responses=len(responses), silent=silent)


def _answers(system: str, folder: Path) -> pd.DataFrame:
    """Read the responses of a system that answered elsewhere."""
    responses = tables.read(folder / "responses.parquet", "responses")
    if len(other := responses[responses["system"] != system]):
        raise InputError(
            f"{folder / 'responses.parquet'}: {len(other)} of {len(responses)} rows are of another"
            f" system (first: {other['system'].iloc[0]}); systems.{system} wants its own"
        )
    return responses


def _anchor(
    system: str,
    asked: pd.DataFrame,
    at: pd.DataFrame,
    posteriors: Path,
    laws: Path,
    ipus: list[Path],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Let an anchor answer: tables responses and overlaps."""
    setting, seed, spoken = settings().systems[system], settings().seed, None
    if ipus and setting.kind == "human":
        spoken = systems.partner_overlaps(asked, at, tables.read(ipus, "ipus"))
    responses = systems.respond(
        system,
        systems.make(system, setting, overlaps_ms=spoken, seed=seed),
        asked,
        at,
        tables.read(posteriors, "posteriors"),
        tables.read(laws, "laws"),
        settings=setting,
        mode=settings().scores.mode,
    )
    return responses, systems.overlaps_table(system, responses, asked, at, spoken or {})


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
