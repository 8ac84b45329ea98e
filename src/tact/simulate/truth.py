"""The truth of a made corpus: what was drawn at each candidate, and each speaker's own laws.

It lies in a folder of its own that no stage reads; the simulated annotators and benchmarks do.
``<truth>/<corpus>/candidates.parquet`` has one row per candidate, ``laws.parquet`` one per speaker
and intent. Ids carry the corpus prefix, as in every table.
"""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tact.errors import InputError
from tact.files import Output, no_file, write_together
from tact.laws import parameters
from tact.simulate.habits import Habits
from tact.simulate.talk import Talk

BLOCK = 8192
CANDIDATES = pa.schema(
    [
        ("conversation", pa.string()),
        ("focal", pa.string()),
        ("partner", pa.string()),
        ("t0_ms", pa.int64()),
        ("intent", pa.string()),
        ("response_ms", pa.int64()),
        ("kind", pa.string()),
    ]
)
LAWS = pa.schema(
    [("speaker", pa.string()), ("intent", pa.string()), ("family", pa.string())]
    + [(name, pa.float64()) for name in ("mu", "sigma", "tau", "shift", "log_median", "log_sigma")]
    + [("no_response", pa.float64()), ("answered", pa.float64())]
)


class Ledger:
    """The candidates of a corpus, gathered talk by talk and packed block by block."""

    def __init__(self, corpus: str) -> None:
        self._corpus = corpus
        self._packed: list[pa.Table] = []
        self._columns: list[list[object]] = [[] for _ in CANDIDATES.names]

    def add(self, talk: Talk) -> None:
        """Note the candidates of one conversation."""
        prefix = f"{self._corpus}:"
        conversation = prefix + talk.conversation
        columns = self._columns
        for candidate in talk.candidates:
            columns[0].append(conversation)
            columns[1].append(prefix + candidate.focal)
            columns[2].append(prefix + candidate.partner)
            columns[3].append(candidate.t0_ms)
            columns[4].append(candidate.intent)
            columns[5].append(candidate.response_ms)
            columns[6].append(candidate.kind)
        if len(columns[0]) >= BLOCK:
            self._pack()

    def table(self) -> pa.Table:
        """Give all candidates, in the order of the talks."""
        self._pack()
        return pa.concat_tables(self._packed)

    def _pack(self) -> None:
        arrays = [
            pa.array(column, type=part.type)
            for column, part in zip(self._columns, CANDIDATES, strict=True)
        ]
        self._packed.append(pa.Table.from_arrays(arrays, schema=CANDIDATES))
        for column in self._columns:
            column.clear()


def write(folder: Path, corpus: str, ledger: Ledger, people: Iterable[Habits]) -> None:
    """Write candidates and laws of one corpus below the truth folder."""
    rows = [
        {
            "speaker": f"{corpus}:{person.speaker}",
            "intent": intent,
            **parameters(own.law),
            "answered": own.answered,
        }
        for person in sorted(people, key=lambda person: person.speaker)
        for intent, own in person.laws.items()
    ]
    laws = pa.Table.from_pylist(rows, schema=LAWS)
    write_together(
        _output(ledger.table(), folder / corpus / "candidates.parquet"),
        _output(laws, folder / corpus / "laws.parquet"),
    )


def read(folder: Path, corpus: str) -> pd.DataFrame:
    """Read the candidates of one corpus.

    Raises
    ------
    InputError
        The corpus was not simulated into this folder.
    """
    path = folder / corpus / "candidates.parquet"
    if not path.is_file():
        cure = f"run `tact simulate --corpus {corpus}` first"
        raise InputError(f"truth: {no_file(path, kind='a Parquet file', cure=cure)}")
    try:
        known = pq.ParquetFile(path).read().select(CANDIDATES.names).cast(CANDIDATES)
    except (pa.ArrowInvalid, KeyError, OSError) as error:
        raise InputError(f"truth: {path} cannot be read ({error}); simulate it again") from None
    candidates: pd.DataFrame = known.to_pandas(integer_object_nulls=True)
    candidates["response_ms"] = candidates["response_ms"].astype("Int64")
    return candidates


def _output(table: pa.Table, path: Path) -> Output:
    return Output(path, lambda partial: pq.write_table(table, partial))
