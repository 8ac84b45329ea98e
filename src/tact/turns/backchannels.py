"""Find backchannels: short speech of a listener that takes no floor.

A group of a speaker's own IPUs, little speech in all, every word in the lexicon, own silence on
either side, while the other talks or with the other speaking last before and first after::

    A  ##########    #######          ####
    B       ##                 ##               B's first IPU is one, the second too
       1 s of B's silence on either side
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact.clock import IntArray
from tact.settings import Backchannel

FAR = np.iinfo(np.int64).max // 4
EDGES = '.,?!;:"()[]'


class Groups(NamedTuple):
    """Backchannels of one conversation: which IPUs they take, and their table rows."""

    member: np.ndarray
    rows: list[tuple[object, ...]]


@dataclass(frozen=True)
class _Tokens:
    """One speaker's words and punctuation, by start."""

    start: IntArray
    end: IntArray
    text: list[str]
    is_word: np.ndarray


class Listening:
    """Words and acts of a corpus, ready to be asked about one stretch of speech."""

    def __init__(self, words: pd.DataFrame, acts: pd.DataFrame, settings: Backchannel) -> None:
        self.settings = settings
        self._tokens = {key: _tokens(rows) for key, rows in _by_speaker(words)}
        self._acts = {
            key: (rows["end_ms"].to_numpy(np.int64), rows["act"].tolist())
            for key, rows in _by_speaker(acts.sort_values("end_ms", kind="stable"))
        }
        self._lexicon = {name: frozenset(known) for name, known in settings.lexicon.items()}

    def only_lexicon(self, key: tuple[str, str], start: int, end: int, language: str) -> bool:
        """Tell whether every word that a speaker says in [start, end) may be a backchannel's.

        An utterance counts word by word; speech without text says nothing against it.
        """
        tokens = self._tokens.get(key)
        if tokens is None:
            return True
        first = int(np.searchsorted(tokens.start, start - self.settings.max_speech_ms))
        last = int(np.searchsorted(tokens.start, end))
        known = self._lexicon.get(language.split("-")[0], frozenset())
        return all(
            word.strip(EDGES) in known
            for i in range(first, last)
            if tokens.is_word[i] and tokens.end[i] > start
            for word in tokens.text[i].lower().split()
        )

    def after_question(self, conversation: str, others: list[str], start: int) -> bool:
        """Tell whether the last thing that another finished before ``start`` is a question."""
        asked = [self._last(conversation, name, start) for name in others]
        return max(asked, default=(0, False))[1]

    def _last(self, conversation: str, name: str, moment: int) -> tuple[int, bool]:
        ends, acts = self._acts.get((conversation, name), (np.zeros(0, np.int64), []))
        found = (-1, False)
        if at := int(np.searchsorted(ends, moment, side="right")):
            found = (int(ends[at - 1]), acts[at - 1] in self.settings.question_acts)
        tokens = self._tokens.get((conversation, name))
        if tokens is not None:
            at = int(np.searchsorted(tokens.start, moment, side="right")) - 1
            while at >= 0 and tokens.end[at] > moment:
                at -= 1
            if at >= 0:
                asked = tokens.text[at].rstrip().endswith("?")
                end = int(tokens.end[at])
                found = max(found, (end, asked)) if end != found[0] else (end, asked or found[1])
        return found


def find_groups(
    conversation: str,
    start: IntArray,
    end: IntArray,
    speaker: IntArray,
    names: list[str],
    language: str,
    listening: Listening,
) -> Groups:
    """Find the backchannels of one conversation.

    Parameters
    ----------
    start, end, speaker : (n_ipus,) sorted by start; ms, ms, index into ``names``
    """
    member = np.zeros(len(start), bool)
    rows: list[tuple[object, ...]] = []
    for index, name in enumerate(names):
        own = np.flatnonzero(speaker == index)
        others = [other for other in names if other != name]
        for first, last in _candidates(own, start, end, speaker, index, listening.settings):
            span = int(start[own[first]]), int(end[own[last]])
            if not listening.only_lexicon((conversation, name), *span, language):
                continue
            if listening.after_question(conversation, others, span[0]):
                continue
            ipus = own[first : last + 1]
            member[ipus] = True
            speech = int((end[ipus] - start[ipus]).sum())
            rows.append((conversation, name, *span, speech, len(ipus)))
    return Groups(member, rows)


def _candidates(
    own: IntArray,
    start: IntArray,
    end: IntArray,
    speaker: IntArray,
    index: int,
    settings: Backchannel,
) -> list[tuple[int, int]]:
    """Groups of own IPUs that are short, isolated, and framed by the others' speech."""
    own_start, own_end = start[own], end[own]
    gaps = own_start[1:] - own_end[:-1]
    cuts = np.flatnonzero(gaps >= settings.group_gap_ms) + 1
    first, last = np.append(0, cuts), np.append(cuts - 1, len(own) - 1)
    spoken = np.append(0, np.cumsum(own_end - own_start))
    speech = spoken[last + 1] - spoken[first]
    group_start, group_end = own_start[first], own_end[last]
    before = np.append(-FAR, group_end[:-1])
    after = np.append(group_start[1:], FAR)
    alone = (group_start - before >= settings.own_silence_ms) & (
        after - group_end >= settings.own_silence_ms
    )
    theirs = speaker != index
    framed = _framed(start[theirs], end[theirs], group_start, group_end, before, after)
    good = (speech <= settings.max_speech_ms) & alone & framed
    return [(int(a), int(b)) for a, b in zip(first[good], last[good], strict=True)]


def _framed(
    start: IntArray,
    end: IntArray,
    group_start: IntArray,
    group_end: IntArray,
    before: IntArray,
    after: IntArray,
) -> np.ndarray:
    """Tell whether the others speak last before and first after each group, or all through."""
    reach = np.append(-FAR, np.maximum.accumulate(end)) if len(end) else np.full(1, -FAR)
    last_end = reach[np.searchsorted(start, group_start, side="left")]
    still = reach[np.searchsorted(start, group_end, side="left")] > group_end
    later = np.append(start, FAR)[np.searchsorted(start, group_end, side="left")]
    framed: np.ndarray = (last_end > before) & (last_end > -FAR) & (still | (later < after))
    return framed


def _by_speaker(table: pd.DataFrame) -> list[tuple[tuple[str, str], pd.DataFrame]]:
    groups = table.groupby(["conversation", "speaker"], sort=False)
    return [((str(key[0]), str(key[1])), rows) for key, rows in groups]


def _tokens(rows: pd.DataFrame) -> _Tokens:
    said = rows[rows["kind"].isin(["word", "punctuation"])]
    said = said.sort_values(["start_ms", "position"], kind="stable")
    return _Tokens(
        said["start_ms"].to_numpy(np.int64),
        said["end_ms"].to_numpy(np.int64),
        said["text"].astype(str).tolist(),
        (said["kind"] == "word").to_numpy(),
    )
