"""The rows of table ``composites``: every system by scenario, slice and intent, with intervals."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tact.bootstrap import bca
from tact.clock import Flags, FloatArray
from tact.scores.cell import METRICS, Cell, Cells
from tact.scores.entry import Entry
from tact.scores.panel import ALL, Answers
from tact.scores.slices import Bench, Slice, flags, with_faults_as_0
from tact.vocabulary import INTENTS, SCENARIOS

COLUMNS = (*INTENTS, ALL)
_CHUNK = 500
Row = dict[str, object]


def rows_of(bench: Bench, part: Slice, entry: Entry) -> Iterator[Row]:
    """Score one system on one slice: rows by scenario and intent, then over all scenarios.

    The timing of scenario ``all`` pools the episodes by their weights (the headline S_T); its
    length, overlap and score are the unweighted means of the categories.
    """
    answers = entry.answers
    if not part.inside[answers.episode].any():
        return
    number, clusters = bench.panel.clusters(part.inside)
    inside = Cells(bench, part, entry, number)
    present = [s for s in bench.panel.scenarios if part.of(bench.panel, s).any()]
    measured = {s: inside.measure(s) for s in present}
    cells = {s: cell for s, cell in measured.items() if cell is not None}
    single = alone(cells)
    ends = _intervals(bench, part.name, cells, clusters, single)
    floors = {
        s: with_faults_as_0(bench, part, answers, s, float(cell.values["score"][-1]))
        for s, cell in cells.items()
        if np.isfinite(cell.values["score"][-1])
    }
    for scenario, cell in measured.items():
        said = flags(bench, part, answers, scenario, floors.get(scenario))
        said += [] if cell is None else _unknown(cell)
        heading = _heading(bench, part, answers, scenario)
        yield from _rows(heading, cell, ends.get(scenario), single.get(scenario), said)
    if ALL not in measured:
        pooled = inside.measure(ALL)
        floor = float(np.mean(list(floors.values()))) if floors else None
        said = flags(bench, part, answers, ALL, floor)
        said += [f"missing:{scenario}" for scenario in SCENARIOS if scenario not in cells]
        if pooled is not None:
            metrics = ("length", "overlap", "score")
            means = {m: mean_of([cell.values[m] for cell in cells.values()]) for m in metrics}
            pooled = replace(pooled, values=pooled.values | means)
            said += sorted({flag for cell in cells.values() for flag in _unknown(cell)})
        heading = _heading(bench, part, answers, ALL)
        yield from _rows(heading, pooled, ends.get(ALL), single.get(ALL), said)


def _intervals(
    bench: Bench, name: str, cells: dict[str, Cell], clusters: int, single: dict[str, Flags]
) -> dict[str, FloatArray]:
    """Make the ends of the intervals, scenario -> (2, K + 1), by drawing whole clusters.

    The draws depend on the seed, the slice and its number of clusters, so systems are compared on
    the same resamples. What rests on one cluster alone has none.
    """
    if not cells:
        return {}
    drawn = replicates_of(cells, bench.draws("scores", name, clusters=clusters))
    left_out = without_each(cells, clusters)
    estimates = {scenario: cell.values["score"] for scenario, cell in cells.items()}
    if ALL not in cells:
        estimates[ALL] = mean_of(list(estimates.values()))
    ends = {}
    for scenario, estimate in estimates.items():
        found = [
            bca(replicates, float(value), jackknife, level=bench.settings.level)
            for replicates, value, jackknife in zip(
                drawn[scenario], estimate, left_out[scenario], strict=True
            )
        ]
        both = np.array([[end.low for end in found], [end.high for end in found]])
        ends[scenario] = np.where(single[scenario], np.nan, both)
    return ends


def alone(cells: dict[str, Cell]) -> dict[str, Flags]:
    """Tell which scores rest on one cluster alone, over ``all`` in any category: (K + 1,) each."""
    found = {scenario: cell.alone for scenario, cell in cells.items()}
    return {ALL: np.any(list(found.values()), axis=0)} | found if found else {}


def replicates_of(cells: dict[str, Cell], counts: npt.NDArray[np.uint8]) -> dict[str, FloatArray]:
    """Score resamples, given how often each cluster is drawn (C, R): scenario -> (K + 1, R)."""
    n = counts.shape[1]
    rows = {scenario: cell.rows.astype(np.float32) for scenario, cell in cells.items()}
    summed = {scenario: np.empty((len(own), n), np.float32) for scenario, own in rows.items()}
    for at in range(0, n, _CHUNK):
        drawn = counts[:, at : at + _CHUNK].astype(np.float32)
        for scenario, cell in cells.items():
            summed[scenario][:, at : at + _CHUNK] = rows[scenario] @ drawn[cell.cluster]
    return _with_all(
        cells, {scenario: cells[scenario].score(own) for scenario, own in summed.items()}
    )


def without_each(cells: dict[str, Cell], clusters: int) -> dict[str, FloatArray]:
    """Score the data less each cluster in turn: scenario -> (K + 1, C)."""
    found = {}
    for scenario, cell in cells.items():
        whole = cell.rows.sum(axis=1, keepdims=True)
        found[scenario] = np.repeat(cell.score(whole), clusters, axis=1)
        found[scenario][:, cell.cluster] = cell.score(whole - cell.rows)
    return _with_all(cells, found)


def _with_all(cells: dict[str, Cell], scores: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Add the mean of the scenarios as ``all``, unless that is one of them."""
    if ALL not in scores:
        # A category that the estimate lacks is left out; one that only a resample lacks is NaN, and
        # so is the resample.
        known = np.array([~np.isnan(cell.values["score"]) for cell in cells.values()])
        held = np.where(known[:, :, None], np.stack(list(scores.values())), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return scores | {ALL: held.sum(axis=0) / known.sum(axis=0)[:, None]}
    return scores


def mean_of(columns: list[FloatArray]) -> FloatArray:
    """Average (K + 1,) values over the categories that have them."""
    stacked = np.stack(columns)
    known = ~np.isnan(stacked)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(known, stacked, 0.0).sum(axis=0) / known.sum(axis=0))


def _unknown(cell: Cell) -> list[str]:
    return [f"no_{part}" for part in ("length", "overlap") if np.isnan(cell.values[part][-1])]


def _heading(bench: Bench, part: Slice, answers: Answers, scenario: str) -> Row:
    here = part.of(bench.panel, scenario)[answers.episode]
    return {
        "system": answers.system,
        "scenario": scenario,
        "slice": part.name,
        "n_fault": int(answers.fault[here].sum()),
        "runs": answers.runs,
    }


def _rows(
    heading: Row,
    cell: Cell | None,
    ends: FloatArray | None,
    single: Flags | None,
    said: list[str],
) -> Iterator[Row]:
    for column, intent in enumerate(COLUMNS):
        metrics = {m: np.nan if cell is None else float(cell.values[m][column]) for m in METRICS}
        biased = cell is not None and bool(np.append(cell.plug_in, cell.plug_in.any())[column])
        own = ["plug_in"] if biased else []
        own += [] if single is None or not single[column] else ["one_dyad"]
        yield {
            **heading,
            "intent": intent,
            **metrics,
            "low": np.nan if ends is None else ends[0, column],
            "high": np.nan if ends is None else ends[1, column],
            "n": 0 if cell is None else round(cell.n[column]),
            "clusters": 0 if cell is None else len(cell.cluster),
            "flags": ",".join([*said, *own]),
        }
