"""Who spoke when in a corpus, found by conversation and speaker, and cut to evidence intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from tact.clock import IntArray, length
from tact.vocabulary import UNTIMED_SOURCES

Key = tuple[str, str]
Spans = Sequence[tuple[str, int, int]]


@dataclass(frozen=True)
class Heard:
    """What was heard of one speaker inside evidence intervals; events lie wholly inside.

    Attributes
    ----------
    evidence_ms, speech_ms : length of the intervals, and of own speech in them, ms
    fto_ms : (n,) floor-transfer offsets where the speaker takes the floor
    pause_ms : (m,) own silences inside turns
    unanswered : (m,) nobody else starts to speak in that silence
    given_ms : (k,) floor-transfer offsets where the speaker gives the floor
    produced, solicited : backchannels by the speaker, and by others
    words, fillers : number of own words and, among them, the texts that the caller may count
    word_ms : time that the timed words fill
    final : (timed_words,) which of them are the last before an own pause
    timed : their texts, and ``timed_ms`` (timed_words,) how long each is
    """

    evidence_ms: int
    speech_ms: int
    fto_ms: IntArray
    pause_ms: IntArray
    unanswered: np.ndarray
    given_ms: IntArray
    produced: int
    solicited: int
    words: list[str]
    timed: list[str]
    timed_ms: IntArray
    final: np.ndarray
    word_ms: int


@dataclass(frozen=True)
class _Events:
    """Events of one kind and key, sorted by start, with a value each."""

    start: IntArray
    end: IntArray
    value: np.ndarray

    def within(self, start: int, end: int) -> tuple[IntArray, IntArray, np.ndarray]:
        """Give the events that lie wholly inside [start, end]."""
        rows = slice(*np.searchsorted(self.start, [start, end], side="left"))
        kept = self.end[rows] <= end
        return self.start[rows][kept], self.end[rows][kept], self.value[rows][kept]


NOTHING = _Events(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, object))


SILENCE = Heard(
    evidence_ms=0,
    speech_ms=0,
    fto_ms=NOTHING.start,
    pause_ms=NOTHING.start,
    unanswered=np.zeros(0, bool),
    given_ms=NOTHING.start,
    produced=0,
    solicited=0,
    words=[],
    timed=[],
    timed_ms=NOTHING.start,
    final=np.zeros(0, bool),
    word_ms=0,
)


class Talk:
    """The talk of one corpus, ready to be heard by interval."""

    def __init__(
        self,
        ipus: pd.DataFrame,
        pauses: pd.DataFrame,
        backchannels: pd.DataFrame,
        transfers: pd.DataFrame,
        words: pd.DataFrame,
        *,
        final_word_ms: int,
    ) -> None:
        taken = transfers["turn_end_ms"] + transfers["fto_ms"]
        moments = transfers.assign(
            start_ms=np.minimum(taken, transfers["turn_end_ms"]),
            end_ms=np.maximum(taken, transfers["turn_end_ms"]),
        )
        said = words[words["kind"] == "word"]
        self._ipus = _index(ipus, "end_ms")
        self._pauses = _index(pauses, "duration_ms")
        self._backchannels = _index(backchannels, "speech_ms")
        self._taken = _index(moments.assign(speaker=transfers["taker"]), "fto_ms")
        self._given = _index(moments.assign(speaker=transfers["giver"]), "fto_ms")
        self._words = _index(said, "text")
        self._timed = _index(said[~said["source"].isin(UNTIMED_SOURCES)], "text")
        self._final_word_ms = final_word_ms
        self._speakers: dict[str, list[str]] = {}
        for conversation, speaker in self._ipus:
            self._speakers.setdefault(conversation, []).append(speaker)

    @property
    def present(self) -> Mapping[str, list[str]]:
        """The conversations in which each speaker is heard."""
        where: dict[str, list[str]] = {}
        for conversation, speaker in self._ipus:
            where.setdefault(speaker, []).append(conversation)
        return where

    def heard(self, spans: Spans, focal: str) -> Heard:
        """Collect what was heard of a speaker inside the spans (conversation, start, end)."""
        parts = [
            self._within(conversation, start, end, focal) for conversation, start, end in spans
        ]
        return _sum(parts)

    def _within(self, conversation: str, start: int, end: int, focal: str) -> Heard:
        """Collect what was heard of a speaker inside one span."""
        key = (conversation, focal)
        others = [(conversation, o) for o in self._speakers.get(conversation, []) if o != focal]
        pause_start, pause_end, pause_ms = self._pauses.get(key, NOTHING).within(start, end)
        word_start, word_end, timed = self._timed.get(key, NOTHING).within(start, end)
        return Heard(
            evidence_ms=end - start,
            speech_ms=_overlap_ms(self._ipus.get(key, NOTHING), start, end),
            fto_ms=self._taken.get(key, NOTHING).within(start, end)[2].astype(np.int64),
            pause_ms=pause_ms.astype(np.int64),
            unanswered=self._nobody_starts(others, pause_start, pause_end),
            given_ms=self._given.get(key, NOTHING).within(start, end)[2].astype(np.int64),
            produced=len(self._backchannels.get(key, NOTHING).within(start, end)[0]),
            solicited=sum(
                len(self._backchannels.get(o, NOTHING).within(start, end)[0]) for o in others
            ),
            words=self._words.get(key, NOTHING).within(start, end)[2].tolist(),
            timed=timed.tolist(),
            timed_ms=word_end - word_start,
            final=_last_before(pause_start, word_start, word_end, self._final_word_ms),
            word_ms=length(zip(word_start.tolist(), word_end.tolist(), strict=True)),
        )

    def _nobody_starts(self, others: list[Key], start: IntArray, end: IntArray) -> np.ndarray:
        quiet = np.ones(len(start), bool)
        for key in others:
            theirs = self._ipus.get(key, NOTHING).start
            quiet &= np.searchsorted(theirs, start) == np.searchsorted(theirs, end)
        return quiet


def _last_before(
    pause_start: IntArray, word_start: IntArray, word_end: IntArray, near_ms: int
) -> np.ndarray:
    """Tell which words, sorted by start, are the last before a pause and end near it."""
    final = np.zeros(len(word_start), bool)
    place = np.searchsorted(word_start, pause_start, side="left") - 1
    known = place >= 0
    place, start = place[known], pause_start[known]
    final[place[np.abs(word_end[place] - start) <= near_ms]] = True
    return final


def _sum(parts: Sequence[Heard]) -> Heard:
    """Put what was heard in several spans together."""
    whole: dict[str, Any] = {}
    for field in fields(Heard):
        values = [getattr(part, field.name) for part in [SILENCE, *parts]]
        if isinstance(values[0], np.ndarray):
            whole[field.name] = np.concatenate(values)
        else:
            whole[field.name] = sum(values[1:], values[0])
    return Heard(**whole)


def _overlap_ms(events: _Events, start: int, end: int) -> int:
    touching = slice(
        int(np.searchsorted(events.end, start, side="right")),
        int(np.searchsorted(events.start, end, side="left")),
    )
    shared = np.minimum(events.end[touching], end) - np.maximum(events.start[touching], start)
    return int(shared.sum())


def _index(table: pd.DataFrame, value: str) -> dict[Key, _Events]:
    ordered = table.sort_values(["conversation", "speaker", "start_ms"], kind="stable")
    if ordered.empty:
        return {}
    conversation = ordered["conversation"].to_numpy(object)
    speaker = ordered["speaker"].to_numpy(object)
    start, end = ordered["start_ms"].to_numpy(np.int64), ordered["end_ms"].to_numpy(np.int64)
    values = ordered[value].to_numpy(object if value == "text" else np.int64)
    new = (conversation[1:] != conversation[:-1]) | (speaker[1:] != speaker[:-1])
    edges = [0, *(np.flatnonzero(new) + 1).tolist(), len(ordered)]
    return {
        (str(conversation[a]), str(speaker[a])): _Events(start[a:b], end[a:b], values[a:b])
        for a, b in pairwise(edges)
    }
