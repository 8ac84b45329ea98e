"""Fill: the most episodes that the caps allow, where drawing in turn falls short of it.

Drawing in turn may use up a speaker or a conversation that another cell would have needed. The
largest choice is a whole-number programme, one variable per candidate::

    most  sum of x     cell <= quota,  speaker <= cap,  conversation <= cap,
                       clips that hold one instant: one at most

(Clips of a conversation that overlap form an interval graph, so one row per clip start says all.)
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from tact.clock import IntArray

NODES = 2_000
"""Branches that are tried at most, so that the work has an end."""

Chosen = npt.NDArray[np.bool_]


def fill(
    candidates: pd.DataFrame,
    chosen: Chosen,
    *,
    quota: Mapping[str, int],
    per_speaker: int,
    per_conversation: int,
    overlap_ms: int,
) -> Chosen:
    """Choose as many candidates as can be, and as many of those chosen already as may stay.

    Parameters
    ----------
    candidates : DataFrame
        Columns scenario, focal, conversation, context_start_ms, horizon_end_ms; in the order of
        their turns.
    chosen : (n,) bool
        What drawing in turn has chosen.
    quota, per_speaker, per_conversation, overlap_ms : the caps

    Returns
    -------
    (n,) bool
        ``chosen`` itself where no larger choice was found.
    """
    wanted = candidates["scenario"].map(quota).fillna(0).to_numpy(np.int64)
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    most: list[int] = []
    for members, limit in _limits(candidates, wanted, per_speaker, per_conversation, overlap_ms):
        rows.append(np.full(len(members), len(most)))
        columns.append(members)
        most.append(limit)
    row, column = np.concatenate(rows), np.concatenate(columns)
    shape = (len(most), len(candidates))
    matrix = csr_array((np.ones(len(row)), (row, column)), shape=shape)
    room = 1.0 / (2 + 2 * sum(quota.values()))
    turn = np.arange(len(candidates)) / (2 * len(candidates))
    worth = 1.0 + room * np.where(chosen, 1.0, 0.5 - turn)
    found = milp(
        -worth,
        integrality=1,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=np.array(most, dtype=np.float64)),
        options={"mip_rel_gap": room / 2, "node_limit": NODES},
    )
    if found.x is None:
        return chosen
    better: Chosen = found.x > 0.5
    return better if better.sum() > chosen.sum() else chosen


def _limits(
    candidates: pd.DataFrame,
    wanted: IntArray,
    per_speaker: int,
    per_conversation: int,
    overlap_ms: int,
) -> Iterator[tuple[IntArray, int]]:
    """Give each set of candidates of which no more than some number may be chosen."""
    places = candidates.reset_index(drop=True)
    for members in places.groupby("scenario").indices.values():
        yield members, int(wanted[members[0]])
    for members in places.groupby("focal").indices.values():
        if len(members) > per_speaker:
            yield members, per_speaker
    for members in places.groupby("conversation").indices.values():
        if len(members) > per_conversation:
            yield members, per_conversation
        yield from ((clash, 1) for clash in _clashes(places, members, overlap_ms))


def _clashes(places: pd.DataFrame, members: IntArray, overlap_ms: int) -> Iterator[IntArray]:
    """Give the sets of clips of one conversation that hold one instant, the largest of each."""
    start = places["context_start_ms"].to_numpy(np.int64)[members]
    end = places["horizon_end_ms"].to_numpy(np.int64)[members] - overlap_ms
    real = np.flatnonzero(end > start)
    start, end, members = start[real], end[real], members[real]
    order = np.lexsort((members, start))
    last: set[int] = set()
    for at in np.unique(start)[::-1]:
        clash = members[order][(start[order] <= at) & (end[order] > at)]
        if len(clash) > 1 and not last.issuperset(clash.tolist()):
            last = set(clash.tolist())
            yield clash
