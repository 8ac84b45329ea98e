"""Tables of labels and of a judge as arrays over the units that they speak of."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from tact.calibration import Votes
from tact.clock import Flags, FloatArray, IntArray
from tact.errors import TableError
from tact.vocabulary import INTENTS

HUMAN = "human"
SCRIPT = "script"
WEAK = ("dialogue_acts", "textgrid")
KINDS = (HUMAN, *WEAK, SCRIPT)


@dataclass(frozen=True)
class Evidence:
    """What is known of n units, in the order of ``units``.

    Attributes
    ----------
    units : (n,) point ids
    corpus, split : (n,)
    human : (n, K) whole labels by people, whether or not they heard on
    weak, script : (n, K) rows of a weak source or of a probe's script, NaN where there is none
    judge : (n, K) probabilities, NaN where the judge did not speak
    labels : the labels of known units, with ``at``, the position of the unit
    n_unknown : labels and judge rows of units that are no point of the run
    """

    units: npt.NDArray[np.object_]
    corpus: npt.NDArray[np.object_]
    split: npt.NDArray[np.object_]
    human: FloatArray
    weak: FloatArray
    script: FloatArray
    judge: FloatArray
    labels: pd.DataFrame
    n_unknown: int

    def whole(self) -> Flags:
        """Which labels a person gave who heard nothing after t0."""
        return _is(self.labels["kind"] == HUMAN) & ~_is(self.labels["saw_continuation"])


def gather(labels: pd.DataFrame, judge: pd.DataFrame, points: pd.DataFrame) -> Evidence:
    """Line up labels and judge with the points that they speak of.

    Raises
    ------
    TableError
        A label has an unknown kind or a probability outside (0, 1], the judge's probabilities of a
        unit do not sum to 1, or none of the units is a point.
    """
    _check(labels, judge)
    spoken = np.union1d(labels["unit"].to_numpy(object), judge["unit"].to_numpy(object))
    known = points.set_index("point")[["corpus", "split"]]
    place = known.index.get_indexer(spoken)
    if spoken.size and (place < 0).all():
        raise TableError(
            f"labels: none of {spoken.size} units is a point (first: {spoken[0]}); the labels are"
            " of another run: label the points of this one"
        )
    units, rows = spoken[place >= 0], known.iloc[place[place >= 0]]
    index = pd.Index(units)
    at, at_judge = index.get_indexer(labels["unit"]), index.get_indexer(judge["unit"])
    kept = labels[at >= 0].assign(at=at[at >= 0])
    heard = judge[at_judge >= 0].assign(at=at_judge[at_judge >= 0])
    kinds = kept["kind"]
    return Evidence(
        units=units,
        corpus=rows["corpus"].to_numpy(object),
        split=rows["split"].to_numpy(object),
        human=_sums(kept[_is(kinds == HUMAN)], units.size),
        weak=_rows(kept[_is(kinds.isin(WEAK))], units.size),
        script=_rows(kept[_is(kinds == SCRIPT)], units.size),
        judge=_rows(heard, units.size),
        labels=kept,
        n_unknown=int((at < 0).sum() + (at_judge < 0).sum()),
    )


def votes(evidence: Evidence, group: IntArray, use: Flags, judge: FloatArray) -> Votes:
    """Give the labels of people who did not hear on, over the units of ``use``, renumbered."""
    place = np.cumsum(use) - 1
    labels = evidence.labels[evidence.whole()]
    at = labels["at"].to_numpy()
    annotators = np.unique(labels["annotator"].to_numpy(object))
    return Votes(
        unit=place[at].astype(np.int64),
        annotator=np.searchsorted(annotators, labels["annotator"].to_numpy(object)),
        intent=_intent(labels),
        group=np.unique(group[use], return_inverse=True)[1].astype(np.int64),
        judge=judge[use],
    )


def _check(labels: pd.DataFrame, judge: pd.DataFrame) -> None:
    strange = ~labels["kind"].isin(KINDS)
    if strange.any():
        first = labels[strange].iloc[0]
        raise TableError(
            f"labels: {int(strange.sum())} of {len(labels)} rows have a kind outside"
            f" {', '.join(KINDS)} (first: {first['kind']!r} of unit {first['unit']}); mend the kind"
        )
    out = ~((labels["probability"] > 0) & (labels["probability"] <= 1))
    if out.any():
        first = labels[out].iloc[0]
        raise TableError(
            f"labels: {int(out.sum())} of {len(labels)} rows have a probability outside (0, 1]"
            f" (first: {first['probability']} of unit {first['unit']}); leave out empty votes"
        )
    people = labels[labels["kind"] == HUMAN]
    torn = (people["probability"] != 1) | people.duplicated(["unit", "annotator"])
    if torn.any():
        first = people[torn].iloc[0]
        raise TableError(
            f"labels: {int(torn.sum())} of {len(people)} votes by people are not one whole vote per"
            f" unit (first: {first['annotator']} on unit {first['unit']}); give each one intent"
        )
    _check_judge(judge)


def _check_judge(judge: pd.DataFrame) -> None:
    total = judge.groupby("unit")["probability"].sum()
    off = (total - 1.0).abs() > 1e-3
    if off.any() or (judge["probability"] < 0).any():
        first = (
            total[off].index[0] if off.any() else judge["unit"][judge["probability"] < 0].iloc[0]
        )
        raise TableError(
            f"judge: {max(int(off.sum()), 1)} of {len(total)} units have probabilities that do not"
            f" sum to 1 (first: {first}); give each unit all of its intents"
        )


def _is(values: "pd.Series[bool]") -> Flags:
    return np.asarray(values.to_numpy(dtype=bool))


def _intent(rows: pd.DataFrame) -> IntArray:
    return np.asarray(pd.Index(INTENTS).get_indexer(rows["intent"]), dtype=np.int64)


def _sums(rows: pd.DataFrame, n: int) -> FloatArray:
    k = len(INTENTS)
    cell = rows["at"].to_numpy(np.int64) * k + _intent(rows)
    return np.asarray(
        np.bincount(cell, rows["probability"].to_numpy(np.float64), n * k), dtype=np.float64
    ).reshape(n, k)


def _rows(rows: pd.DataFrame, n: int) -> FloatArray:
    """Normalise sums to rows of probability; NaN where a unit has none."""
    sums = _sums(rows, n)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))
