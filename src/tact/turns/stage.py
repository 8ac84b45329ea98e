"""From the tables of a corpus to its turn tables, conversation by conversation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import IntArray
from tact.floor import Floor, sweep
from tact.settings import Turns
from tact.turns.backchannels import Listening, find_groups

Rows = list[tuple[object, ...]]


@dataclass(frozen=True)
class TurnTables:
    """The tables of the stage, by contract name."""

    turns: pd.DataFrame
    pauses: pd.DataFrame
    backchannels: pd.DataFrame
    transfers: pd.DataFrame
    floor: pd.DataFrame


def take_turns(
    ipus: pd.DataFrame,
    words: pd.DataFrame,
    acts: pd.DataFrame,
    languages: Mapping[str, str],
    *,
    settings: Turns,
) -> TurnTables:
    """Tell backchannels from turns and measure how the floor passes.

    Parameters
    ----------
    ipus, words, acts : the tables of that name, in any order; words and acts may be empty
    languages : language of each conversation

    Returns
    -------
    TurnTables
    """
    rows: dict[str, Rows] = {name: [] for name in TurnTables.__dataclass_fields__}
    listening = Listening(words, acts, settings.backchannel)
    ordered = ipus.sort_values(["conversation", "start_ms", "speaker"], kind="stable")
    for conversation, start, end, speaker, names in _conversations(ordered):
        lexicon = languages[conversation]
        groups = find_groups(conversation, start, end, speaker, names, lexicon, listening)
        kept = ~groups.member if settings.backchannel.exclude else np.ones(len(start), bool)
        if settings.backchannel.exclude:
            rows["backchannels"].extend(groups.rows)
        raw = sweep(start, end, speaker)
        floor = sweep(start[kept], end[kept], speaker[kept]) if kept.any() else None
        rows["floor"].extend((conversation, "in", *total) for total in raw.totals())
        if floor is None:
            continue
        rows["floor"].extend((conversation, "out", *total) for total in floor.totals())
        talk = _Talk(conversation, start[kept], end[kept], speaker[kept], names, floor)
        rows["transfers"].extend(talk.transfers())
        for turn_rows, pause_rows in talk.turns():
            rows["turns"].extend(turn_rows)
            rows["pauses"].extend(pause_rows)
    return TurnTables(**{name: frames.frame(found, name) for name, found in rows.items()})


@dataclass(frozen=True)
class _Talk:
    """The IPUs of one conversation, backchannels out, with its floor."""

    conversation: str
    start: IntArray
    end: IntArray
    speaker: IntArray
    names: list[str]
    floor: Floor

    def transfers(self) -> Rows:
        """Measure each change of the sole speaker."""
        alone = np.flatnonzero(self.floor.sole >= 0)
        speakers = self.floor.sole[alone]
        changes = np.flatnonzero(speakers[1:] != speakers[:-1]) + 1
        rows: Rows = []
        for change in changes.tolist():
            giver, taker = int(speakers[change - 1]), int(speakers[change])
            moment = self.floor.edges[alone[change]]
            takes = self._last_ipu(taker, moment, self.start)
            ends = self._last_ipu(giver, moment, self.end)
            kind = "overlap" if takes < ends else "gap"
            who = (self.names[giver], self.names[taker])
            rows.append((self.conversation, *who, ends, takes - ends, kind))
        return rows

    def turns(self) -> Iterator[tuple[Rows, Rows]]:
        """Join each speaker's IPUs while nobody else is alone between them."""
        for index, name in enumerate(self.names):
            own = self.speaker == index
            start, end = self.start[own], self.end[own]
            if not len(start):
                continue
            taken = self.floor.sole_between(index, end[:-1], start[1:]) > 0
            first = np.append(0, np.flatnonzero(taken) + 1)
            last = np.append(np.flatnonzero(taken), len(start) - 1)
            who = (self.conversation, name)
            turns = zip(start[first], end[last], last - first + 1, strict=True)
            pauses = zip(end[:-1][~taken], start[1:][~taken], strict=True)
            yield (
                [(*who, *map(int, turn)) for turn in turns],
                [(*who, int(a), int(b), int(b - a)) for a, b in pauses],
            )

    def _last_ipu(self, index: int, moment: int, values: IntArray) -> int:
        """Value of the last IPU of a speaker that starts no later than ``moment``."""
        own, starts = self._by_speaker[index]
        return int(values[own[np.searchsorted(starts, moment, side="right") - 1]])

    @cached_property
    def _by_speaker(self) -> list[tuple[IntArray, IntArray]]:
        own = [np.flatnonzero(self.speaker == index) for index in range(len(self.names))]
        return [(rows, self.start[rows]) for rows in own]


def _conversations(
    ordered: pd.DataFrame,
) -> Iterator[tuple[str, IntArray, IntArray, IntArray, list[str]]]:
    """Cut a table of IPUs, sorted by conversation and time, into arrays."""
    conversations = ordered["conversation"].to_numpy()
    cuts = np.flatnonzero(conversations[1:] != conversations[:-1]) + 1
    start, end = ordered["start_ms"].to_numpy(np.int64), ordered["end_ms"].to_numpy(np.int64)
    speakers = ordered["speaker"].to_numpy()
    edges = [0, *cuts.tolist(), len(ordered)]
    for a, b in pairwise(edges):
        if a < b:
            names, index = np.unique(speakers[a:b].astype(str), return_inverse=True)
            yield str(conversations[a]), start[a:b], end[a:b], index, [str(n) for n in names]
