"""Tables in memory: made, typed and checked by their contract."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import pyarrow as pa

from tact.errors import TableError
from tact.schemas import CONTRACTS, Contract

CURE = "mend or rebuild the table"
LONG = ("words",)
"""Tables of many millions of rows: each text is held once, which halves the memory of a job."""


def empty(table: str) -> pd.DataFrame:
    """Make a table of the right columns and types with no row."""
    return to_pandas(CONTRACTS[table].schema().empty_table(), CONTRACTS[table])


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
        raise TableError(f"{table}: no column {missing[0]!r}; {CURE}")
    full = frame.reindex(columns=contract.names)
    if table in LONG and not _is_typed(full, contract):
        full = full.astype(dict.fromkeys(contract.texts, object))
    elif table in LONG:
        # What Arrow takes as it is stays as it is: no second copy of many millions of rows.
        _to_arrow(full, contract)
        _check_rows(full, contract)
        return full
    return of_arrow(_to_arrow(full, contract), table)


def of_arrow(arrow: pa.Table, table: str) -> pd.DataFrame:
    """Check a table that comes as Arrow; where its types are the contract's, without a copy."""
    contract = CONTRACTS[table]
    types = [(part.name, _value_type(part.type)) for part in arrow.schema]
    frame = to_pandas(arrow, contract)
    del arrow
    if types != [(column.name, column.type) for column in contract.columns]:
        return check(frame, table)
    _check_rows(frame, contract)
    return frame


def _to_arrow(frame: pd.DataFrame, contract: Contract) -> pa.Table:
    try:
        return pa.Table.from_pandas(frame, schema=_lenient(contract), preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
        raise TableError(f"{contract.name}: {' '.join(str(error).split())}; {CURE}") from None


def _is_typed(frame: pd.DataFrame, contract: Contract) -> bool:
    """Tell whether texts are objects and all else is whole numbers, as `to_pandas` gives them."""
    kinds = {name: "object" if name in contract.texts else "int64" for name in contract.names}
    return {name: str(kind) for name, kind in frame.dtypes.items()} == kinds


def _value_type(of: pa.DataType) -> pa.DataType:
    return of.value_type if pa.types.is_dictionary(of) else of


def each(rows: pd.DataFrame) -> Iterator[Any]:
    """Go through rows as objects, several times as fast as pandas does through its strings."""
    yield from rows.astype(object).itertuples(index=False)


def join(parts: Sequence[pd.DataFrame], table: str) -> pd.DataFrame:
    """Put checked parts of a table together; a key may not stand in two of them."""
    if len(parts) == 1:
        return parts[0]
    joined = pd.concat(parts, ignore_index=True) if parts else empty(table)
    _check_key(joined, CONTRACTS[table])
    return joined


def last_before(
    left: pd.DataFrame, right: pd.DataFrame, left_on: str, right_on: str, by: str | list[str]
) -> pd.DataFrame:
    """Give each row of ``left`` the last row of ``right`` that is no later, among those like it.

    Both come in any order; the rows of ``left`` are ordered by ``left_on``. Where there is no such
    row the columns of ``right`` are NaN.
    """
    ordered = left.sort_values(left_on, kind="stable")
    if left.empty or right.empty:
        # pandas 3.1.1 cannot merge empty text columns.
        new = [column for column in right.columns if column not in left.columns]
        return ordered.assign(**dict.fromkeys(new, float("nan")))
    return pd.merge_asof(
        ordered,
        right.sort_values(right_on, kind="stable"),
        left_on=left_on,
        right_on=right_on,
        by=by,
    )


def check_known(
    rows: pd.DataFrame, table: str, values: "pd.Series[str]", column: str, other: str
) -> None:
    """Demand that every value of a column of one table stands in another table.

    Raises
    ------
    TableError
        ``rows`` of ``table`` have a ``column`` that is not among the ``values`` of ``other``.
    """
    strange = ~rows[column].isin(values)
    _complain(CONTRACTS[table], rows, strange, f"have a {column} that {other} lacks")


def _lenient(contract: Contract) -> pa.Schema:
    """Give the types of a contract, nulls allowed, texts of a long table as dictionaries."""
    once = contract.texts if contract.name in LONG else []
    kinds = {column.name: column.type for column in contract.columns}
    return pa.schema(kinds | dict.fromkeys(once, pa.dictionary(pa.int32(), pa.string())))


def to_pandas(arrow: pa.Table, contract: Contract) -> pd.DataFrame:
    """Turn an Arrow table into pandas, nullable whole numbers as Int64, dictionaries as values."""
    try:
        frame: pd.DataFrame = arrow.to_pandas(integer_object_nulls=True)
    except pa.ArrowInvalid as error:
        raise TableError(f"{contract.name}: {' '.join(str(error).split())}; {CURE}") from None
    for name, values in frame.items():
        if isinstance(values.dtype, pd.CategoricalDtype):
            known = np.array([*values.cat.categories, None], dtype=object)
            frame[name] = pd.Series(known[values.cat.codes], values.index, dtype="object")
    for column in contract.columns:
        if column.name in frame.columns and column.nullable:
            if pa.types.is_integer(column.type):
                frame[column.name] = _nullable(frame[column.name], "Int64", contract)
            elif pa.types.is_boolean(column.type):
                frame[column.name] = _nullable(frame[column.name], "boolean", contract)
    return frame


def _nullable(
    values: "pd.Series[Any]", kind: Literal["Int64", "boolean"], contract: Contract
) -> "pd.Series[Any]":
    try:
        return values.astype(kind)
    except (TypeError, ValueError, OverflowError) as error:
        raise TableError(
            f"{contract.name}: {values.name} is not {kind} or null ({error}); {CURE}"
        ) from None


def _check_rows(frame: pd.DataFrame, contract: Contract) -> None:
    for column in contract.columns:
        values = frame[column.name]
        if not column.nullable:
            _complain(contract, frame, values.isna(), f"have no {column.name}")
        if column.values:
            strange = values.notna() & ~values.isin(column.values)
            allowed = ", ".join(column.values)
            _complain(contract, frame, strange, f"have {column.name} outside {allowed}")
        if column.least is not None:
            low = (values < column.least).fillna(False).astype(bool)
            _complain(contract, frame, low, f"have {column.name} below {column.least}")
    for first, second in contract.ordered:
        late = (frame[first] > frame[second]).fillna(False).astype(bool)
        _complain(contract, frame, late, f"have {first} after {second}")
    _check_key(frame, contract)


def _check_key(frame: pd.DataFrame, contract: Contract) -> None:
    twice = frame.duplicated(list(contract.key), keep="first")
    _complain(contract, frame, twice, f"repeat the key ({', '.join(contract.key)})")


def _complain(contract: Contract, frame: pd.DataFrame, wrong: "pd.Series[bool]", what: str) -> None:
    if wrong.any():
        first = frame[wrong.to_numpy(dtype=bool)].iloc[0]
        culprit = ", ".join(f"{name} {first[name]}" for name in contract.key)
        raise TableError(
            f"{contract.name}: {int(wrong.sum())} of {len(frame)} rows {what} (first: {culprit});"
            f" {CURE}"
        )
