"""History: the transcript that stood before t = 0, nothing of what came after.

::

    turns    A ########      ######       ####|######     a turn under way at t0 is cut there
             B          ####        ####      |
    history     |###### #### ###### #### #### |
            t0 - history_ms                   t0
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tact import frames
from tact.clock import IntArray
from tact.settings import Episodes

WHOLE_UTTERANCE = "utterance"
TOLD = ("word", "punctuation")


class Items(NamedTuple):
    """Words and punctuation by turn: those of turn i lie from ``first[i]`` to ``first[i + 1]``."""

    first: IntArray
    start_ms: IntArray
    end_ms: IntArray
    text: list[str]
    punctuation: npt.NDArray[np.bool_]
    whole: npt.NDArray[np.bool_]


def before(
    episodes: pd.DataFrame, turns: pd.DataFrame, words: pd.DataFrame, *, settings: Episodes
) -> pd.DataFrame:
    """Tell the last turns of all speakers before the decision point of each episode.

    Up to ``history_turns`` turns within ``history_ms`` before t0, the context's own among them;
    the first and the last are cut to that span. An item is told when it starts in the span and
    ends by t0; the focal speaker's word under way at t0 is told too, since the IPU that ends
    there is that word's.

    Parameters
    ----------
    episodes : DataFrame
        Columns episode, conversation, focal, t0_ms.
    turns, words : tables ``turns`` and ``words``
        Of all speakers; a turn without words has null text.
    settings : Episodes
        ``history_ms`` and ``history_turns``.

    Returns
    -------
    table ``history``
    """
    concerned = set(episodes["conversation"])
    ordered = turns[turns["conversation"].isin(concerned)].sort_values(
        ["conversation", "start_ms", "end_ms", "speaker"], kind="stable", ignore_index=True
    )
    items = _by_turn(words[words["conversation"].isin(concerned)], ordered)
    spans = ordered.groupby("conversation", sort=False).indices
    start_ms, end_ms = ordered["start_ms"].to_numpy(), ordered["end_ms"].to_numpy()
    speaker = ordered["speaker"].tolist()
    rows: list[tuple[object, ...]] = []
    columns = (episodes[name] for name in ("episode", "conversation", "focal", "t0_ms"))
    for episode, conversation, focal, t0_ms in zip(*columns, strict=True):
        since_ms = max(0, t0_ms - settings.history_ms)
        places = spans.get(conversation, np.array([], dtype=np.int64))
        told = places[(start_ms[places] < t0_ms) & (end_ms[places] > since_ms)]
        for number, place in enumerate(told[-settings.history_turns :]):
            start, end = max(int(start_ms[place]), since_ms), min(int(end_ms[place]), t0_ms)
            own = speaker[place] == focal
            text = _text(items, place, start, t0_ms, own=own)
            rows.append((episode, number, speaker[place], start, end, text))
    return frames.frame(rows, "history")


def _by_turn(words: pd.DataFrame, turns: pd.DataFrame) -> Items:
    """Give each item to its speaker's first turn that ends after the item starts."""
    told = words[words["kind"].isin(TOLD)].sort_values(
        ["conversation", "speaker", "start_ms", "position"], kind="stable", ignore_index=True
    )
    turn = np.full(len(told), -1, dtype=np.int64)
    streams = turns.groupby(["conversation", "speaker"], sort=False).indices
    for who, items in told.groupby(["conversation", "speaker"], sort=False).indices.items():
        if who in streams:
            turn[items] = _turn_of(told.iloc[items], turns, streams[who])
    kept = np.flatnonzero(turn >= 0)
    order = kept[np.argsort(turn[kept], kind="stable")]
    chosen = told.iloc[order]
    return Items(
        first=np.searchsorted(turn[order], np.arange(len(turns) + 1)),
        start_ms=chosen["start_ms"].to_numpy(),
        end_ms=chosen["end_ms"].to_numpy(),
        text=chosen["text"].tolist(),
        punctuation=(chosen["kind"] == "punctuation").to_numpy(dtype=bool),
        whole=(chosen["source"] == WHOLE_UTTERANCE).to_numpy(dtype=bool),
    )


def _turn_of(items: pd.DataFrame, turns: pd.DataFrame, places: IntArray) -> IntArray:
    """Find the turn of each item of one speaker, -1 for an item outside every turn.

    A mark without length belongs to the turn that it closes.
    """
    start_ms, end_ms = items["start_ms"].to_numpy(), items["end_ms"].to_numpy()
    turn_start, turn_end = (turns[name].to_numpy()[places] for name in ("start_ms", "end_ms"))
    mark = start_ms == end_ms
    after = np.searchsorted(turn_end, start_ms, side="right")
    place = np.where(mark, np.searchsorted(turn_end, start_ms, side="left"), after)
    within = np.minimum(place, len(places) - 1)
    starts = turn_start[within]
    inside = (place < len(places)) & np.where(mark, starts <= end_ms, starts < end_ms)
    return np.where(inside, places[within], -1)


def _text(items: Items, turn: int, since_ms: int, t0_ms: int, *, own: bool) -> str | None:
    """Join the items of a turn that are told; null where there is none."""
    text = ""
    for place in _told(items, turn, since_ms, t0_ms, own=own):
        glue = "" if items.punctuation[place] or not text else " "
        text += glue + items.text[place]
    return text or None


def _told(items: Items, turn: int, since_ms: int, t0_ms: int, *, own: bool) -> Iterator[int]:
    for place in range(items.first[turn], items.first[turn + 1]):
        over = items.end_ms[place] <= t0_ms
        under_way = own and items.start_ms[place] < t0_ms and not items.whole[place]
        if items.start_ms[place] >= since_ms and (over or under_way):
            yield place
