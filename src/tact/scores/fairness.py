"""Is a system as good with one group of speakers as with another?

Each slice is scored by its own law where it has one, so the question is how close the system comes
to what people do with that group. The difference of two slices of an axis is taken on the same
resamples of clusters, since a dyad may have speakers of both. A crossing is an axis too.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from tact.bootstrap import bca, resamples
from tact.clock import FloatArray
from tact.keys import generator
from tact.scores.cell import Cell, measure
from tact.scores.composites import Row, leave_one_out, mean_of, replicates_of
from tact.scores.panel import Answers
from tact.scores.slices import ALL, Bench, Slice

OTHER_AXES = ("corpus", "synthetic")


def differences(bench: Bench, slices: Sequence[Slice], answers: Answers) -> Iterator[Row]:
    """Compare each two slices of each axis: rows of table ``fairness`` of one system."""
    axes: dict[str, list[Slice]] = {}
    for part in slices:
        own = [axis for axis, _ in part.key]
        if own and not set(own) & set(OTHER_AXES) and part.inside[answers.episode].any():
            axes.setdefault(",".join(own), []).append(part)
    for axis, parts in sorted(axes.items()):
        if len(parts) > 1:
            yield from _of_axis(bench, axis, parts, answers)


def _of_axis(bench: Bench, axis: str, parts: Sequence[Slice], answers: Answers) -> Iterator[Row]:
    inside = np.any([part.inside for part in parts], axis=0)
    number = np.zeros(len(inside), dtype=np.int64)
    clusters, number[inside] = np.unique(
        bench.panel.episodes["cluster"].to_numpy()[inside], return_inverse=True
    )
    scored = {}
    for part in parts:
        found = {s: measure(bench, part, answers, s, number) for s in bench.panel.scenarios}
        cells = {s: cell for s, cell in found.items() if cell is not None}
        if cells:
            scored[",".join(value for _, value in part.key)] = _Scored(
                bench, axis, cells, len(clusters)
            )
    for first, second in combinations(sorted(scored), 2):
        for row in scored[first].less(scored[second], bench.settings.level):
            yield {
                "system": answers.system,
                "axis": axis,
                "first": first,
                "second": second,
                "clusters": len(clusters),
                **row,
            }


class _Scored:
    """The scores of one slice by scenario, on the data, on resamples and without each cluster."""

    def __init__(self, bench: Bench, axis: str, cells: dict[str, Cell], clusters: int) -> None:
        # The same seed for every slice of the axis, so that they are drawn together.
        rng = generator(bench.seed, "fairness", axis, clusters)
        self.drawn = _whole(
            replicates_of(cells, resamples(clusters, bench.settings.resamples, rng))
        )
        self.left_out = _whole(replicates_of(cells, leave_one_out(clusters)))
        scores = {scenario: cell.values["score"] for scenario, cell in cells.items()}
        self.n = {scenario: round(cell.n[-1]) for scenario, cell in cells.items()}
        if ALL not in scores:
            scores[ALL] = mean_of(list(scores.values()))
            self.n[ALL] = sum(self.n.values())
        self.score = {scenario: float(values[-1]) for scenario, values in scores.items()}

    def less(self, other: "_Scored", level: float) -> Iterator[Row]:
        """Take another slice off this one, in each scenario that both have."""
        for scenario in sorted(set(self.score) & set(other.score)):
            difference = self.score[scenario] - other.score[scenario]
            ends = bca(
                self.drawn[scenario] - other.drawn[scenario],
                difference,
                self.left_out[scenario] - other.left_out[scenario],
                level=level,
            )
            yield {
                "scenario": scenario,
                "score_first": self.score[scenario],
                "score_second": other.score[scenario],
                "difference": difference,
                "low": ends.low,
                "high": ends.high,
                "n_first": self.n[scenario],
                "n_second": other.n[scenario],
            }


def _whole(replicates: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Keep the column of all intents."""
    return {scenario: values[:, -1] for scenario, values in replicates.items()}
