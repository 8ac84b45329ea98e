"""Clips in Parquet: one row an episode, its columns and its FLAC bytes, a few rows to a group.

::

    clips/test-00000.parquet   episode, ..., licence, audio {bytes, path}

`datasets.Audio` reads the column; a map (strata), for which `datasets` has no type, is a list of
keys and values. Rows stand in the order of their ids, and a file is full at a given size, so the
same episodes give the same bytes.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tact.schemas import CONTRACTS, Column
from tact.tables import LICENCE

AUDIO = "audio"
LICENCE_COLUMN = Column(LICENCE, pa.string(), "licence of what the row says")
ROWS_OF_A_GROUP = 4
"""A group is read whole: few rows make one episode cheap to fetch (benchmarks/packing.py)."""

BytesOf = Callable[[str], bytes | None]


def schema() -> pa.Schema:
    """Give the schema of a clip file: table ``episodes``, licence, audio."""
    audio = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
    meaning = {"meaning": "FLAC, channel 0 focal, channel 1 partner; null = none here", "unit": ""}
    fields = [
        _listed(column.field()) for column in (*CONTRACTS["episodes"].columns, LICENCE_COLUMN)
    ]
    return pa.schema([*fields, pa.field(AUDIO, audio, metadata=meaning)])


def _listed(field: pa.Field) -> pa.Field:
    if not pa.types.is_map(field.type):
        return field
    pair = [pa.field("key", field.type.key_type), pa.field("value", field.type.item_type)]
    return field.with_type(pa.list_(pa.struct(pair)))


def write(
    rows: pd.DataFrame, licences: "pd.Series[str]", folder: Path, *, of: BytesOf, most_mb: int
) -> int:
    """Write the clips of a table ``episodes`` and count them.

    Parameters
    ----------
    rows : table ``episodes``
        In any order; ``clip`` is what the clip is called, null where there is none.
    licences : Series
        Licence of each row.
    folder : Path
        Where ``<split>-<number>.parquet`` go.
    of : function of an episode id
        Gives its FLAC bytes, or None; one group is in memory at a time.
    most_mb : int
        Most bytes of clips in a file, MB (10^6); a file holds one group at least.
    """
    folder.mkdir(parents=True, exist_ok=True)
    n_clips = 0
    for split, own in rows.assign(**{LICENCE: licences}).groupby("split"):
        groups = _groups(own.sort_values("episode"), of)
        group, number = next(groups, None), 0
        while group is not None:
            path = folder / f"{split}-{number:05}.parquet"
            size = 0
            with pq.ParquetWriter(path, schema(), compression="zstd") as file:
                while group is not None and (size == 0 or size < most_mb * 10**6):
                    file.write_table(group)
                    n_clips += len(group) - group[AUDIO].null_count
                    size += max(1, group.nbytes)
                    group = next(groups, None)
            number += 1
    return n_clips


def _groups(rows: pd.DataFrame, of: BytesOf) -> Iterator[pa.Table]:
    plain = pa.schema([*CONTRACTS["episodes"].schema(), LICENCE_COLUMN.field()])
    for start in range(0, len(rows), ROWS_OF_A_GROUP):
        group = rows.iloc[start : start + ROWS_OF_A_GROUP]
        table = pa.Table.from_pandas(group, schema=plain, preserve_index=False)
        sound = pa.array(
            [_sound(of, name) for name in group["episode"]], schema().field(AUDIO).type
        )
        yield table.append_column(schema().field(AUDIO), sound).cast(schema())


def _sound(of: BytesOf, episode: str) -> dict[str, Any] | None:
    encoded = of(episode)
    return None if encoded is None else {"bytes": encoded, "path": f"{episode}.flac"}
