"""Command audit: points to judge by hand, and the precision of the scenarios by the verdicts."""

from pathlib import Path
from typing import Annotated

import typer

from tact import audit as judging
from tact import config, files
from tact.cli.app import announce, app, settings
from tact.errors import InputError


@app.command()
def audit(
    results: Annotated[Path, typer.Option(help="Results of a run.")] = Path("results"),
    sample: Annotated[int, typer.Option(min=1, help="Points a scenario.")] = 25,
    out: Annotated[Path, typer.Option(help="HTML page to write.", writable=True)] = Path(
        "audit.html"
    ),
    corpus: Annotated[
        list[str] | None, typer.Option(help="Only this corpus; repeat. Else all.")
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option(help="CSV that the page saved: print the precision.")
    ] = None,
) -> None:
    """Draw points of each scenario as a page to judge them, or print the precision by verdicts.

    Example: tact audit --results results --sample 25 --out audit.html

    Then: tact audit --verdicts verdicts.csv
    """
    if verdicts is not None:
        level = settings().scores.level
        print(
            judging.table(
                judging.precision(judging.read_verdicts(verdicts), level=level), level=level
            )
        )
        return
    own = config.load([results / "config.yaml"])
    if unbuilt := [name for name in corpus or () if name not in own.build]:
        raise InputError(
            f"audit: {results} has no corpus {unbuilt[0]!r}; it has {', '.join(own.build)}"
        )
    drawn = judging.draw(results, own, sample=sample, corpora=corpus or own.build)
    page = judging.page(drawn)
    files.write_together(files.text(out, page))
    announce("audit", points=len(drawn), with_sound=sum(one.sound is not None for one in drawn))
