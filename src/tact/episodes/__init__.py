"""Episodes: which candidates are asked of a system, and what stood before each.

Tables in: ``points``, ``recordings``, ``speakers``, ``words``, ``turns`` of one corpus. Tables
out: ``episodes``, ``history``, ``shortfalls``. A corpus is chosen from its own rows and the quota
table of the config alone, so what else is built changes nothing.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import frames, keys
from tact.clock import to_ms
from tact.episodes import history as transcript
from tact.episodes.bind import bind
from tact.episodes.choice import choose, eligible, in_turn, shortfalls
from tact.episodes.strata import strata, traits
from tact.settings import Corpus, Episodes
from tact.vocabulary import STRATA, T_H_S

__all__ = [
    "Built", "bind", "build", "choose", "eligible", "in_turn", "shortfalls", "strata", "traits",
]  # fmt: skip

FROM_POINTS = [
    "point", "corpus", "scenario", "split", "split_group", "conversation", "focal", "partner",
    "t0_ms", "context_start_ms", "draw", "pull", "place",
]  # fmt: skip


class Built(NamedTuple):
    """The three tables of one corpus."""

    episodes: pd.DataFrame
    history: pd.DataFrame
    shortfalls: pd.DataFrame


def build(
    points: pd.DataFrame,
    recordings: pd.DataFrame,
    speakers: pd.DataFrame,
    words: pd.DataFrame,
    turns: pd.DataFrame,
    inspections: pd.DataFrame,
    *,
    corpus: str,
    entry: Corpus,
    settings: Episodes,
    bands_db: Sequence[float],
    seed: int,
) -> Built:
    """Fill one corpus's row of the quota table.

    Parameters
    ----------
    points, recordings, speakers, words, turns, inspections : tables of those names
        Of this corpus, in any order.
    corpus : str
        Name of the corpus; a corpus that the quota table does not name gets no episode.
    entry : Corpus
        Its rights, and whether its words abut.
    bands_db : (2,) sequence
        Edges of the bands of SNR, dB.
    settings : Episodes
        Quota, caps and length of history.
    seed : int
        Seed of the run; with the id of a point it gives the point its place.

    Returns
    -------
    tables ``episodes`` (clips not yet cut), ``history`` and ``shortfalls``

    Raises
    ------
    TableError
        A point's conversation has no recording.

    Notes
    -----
    ``weight`` is the candidates of a cell over its chosen, so weights sum to the candidates and
    the scenarios of a corpus weigh what they do in its talk. It leaves the evening of strata in:
    a mean by ``weight`` is of talk with even strata, one by ``weight / pull`` of the talk as it is.
    """
    able = eligible(points, recordings)
    known = traits(
        able,
        recordings,
        speakers,
        words,
        inspections,
        contiguous_words=entry.contiguous_words,
        bands_db=bands_db,
    )
    chosen = choose(able, known[list(STRATA)], corpus=corpus, settings=settings, seed=seed)
    cells = shortfalls(able, chosen, corpus=corpus, settings=settings)
    if chosen.empty:
        return Built(frames.empty("episodes"), frames.empty("history"), cells)
    table = _table(chosen, cells, rights=entry.rights)
    table["strata"] = strata(known.loc[chosen.index]).to_list()
    told = transcript.before(table, turns, words, settings=settings)
    starts = told.groupby("episode")["start_ms"].min()
    table["history_start_ms"] = table["episode"].map(starts).astype("Int64")
    return Built(frames.check(table, "episodes"), told, cells)


def _table(chosen: pd.DataFrame, cells: pd.DataFrame, *, rights: str) -> pd.DataFrame:
    table = chosen[FROM_POINTS].reset_index(drop=True)
    counts = cells.set_index("scenario")
    weights = counts["candidates"] / np.maximum(counts["chosen"], 1)
    ids = [keys.episode_id(row.corpus, row.point) for row in table.itertuples(index=False)]
    return table.assign(
        episode=ids,
        horizon_end_ms=table["t0_ms"] + to_ms(T_H_S),
        rights=rights,
        clip=None,
        clip_sha256=None,
        weight=table["scenario"].map(weights).astype("float64"),
    )
