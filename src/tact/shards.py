"""Deal conversations to shards: one process reads one shard, so a big corpus needs few jobs."""

import heapq
import re

import pandas as pd

from tact.errors import InputError


def parse(text: str) -> tuple[int, int]:
    """Read ``I/N`` as (shard, shards), the shard counted from 1.

    Raises
    ------
    InputError
        The text is not of that form, or I does not lie in 1 to N.
    """
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    shard, shards = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= shard <= shards:
        raise InputError(f"--shard: {text!r} is not I/N with I from 1 to N; write 1/1 for all")
    return shard, shards


def deal(recordings: pd.DataFrame, shards: int) -> dict[str, int]:
    """Give each conversation its shard, from 1, so that the shards last about equally long.

    The longest conversation goes first, each to the emptiest shard; ties go by id and by number.
    The deal depends on nothing but the ids and lengths, so every job finds the same one.

    Parameters
    ----------
    recordings : table ``recordings``
        A conversation lasts as long as its longest channel.
    shards : int
        Number of shards, at least 1.
    """
    lengths = recordings.groupby("conversation")["duration_ms"].max()
    loads = [(0, shard) for shard in range(1, shards + 1)]
    dealt: dict[str, int] = {}
    for length, conversation in sorted((-int(ms), str(name)) for name, ms in lengths.items()):
        load, shard = heapq.heappop(loads)
        dealt[conversation] = shard
        heapq.heappush(loads, (load - length, shard))
    return dealt


def pick(recordings: pd.DataFrame, shard: int, shards: int) -> pd.DataFrame:
    """Keep the recordings of one shard."""
    dealt = deal(recordings, shards)
    return recordings[recordings["conversation"].map(dealt) == shard]
