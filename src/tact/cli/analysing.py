"""Commands ranks, memory, validity and ablations: what follows from the scores."""

from pathlib import Path
from typing import Annotated

import typer

from tact import analyses, tables
from tact.cli.app import announce, app, settings
from tact.errors import InputError

Composites = Annotated[Path, typer.Option(help="Table composites.")]


@app.command()
def ranks(
    composites: Composites,
    out: Annotated[Path, typer.Option(help="Table ranks to write.", writable=True)],
    binary: Annotated[Path | None, typer.Option(help="Table binary.")] = None,
) -> None:
    """Tell whether two ways to score put the systems in the same order (Spearman).

    Example: tact ranks --composites C.parquet --binary B.parquet --out ranks.parquet
    """
    found = analyses.ranks(
        tables.read(composites, "composites"),
        tables.read(binary, "binary") if binary else None,
        level=settings().scores.level,
    )
    tables.write(found, out, "ranks")
    announce("ranks", pairs=len(found))


@app.command()
def memory(
    responses: Annotated[Path, typer.Option(help="Table responses under true profiles.")],
    swapped: Annotated[Path, typer.Option(help="Table responses under swapped profiles.")],
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    out: Annotated[Path, typer.Option(help="Table memory to write.", writable=True)],
    swap: Annotated[
        list[Path] | None,
        typer.Option(help="Table swap, repeatable: an episode without a profile to swap is left."),
    ] = None,
) -> None:
    """Tell how far a system's onsets move when its profiles are swapped, beside a permutation null.

    Example: tact memory --responses mine.parquet --swapped mine-swapped.parquet
    --episodes E.parquet --swap S.parquet --out memory.parquet
    """
    found = analyses.memory(
        tables.read(responses, "responses"),
        tables.read(swapped, "responses"),
        tables.read(episodes, "episodes"),
        tables.read(swap, "swap") if swap else None,
        settings=settings().analyses,
        seed=settings().seed,
    )
    tables.write(found, out, "memory")
    announce("memory", cells=len(found), episodes=int(found["n"].max()) if len(found) else 0)


@app.command()
def validity(
    ratings: Annotated[Path, typer.Option(help="Table ratings.")],
    composites: Composites,
    episodes: Annotated[Path, typer.Option(help="Table episodes.")],
    out: Annotated[Path, typer.Option(help="Table validity to write.", writable=True)],
) -> None:
    """Tell whether scores agree with people's ratings, over cells of system and scenario.

    Example: tact validity --ratings T.parquet --composites C.parquet --episodes E.parquet
    --out validity.parquet
    """
    found = analyses.validity(
        tables.read(ratings, "ratings"),
        tables.read(composites, "composites"),
        tables.read(episodes, "episodes"),
        scores=settings().scores,
        seed=settings().seed,
    )
    tables.write(found, out, "validity")
    announce("validity", metrics=len(found), cells=int(found["n_cells"].max()))


@app.command()
def ablations(
    composites: Annotated[Path, typer.Option(help="Table composites of the rule as it is.")],
    out: Annotated[Path, typer.Option(help="Table ablations to write.", writable=True)],
    no_calibration: Annotated[
        Path | None, typer.Option(help="Composites by posteriors that are not calibrated.")
    ] = None,
    no_prosody: Annotated[
        Path | None, typer.Option(help="Composites with psi of overlaps without sound.")
    ] = None,
    bare: Annotated[
        list[str] | None, typer.Option(help="SYSTEM=SYSTEM-WITHOUT-PROFILES; repeatable.")
    ] = None,
) -> None:
    """Set the scores beside those without calibration of q, prosody in psi, or memory.

    Example: tact ablations --composites C.parquet --no-calibration S.parquet
    --no-prosody P.parquet --bare mine=mine-bare --out ablations.parquet
    """
    given = {"no_calibration": no_calibration, "no_prosody": no_prosody}
    pairs = [pair.partition("=") for pair in bare or []]
    if wrong := [whole for whole, _, less in pairs if not less]:
        raise InputError(f"ablations: --bare {wrong[0]} names no system without profiles; say A=B")
    found = analyses.ablations(
        tables.read(composites, "composites"),
        {name: tables.read(path, "composites") for name, path in given.items() if path},
        {whole: less for whole, _, less in pairs},
    )
    tables.write(found, out, "ablations")
    announce("ablations", rows=len(found))
