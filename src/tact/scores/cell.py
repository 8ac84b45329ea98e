"""One cell: the answers of one system to the episodes of one scenario within one slice."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tact.clock import Flags, FloatArray, IntArray
from tact.scores.entry import Entry, Lengths
from tact.scores.features import (
    Clusters,
    Squares,
    Summed,
    length_levels,
    length_squares,
    timing_squares,
)
from tact.scores.slices import Bench, Slice
from tact.scoring import Population, length_divergence, own_steps, population_of, total
from tact.settings import Coefficients

PARTS = ("timing", "length", "overlap")
METRICS = (
    "timing_population", "timing_population_fair", "skill", "timing_episode", "length", "overlap",
    "score",
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """What is known of a cell; every metric is (K + 1,): the intents, then all of them.

    Attributes
    ----------
    values : metric -> values, NaN where undefined
    weight : (3, K + 1) coefficients of timing, length, overlap; 0 where the part is unknown
    n : (K + 1,) expected episodes
    cluster : (C,) the slice's number of each cluster of this cell
    make_timing : makes the features of the divergences of timing, by cluster
    length : those of length
    overlap_sums : (2, K, C) weighted s_O and its weight
    totals : (K,) W_z
    plug_in : intents whose divergence could not be freed of its bias
    """

    values: dict[str, FloatArray]
    weight: FloatArray
    n: FloatArray
    cluster: IntArray
    make_timing: Callable[[], Squares]
    length: Squares | None
    overlap_sums: FloatArray
    totals: FloatArray
    length_max_s: float
    plug_in: Flags

    @cached_property
    def timing(self) -> Squares:
        """The features of the divergences of timing, made once they are asked for."""
        return self.make_timing()

    @cached_property
    def rows(self) -> FloatArray:
        """All that a resample sums, (rows, C): of timing, of overlap, of length."""
        length = [] if self.length is None else [self.length.rows]
        return np.concatenate([self.timing.rows, *self.overlap_sums, *length])

    @cached_property
    def alone(self) -> Flags:
        """Tell which scores rest on one cluster alone: no resample moves them, (K + 1,)."""
        held = (self.timing.rows[: len(self.totals)] > 0).sum(axis=1)
        return np.isfinite(self.values["score"]) & (np.append(held, len(self.cluster)) < 2)

    def score(self, drawn: Summed) -> FloatArray:
        """Score summed rows (rows, r): (K + 1, r)."""
        k, cut = len(self.totals), len(self.timing.rows)
        mass = drawn[:k].astype(np.float64)
        timing = close(1.0 - self.timing.divergence(drawn[:cut]) / self.totals[:, None], mass)
        sums, sizes = np.split(drawn[cut : cut + 2 * k].astype(np.float64), 2)
        length = np.full_like(timing, np.nan)
        if self.length is not None:
            divergence = self.length.divergence(drawn[cut + 2 * k :])
            length = close(1.0 - divergence / self.length_max_s, mass)
        return combine(np.stack([timing, length, _means(sums, sizes)]), self.weight[:, :, None])


class Cells:
    """Measures the cells of one system within one slice.

    Parameters
    ----------
    cluster : (N,) number of each episode's cluster within the slice
    """

    def __init__(self, bench: Bench, part: Slice, entry: Entry, cluster: IntArray) -> None:
        self._bench, self._part, self._entry, self._cluster = bench, part, entry, cluster
        self._timing = entry.timing(part)

    def measure(self, scenario: str) -> Cell | None:
        """Measure a scenario, which may be ``all``; None where no run is left to score."""
        part, whole = self._part, self._timing
        timing = whole.among(np.flatnonzero(part.of(self._bench.panel, scenario)[whole.held]))
        if not len(timing.held):
            return None
        mass = timing.weights[:, None] * timing.posterior
        which, local = np.unique(self._cluster[timing.held], return_inverse=True)
        clusters = Clusters(local)
        law = population_of(part.tables, timing.posterior, timing.weights, timing.runs)
        overlap_sums = self._overlap_sums(timing.held, clusters, mass)
        length, length_features = self._length(scenario, timing.held, clusters, mass)
        values = {
            **_timing(law),
            "timing_episode": _mean(mass * timing.runs.score[:, None], mass),
            "length": close(length, law.share),
            "overlap": _mean(overlap_sums[0].T, overlap_sums[1].T),
        }
        parts = ("timing_population_fair", "length", "overlap")
        stacked = np.stack([values[name] for name in parts])
        weight = _weights(stacked, self._bench.coefficients(scenario))
        exact = _fair(law) * part.tables.totals
        return Cell(
            values=values | {"score": combine(stacked, weight)},
            weight=weight,
            n=np.append(timing.posterior.sum(axis=0), len(timing.held)),
            cluster=which,
            make_timing=lambda: timing_squares(clusters, timing.features, mass, exact),
            length=length_features,
            overlap_sums=overlap_sums,
            totals=part.tables.totals,
            length_max_s=self._bench.settings.length_max_s,
            plug_in=np.isnan(law.fair) & (law.share > 0),
        )

    def _overlap_sums(self, held: IntArray, clusters: Clusters, mass: FloatArray) -> FloatArray:
        """Sum s_O and its weight by intent and cluster, each episode once: (2, K, C)."""
        score = self._entry.overlap[held, None]
        known = ~np.isnan(score)
        sums = clusters.sum(mass * np.where(known, score, 0.0))
        return np.stack([sums.T, clusters.sum(mass * known).T])

    def _length(
        self, scenario: str, held: IntArray, clusters: Clusters, mass: FloatArray
    ) -> tuple[FloatArray, Squares | None]:
        """Give S_L by intent (K,) and its features; NaN and None where no run has a length."""
        human = self._bench.human_lengths(self._part.name, scenario)
        lengths = None if human is None else self._entry.lengths(scenario)
        divergence = np.full(mass.shape[1], np.nan)
        if human is None or lengths is None:
            return divergence, None
        lengths = lengths.among(held)
        divergence = _divergence_of_lengths(lengths, mass, human)
        if np.isnan(divergence).all():
            return divergence, None
        squares = length_squares(
            clusters,
            lengths.features,
            lengths.share,
            length_levels(human, lengths.edges),
            mass,
            divergence,
        )
        return 1.0 - divergence / self._bench.settings.length_max_s, squares


def combine(parts: FloatArray, weight: FloatArray) -> FloatArray:
    """Combine parts (3, K + 1, ...) with weights that are 0 for an unknown part."""
    with np.errstate(divide="ignore", invalid="ignore"):
        known = np.where(weight > 0, parts, 0.0)
        return np.asarray((known * weight).sum(axis=0) / weight.sum(axis=0))


def _timing(law: Population) -> dict[str, FloatArray]:
    fair = _fair(law)
    blind = np.append(law.blind, total(law.share, law.blind))
    apart = np.append(fair, total(law.share, fair))
    with np.errstate(divide="ignore", invalid="ignore"):
        skill = np.where(blind > 1e-12, 1.0 - apart / blind, np.nan)
    plug_in = np.append(law.plug_in, total(law.share, law.plug_in))
    return {
        "timing_population": 1.0 - plug_in,
        "timing_population_fair": 1.0 - apart,
        "skill": skill,
    }


def _fair(law: Population) -> FloatArray:
    """Take the plug-in value where one episode alone stands for an intent."""
    return np.asarray(np.where(np.isnan(law.fair), law.plug_in, law.fair))


def close(by_intent: FloatArray, share: FloatArray) -> FloatArray:
    """Append the mean over intents by share: (K, ...) to (K + 1, ...); NaN intents are left out."""
    known = ~np.isnan(by_intent) & (share > 0)
    held = np.where(known, share, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (np.where(known, by_intent, 0.0) * held).sum(axis=0) / held.sum(axis=0)
    return np.concatenate([by_intent, np.asarray(mean)[None]])


def _divergence_of_lengths(lengths: Lengths, mass: FloatArray, human: FloatArray) -> FloatArray:
    """Measure the own law of lengths, mass (n, K), against the human one: (K,), s."""
    per_run = mass[lengths.episode] * lengths.per_run[:, None]
    found = np.full(mass.shape[1], np.nan)
    for z in np.flatnonzero((per_run.sum(axis=0) > 0) & ~np.isnan(human[:, 0])):
        own = own_steps(lengths.duration_ms, per_run[:, z], length_max_ms=human.shape[1])
        found[z] = length_divergence(own, human[z])
    return found


def _means(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Divide sums (K, ...) by sizes, by intent and over all: (K + 1, ...)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.concatenate([sums / sizes, (sums.sum(axis=0) / sizes.sum(axis=0))[None]])


def _mean(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Divide summed rows (m, K) by summed sizes, by intent and over all: (K + 1,)."""
    return _means(sums.sum(axis=0), sizes.sum(axis=0))


def _weights(parts: FloatArray, coefficients: Coefficients | None) -> FloatArray:
    """Spread the coefficients over the known parts of each column: (3, K + 1)."""
    if coefficients is None:
        return np.zeros_like(parts)
    raw = np.array([getattr(coefficients, part) for part in PARTS])
    return np.where(np.isnan(parts), 0.0, raw[:, None])
