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
    contract = CONTRACTS[table]
    files = [paths] if isinstance(paths, Path) else list(paths)
    parts = [_read_one(path, contract) for path in files]
    return check(pd.concat(parts, ignore_index=True) if parts else empty(table), table)


def write(frame: pd.DataFrame, path: Path, table: str) -> None:
    """Check a table, sort it by its key and put it in place whole or not at all."""
    contract = CONTRACTS[table]
    checked = check(frame, table).sort_values(list(contract.key), kind="stable")
    arrow = pa.Table.from_pandas(checked, schema=contract.schema(), preserve_index=False)
    arrow = arrow.replace_schema_metadata(contract.schema().metadata)
    write_atomically(path, lambda partial: pq.write_table(arrow, partial, compression="zstd"))


def empty(table: str) -> pd.DataFrame:
    """Make a table of the right columns and types with no row."""
    return _to_pandas(CONTRACTS[table].schema().empty_table(), CONTRACTS[table])


def frame(rows: Iterable[object], table: str) -> pd.DataFrame:
    """Make a table from dicts or tuples in the order of the contract's columns."""
    raw = pd.DataFrame(list(rows), columns=None)
    if raw.empty:
        return empty(table)
    if list(raw.columns) == list(range(len(raw.columns))):
        raw.columns = pd.Index(CONTRACTS[table].names)
    return check(raw, table)


def check(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return the table with exactly the contract's columns and types, or say what is wrong.

    Columns that the contract allows to be null are added where they are absent.
    """
    contract = CONTRACTS[table]
    known = set(contract.names)
    if unknown := [name for name in frame.columns if name not in known]:
        raise TableError(f"{table}: unknown column {unknown[0]!r}; known: {', '.join(known)}")
    nullable = {column.name for column in contract.columns if column.nullable}
    if missing := sorted(known - set(frame.columns) - nullable):
        raise TableError(f"{table}: no column {missing[0]!r}; rebuild the table")
    full = frame.reindex(columns=contract.names)
    try:
        arrow = pa.Table.from_pandas(full, schema=_lenient(contract), preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
        raise TableError(f"{table}: {' '.join(str(error).split())}") from None
    checked = _to_pandas(arrow, contract)
    _check_rows(checked, contract)
    return checked


def _read_one(path: Path, contract: Contract) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(f"{contract.name}: no file {path}; run the stage that writes it")
    try:
        arrow = pq.ParquetFile(path).read()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{contract.name}: {path} is not a Parquet file ({error})") from None
    known = set(contract.names)
    if unknown := [name for name in arrow.column_names if name not in known]:
        raise TableError(f"{path}: unknown column {unknown[0]!r} in a table {contract.name}")
    return _to_pandas(arrow, contract)


def _lenient(contract: Contract) -> pa.Schema:
    return pa.schema([pa.field(column.name, column.type) for column in contract.columns])


def _to_pandas(arrow: pa.Table, contract: Contract) -> pd.DataFrame:
    frame: pd.DataFrame = arrow.to_pandas(integer_object_nulls=True)
    for column in contract.columns:
        if column.name in frame.columns and column.nullable:
            if pa.types.is_integer(column.type):
                frame[column.name] = frame[column.name].astype("Int64")
            elif pa.types.is_boolean(column.type):
                frame[column.name] = frame[column.name].astype("boolean")
    return frame


def _check_rows(frame: pd.DataFrame, contract: Contract) -> None:
    for column in contract.columns:
        values = frame[column.name]
        if not column.nullable:
            _complain(contract, frame, values.isna(), f"have no {column.name}")
        if column.values:
            strange = values.notna() & ~values.isin(column.values)
            allowed = ", ".join(column.values)
            _complain(contract, frame, strange, f"have a {column.name} outside {allowed}")
    for first, second in contract.ordered:
        late = frame[first] > frame[second]
        _complain(contract, frame, late, f"have {first} after {second}")
    twice = frame.duplicated(list(contract.key), keep="first")
    _complain(contract, frame, twice, f"repeat the key ({', '.join(contract.key)})")


def _complain(contract: Contract, frame: pd.DataFrame, wrong: "pd.Series[bool]", what: str) -> None:
    if wrong.any():
        first = frame[wrong.to_numpy(dtype=bool)].iloc[0]
        culprit = ", ".join(f"{name} {first[name]}" for name in contract.key)
        raise TableError(
            f"{contract.name}: {int(wrong.sum())} of {len(frame)} rows {what} (first: {culprit});"
            " rebuild the table"
        )
