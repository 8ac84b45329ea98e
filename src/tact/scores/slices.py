"""What the composites are made on: the bench of one run and the slices of its episodes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock

import numpy as np
import numpy.typing as npt
import pandas as pd

from tact.bootstrap import resamples
from tact.clock import Flags, FloatArray
from tact.errors import TableError
from tact.keys import generator
from tact.scores.panel import ALL, Answers, Panel
from tact.scoring import LawTables, steps
from tact.settings import Coefficients, Scores
from tact.vocabulary import INTENTS, SCENARIOS, T_H_S, slice_name

WITHOUT_PROBES = (("synthetic", "no"),)
Key = tuple[tuple[str, str], ...]
"""Axes of a slice, each with its value; none for ``all``."""


@dataclass(frozen=True)
class Bench:
    """Everything that the systems of one run are scored with.

    Raises
    ------
    TableError
        The lengths of people are no step CDFs.
    """

    panel: Panel
    durations: pd.DataFrame | None
    settings: Scores
    seed: int
    _lengths: dict[tuple[str, str], FloatArray] = field(default_factory=dict, repr=False)
    _draws: dict[tuple[str, ...], npt.NDArray[np.uint8]] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        if self.durations is not None:
            _refuse_no_cdf(self.durations)

    def coefficients(self, scenario: str) -> Coefficients | None:
        """Give the convex weights of a scenario; None where it has none."""
        return {str(name): row for name, row in self.settings.coefficients.items()}.get(scenario)

    def draws(self, *key: str, clusters: int) -> npt.NDArray[np.uint8]:
        """Draw whole clusters: how often each is drawn on each resample, (C, R).

        The draws depend on the seed, the key and the number of clusters alone, and are made once,
        so systems are compared on the same resamples.
        """
        with self._lock:
            if key not in self._draws:
                rng = generator(self.seed, *key, clusters)
                # A cluster is drawn once in the mean, so no count comes near 256.
                drawn = np.empty((clusters, self.settings.resamples), dtype=np.uint8)
                at = 0
                for counts in resamples(clusters, self.settings.resamples, rng):
                    drawn[:, at : at + len(counts)] = counts.T
                    at += len(counts)
                self._draws[key] = drawn
            return self._draws[key]

    def human_lengths(self, name: str, scenario: str) -> FloatArray | None:
        """Read the human step CDFs of a scenario: (K, ms of W_L), of the slice, else of ``all``.

        The row of an intent without lengths is NaN. They are read once for all systems.
        """
        if self.durations is None or scenario not in SCENARIOS:
            return None
        key = (name if name in self._slices_of_lengths else ALL, scenario)
        with self._lock:
            if key not in self._lengths:
                self._lengths[key] = self._read_lengths(self.durations, *key)
            return self._lengths[key]

    @cached_property
    def _slices_of_lengths(self) -> set[str]:
        return set() if self.durations is None else set(self.durations["slice"])

    def _read_lengths(self, durations: pd.DataFrame, name: str, scenario: str) -> FloatArray:
        longest = round(self.settings.length_max_s * 1000)
        human = np.full((len(INTENTS), longest), np.nan)
        rows = durations[durations["scenario"] == scenario]
        for source in (ALL, name):
            for intent, own in rows[rows["slice"] == source].groupby("intent"):
                if intent in INTENTS:
                    own = own.sort_values("t_ms")
                    t_ms, cdf = own["t_ms"].to_numpy(), own["cdf"].to_numpy()
                    human[INTENTS.index(intent)] = steps(t_ms, cdf, length_max_ms=longest)
        human.flags.writeable = False
        return human


@dataclass(frozen=True)
class Slice:
    """A slice of the panel: its axes, its episodes (n,), and the laws that it is scored by."""

    key: Key
    inside: Flags
    tables: LawTables
    law: str

    @property
    def name(self) -> str:
        """Its name in every table."""
        return name_of(self.key)

    def of(self, panel: Panel, scenario: str) -> Flags:
        """Tell which episodes are in the slice and in the scenario."""
        return self.inside & panel.of(scenario)


def name_of(key: Key) -> str:
    """Name a slice."""
    return slice_name(*zip(*key, strict=True)) if key else ALL


def masks(panel: Panel, axes: Sequence[str | Sequence[str]]) -> dict[Key, Flags]:
    """Cut the panel: all; all without probes; each corpus, stratum and crossing without probes.

    ``axes`` are those of the config; of them only the crossings matter, since every corpus and
    stratum that episodes know is cut.
    """
    rows = panel.episodes
    people = ~rows["script"].to_numpy(dtype=bool)
    cut: dict[Key, Flags] = {(): np.ones(len(rows), dtype=bool)}
    if people.any() and not people.all():
        cut[WITHOUT_PROBES] = people
    corpora, strata = rows["corpus"].to_list(), rows["strata"].to_list()
    crossings = [tuple(own) for own in axes if not isinstance(own, str)]
    found: dict[Key, list[int]] = {}
    for position in np.flatnonzero(people).tolist():
        known = _strata(corpora[position], strata[position])
        for own in [*((axis,) for axis in known), *crossings]:
            if set(own) <= set(known):
                found.setdefault(tuple((axis, known[axis]) for axis in own), []).append(position)
    for key in sorted(found, key=name_of):
        cut[key] = np.isin(np.arange(len(rows)), found[key])
    return cut


def _strata(corpus: str, strata: Iterable[tuple[str, str | None]] | None) -> dict[str, str]:
    """Give the value of each axis that is known of an episode."""
    told = {"corpus": corpus or None, **(dict(strata) if strata is not None else {})}
    return {axis: value for axis, value in told.items() if value is not None}


def with_faults_as_0(
    bench: Bench, part: Slice, answers: Answers, scenario: str, score: float
) -> float:
    """Give the score that the cell would have if each fault had scored 0."""
    here = part.of(bench.panel, scenario)[answers.episode]
    weight = bench.panel.episodes["weight"].to_numpy()[answers.episode[here]]
    return float(score * (1.0 - weight @ answers.fault[here] / weight.sum()))


def flags(
    bench: Bench, part: Slice, answers: Answers, scenario: str, floor: float | None
) -> list[str]:
    """Say what a reader must know of a row: faults, missing posteriors, floor, the law used.

    ``floor`` is the score with faults as 0, None where there is no score.
    """
    inside = part.of(bench.panel, scenario)
    here = inside[answers.episode]
    said = []
    if here.any() and answers.fault[here].mean() > bench.settings.fault_share_max:
        said.append("incomplete")
        if floor is not None:
            said.append(f"score_with_faults_as_0:{floor:.4f}")
    if unknown := int((inside & ~bench.panel.episodes["known"].to_numpy(dtype=bool)).sum()):
        said.append(f"no_posterior:{unknown}")
    if part.law != part.name:
        said.append(f"law:{part.law}")
    script = bench.panel.episodes["script"].to_numpy(dtype=bool)
    if (inside & script).any() and not script[answers.episode].any():
        said.append("no_probes")
    said += _told(bench, answers, here)
    held = answers.floor_held[here]
    if not np.isnan(held).all():
        said.append(f"floor_held:{np.nanmean(held):.3f}")
    return said


def _told(bench: Bench, answers: Answers, here: Flags) -> list[str]:
    """Count the runs that began after the horizon, and those that still spoke when cut."""
    onset, length = answers.onset_s[here], answers.duration_ms[here]
    late = int((np.isfinite(onset) & (onset >= T_H_S)).sum())
    going_on = int((length >= 1000 * bench.settings.length_max_s).sum())
    counts = {"past_horizon": late, "still_speaking": going_on}
    return [f"{name}:{n}" for name, n in counts.items() if n]


def _refuse_no_cdf(durations: pd.DataFrame) -> None:
    own = ["slice", "intent", "scenario"]
    rows = durations.sort_values([*own, "t_ms"])
    wrong = rows[~rows["cdf"].between(0, 1) | (rows.groupby(own)["cdf"].diff() < 0)]
    if len(wrong):
        raise TableError(
            f"durations: {len(wrong)} of {len(rows)} rows have a cdf that falls or leaves [0, 1]"
            f" (first: {', '.join(wrong[own].iloc[0])}, {wrong['t_ms'].iloc[0]} ms);"
            " run tact reference again"
        )
