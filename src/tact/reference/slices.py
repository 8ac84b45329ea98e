"""The train points that laws are fitted to, and the slices of speakers and recordings they make."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact.clock import Flags, FloatArray, to_seconds
from tact.vocabulary import INTENTS, slice_name

ALL = "all"
PAPER = "paper"
OF_THE_SPEAKER = ("gender", "age", "region")
AXES = ("corpus", *OF_THE_SPEAKER, "language")
"""Axes that points, speakers and recordings can tell; snr and rate are known of episodes only."""


@dataclass(frozen=True)
class Train:
    """The fitting frame: one row per train point, ordered by point.

    Attributes
    ----------
    points : columns of table ``points``, the slice axes, and ``silence_ok``, the share of labels
        by people that would accept silence
    q : (n, K) calibrated posterior; NaN where the point has none
    onsets : (n,) s, ``inf`` where nobody responded
    """

    points: pd.DataFrame
    q: FloatArray
    onsets: FloatArray

    @property
    def labelled(self) -> Flags:
        """Which points have a posterior."""
        return np.asarray(~np.isnan(self.q[:, 0]))

    def of(self, chosen: Flags) -> "Train":
        """Choose points."""
        return Train(
            self.points[chosen].reset_index(drop=True), self.q[chosen], self.onsets[chosen]
        )


@dataclass(frozen=True)
class Slice:
    """A slice of the train points.

    Attributes
    ----------
    name : ``all``, ``axis=value``, or for a crossing ``axis=value,axis=value``
    axes : the axes that it is cut by; none for ``all``
    parent : name of the slice that its laws are drawn toward
    chosen : its points
    pools : what it pools, where that needs saying
    """

    name: str
    axes: tuple[str, ...]
    parent: str
    chosen: Flags
    pools: str | None


def gather(
    points: pd.DataFrame,
    frame: pd.DataFrame,
    posteriors: pd.DataFrame,
    speakers: pd.DataFrame,
    recordings: pd.DataFrame,
    labels: pd.DataFrame,
) -> Train:
    """Line up the fitting frame with its posteriors, outcomes and strata.

    Points of other splits, points with a third party, and corpora that are scripted (probes) are
    left out.
    """
    corpus_of = points.set_index("point")["corpus"]
    scripted = corpus_of.reindex(posteriors.loc[posteriors["mode"] == "script", "point"]).unique()
    known = points["point"].isin(frame["point"]) & (points["split"] == "train")
    known &= ~points["third_party"] & ~points["corpus"].isin(scripted)
    chosen = points[known].sort_values("point").reset_index(drop=True)
    people = speakers.rename(columns={"speaker": "focal"})[["corpus", "focal", *OF_THE_SPEAKER]]
    tongue = recordings.groupby("conversation", as_index=False)["language"].first()
    chosen = chosen.merge(people, on=["corpus", "focal"], how="left")
    chosen = chosen.merge(tongue, on="conversation", how="left")
    heard = labels.loc[(labels["kind"] == "human") & labels["silence_ok"].notna()]
    accepts = heard["silence_ok"].astype(float).groupby(heard["unit"]).mean()
    chosen["silence_ok"] = chosen["point"].map(accepts)
    return Train(chosen, _rows(posteriors, chosen["point"]), to_seconds(chosen["response_ms"]))


def cut(
    train: Train, *, axes: Sequence[str | Sequence[str]], pooled: Sequence[str]
) -> Iterator[Slice]:
    """Cut the labelled points into slices; the first is ``all``, and a parent comes before its own.

    ``all`` and every axis but ``corpus`` pool the corpora that may be pooled. Where none of them
    has a labelled point of a value (a new language, a run on one corpus), the slice pools those
    that have, and says so; ``all`` never does. The parent of a crossing is the slice without its
    last axis, if that is cut too, else ``all``.
    """
    corpus = train.points["corpus"]
    poolable = np.asarray(corpus.isin(pooled).to_numpy(dtype=bool)) & train.labelled
    yield Slice(ALL, (), PAPER, poolable, f"pools {_names(corpus[poolable])}")
    crossings = [tuple([axis] if isinstance(axis, str) else axis) for axis in axes]
    known = [own for own in dict.fromkeys(crossings) if set(own) <= set(AXES)]
    for own in sorted(known, key=len):
        for values, mine in _values(train, own):
            name = slice_name(own, values)
            parent = slice_name(own[:-1], values[:-1]) if own[:-1] in known else ALL
            shared = mine & poolable
            if "corpus" in own or shared.any():
                yield Slice(name, own, parent, mine if "corpus" in own else shared, None)
            else:
                pools = f"pools {_names(corpus[mine])}, none of reference.pooled"
                yield Slice(name, own, parent, mine, pools)


def _values(train: Train, axes: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Flags]]:
    """Give the combinations of values that labelled points have, and which points have each."""
    columns = [train.points[axis] for axis in axes]
    told = train.labelled & np.logical_and.reduce([c.notna().to_numpy() for c in columns])
    for values in sorted(set(zip(*(column[told] for column in columns), strict=True))):
        same = [
            (column == value).to_numpy(dtype=bool)
            for column, value in zip(columns, values, strict=True)
        ]
        yield values, told & np.logical_and.reduce(same)


def unlabelled(train: Train) -> Iterator[Slice]:
    """Give the corpora that have no labelled point."""
    for corpus, rows in train.points.groupby("corpus"):
        mine = np.zeros(len(train.points), dtype=bool)
        mine[rows.index] = True
        if not (mine & train.labelled).any():
            yield Slice(f"corpus={corpus}", ("corpus",), ALL, mine, None)


def _rows(posteriors: pd.DataFrame, points: "pd.Series[str]") -> FloatArray:
    """Give the calibrated posterior of each point, (n, K)."""
    mine = posteriors[posteriors["mode"] == "calibrated"]
    at = pd.Index(points).get_indexer(mine["point"])
    z = pd.Index(INTENTS).get_indexer(mine["intent"])
    q = np.full((len(points), len(INTENTS)), np.nan)
    q[at[at >= 0]] = 0.0
    q[at[at >= 0], z[at >= 0]] = mine["probability"].to_numpy(np.float64)[at >= 0]
    return q


def _names(corpora: "pd.Series[str]") -> str:
    return ", ".join(sorted(corpora.unique())) or "no labelled point"
