"""Read and write tables through their contract, atomically and with the same bytes each time.

A table is checked when it is read and when it is written, never inside a stage. Rows are written
in the order of the key, so the order in which a stage makes them leaves no trace.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tact.errors import InputError, TableError
from tact.files import write_atomically
from tact.frames import check, empty, frame, join, to_pandas
from tact.schemas import CONTRACTS, Contract


def read(paths: Path | Iterable[Path], table: str) -> pd.DataFrame:
    """Read one table from one or more Parquet files and check it.

    Raises
    ------
    InputError
        A file is missing or is not Parquet.
    TableError
        The rows break the contract of ``table``.
    """
    files = [paths] if isinstance(paths, Path) else list(paths)
    return join([_read_one(path, CONTRACTS[table]) for path in files], table)


def write(rows: pd.DataFrame, path: Path, table: str) -> None:
    """Check a table, sort it by its key and put it in place whole or not at all."""
    contract = CONTRACTS[table]
    checked = check(rows, table).sort_values(list(contract.key), kind="stable")
    arrow = pa.Table.from_pandas(checked, schema=contract.schema(), preserve_index=False)
    arrow = arrow.replace_schema_metadata(contract.schema().metadata)
    write_atomically(path, lambda partial: pq.write_table(arrow, partial, compression="zstd"))


def _read_one(path: Path, contract: Contract) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(f"{contract.name}: no file {path}; run the stage that writes it")
    try:
        arrow = pq.ParquetFile(path).read()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{contract.name}: {path} is not a Parquet file ({error});"
            " remove it and run the stage that writes it"
        ) from None
    try:
        return check(to_pandas(arrow, contract), contract.name)
    except TableError as error:
        raise TableError(f"{path}: {error}") from None


__all__ = ["check", "empty", "frame", "read", "write"]
