"""Commands report and compare: pages for a person."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tact import files, plots, report, tables
from tact.cli.app import announce, app


@app.command(name="report")
def write_report(
    results: Annotated[Path, typer.Option(help="Results of a run.")],
    out: Annotated[Path, typer.Option(help="Folder for summary.txt and laws.svg.", writable=True)],
) -> None:
    """Write the page that a person reads first, and draw the laws.

    Example: tact report --results results --out results/report
    """
    at = results / "reference"
    laws, kernels, onsets = (
        tables.read(at / f"{table}.parquet", table) for table in ("laws", "kernels", "onsets")
    )
    plots.check_curves(laws, kernels)
    page = report.summary(report.read(results))
    files.write_together(
        files.text(out / "summary.txt", page),
        files.Output(out / "laws.svg", partial(plots.overview, laws, kernels, onsets)),
    )
    announce("report", lines=page.count("\n"))


@app.command()
def compare(
    runs: Annotated[list[Path], typer.Argument(help="Results folders; the first is the main run.")],
    out: Annotated[Path, typer.Option(help="Text file.", writable=True)],
) -> None:
    """Set the laws and the order of the systems of several runs side by side.

    Example: tact compare results results/sensitivity/ipu-20ms --out sensitivity.txt
    """
    page = report.comparison(
        {str(run): tables.read(run / "reference/laws.parquet", "laws") for run in runs},
        {str(run): tables.read(run / "scores/composites.parquet", "composites") for run in runs},
    )
    files.write_together(files.text(out, page))
    announce("compare", runs=len(runs))
