"""From answers to scores: one score per run, and composites by system, scenario, slice and intent.

::

    laws, posteriors, responses, overlaps, episodes, durations
        -> episode_scores   s_T(e), s_L(e), s_O(e) of each run
        -> composites       population S_T (fair), skill, mean s_T, S_L, s_O, their combination

The headline timing is the population score (fair), 1 at the human law; the episode score stands
beside it and is best served by always the same onset.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray
from tact.errors import TableError
from tact.laws import laws_of
from tact.scores.composites import Row, rows_of
from tact.scores.entry import Entry
from tact.scores.fairness import differences
from tact.scores.panel import ALL, Answers, Panel, make_answers, make_panel
from tact.scores.slices import Bench, Slice, masks, name_of
from tact.scoring import LawTables, episode_scores, integrate, length_crps
from tact.settings import Scores
from tact.vocabulary import INTENTS, T_H_S

Axes = Sequence[str | Sequence[str]]
Found = TypeVar("Found")


def score(
    laws: pd.DataFrame,
    posteriors: pd.DataFrame,
    responses: pd.DataFrame,
    overlaps: pd.DataFrame | None,
    episodes: pd.DataFrame | None,
    durations: pd.DataFrame | None,
    *,
    settings: Scores,
    axes: Axes,
    gamma: float,
    epsilon: float,
    seed: int,
    cores: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Score every system.

    Parameters
    ----------
    laws, posteriors, responses : tables of these names
    overlaps : table or None; without it overlap is undefined and its weight goes to the others
    episodes : table or None; without it all episodes are one cell, weigh 1, and no composite of
        the three parts is made, since its coefficients belong to scenarios
    durations : table or None; without it length is undefined
    axes : slice axes of the config, whose crossings are cut too
    cores : how many systems are scored at a time; the result is the same

    Returns
    -------
    tables ``episode_scores`` and ``composites``

    Raises
    ------
    TableError
        The tables do not fit together.
    """
    panel = _panel(posteriors, responses, overlaps, episodes, settings)
    bench = Bench(panel, durations, settings, seed)
    slices = _slices(panel, laws, axes, gamma=gamma, epsilon=epsilon)

    def one(own: pd.DataFrame) -> tuple[pd.DataFrame, list[Row]]:
        entry = _entry(bench, slices, own, overlaps)
        rows = [row for part in slices for row in rows_of(bench, part, entry)]
        return _run_scores(bench, slices[0].tables, entry.answers), rows

    by_run, rows = zip(*_each_system(one, responses, cores), strict=True)
    return pd.concat(by_run, ignore_index=True), pd.DataFrame(list(chain.from_iterable(rows)))


def fairness(
    laws: pd.DataFrame,
    posteriors: pd.DataFrame,
    responses: pd.DataFrame,
    overlaps: pd.DataFrame | None,
    episodes: pd.DataFrame,
    durations: pd.DataFrame | None,
    *,
    settings: Scores,
    axes: Axes,
    gamma: float,
    epsilon: float,
    seed: int,
    cores: int = 1,
) -> pd.DataFrame:
    """Compare the scores of the groups of each axis, for every system: table ``fairness``.

    Parameters are those of `score`.
    """
    panel = _panel(posteriors, responses, overlaps, episodes, settings)
    bench = Bench(panel, durations, settings, seed)
    slices = _slices(panel, laws, axes, gamma=gamma, epsilon=epsilon)

    def one(own: pd.DataFrame) -> list[Row]:
        return list(differences(bench, slices, _entry(bench, slices, own, overlaps)))

    rows = chain.from_iterable(_each_system(one, responses, cores))
    return frames.frame(list(rows), "fairness")


def _each_system(
    one: Callable[[pd.DataFrame], Found], responses: pd.DataFrame, cores: int
) -> list[Found]:
    """Do one thing for every system, in the order of their names, some at a time."""
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(one, [own for _, own in responses.groupby("system", sort=True)]))


def _entry(
    bench: Bench, slices: list[Slice], own: pd.DataFrame, overlaps: pd.DataFrame | None
) -> Entry:
    answers = make_answers(bench.panel, own, overlaps, settings=bench.settings)
    longest_ms = round(1000 * bench.settings.length_max_s)
    return Entry(bench.panel, answers, slices[0].tables, longest_ms=longest_ms)


def _panel(
    posteriors: pd.DataFrame,
    responses: pd.DataFrame,
    overlaps: pd.DataFrame | None,
    episodes: pd.DataFrame | None,
    settings: Scores,
) -> Panel:
    if responses.empty:
        raise TableError("responses: no row; run tact respond first")
    if overlaps is not None:
        frames.check_known(overlaps, "overlaps", responses["system"], "system", "responses")
    return make_panel(posteriors, responses, episodes, mode=settings.mode)


def _slices(
    panel: Panel, laws: pd.DataFrame, axes: Axes, *, gamma: float, epsilon: float
) -> list[Slice]:
    """Cut the panel, ``all`` first; each slice with its own laws, or those of ``all``."""
    cut = masks(panel, axes)
    tables = _tables_by_slice(laws, list(map(name_of, cut)), gamma=gamma, epsilon=epsilon)
    return [
        Slice(key, inside, tables[law], law)
        for key, inside in cut.items()
        for law in [name_of(key) if name_of(key) in tables else ALL]
    ]


def _tables_by_slice(
    laws: pd.DataFrame, names: list[str], *, gamma: float, epsilon: float
) -> Mapping[str, LawTables]:
    """Integrate the laws of ``all``, and of each slice that has a law of every intent."""
    found = {}
    held = laws[laws["intent"].isin(INTENTS)].groupby("slice")["intent"].nunique()
    if held.get(ALL, 0) < len(INTENTS):
        raise TableError(
            f"laws: slice {ALL!r} has {held.get(ALL, 0)} of {len(INTENTS)} intents; run"
            " tact reference, or tact laws paper"
        )
    for name in names:
        if held.get(name, 0) == len(INTENTS):
            own = laws_of(laws, name)
            ordered = {intent: own[intent] for intent in INTENTS}
            found[name] = integrate(ordered, gamma=gamma, epsilon=epsilon)
    return found


def _run_scores(bench: Bench, tables: LawTables, answers: Answers) -> pd.DataFrame:
    """Make the rows of one system in table ``episode_scores``; nulls for a fault."""
    known = bench.panel.episodes["known"].to_numpy(dtype=bool)[answers.episode] & ~answers.fault
    posterior = bench.panel.posterior[answers.episode]
    timing = np.full(len(known), np.nan)
    timing[known] = episode_scores(tables, posterior[known], answers.onset_s[known])
    return pd.DataFrame(
        {
            "system": answers.system,
            "episode": bench.panel.episodes["episode"].to_numpy()[answers.episode],
            "run": answers.run,
            "timing": timing,
            "length": np.where(known, _length_scores(bench, bench.panel, answers), np.nan),
            "overlap": np.where(known, answers.overlap, np.nan),
        }
    )


def _length_scores(bench: Bench, panel: Panel, answers: Answers) -> FloatArray:
    """Score each length against the mixture of human lengths: 1 - CRPS / W_L."""
    scores = np.full(len(answers.episode), np.nan)
    scenario = panel.episodes["scenario"].to_numpy()[answers.episode]
    answered = ~np.isnan(answers.duration_ms) & (answers.onset_s < T_H_S)
    for name in panel.scenarios:
        human = bench.human_lengths(ALL, name)
        rows = np.flatnonzero(answered & (scenario == name))
        if human is not None and len(rows):
            lengths = answers.duration_ms[rows].astype(np.int64)
            crps = length_crps(human, panel.posterior[answers.episode[rows]], lengths)
            scores[rows] = 1.0 - crps / bench.settings.length_max_s
    return scores
