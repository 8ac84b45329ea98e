"""Commands gather and schema: small parts of a run."""

from pathlib import Path
from typing import Annotated

import typer

from tact import config, files, tables
from tact.cli.app import announce, app
from tact.schemas import CONTRACTS


@app.command()
def gather(
    table: Annotated[str, typer.Argument(help="Name of the table's contract.")],
    files: Annotated[list[Path], typer.Argument(help="Parquet files of that table.")],
    out: Annotated[Path, typer.Option(help="The one table.", writable=True)],
) -> None:
    """Join the parts of a table into one.

    Example: tact gather quarantine a.parquet b.parquet --out quarantine.parquet
    """
    if table not in CONTRACTS:
        raise typer.BadParameter(f"no table {table!r}; known: {', '.join(CONTRACTS)}")
    joined = tables.read(files, table)
    tables.write(joined, out, table)
    announce("gather", files=len(files), rows=len(joined))


@app.command()
def schema(
    out: Annotated[
        Path, typer.Option(help="YAML file: JSON schema, draft 2020-12.", writable=True)
    ],
) -> None:
    """Write the schema of config.yaml, for editors and for readers.

    Example: tact schema --out workflow/schemas/config.schema.yaml
    """
    page = config.schema()
    files.write_together(files.text(out, page))
    announce("schema", lines=page.count("\n"))
