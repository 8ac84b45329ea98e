"""From the tables of a corpus to conversations in arrays."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np
import pandas as pd

from tact.clock import IntArray, Interval, merge
from tact.points.conversation import Clauses, Conversation, Side
from tact.vocabulary import REDACTED

TERMINAL = (".", "?", "!")
Key = tuple[str, str]


def conversations(
    ipus: pd.DataFrame,
    backchannels: pd.DataFrame,
    turns: pd.DataFrame,
    words: pd.DataFrame,
    durations: Mapping[str, int],
) -> Iterator[Conversation]:
    """Give each conversation of a corpus, in the order of its name."""
    spoken, grouped, joined = (_by_key(table) for table in (ipus, backchannels, turns))
    clauses, redacted = _clauses(words), _redacted(words)
    silent = Clauses(np.zeros(0, np.int64), np.zeros(0, bool))
    by_name: dict[str, list[str]] = {}
    for conversation, speaker in sorted(spoken):
        by_name.setdefault(conversation, []).append(speaker)
    for name, speakers in by_name.items():
        keys = [(name, speaker) for speaker in speakers]
        yield Conversation(
            name=name,
            speakers=tuple(speakers),
            sides=tuple(_side(spoken[key], grouped.get(key), joined.get(key)) for key in keys),
            clauses=tuple(clauses.get(key, silent) for key in keys),
            redacted=tuple(redacted.get(name, [])),
            duration_ms=durations[name],
        )


def _side(
    ipus: tuple[IntArray, IntArray],
    groups: tuple[IntArray, IntArray] | None,
    turns: tuple[IntArray, IntArray] | None,
) -> Side:
    start, end = ipus
    in_group, group_start, group_end = _unit(start, groups)
    _, turn_start, turn_end = _unit(start, turns)
    unit_start = np.where(in_group, group_start, turn_start)
    return Side(start, end, in_group, unit_start, np.where(in_group, group_end, turn_end))


def _unit(
    start: IntArray, units: tuple[IntArray, IntArray] | None
) -> tuple[np.ndarray, IntArray, IntArray]:
    """Find the unit that each IPU lies in: whether there is one, its start and its end."""
    if units is None:
        return np.zeros(len(start), bool), start, start
    unit_start, unit_end = units
    at = np.searchsorted(unit_start, start, side="right") - 1
    inside = (at >= 0) & (start < unit_end[at])
    return inside, unit_start[at], unit_end[at]


def _by_key(table: pd.DataFrame) -> dict[Key, tuple[IntArray, IntArray]]:
    ordered = table.sort_values(["conversation", "speaker", "start_ms"], kind="stable")
    start = ordered["start_ms"].to_numpy(np.int64)
    end = ordered["end_ms"].to_numpy(np.int64)
    return {key: (start[a:b], end[a:b]) for key, a, b in _stretches(ordered)}


def _clauses(words: pd.DataFrame) -> dict[Key, Clauses]:
    said = words[words["kind"].isin(["word", "punctuation"])]
    said = said.sort_values(["conversation", "speaker", "end_ms", "position"], kind="stable")
    terminal = said["text"].astype(str).str.rstrip("\"')]").str.endswith(TERMINAL).to_numpy(bool)
    end = said["end_ms"].to_numpy(np.int64)
    return {key: Clauses(end[a:b], terminal[a:b]) for key, a, b in _stretches(said)}


def _redacted(words: pd.DataFrame) -> dict[str, list[Interval]]:
    holes: dict[str, list[Interval]] = {}
    rows = words[(words["kind"] == "other") & (words["text"] == REDACTED)]
    for name, start, end in zip(
        rows["conversation"], rows["start_ms"], rows["end_ms"], strict=True
    ):
        holes.setdefault(str(name), []).append((int(start), int(end)))
    return {name: merge(found) for name, found in holes.items()}


def _stretches(ordered: pd.DataFrame) -> Iterator[tuple[Key, int, int]]:
    """Give each (conversation, speaker) of a sorted table with its first and last row."""
    if ordered.empty:
        return
    conversation = ordered["conversation"].to_numpy(object)
    speaker = ordered["speaker"].to_numpy(object)
    new = (conversation[1:] != conversation[:-1]) | (speaker[1:] != speaker[:-1])
    for a, b in pairwise([0, *(np.flatnonzero(new) + 1).tolist(), len(ordered)]):
        yield (str(conversation[a]), str(speaker[a])), a, b
