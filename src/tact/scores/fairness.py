"""Is a system as good with one group of speakers as with another?

Each slice is scored by its own law where it has one, so the question is how close the system comes
to what people do with that group. The difference of two slices of an axis is taken on the same
resamples of clusters, since a dyad may have speakers of both. A crossing is an axis too.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from tact.bootstrap import bca
from tact.clock import FloatArray
from tact.scores.cell import Cell, Cells
from tact.scores.composites import Row, alone, mean_of, replicates_of, without_each
from tact.scores.entry import Entry
from tact.scores.panel import ALL
from tact.scores.slices import Bench, Slice

OTHER_AXES = ("corpus", "synthetic")


def differences(bench: Bench, slices: Sequence[Slice], entry: Entry) -> Iterator[Row]:
    """Compare each two slices of each axis: rows of table ``fairness`` of one system."""
    axes: dict[str, list[Slice]] = {}
    for part in slices:
        own = [axis for axis, _ in part.key]
        present = part.inside[entry.answers.episode].any()
        if own and not set(own) & set(OTHER_AXES) and present:
            axes.setdefault(",".join(own), []).append(part)
    for axis, parts in sorted(axes.items()):
        if len(parts) > 1:
            yield from _of_axis(bench, axis, parts, entry)


def _of_axis(bench: Bench, axis: str, parts: Sequence[Slice], entry: Entry) -> Iterator[Row]:
    inside = np.any([part.inside for part in parts], axis=0)
    number, clusters = bench.panel.clusters(inside)
    scored = {}
    for part in parts:
        measured = Cells(bench, part, entry, number)
        found = {s: measured.measure(s) for s in bench.panel.scenarios}
        cells = {s: cell for s, cell in found.items() if cell is not None}
        if cells:
            name = ",".join(value for _, value in part.key)
            scored[name] = _Scored(bench, axis, cells, clusters)
    for first, second in combinations(sorted(scored), 2):
        for row in scored[first].less(scored[second], bench.settings.level):
            yield {
                "system": entry.answers.system,
                "axis": axis,
                "first": first,
                "second": second,
                "clusters": clusters,
                **row,
            }


class _Scored:
    """The scores of one slice by scenario, on the data, on resamples and without each cluster."""

    def __init__(self, bench: Bench, axis: str, cells: dict[str, Cell], clusters: int) -> None:
        # The same draws for every slice of the axis, so that they are drawn together.
        self.drawn = _whole(replicates_of(cells, bench.draws("fairness", axis, clusters=clusters)))
        self.left_out = _whole(without_each(cells, clusters))
        scores = {scenario: cell.values["score"] for scenario, cell in cells.items()}
        self.n = {scenario: round(cell.n[-1]) for scenario, cell in cells.items()}
        if ALL not in scores:
            scores[ALL] = mean_of(list(scores.values()))
            self.n[ALL] = sum(self.n.values())
        self.alone = {scenario: bool(single[-1]) for scenario, single in alone(cells).items()}
        self.score = {scenario: float(values[-1]) for scenario, values in scores.items()}

    def less(self, other: "_Scored", level: float) -> Iterator[Row]:
        """Take another slice off this one, in each scenario that both have.

        Where one cluster alone stands for either, the difference has no interval.
        """
        for scenario in sorted(set(self.score) & set(other.score)):
            difference = self.score[scenario] - other.score[scenario]
            ends = bca(
                self.drawn[scenario] - other.drawn[scenario],
                difference,
                self.left_out[scenario] - other.left_out[scenario],
                level=level,
            )
            known = not (self.alone[scenario] or other.alone[scenario])
            yield {
                "scenario": scenario,
                "score_first": self.score[scenario],
                "score_second": other.score[scenario],
                "difference": difference,
                "low": ends.low if known else np.nan,
                "high": ends.high if known else np.nan,
                "n_first": self.n[scenario],
                "n_second": other.n[scenario],
            }


def _whole(replicates: dict[str, FloatArray]) -> dict[str, FloatArray]:
    """Keep the row of all intents."""
    return {scenario: values[-1] for scenario, values in replicates.items()}
