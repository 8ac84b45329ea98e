"""Commands gather, report, compare and schema."""

from pathlib import Path
from typing import Annotated

import typer

from tact import config, files, report, tables
from tact.cli.app import announce, app
from tact.schemas import CONTRACTS


@app.command()
def gather(
    table: Annotated[str, typer.Argument(help="Name of the table's contract.")],
    files: Annotated[list[Path], typer.Argument(help="Parquet files of that table.")],
    out: Annotated[Path, typer.Option(help="The one table.")],
) -> None:
    """Join the parts of a table into one.

    Example: tact gather quarantine a.parquet b.parquet --out quarantine.parquet
    """
    if table not in CONTRACTS:
        raise typer.BadParameter(f"no table {table!r}; known: {', '.join(CONTRACTS)}")
    joined = tables.read(files, table)
    tables.write(joined, out, table)
    announce("gather", files=len(files), rows=len(joined))


@app.command(name="report")
def write_report(
    results: Annotated[Path, typer.Option(help="Results of a run.")],
    out: Annotated[Path, typer.Option(help="Folder for summary.txt and laws.svg.")],
) -> None:
    """Write the page that a person reads first, and draw the laws.

    Example: tact report --results results --out results/report
    """
    page = report.summary(report.read(results))
    files.write_atomically(out / "summary.txt", lambda partial: partial.write_text(page))
    kernels = tables.read(results / "reference/kernels.parquet", "kernels")
    files.write_atomically(out / "laws.svg", lambda partial: report.draw(kernels, partial))
    announce("report", lines=page.count("\n"))


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Results folders; the first is the main run.")],
    out: Annotated[Path, typer.Option(help="Text file.")],
) -> None:
    """Set the laws and the order of the systems of several runs side by side.

    Example: tact compare results results/sensitivity/ipu-20ms --out sensitivity.txt
    """
    page = report.comparison({str(run): report.read(run) for run in runs})
    files.write_atomically(out, lambda partial: partial.write_text(page))
    announce("compare", runs=len(runs))


@app.command()
def schema(
    out: Annotated[Path, typer.Option(help="YAML file: JSON schema, draft 2020-12.")],
) -> None:
    """Write the schema of config.yaml, for editors and for readers.

    Example: tact schema --out workflow/schemas/config.schema.yaml
    """
    page = config.schema()
    files.write_atomically(out, lambda partial: partial.write_text(page, encoding="utf-8"))
    announce("schema", lines=page.count("\n"))
