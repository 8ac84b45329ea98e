"""Read and write tables through their contract, whole and with the same bytes each time.

A table is checked when it is read and when it is written, never inside a stage. Rows are written
in the order of the key, so the order in which a stage makes them leaves no trace.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tact.errors import InputError, TableError
from tact.files import Output, no_file, write_together
from tact.frames import LONG, check, empty, frame, join, of_arrow
from tact.schemas import CONTRACTS, Contract

ROWS_IN_A_GROUP = 65_536
"""So few that a reader of one conversation or point passes over most of a large table."""

LICENCE = "licence"
"""A table of a release has this column beside its contract's; `read` leaves it out."""


def read(
    paths: Path | Iterable[Path], table: str, *, conversations: Iterable[str] | None = None
) -> pd.DataFrame:
    """Read one table from one or more Parquet files and check it.

    Of a table that is larger than what a job works on, only the rows of some ``conversations`` are
    read and checked.

    Raises
    ------
    InputError
        A file is missing or is not Parquet.
    TableError
        The rows break the contract of ``table``.
    """
    files = [paths] if isinstance(paths, Path) else list(paths)
    wanted = None if conversations is None else sorted(set(conversations))
    return join([_read_one(path, CONTRACTS[table], wanted) for path in files], table)


def write(rows: pd.DataFrame, path: Path, table: str) -> None:
    """Check a table, sort it by its key and put it in place whole or not at all."""
    write_together(output(rows, path, table))


def output(rows: pd.DataFrame, path: Path, table: str) -> Output:
    """Give a table as an output; it is checked and sorted by its key when it is written."""
    return Output(path, lambda partial: fill(rows, partial, table))


def outputs(folder: Path, made: Mapping[str, pd.DataFrame]) -> list[Output]:
    """Give tables as outputs of a folder, each in a file of its name."""
    return [output(rows, folder / f"{table}.parquet", table) for table, rows in made.items()]


def fill(rows: pd.DataFrame, path: Path, table: str) -> None:
    """Check a table, sort it by its key and write it into the file of an output."""
    contract = CONTRACTS[table]
    checked = check(rows, table).reset_index(drop=True)
    order = checked[list(contract.key)].sort_values(list(contract.key), kind="stable").index
    _write_groups(checked, order, path, contract)


def _write_groups(
    rows: pd.DataFrame, order: "pd.Index[int]", path: Path, contract: Contract
) -> None:
    """Write rows in an order, a group at a time, so that no second copy of them is made."""
    schema = contract.schema()
    with pq.ParquetWriter(path, schema, compression="zstd") as file:
        for at in range(0, max(len(order), 1), ROWS_IN_A_GROUP):
            group = rows.take(order[at : at + ROWS_IN_A_GROUP])
            arrow = pa.Table.from_pandas(group, schema=schema, preserve_index=False)
            file.write_table(arrow.replace_schema_metadata(schema.metadata))


def _read_one(path: Path, contract: Contract, wanted: list[str] | None) -> pd.DataFrame:
    if not path.is_file():
        said = no_file(path, kind="a Parquet file", cure="run the stage that writes it")
        raise InputError(f"{contract.name}: {said}")
    try:
        arrow = _load(path, contract, wanted)
        if LICENCE not in contract.names and LICENCE in arrow.column_names:
            arrow = arrow.drop_columns([LICENCE])
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{contract.name}: {path} is not a Parquet file ({error});"
            " remove it and run the stage that writes it"
        ) from None
    try:
        return of_arrow(arrow, contract.name)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None


def _load(path: Path, contract: Contract, wanted: list[str] | None) -> pa.Table:
    """Read a file, or its rows of some conversations; texts of a long table as dictionaries.

    A row without a conversation is read too, so that it is met.
    """
    kinds = {part.name: part.type for part in pq.read_schema(path)}
    texts = [name for name in contract.names if pa.types.is_string(kinds.get(name, pa.null()))]
    file = pq.ParquetFile(path, read_dictionary=texts if contract.name in LONG else None)
    if wanted is None or "conversation" not in texts:
        return file.read()
    values = pa.array([*wanted, None], pa.string())
    kept = [
        batch.filter(pc.is_in(batch.column("conversation").cast(pa.string()), value_set=values))
        for batch in file.iter_batches()
    ]
    return pa.Table.from_batches(kept, schema=file.schema_arrow).unify_dictionaries()


__all__ = ["check", "empty", "fill", "frame", "output", "outputs", "read", "write"]
