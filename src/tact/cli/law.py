"""Commands posteriors and reference."""

from functools import partial
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import files, frames, plots, tables
from tact.cli.app import announce, app, settings
from tact.errors import InputError, TactError
from tact.files import Output
from tact.posteriors import infer
from tact.reference import build, changes
from tact.schemas import CONTRACTS
from tact.vocabulary import INTENTS

_TRUTH = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


@app.command()
def posteriors(
    points: Annotated[list[Path], typer.Option(help="Table points; repeat for each corpus.")],
    episodes: Annotated[list[Path], typer.Option(help="Table episodes; repeatable.")],
    out: Annotated[Path, typer.Option(help="Folder of the four tables.", writable=True)],
    labels: Annotated[list[Path] | None, typer.Option(help="Labels, Parquet or CSV.")] = None,
    judge: Annotated[list[Path] | None, typer.Option(help="Judge, Parquet or CSV.")] = None,
) -> None:
    """Turn labels and judge into posteriors of intent, with their agreement and calibration.

    Example: tact posteriors --labels labels.csv --points P.parquet --episodes E.parquet --out DIR
    """
    made = infer(
        _read(labels or [], "labels"),
        _read(judge or [], "judge"),
        tables.read(points, "points"),
        tables.read(episodes, "episodes"),
        settings=settings().posteriors,
    )
    files.write_together(*tables.outputs(out, vars(made)))
    alpha = made.agreement.query("what == 'intent' and corpus == 'all'")["alpha"]
    announce(
        "posteriors",
        points=made.point_posteriors["point"].nunique(),
        episodes=made.posteriors["episode"].nunique(),
        alpha="no" if alpha.isna().all() else f"{alpha.iloc[0]:.3f}",
    )


@app.command()
def reference(
    points: Annotated[list[Path], typer.Option(help="Table points; repeat for each corpus.")],
    frame: Annotated[list[Path], typer.Option(help="Table frame; repeatable.")],
    point_posteriors: Annotated[Path, typer.Option(help="Table point_posteriors.")],
    speakers: Annotated[list[Path], typer.Option(help="Table speakers; repeatable.")],
    recordings: Annotated[list[Path], typer.Option(help="Table recordings; repeatable.")],
    out: Annotated[
        Path,
        typer.Option(
            help="Folder of laws, kernels, durations, priors, onsets, changes.", writable=True
        ),
    ],
    labels: Annotated[list[Path] | None, typer.Option(help="Labels, for acceptability.")] = None,
) -> None:
    """Fit the law of every slice and intent, rebuild its kernel and weight, say what changed.

    What `laws` in the folder held before is compared with what it holds now.

    Example: tact reference --points P.parquet --frame F.parquet --point-posteriors Q.parquet
    --speakers S.parquet --recordings R.parquet --labels L.parquet --out reference
    """
    made = build(
        tables.read(points, "points"),
        tables.read(frame, "frame"),
        tables.read(point_posteriors, "point_posteriors"),
        tables.read(speakers, "speakers"),
        tables.read(recordings, "recordings"),
        _read(labels or [], "labels"),
        settings=settings().reference,
        seed=settings().seed,
    )
    before = _before(out / "laws.parquet")
    moved = changes(before, made.laws, settings=settings().reference)
    # Laws first: they are never missing, so a build after a killed one has laws to compare with.
    named = {"laws": made.laws, **vars(made), "changes": moved}
    files.write_together(*tables.outputs(out, named))
    sources = made.laws["source"].value_counts().sort_index()
    slices = made.laws["slice"].nunique()
    announce("reference", _said(moved), slices=slices, **sources.to_dict())


@app.command("draw")
def draw(
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    kernels: Annotated[Path, typer.Option(help="Table kernels.")],
    onsets: Annotated[Path, typer.Option(help="Table onsets.")],
    out: Annotated[Path, typer.Option(help="Folder of one figure an intent.", writable=True)],
) -> None:
    """Draw responses, law, kernel and weight of each intent, a panel a slice.

    Example: tact draw --laws L.parquet --kernels K.parquet --onsets O.parquet --out plots
    """
    tabled = (
        tables.read(laws, "laws"),
        tables.read(kernels, "kernels"),
        tables.read(onsets, "onsets"),
    )
    plots.check_curves(*tabled[:2])
    drawn = {intent: partial(plots.of_intent, *tabled, intent) for intent in INTENTS}
    files.write_together(*(Output(out / f"{name}.svg", fill) for name, fill in drawn.items()))
    announce("draw", figures=len(INTENTS))


def _before(path: Path) -> pd.DataFrame:
    """Read the laws that a build replaces; none where there are none that can be read."""
    try:
        return tables.read(path, "laws") if path.exists() else frames.empty("laws")
    except TactError:
        return frames.empty("laws")


def _said(moved: pd.DataFrame) -> str:
    """Say in one line what changed against the laws before."""
    counts = moved["change"].value_counts()
    told = ", ".join(f"{n} {change}" for change, n in counts.sort_index().items())
    furthest = moved.dropna(subset=["standard_errors"])
    if len(furthest):
        row = furthest.loc[furthest["standard_errors"].idxmax()]
        told += (
            f" (furthest: {row['parameter']} of {row['intent']} in {row['slice']},"
            f" {row['before']:.3f} to {row['after']:.3f}, {row['standard_errors']:.1f} SE)"
        )
    return f"changed: {told}"


def _read(paths: list[Path], table: str) -> pd.DataFrame:
    """Read Parquet or CSV files of one table."""
    parts = [
        read_csv(path, table) if path.suffix.lower() == ".csv" else tables.read(path, table)
        for path in paths
    ]
    joined = pd.concat(parts, ignore_index=True) if parts else frames.empty(table)
    return frames.check(joined, table)


def read_csv(path: Path, table: str) -> pd.DataFrame:
    """Read labels or a judge from a CSV file with the columns of their table.

    ``probability`` may be left out of labels (a whole vote), and so may ``saw_continuation``
    (false) and every column that may be null. An empty field is null.

    Raises
    ------
    InputError
        The file is missing, is no CSV, or a value has the wrong type.
    TableError
        A column is missing or unknown, or the rows break the contract.
    """
    if not path.is_file():
        cure = f"check corpora.*.{table} in the config"
        raise InputError(f"{table}: {files.no_file(path, kind='a CSV file', cure=cure)}")
    try:
        text = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(
            f"{table}: {path} is not a CSV file ({error}); write it with commas, in UTF-8"
        ) from None
    text = text.apply(lambda column: column.str.strip()).replace("", None)
    if table == "labels":
        for name, usual in (("probability", "1"), ("saw_continuation", "false")):
            given = text[name] if name in text else pd.Series(None, index=text.index, dtype=object)
            text[name] = given.fillna(usual)
    for column in CONTRACTS[table].columns:
        if column.name in text.columns:
            text[column.name] = _typed(text[column.name], str(column.type), path)
    return frames.check(text, table)


def _typed(values: "pd.Series[str]", kind: str, path: Path) -> "pd.Series[object]":
    if kind == "string":
        return values
    if kind == "bool":
        lowered = values.str.lower()
        typed, wrong = lowered.map(_TRUTH), values.notna() & ~lowered.isin(list(_TRUTH))
    else:
        typed = pd.to_numeric(values, errors="coerce")
        wrong = values.notna() & (typed.isna() | ((kind == "int64") & (typed % 1 != 0)))
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise InputError(
            f"{path}: {int(wrong.sum())} values of {values.name} are no {kind} (first:"
            f" {values.iloc[row]!r} in line {row + 2}); mend the file"
        )
    return typed.astype("boolean" if kind == "bool" else "Float64" if kind == "double" else "Int64")
