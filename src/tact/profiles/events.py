"""Who spoke when in a corpus, found by conversation and speaker, and cut to evidence intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    produced, solicited : backchannels by the speaker, and by others
    words, fillers : number of own words and, among them, the texts that the caller may count
    word_ms : time that the timed words fill
    """

    evidence_ms: int
    speech_ms: int
    fto_ms: IntArray
    pause_ms: IntArray
    unanswered: np.ndarray
    produced: int
    solicited: int
    words: list[str]
    timed_words: int
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


class Talk:
    """The talk of one corpus, ready to be heard by interval."""

    def __init__(
        self,
        ipus: pd.DataFrame,
        pauses: pd.DataFrame,
        backchannels: pd.DataFrame,
        transfers: pd.DataFrame,
        words: pd.DataFrame,
    ) -> None:
        taken = transfers["turn_end_ms"] + transfers["fto_ms"]
        moments = transfers.assign(
            speaker=transfers["taker"],
            start_ms=np.minimum(taken, transfers["turn_end_ms"]),
            end_ms=np.maximum(taken, transfers["turn_end_ms"]),
        )
        said = words[words["kind"] == "word"]
        self._ipus = _index(ipus, "end_ms")
        self._pauses = _index(pauses, "duration_ms")
        self._backchannels = _index(backchannels, "speech_ms")
        self._transfers = _index(moments, "fto_ms")
        self._words = _index(said, "text")
        self._timed = _index(said[~said["source"].isin(UNTIMED_SOURCES)], "position")
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
        fto, pause, unanswered = [NOTHING.start], [NOTHING.start], [np.zeros(0, bool)]
        speech = produced = solicited = timed = word_ms = evidence = 0
        words: list[str] = []
        for conversation, start, end in spans:
            key = (conversation, focal)
            others = [(conversation, o) for o in self._speakers.get(conversation, []) if o != focal]
            evidence += end - start
            speech += _overlap_ms(self._ipus.get(key, NOTHING), start, end)
            fto.append(self._transfers.get(key, NOTHING).within(start, end)[2])
            silence_start, silence_end, silence = self._pauses.get(key, NOTHING).within(start, end)
            pause.append(silence)
            unanswered.append(self._nobody_starts(others, silence_start, silence_end))
            produced += len(self._backchannels.get(key, NOTHING).within(start, end)[0])
            solicited += sum(
                len(self._backchannels.get(o, NOTHING).within(start, end)[0]) for o in others
            )
            words += self._words.get(key, NOTHING).within(start, end)[2].tolist()
            word_start, word_end, _ = self._timed.get(key, NOTHING).within(start, end)
            timed += len(word_start)
            word_ms += length(zip(word_start.tolist(), word_end.tolist(), strict=True))
        return Heard(
            evidence_ms=evidence,
            speech_ms=speech,
            fto_ms=np.concatenate(fto).astype(np.int64),
            pause_ms=np.concatenate(pause).astype(np.int64),
            unanswered=np.concatenate(unanswered),
            produced=produced,
            solicited=solicited,
            words=words,
            timed_words=timed,
            word_ms=word_ms,
        )

    def _nobody_starts(self, others: list[Key], start: IntArray, end: IntArray) -> np.ndarray:
        quiet = np.ones(len(start), bool)
        for key in others:
            theirs = self._ipus.get(key, NOTHING).start
            quiet &= np.searchsorted(theirs, start) == np.searchsorted(theirs, end)
        return quiet


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
