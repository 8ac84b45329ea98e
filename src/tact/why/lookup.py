"""Read the rows of one episode from the results of a run.

Tables are written in the order of their key, so the least and greatest value that Parquet keeps of
each row group tell which groups can hold a conversation, a point or an episode; no other is read.
Neither pandas nor pyarrow.dataset is needed for that; both take long to import.
"""

import difflib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tact.errors import InputError, TableError
from tact.files import no_file
from tact.schemas import CONTRACTS, Contract

Row = dict[str, Any]
Wanted = dict[str, list[Any]]
NOT_BUILT = "not built"
LEFT_OUT = ".quarantine.parquet"


class Results:
    """The results folder of a run, asked for rows by the value of a column."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rows(self, pattern: str, table: str, **where: Any) -> list[Row] | None:
        """Give the rows of every file that matches, or None where no file does.

        Parameters
        ----------
        pattern : glob below the results folder; quarantine beside a shard is no match
        table : name of the contract of those files
        where : column = value, or column = list of values

        Raises
        ------
        InputError
            A file is not Parquet.
        TableError
            A file lacks a column of the contract, or a column has another type.
        """
        files = sorted(
            path for path in self.folder.glob(pattern) if not path.name.endswith(LEFT_OUT)
        )
        if not files:
            return None
        wanted = {
            name: list(value) if isinstance(value, list | tuple | set) else [value]
            for name, value in where.items()
        }
        return [row for file in files for row in _read(file, CONTRACTS[table], wanted)]

    def episode(self, name: str) -> Row:
        """Find an episode, or name the nearest id.

        Raises
        ------
        InputError
            There are no episodes, or none of that name.
        """
        path = self.folder / "episodes/episodes.parquet"
        if not path.is_file():
            cure = "run `snakemake episodes` first"
            raise InputError(f"why: {no_file(path, kind='a Parquet file', cure=cure)}")
        found = self.rows("episodes/episodes.parquet", "episodes", episode=name) or []
        if not found:
            names = pq.ParquetFile(path).read(columns=["episode"])["episode"]
            known = names.drop_null().to_pylist()
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            hint = f"; the nearest is {near[0]}" if near else ""
            raise InputError(f"why: no episode {name!r} in {path}{hint}")
        return found[0]


def _read(path: Path, contract: Contract, wanted: Wanted) -> list[Row]:
    try:
        file = pq.ParquetFile(path)
        _check(path, file.schema_arrow, contract)
        groups = [g for g in range(file.num_row_groups) if _may_hold(file, g, wanted)]
        rows: list[Row] = []
        for group in groups:
            if places := _places(file, group, wanted):
                rows += _rows(file.read_row_group(group), places)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"why: {path} is not a Parquet file ({error}); remove it and run its stage again"
        ) from None
    for column in contract.columns:
        if not column.nullable and any(row[column.name] is None for row in rows):
            raise TableError(f"why: {path} has rows with no {column.name}; run its stage again")
    return rows


def _places(file: pq.ParquetFile, group: int, wanted: Wanted) -> list[int]:
    """Find the wanted rows of a group, by the columns that are asked for alone."""
    columns = file.read_row_group(group, columns=list(wanted))
    places = list(range(file.metadata.row_group(group).num_rows))
    for name, values in wanted.items():
        known, column = set(values), columns[name].to_pylist()
        places = [place for place in places if column[place] in known]
    return places


def _rows(table: pa.Table, places: list[int]) -> Iterator[Row]:
    """Give some rows, without a call that makes an Arrow value: that imports pandas."""
    for _, run in groupby(enumerate(places), lambda pair: pair[1] - pair[0]):
        near = [place for _, place in run]
        yield from table.slice(near[0], len(near)).to_pylist()


def _may_hold(file: pq.ParquetFile, group: int, wanted: Wanted) -> bool:
    """Tell whether a row group can hold a wanted row, by the bounds that Parquet keeps."""
    known = file.metadata.row_group(group)
    for place in range(known.num_columns):
        column = known.column(place)
        bounds = column.statistics
        values = wanted.get(column.path_in_schema)
        if values is None or bounds is None or not bounds.has_min_max:
            continue
        if not any(bounds.min <= value <= bounds.max for value in values):
            return False
    return True


def _check(path: Path, schema: pa.Schema, contract: Contract) -> None:
    for column in contract.columns:
        if column.name not in schema.names:
            raise TableError(f"why: {path} has no column {column.name!r}; run its stage again")
        found = schema.field(column.name).type
        if found != column.type:
            raise TableError(
                f"why: {path} has {column.name} as {found}, not {column.type}; run its stage again"
            )
