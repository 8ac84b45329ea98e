"""One cell: the answers of one system to the episodes of one scenario within one slice."""

from dataclasses import dataclass

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.scores.features import Squares, centre, length_squares, timing_squares
from tact.scores.panel import Answers, BoolArray
from tact.scores.slices import Bench, Slice
from tact.scoring import (
    Population,
    episode_scores,
    length_divergence,
    own_steps,
    population,
    total,
)
from tact.settings import Coefficients
from tact.vocabulary import T_H_S

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
    timing, length : features of the divergences, by cluster
    overlap_sums : (2, C, K) weighted s_O and its weight
    totals : (K,) W_z
    plug_in : intents whose divergence could not be freed of its bias
    """

    values: dict[str, FloatArray]
    weight: FloatArray
    n: FloatArray
    cluster: IntArray
    timing: Squares
    length: Squares | None
    overlap_sums: FloatArray
    totals: FloatArray
    length_max_s: float
    plug_in: BoolArray

    def replicate(self, counts: FloatArray) -> FloatArray:
        """Score resamples (r, clusters of the slice): (r, K + 1)."""
        counts = counts[:, self.cluster]
        mass = counts @ self.timing.mass
        timing = close(1.0 - self.timing.divergence(counts) / self.totals, mass)
        length = np.full_like(timing, np.nan)
        if self.length is not None:
            length = close(1.0 - self.length.divergence(counts) / self.length_max_s, mass)
        sums, sizes = counts @ self.overlap_sums[0], counts @ self.overlap_sums[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            overlap = np.column_stack([sums / sizes, sums.sum(axis=1) / sizes.sum(axis=1)])
        return combine(np.stack([timing, length, overlap]), self.weight[:, None, :])


def measure(
    bench: Bench, part: Slice, answers: Answers, scenario: str, cluster: IntArray
) -> Cell | None:
    """Measure one system in one cell; None where no run is left to score.

    ``scenario`` may be ``all``; ``cluster`` (episodes of the panel,) is numbered within the slice.
    """
    inside = part.of(bench.panel, scenario)
    runs = np.flatnonzero(answers.counted & inside[answers.episode])
    if not len(runs):
        return None
    held, episode = np.unique(answers.episode[runs], return_inverse=True)
    which, local = np.unique(cluster[held], return_inverse=True)
    posterior, onsets = bench.panel.posterior[held], answers.onset_s[runs]
    weights = bench.panel.episodes["weight"].to_numpy()[held]
    mass = weights[:, None] * posterior
    law = population(part.tables, posterior, weights, episode, onsets)
    per_run = episode_scores(part.tables, posterior[episode], onsets)
    per_episode = np.bincount(episode, weights=per_run) / np.bincount(episode)
    overlap_sums = _overlap_sums(answers.overlap[runs], episode, mass, local)
    human = bench.human_lengths(part.name, scenario)
    length, length_features = _length(
        answers.duration_ms[runs], onsets, episode, mass, local, human
    )
    values = {
        **_timing(law),
        "timing_episode": _means(mass * per_episode[:, None], mass),
        "length": close(length, law.share),
        "overlap": _means(*overlap_sums),
    }
    stacked = np.stack([values[name] for name in ("timing_population_fair", "length", "overlap")])
    weight = _weights(stacked, bench.coefficients(scenario))
    features = timing_squares(part.tables, posterior, weights, local, episode, onsets)
    return Cell(
        values=values | {"score": combine(stacked, weight)},
        weight=weight,
        n=np.append(posterior.sum(axis=0), len(held)),
        cluster=which,
        timing=centre(features, _fair(law) * part.tables.totals),
        length=length_features,
        overlap_sums=overlap_sums,
        totals=part.tables.totals,
        length_max_s=bench.settings.length_max_s,
        plug_in=np.isnan(law.fair) & (law.share > 0),
    )


def combine(parts: FloatArray, weight: FloatArray) -> FloatArray:
    """Combine parts (3, ..., K + 1) with weights that are 0 for an unknown part."""
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
    """Append the mean over intents by share: (..., K) to (..., K + 1); NaN intents are left out."""
    known = ~np.isnan(by_intent) & (share > 0)
    held = np.where(known, share, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(known, by_intent, 0.0) * held
        mean = mean.sum(axis=-1) / held.sum(axis=-1)
    return np.concatenate([by_intent, np.asarray(mean)[..., None]], axis=-1)


def _means(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Divide (m, K) sums by sizes, by intent and over all: (K + 1,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        by_intent = sums.sum(axis=0) / sizes.sum(axis=0)
        return np.append(by_intent, sums.sum() / sizes.sum())


def _overlap_sums(
    overlap: FloatArray, episode: IntArray, mass: FloatArray, cluster: IntArray
) -> FloatArray:
    """Sum s_O and its weight by cluster and intent, each episode once: (2, C, K)."""
    known = ~np.isnan(overlap)
    n = len(mass)
    count = np.bincount(episode[known], minlength=n)
    mean = np.bincount(episode[known], weights=overlap[known], minlength=n) / np.maximum(count, 1)
    sizes = mass * (count > 0)[:, None]
    sums = np.zeros((2, int(cluster.max()) + 1, mass.shape[1]))
    np.add.at(sums[0], cluster, sizes * mean[:, None])
    np.add.at(sums[1], cluster, sizes)
    return sums


def _length(
    duration_ms: FloatArray,
    onsets: FloatArray,
    episode: IntArray,
    mass: FloatArray,
    cluster: IntArray,
    human: FloatArray | None,
) -> tuple[FloatArray, Squares | None]:
    """Give S_L by intent (K,) and its features; NaN and None where no run has a length."""
    unknown = np.full(mass.shape[1], np.nan)
    answered = ~np.isnan(duration_ms) & (onsets < T_H_S)
    if human is None or np.isnan(human).all() or not answered.any():
        return unknown, None
    per_run = mass[episode] / np.bincount(episode, minlength=len(mass))[episode][:, None]
    per_run, lengths = per_run[answered], duration_ms[answered].astype(np.int64)
    divergence = unknown.copy()
    for z in np.flatnonzero((per_run.sum(axis=0) > 0) & ~np.isnan(human[:, 0])):
        own = own_steps(lengths, per_run[:, z], length_max_ms=human.shape[1])
        divergence[z] = length_divergence(own, human[z])
    if np.isnan(divergence).all():
        return unknown, None
    clusters = int(cluster.max()) + 1
    features = length_squares(human, per_run, cluster[episode][answered], clusters, lengths)
    return 1.0 - 1000 * divergence / human.shape[1], centre(features, divergence)


def _weights(parts: FloatArray, coefficients: Coefficients | None) -> FloatArray:
    """Spread the coefficients over the known parts of each column: (3, K + 1)."""
    if coefficients is None:
        return np.zeros_like(parts)
    raw = np.array([getattr(coefficients, part) for part in PARTS])
    return np.where(np.isnan(parts), 0.0, raw[:, None])
