"""The entry of one system: what its runs come to, looked up once for all the cells it is in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_matrix

from tact.clock import Flags, FloatArray, IntArray
from tact.scores.features import length_cells, length_steps, onset_features
from tact.scores.panel import ALL, Answers, Panel
from tact.scores.slices import Slice
from tact.scoring import LawTables, Runs, renumbered
from tact.vocabulary import T_H_S


@dataclass(frozen=True)
class Timing:
    """Counted runs under one set of laws, by answered episode.

    Attributes
    ----------
    held : (n,) positions in the panel, ascending
    posterior : (n, K)
    weights : (n,)
    make_features : makes `features`
    """

    held: IntArray
    posterior: FloatArray
    weights: FloatArray
    runs: Runs
    make_features: Callable[[], FloatArray]

    @cached_property
    def features(self) -> FloatArray:
        """Of the step functions less their references: (n, K, G), made once they are asked for."""
        return self.make_features()

    def among(self, rows: IntArray) -> "Timing":
        """Keep some of the episodes, told by their rows, ascending."""
        return Timing(
            held=self.held[rows],
            posterior=self.posterior[rows],
            weights=self.weights[rows],
            runs=self.runs.among(rows),
            make_features=lambda: self.features[rows],
        )


@dataclass(frozen=True)
class Lengths:
    """Counted runs of n episodes that have a length.

    Attributes
    ----------
    episode, per_run, duration_ms : (m,) row of the episode, 1 over its counted runs, and the length
    share : (n,) the share of an episode's runs with a length
    edges : cells of [0, W_L], ms
    features : (n, G) averaged step functions
    """

    episode: IntArray
    per_run: FloatArray
    duration_ms: IntArray
    share: FloatArray
    edges: IntArray
    features: FloatArray

    def among(self, rows: IntArray) -> "Lengths":
        """Keep some of the episodes, told by their rows, ascending; they are numbered anew."""
        episode, kept = renumbered(self.episode, rows, len(self.share))
        return Lengths(
            episode=episode,
            per_run=self.per_run[kept],
            duration_ms=self.duration_ms[kept],
            share=self.share[rows],
            edges=self.edges,
            features=self.features[rows],
        )


class Entry:
    """A system's answers with what is looked up of them; arrays of N are by episode of the panel.

    Parameters
    ----------
    tables : of the laws of ``all``
    longest_ms : W_L
    """

    def __init__(
        self, panel: Panel, answers: Answers, tables: LawTables, *, longest_ms: int
    ) -> None:
        self.panel = panel
        self.answers = answers
        self._tables = tables
        self._longest_ms = longest_ms
        self._lengths: dict[str, Lengths | None] = {}

    def timing(self, part: Slice) -> Timing:
        """Read the runs by the laws of a slice; those of ``all`` are read once for all slices."""
        return self._whole if part.law == ALL else self._read(part.tables, part.inside)

    @cached_property
    def _whole(self) -> Timing:
        return self._read(self._tables, np.ones(len(self.panel.posterior), dtype=bool))

    def _read(self, tables: LawTables, inside: Flags) -> Timing:
        own = self.answers
        counted = own.counted & inside[own.episode]
        held, episodes = np.unique(own.episode[counted], return_inverse=True)
        posterior, onsets = self.panel.posterior[held], own.onset_s[counted]
        runs = Runs.of(tables, posterior, episodes, onsets)
        return Timing(
            held=held,
            posterior=posterior,
            weights=self.panel.episodes["weight"].to_numpy()[held],
            runs=runs,
            make_features=lambda: onset_features(tables, posterior, runs),
        )

    @cached_property
    def _counted(self) -> IntArray:
        """The number of counted runs: (N,)."""
        return np.bincount(
            self.answers.episode[self.answers.counted], minlength=len(self.panel.posterior)
        )

    @cached_property
    def overlap(self) -> FloatArray:
        """The mean s_O of the runs that have one: (N,), NaN where none has."""
        own, n = self.answers, len(self.panel.posterior)
        known = own.counted & ~np.isnan(own.overlap)
        total = np.bincount(own.episode[known], weights=own.overlap[known], minlength=n)
        count = np.bincount(own.episode[known], minlength=n)
        with np.errstate(invalid="ignore"):
            return np.asarray(total / count)

    def lengths(self, scenario: str) -> Lengths | None:
        """Gather the runs of a scenario that have a length, by episode of the panel; None if there
        is none.
        """
        if scenario not in self._lengths:
            self._lengths[scenario] = self._gather(scenario)
        return self._lengths[scenario]

    def _gather(self, scenario: str) -> Lengths | None:
        own, n = self.answers, len(self.panel.posterior)
        spoke = own.counted & ~np.isnan(own.duration_ms) & (own.onset_s < T_H_S)
        spoke &= self.panel.of(scenario)[own.episode]
        if not spoke.any():
            return None
        episode = own.episode[spoke]
        per_run = 1.0 / self._counted[episode]
        duration_ms = np.minimum(own.duration_ms[spoke].astype(np.int64), self._longest_ms)
        edges = length_cells(duration_ms, self._longest_ms)
        average = csr_matrix((per_run, (episode, np.arange(len(episode)))), shape=(n, len(episode)))
        return Lengths(
            episode=episode,
            per_run=per_run,
            duration_ms=duration_ms,
            share=np.bincount(episode, weights=per_run, minlength=n).astype(np.float64),
            edges=edges,
            features=np.asarray(average @ length_steps(duration_ms, edges)),
        )
