"""Command why: where the numbers of an episode come from."""

import json
from pathlib import Path
from typing import Annotated

import typer

from tact import why as audit
from tact.cli.app import app


@app.command()
def why(
    episode: Annotated[str, typer.Argument(help="Id of an episode.")],
    results: Annotated[Path, typer.Option(help="Results of a run.")] = Path("results"),
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print where every number of an episode came from.

    Example: tact why candor-0123456789 --results results
    """
    told = audit.explain(episode, results)
    print(json.dumps(told, indent=1, default=str) if as_json else audit.page(told))
