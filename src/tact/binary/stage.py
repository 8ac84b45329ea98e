"""Stage: responses to the field's binary metrics, by system and scenario, with intervals.

Tables in: ``responses``, ``episodes``, ``posteriors``, ``laws``, ``spoken`` if there is one. Table
out: ``binary``. Without ``spoken`` a system is taken to say nothing but its response; without words
in it, its stretches of speech stand for words, and the rules on words have no say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from tact import frames, keys, posterior
from tact.binary import fdb, windowed
from tact.binary.fdb import Span
from tact.bootstrap import mean_intervals
from tact.clock import FloatArray, IntArray, to_seconds
from tact.errors import TableError
from tact.kernels import GRID_S
from tact.laws import Law, laws_of
from tact.settings import Binary, Scores
from tact.vocabulary import INTENTS

ALL = "all"
Run = tuple[str, str, int]
_UNKNOWN = float("nan")
TAKES = {"pause": False, "backchannel": False, "smooth": True, "interruption": True}
"""Scenario -> whether Full-Duplex-Bench wants the floor to be taken."""

BETTER = {
    "fdb_latency_s": "low",
    "fdb_jsd": "low",
    "fdb_frequency_per_s": "neither",
    "windowed_takeover": "neither",
    "takeover_right": "high",
    "intent_binary": "high",
}
"""Metric -> which end is the better one; of ``fdb_takeover`` the scenario tells."""

Values = dict[str, tuple[IntArray, FloatArray]]
"""Metric -> the rows of responses that it was asked of, and its values there, NaN if unknown."""


def score(
    responses: pd.DataFrame,
    episodes: pd.DataFrame,
    posteriors: pd.DataFrame,
    laws: pd.DataFrame,
    spoken: pd.DataFrame | None,
    *,
    settings: Binary,
    scores: Scores,
    seed: int,
) -> pd.DataFrame:
    """Score every system by the binary metrics.

    Each run counts, a fault is left out, and so is a response whose length nobody knows from what
    needs it. Episodes weigh the same, as they do there.

    Returns
    -------
    table ``binary``

    Raises
    ------
    TableError
        A response is to an unknown episode, or all are faults.
    """
    frames.check_known(responses, "responses", episodes["episode"], "episode", "episodes")
    at = responses.merge(episodes, on="episode", validate="many_to_one")
    at = at[at["status"] == "ok"].reset_index(drop=True)
    if at.empty:
        raise TableError("responses: no row without a fault; there is nothing to score")
    length_s = to_seconds(at["duration_ms"])
    at = at.assign(onset_s=to_seconds(at["onset_ms"]), length_s=length_s)
    by_intent = laws_of(laws, ALL)
    curves = np.stack([by_intent[intent].cdf(GRID_S) for intent in INTENTS])
    held = posterior.of(at["episode"], posteriors, mode=scores.mode)
    q = np.where(held.known[:, None], held.q, np.nan)
    values = _windowed(at, q, by_intent, settings.window_s) | _fdb(at, q, curves, _Said.of(spoken))
    told = at[["system", "scenario", "split_group"]]
    long = pd.concat(
        [
            told.take(rows).assign(metric=metric, value=own)
            for metric, (rows, own) in values.items()
        ],
        ignore_index=True,
    )
    everywhere = long[long["metric"].isin(["windowed_takeover", "intent_binary"])]
    whole = pd.concat([long, everywhere.assign(scenario=ALL)], ignore_index=True)
    rows = _summaries(whole, scores, seed)
    return frames.frame([*rows, *_over_scenarios(rows)], "binary")


@dataclass(frozen=True)
class _Said:
    """What each run said: (system, episode, run) -> segments and words, s from t0."""

    segments: dict[Run, list[Span]]
    words: dict[Run, list[Span]]

    @classmethod
    def of(cls, spoken: pd.DataFrame | None) -> "_Said":
        said: dict[str, dict[Run, list[Span]]] = {"speech": {}, "word": {}}
        if spoken is not None:
            for row in spoken.sort_values("start_ms", kind="stable").itertuples(index=False):
                spans = said[row.kind].setdefault((row.system, row.episode, row.run), [])
                spans.append((row.start_ms / 1000, row.end_ms / 1000))
        return cls(said["speech"], said["word"])

    def by(self, row: Any) -> tuple[list[Span], list[Span]] | None:
        """Give segments and chunks of a run; None where nobody knows how long it spoke."""
        key = (row.system, row.episode, row.run)
        if key in self.segments or key in self.words:
            segments = self.segments.get(key, self.words.get(key, []))
            return segments, self.words.get(key, segments)
        if row.onset_s == inf:
            return [], []
        if row.length_s == inf:
            return None
        span = (row.onset_s, row.onset_s + row.length_s)
        return [span], [span]


def _windowed(at: pd.DataFrame, q: FloatArray, laws: Mapping[str, Law], window_s: float) -> Values:
    onsets = at["onset_s"].to_numpy()
    acted = np.array([float(laws[intent].cdf(window_s)) for intent in INTENTS])
    took = windowed.takeover(onsets, window_s=window_s).astype(np.float64)
    right = windowed.intent_conditioned(onsets, q, acted, window_s=window_s)
    every = np.arange(len(at))
    return {"windowed_takeover": (every, took), "intent_binary": (every, right)}


_ASKED = (
    "system", "episode", "run", "onset_s", "length_s", "scenario", "horizon_end_ms",
    "context_start_ms", "t0_ms",
)  # fmt: skip


def _fdb(at: pd.DataFrame, q: FloatArray, curves: FloatArray, said: _Said) -> Values:
    found: dict[str, list[tuple[int, float]]] = {}
    human: dict[str, FloatArray] = {}
    for index, row in enumerate(frames.each(at[list(_ASKED)])):
        if row.scenario == "backchannel" and row.episode not in human:
            human[row.episode] = _by_bin(row, q[index] @ curves)
        for metric, value in _metrics(row, said.by(row), human.get(row.episode)).items():
            found.setdefault(metric, []).append((index, value))
    columns = {metric: np.array(pairs).T for metric, pairs in found.items()}
    return {metric: (rows.astype(np.int64), own) for metric, (rows, own) in columns.items()}


def _metrics(
    row: Any, heard: tuple[list[Span], list[Span]] | None, human: FloatArray | None
) -> dict[str, float]:
    """Give the metrics of Full-Duplex-Bench of one run; NaN is left out of the means.

    ``human`` is the law of backchannels by bin of the clip, None in other scenarios.
    """
    if heard is None:
        return {"fdb_takeover": _UNKNOWN, "takeover_right": _UNKNOWN}
    segments, chunks = heard
    if row.scenario == "interruption":
        chunks = fdb.cropped(chunks, 0.0)
    metrics = {}
    if human is None:
        took = fdb.takeover(chunks)
    else:
        found = fdb.backchannel(segments, chunks)
        took = found.takeover
        metrics["fdb_frequency_per_s"] = fdb.frequency(found.events, _clip_s(row))
        metrics["fdb_jsd"] = _timing(row, found.events, human)
    metrics |= {"fdb_takeover": float(took), "takeover_right": float(took == TAKES[row.scenario])}
    if TAKES[row.scenario]:
        metrics["fdb_latency_s"] = fdb.latency(chunks, 0.0) if took else _UNKNOWN
    return metrics


def _timing(row: Any, events: list[Span], human: FloatArray) -> float:
    """Compare the times of backchannels with the human law, both on the clock of the clip."""
    if not human.sum() > 0:
        return _UNKNOWN
    before_s = _before_s(row)
    moved = [(start + before_s, end + before_s) for start, end in events]
    return fdb.timing_divergence(moved, human, _clip_s(row))


def _by_bin(row: Any, law: FloatArray) -> FloatArray:
    """Put a law on the 1 ms grid on the bins of the clip: (bins,)."""
    edges = np.arange(int(np.ceil(_clip_s(row) / fdb.BIN_S)) + 1) * fdb.BIN_S - _before_s(row)
    return np.diff(np.interp(edges, GRID_S, law, left=0.0))


def _before_s(row: Any) -> float:
    return float(row.t0_ms - row.context_start_ms) / 1000


def _clip_s(row: Any) -> float:
    return float(row.horizon_end_ms - row.context_start_ms) / 1000


def _summaries(long: pd.DataFrame, scores: Scores, seed: int) -> list[dict[str, object]]:
    """Average each metric over runs, by system and scenario, drawing whole clusters."""
    rows: list[dict[str, object]] = []
    for scenario, own in long.groupby("scenario", sort=True):
        which = own.groupby(["system", "metric"], sort=True)
        cluster = pd.factorize(own["split_group"], sort=True)[0]
        shape = (int(cluster.max()) + 1, which.ngroups)
        known = own["value"].notna().to_numpy()
        totals, sizes = np.zeros(shape), np.zeros(shape)
        at = cluster[known], which.ngroup().to_numpy()[known]
        np.add.at(totals, at, own["value"].to_numpy()[known])
        np.add.at(sizes, at, 1.0)
        rng = keys.generator(seed, "binary", scenario, shape[0])
        ends = mean_intervals(totals, sizes, n=scores.resamples, level=scores.level, rng=rng)
        for column, ((system, metric), group) in enumerate(which):
            n = int(sizes[:, column].sum())
            rows.append(
                {
                    "system": system,
                    "scenario": scenario,
                    "metric": metric,
                    "value": totals[:, column].sum() / n if n else np.nan,
                    "low": ends[column].low,
                    "high": ends[column].high,
                    "better": _better(str(metric), str(scenario)),
                    "n": n,
                    "n_left_out": len(group) - n,
                }
            )
    return rows


def _better(metric: str, scenario: str) -> str:
    if metric == "fdb_takeover":
        return "high" if TAKES[scenario] else "low"
    return BETTER[metric]


def _over_scenarios(rows: list[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Average the takeover that is wanted over the scenarios, unweighted, without an interval."""
    table = pd.DataFrame([row for row in rows if row["metric"] == "takeover_right"])
    for system, own in table.groupby("system", sort=True):
        yield {
            "system": system,
            "scenario": ALL,
            "metric": "takeover_right",
            "value": own["value"].mean(),
            "low": np.nan,
            "high": np.nan,
            "better": BETTER["takeover_right"],
            "n": int(own["n"].sum()),
            "n_left_out": int(own["n_left_out"].sum()),
        }
