"""Read the rows of one episode from the results of a run."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tact.errors import InputError

Row = dict[str, Any]


class Results:
    """The results folder of a run, asked for rows by the value of a column."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def rows(self, pattern: str, **where: Any) -> list[Row] | None:
        """Give the rows of every file that matches, or None where no file does.

        Parameters
        ----------
        pattern : glob below the results folder
        where : column = value, or column = list of values
        """
        files = sorted(self.folder.glob(pattern))
        if not files:
            return None
        table = ds.dataset([str(file) for file in files], format="parquet")
        wanted = None
        for name, value in where.items():
            values = list(value) if isinstance(value, list | tuple | set) else [value]
            test = ds.field(name).isin(values)
            wanted = test if wanted is None else wanted & test
        found: list[Row] = table.to_table(filter=wanted).to_pylist()
        return found

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
        found = self.rows("episodes/episodes.parquet", episode=name) or []
        if not found:
            known: Iterable[str] = pq.read_table(path, columns=["episode"])["episode"].to_pylist()
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
            hint = f"; the nearest is {near[0]}" if near else ""
            raise InputError(f"why: no episode {name!r} in {path}{hint}")
        return found[0]
