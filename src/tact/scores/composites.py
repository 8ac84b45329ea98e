"""The rows of table ``composites``: every system by scenario, slice and intent, with intervals."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tact.bootstrap import bca, resamples
from tact.clock import FloatArray
from tact.keys import generator
from tact.scores.cell import METRICS, Cell, measure
from tact.scores.panel import Answers
from tact.scores.slices import ALL, Bench, Slice, flags, with_faults_as_0
from tact.vocabulary import INTENTS, SCENARIOS

COLUMNS = (*INTENTS, ALL)
_JACKKNIFE_ROWS = 500
Row = dict[str, object]


def rows_of(bench: Bench, part: Slice, answers: Answers) -> Iterator[Row]:
    """Score one system on one slice: rows by scenario and intent, then over all scenarios.

    The timing of scenario ``all`` pools the episodes by their weights (the headline S_T); its
    length, overlap and score are the unweighted means of the categories.
    """
    if not part.inside[answers.episode].any():
        return
    number = np.zeros(len(part.inside), dtype=np.int64)
    clusters, number[part.inside] = np.unique(
        bench.panel.episodes["cluster"].to_numpy()[part.inside], return_inverse=True
    )
    present = [s for s in bench.panel.scenarios if part.of(bench.panel, s).any()]
    measured = {s: measure(bench, part, answers, s, number) for s in present}
    cells = {s: cell for s, cell in measured.items() if cell is not None}
    ends = _intervals(bench, part.name, cells, len(clusters))
    floors = {
        s: with_faults_as_0(bench, part, answers, s, float(cell.values["score"][-1]))
        for s, cell in cells.items()
        if np.isfinite(cell.values["score"][-1])
    }
    for scenario, cell in measured.items():
        said = flags(bench, part, answers, scenario, floors.get(scenario))
        said += [] if cell is None else _unknown(cell)
        heading = _heading(bench, part, answers, scenario)
        yield from _rows(heading, cell, ends.get(scenario), said)
    if ALL not in measured:
        pooled = measure(bench, part, answers, ALL, number)
        floor = float(np.mean(list(floors.values()))) if floors else None
        said = flags(bench, part, answers, ALL, floor)
        said += [f"missing:{scenario}" for scenario in SCENARIOS if scenario not in cells]
        if pooled is not None:
            metrics = ("length", "overlap", "score")
            means = {m: mean_of([cell.values[m] for cell in cells.values()]) for m in metrics}
            pooled = replace(pooled, values=pooled.values | means)
            said += sorted({flag for cell in cells.values() for flag in _unknown(cell)})
        yield from _rows(_heading(bench, part, answers, ALL), pooled, ends.get(ALL), said)


def _intervals(
    bench: Bench, name: str, cells: dict[str, Cell], clusters: int
) -> dict[str, FloatArray]:
    """Make the ends of the intervals, scenario -> (2, K + 1), by drawing whole clusters.

    The draws depend on the seed, the slice and its number of clusters, so systems are compared on
    the same resamples.
    """
    if not cells:
        return {}
    rng = generator(bench.seed, "scores", name, clusters)
    drawn = replicates_of(cells, resamples(clusters, bench.settings.resamples, rng))
    left_out = replicates_of(cells, leave_one_out(clusters))
    estimates = {scenario: cell.values["score"] for scenario, cell in cells.items()}
    if ALL not in cells:
        estimates[ALL] = mean_of(list(estimates.values()))
    ends = {}
    for scenario, estimate in estimates.items():
        found = [
            bca(replicates, float(value), jackknife, level=bench.settings.level)
            for replicates, value, jackknife in zip(
                drawn[scenario].T, estimate, left_out[scenario].T, strict=True
            )
        ]
        ends[scenario] = np.array([[end.low for end in found], [end.high for end in found]])
    return ends


def replicates_of(cells: dict[str, Cell], chunks: Iterator[FloatArray]) -> dict[str, FloatArray]:
    """Score each resample in each scenario and over all: scenario -> (R, K + 1)."""
    known = np.array([~np.isnan(cell.values["score"]) for cell in cells.values()])
    gathered: dict[str, list[FloatArray]] = {}
    for counts in chunks:
        scores = {scenario: cell.replicate(counts) for scenario, cell in cells.items()}
        if ALL not in scores:
            # A category that the estimate lacks is left out; one that only this resample lacks is
            # NaN, and so is the resample.
            held = np.where(known[:, None, :], np.stack(list(scores.values())), 0.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                scores[ALL] = held.sum(axis=0) / known.sum(axis=0)
        for scenario, values in scores.items():
            gathered.setdefault(scenario, []).append(values)
    return {scenario: np.concatenate(values) for scenario, values in gathered.items()}


def leave_one_out(clusters: int) -> Iterator[FloatArray]:
    """Draw every cluster but one, each in turn, in chunks (r, C)."""
    for start in range(0, clusters, _JACKKNIFE_ROWS):
        counts = np.ones((min(_JACKKNIFE_ROWS, clusters - start), clusters))
        rows = np.arange(len(counts))
        counts[rows, start + rows] = 0.0
        yield counts


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
    heading: Row, cell: Cell | None, ends: FloatArray | None, said: list[str]
) -> Iterator[Row]:
    for column, intent in enumerate(COLUMNS):
        metrics = {m: np.nan if cell is None else float(cell.values[m][column]) for m in METRICS}
        biased = cell is not None and bool(np.append(cell.plug_in, cell.plug_in.any())[column])
        yield {
            **heading,
            "intent": intent,
            **metrics,
            "low": np.nan if ends is None else ends[0, column],
            "high": np.nan if ends is None else ends[1, column],
            "n": 0 if cell is None else round(cell.n[column]),
            "clusters": 0 if cell is None else len(cell.cluster),
            "flags": ",".join([*said, "plug_in"] if biased else said),
        }
