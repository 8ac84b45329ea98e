"""What the scores are made of: episodes with their posteriors, and each system's answers to them.

Everything that could make a number wrong in silence is refused here with one line: an episode that
is missing, unknown or answered by too few runs, an onset before T, a posterior that is no
distribution.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from tact import posterior
from tact.clock import Flags, FloatArray, IntArray, to_seconds
from tact.errors import TableError
from tact.scoring import overlap_cost, overlap_score
from tact.settings import Scores
from tact.vocabulary import T_A_S, T_H_S

ALL = "all"
"""The slice of all episodes, and the scenario where none is known."""

LONGEST_S = 30.0
"""A system is recorded for at most so long after its onset, s."""

_FEW = 10


@dataclass(frozen=True)
class Panel:
    """Episodes and their posteriors, in the order of the episode id.

    Attributes
    ----------
    episodes : episode, scenario, corpus, weight, strata, cluster (int), script, known
        ``script``: the posterior is the scripted intent (a probe); ``known``: there is a posterior.
    posterior : (n, K) q(z | e), zeros where unknown
    """

    episodes: pd.DataFrame
    posterior: FloatArray
    _of: dict[str, Flags] = field(default_factory=dict, repr=False)

    @cached_property
    def scenarios(self) -> list[str]:
        """The scenarios that occur."""
        return sorted(self.episodes["scenario"].unique())

    def of(self, scenario: str) -> Flags:
        """Tell which episodes are of a scenario: (n,); of ``all`` every one is."""
        if scenario not in self._of:
            own = (self.episodes["scenario"] == scenario) | (scenario == ALL)
            self._of[scenario] = own.to_numpy(dtype=bool)
        return self._of[scenario]

    def clusters(self, inside: Flags) -> tuple[IntArray, int]:
        """Number the clusters of some episodes: (n,), 0 elsewhere, and how many there are."""
        number = np.zeros(len(inside), dtype=np.int64)
        own = self.episodes["cluster"].to_numpy()[inside]
        found, number[inside] = np.unique(own, return_inverse=True)
        return number, len(found)


@dataclass(frozen=True)
class Answers:
    """The runs of one system, ordered by episode and run; arrays are (m,).

    Attributes
    ----------
    episode : position in the panel
    onset_s : onset, s; ``inf`` is no response
    duration_ms : length of the response, NaN where none is known
    overlap : s_O, NaN where it is not defined
    counted : a run that enters the composites: no fault, a posterior, chosen by the run rule
    fault : left out as a fault of system or harness
    """

    system: str
    runs: int
    episode: IntArray
    run: IntArray
    onset_s: FloatArray
    duration_ms: FloatArray
    overlap: FloatArray
    counted: Flags
    fault: Flags
    floor_held: FloatArray


def make_panel(
    posteriors: pd.DataFrame,
    responses: pd.DataFrame,
    episodes: pd.DataFrame | None,
    *,
    mode: str,
) -> Panel:
    """Join episodes and posteriors.

    Without a table of episodes every answered episode is one of a single cell, weighs 1 and is its
    own cluster. A scripted episode uses its script, any other the configured mode.

    Raises
    ------
    TableError
        A posterior is no distribution, or a response names an episode that is not there.
    """
    if episodes is None:
        rows = pd.DataFrame({"episode": np.sort(responses["episode"].unique())})
        rows = rows.assign(scenario=ALL, corpus="", weight=1.0, strata=None)
        rows["cluster"] = np.arange(len(rows))
    else:
        rows = episodes.sort_values("episode", ignore_index=True)
        rows = rows.assign(cluster=pd.factorize(rows["split_group"], sort=True)[0])
        _refuse_unknown(responses, rows)
    held = posterior.of(rows["episode"], posteriors, mode=mode)
    _refuse_no_distribution(held.q[held.known], rows["episode"][held.known], mode)
    _refuse_no_weight(rows)
    names = ["episode", "scenario", "corpus", "weight", "strata", "cluster"]
    return Panel(rows[names].assign(script=held.scripted, known=held.known), held.q)


def make_answers(
    panel: Panel,
    responses: pd.DataFrame,
    overlaps: pd.DataFrame | None,
    *,
    settings: Scores,
) -> Answers:
    """Line up the answers of one system with the panel.

    Raises
    ------
    TableError
        Episodes or runs are missing, an onset lies before T, or an overlap is impossible.
    """
    system = str(responses["system"].iloc[0])
    position = pd.Index(panel.episodes["episode"]).get_indexer(responses["episode"])
    rows = responses.assign(position=position).sort_values(["position", "run"], ignore_index=True)
    runs = _refuse_missing(panel, rows, system)
    _refuse_early(rows, system)
    _refuse_other_clock(rows, system)
    _refuse_no_turn(rows, system)
    at = rows["position"].to_numpy()
    fault = (rows["status"] != "ok").to_numpy()
    onset = to_seconds(rows["onset_ms"])
    usable = ~fault & panel.episodes["known"].to_numpy()[at]
    if settings.run_rule == "median_of_three":
        usable = _middle_run(at, onset, usable)
    return Answers(
        system=system,
        runs=runs,
        episode=at,
        run=rows["run"].to_numpy(dtype=np.int64),
        onset_s=onset,
        duration_ms=_floats(rows["duration_ms"]),
        overlap=_overlap(panel, rows, overlaps, settings.kappa_per_s),
        counted=usable,
        fault=fault,
        floor_held=_floats(rows["floor_held"]),
    )


def _overlap(
    panel: Panel, rows: pd.DataFrame, overlaps: pd.DataFrame | None, kappa_per_s: float
) -> FloatArray:
    """Score overlap per run; undefined without a table, and where the floor was not held."""
    if overlaps is None:
        return np.full(len(rows), np.nan)
    own = overlaps[overlaps["system"] == rows["system"].iloc[0]]
    wrong = ~own["completion"].between(0, 1)
    _refuse(own[wrong], len(own), "overlaps", "have a completion outside 0..1")
    seconds = own["duration_ms"].to_numpy(dtype=np.float64) / 1000
    psi, exempt = own["completion"].to_numpy(), own["backchannel"].to_numpy(dtype=bool)
    own = own.assign(cost=overlap_cost(seconds, psi, exempt))
    cost = own.groupby(["episode", "run"])["cost"].sum()
    keys = pd.MultiIndex.from_frame(rows[["episode", "run"]])
    _refuse(
        own[~pd.MultiIndex.from_frame(own[["episode", "run"]]).isin(keys)],
        len(own),
        "overlaps",
        "belong to no response",
    )
    score = overlap_score(cost.reindex(keys).fillna(0.0).to_numpy(), kappa_per_s=kappa_per_s)
    scenario = panel.episodes["scenario"].to_numpy()[rows["position"].to_numpy()]
    held = rows["floor_held"].fillna(False).to_numpy(dtype=bool)
    return np.where((scenario == "interruption") & ~held, np.nan, score)


def _middle_run(episode: IntArray, onset: FloatArray, usable: Flags) -> Flags:
    """Keep the run with the (lower) median onset of each episode's usable runs."""
    chosen = np.zeros(len(episode), dtype=bool)
    which = np.flatnonzero(usable)
    which = which[np.lexsort((onset[which], episode[which]))]
    _, first, count = np.unique(episode[which], return_index=True, return_counts=True)
    chosen[which[first + (count - 1) // 2]] = True
    return chosen


def _floats(column: pd.Series) -> FloatArray:
    values = pd.array(column, dtype="Float64").to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(values, dtype=np.float64)


def _refuse_unknown(responses: pd.DataFrame, episodes: pd.DataFrame) -> None:
    strange = responses[~responses["episode"].isin(episodes["episode"])]
    _refuse(strange, len(responses), "responses", "answer an episode that is not in episodes")


def _refuse_missing(panel: Panel, rows: pd.DataFrame, system: str) -> int:
    """Return the runs per episode, if every episode has them; a system may leave out all probes."""
    count = np.bincount(rows["position"], minlength=len(panel.episodes))
    runs = int(count.max())
    script = panel.episodes["script"].to_numpy()
    needed = ~script if not count[script].any() else np.ones(len(count), dtype=bool)
    if (short := needed & (count < runs)).any():
        first = panel.episodes["episode"][short].iloc[0]
        raise TableError(
            f"responses: system {system} has fewer than {runs} runs for {int(short.sum())} of"
            f" {len(count)} episodes (first: {first}); give each a row, with status fault if it"
            " failed"
        )
    beyond = rows[rows["run"] >= runs]
    _refuse(beyond, len(rows), "responses", f"of system {system} have runs not numbered from 0")
    return runs


def _refuse_early(rows: pd.DataFrame, system: str) -> None:
    early = rows[(rows["status"] == "ok") & (rows["onset_ms"].fillna(0) < -1000 * T_A_S)]
    what = f"of system {system} have an onset more than {T_A_S:g} s before t0, outside T"
    _refuse(early, len(rows), "responses", what)


def _refuse_other_clock(rows: pd.DataFrame, system: str) -> None:
    """Refuse onsets that cannot be counted from t0: past any recording, or all past the horizon."""
    onset = rows.loc[rows["status"] == "ok"].dropna(subset="onset_ms")
    last = round(1000 * (T_H_S + LONGEST_S))
    what = f"of system {system} have an onset over {last // 1000} s after t0; count it from t0"
    _refuse(onset[onset["onset_ms"] > last], len(rows), "responses", what)
    if len(onset) >= _FEW and (onset["onset_ms"] >= 1000 * T_H_S).all():
        what = f"of system {system}, all that have an onset, have it past the horizon; from t0?"
        _refuse(onset, len(rows), "responses", what)
    at = onset["onset_ms"]
    if len(onset) >= _FEW and at.between(-T_A_S, T_H_S).all() and at.nunique() > 1:
        what = f"of system {system}, all that have an onset, have it within 5 ms of t0; seconds?"
        _refuse(onset, len(rows), "responses", what)


def _refuse_no_turn(rows: pd.DataFrame, system: str) -> None:
    """Refuse a length without an onset."""
    silent = rows[(rows["status"] == "ok") & rows["onset_ms"].isna() & rows["duration_ms"].notna()]
    _refuse(silent, len(rows), "responses", f"of system {system} have a duration and no onset")


def _refuse_no_weight(episodes: pd.DataFrame) -> None:
    weight = episodes["weight"].to_numpy(dtype=np.float64)
    wrong = episodes[~(np.isfinite(weight) & (weight > 0))]
    if len(wrong):
        raise TableError(
            f"episodes: {len(wrong)} of {len(episodes)} rows have a weight that is not above 0"
            f" (first: {wrong['episode'].iloc[0]}, {wrong['weight'].iloc[0]}); run tact episodes"
            " again"
        )


def _refuse_no_distribution(posterior: FloatArray, episodes: "pd.Series[str]", mode: str) -> None:
    wrong = (posterior < 0).any(axis=1) | (np.abs(posterior.sum(axis=1) - 1) > 1e-6)
    if wrong.any():
        raise TableError(
            f"posteriors: {int(wrong.sum())} of {len(posterior)} episodes do not sum to 1 in mode"
            f" {mode} (first: {episodes[wrong].iloc[0]}); run tact posteriors again"
        )


def _refuse(wrong: pd.DataFrame, n: int, table: str, what: str) -> None:
    if len(wrong):
        first = wrong.iloc[0]
        raise TableError(
            f"{table}: {len(wrong)} of {n} rows {what} (first: episode {first['episode']}, run"
            f" {first['run']}); mend the table of the system"
        )
