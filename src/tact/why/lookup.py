"""Read the rows of one episode from the results of a run."""

import difflib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tact.errors import InputError, TableError
from tact.schemas import CONTRACTS, Contract

Row = dict[str, Any]
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
        wanted = None
        for name, value in where.items():
            values = list(value) if isinstance(value, list | tuple | set) else [value]
            test = ds.field(name).isin(values)
            wanted = test if wanted is None else wanted & test
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
            raise InputError(f"why: no {path}; run `snakemake episodes` first")
        found = self.rows("episodes/episodes.parquet", "episodes", episode=name) or []
        if not found:
            known = pq.read_table(path, columns=["episode"])["episode"].drop_null().to_pylist()
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            hint = f"; the nearest is {near[0]}" if near else ""
            raise InputError(f"why: no episode {name!r} in {path}{hint}")
        return found[0]


def _read(path: Path, contract: Contract, wanted: Any) -> list[Row]:
    try:
        table = ds.dataset(path, format="parquet")
        _check(path, table.schema, contract)
        rows: list[Row] = table.to_table(filter=wanted).to_pylist()
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"why: {path} is not a Parquet file ({error}); remove it and run its stage again"
        ) from None
    for column in contract.columns:
        if not column.nullable and any(row[column.name] is None for row in rows):
            raise TableError(f"why: {path} has rows with no {column.name}; run its stage again")
    return rows


def _check(path: Path, schema: pa.Schema, contract: Contract) -> None:
    for column in contract.columns:
        if column.name not in schema.names:
            raise TableError(f"why: {path} has no column {column.name!r}; run its stage again")
        found = schema.field(column.name).type
        if found != column.type:
            raise TableError(
                f"why: {path} has {column.name} as {found}, not {column.type}; run its stage again"
            )
