"""How a system meets an episode, and how its answer is measured."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from tact import frames, posterior
from tact.clock import Flags, FloatArray
from tact.errors import InputError
from tact.kernels import GRID_S
from tact.laws import laws_of
from tact.settings import System as Setting
from tact.vocabulary import INTENTS, T_A_S, T_H_S


@dataclass(frozen=True)
class Task:
    """One episode as a system meets it.

    Attributes
    ----------
    episode, point : rows of these tables
    mix : (K,) posterior of the episode; None without one
    curves : (K, 7001) human laws on the 1 ms grid over T
    marginal : the intent-blind human marginal, the weighted mean of all P_q; 0 without any
    """

    episode: Any
    point: Any
    mix: FloatArray | None
    curves: FloatArray
    marginal: FloatArray

    @property
    def law(self) -> FloatArray | None:
        """P_q on the 1 ms grid, the human laws mixed by the posterior; None without one."""
        return None if self.mix is None else self.mix @ self.curves


@dataclass(frozen=True)
class Response:
    """What a system did: first onset from t0 and length, ms; None is no response, no length."""

    onset_ms: int | None
    duration_ms: int | None
    status: str
    primed: bool
    floor_held: bool | None


class System(Protocol):
    """Anything that answers episodes."""

    def respond(self, task: Task, run: int) -> Response | None:
        """Answer one episode; None where the system is not defined on it."""
        ...


def respond(
    name: str,
    system: System,
    episodes: pd.DataFrame,
    points: pd.DataFrame,
    posteriors: pd.DataFrame,
    laws: pd.DataFrame,
    *,
    settings: Setting,
    mode: str,
) -> pd.DataFrame:
    """Let a system answer every episode, as often as its setting says: table ``responses``.

    An onset is measured as a person's is: it counts in [max(-T_a, start of the focal turn), h),
    where h is the start of the focal speaker's next IPU, at most T_h::

        focal    ######            ####
        system          ^ counts      ^ no response to this point
                     t0            h

    Raises
    ------
    InputError
        An episode has no point.
    """
    at = points_of(episodes, points)
    rows = []
    known, mixes, curves = _mixes(episodes, posteriors, laws, mode=mode)
    marginal = _marginal(known, mixes, episodes["weight"].to_numpy()) @ curves
    joined = zip(frames.each(episodes), frames.each(at), known, mixes, strict=True)
    for episode, point, labelled, mix in joined:
        task = Task(episode, point, mix if labelled else None, curves, marginal)
        for run in range(settings.runs):
            response = system.respond(task, run)
            if response is not None:
                rows.append(_row(name, episode.episode, run, response, point))
    return frames.frame(rows, "responses")


def points_of(episodes: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Give the row of ``points`` of each episode, in their order.

    Raises
    ------
    InputError
        An episode has no point.
    """
    at = points.set_index("point")
    if len(lost := episodes[~episodes["point"].isin(at.index)]):
        raise InputError(
            f"points: no row for the point of {len(lost)} of {len(episodes)} episodes"
            f" (first: {lost['episode'].iloc[0]}); give every --points of the build"
        )
    return at.loc[episodes["point"]]


def _row(name: str, episode: str, run: int, response: Response, point: Any) -> dict[str, object]:
    onset = measured(response.onset_ms, point)
    return {
        "system": name,
        "episode": episode,
        "run": run,
        "onset_ms": onset,
        "duration_ms": None if onset is None else response.duration_ms,
        "status": response.status,
        "primed": response.primed,
        "floor_held": response.floor_held,
    }


def measured(onset_ms: int | None, point: Any) -> int | None:
    """Keep an onset that responds to the point; None where it comes too early or too late."""
    if onset_ms is None:
        return None
    horizon = round(1000 * T_H_S)
    if not pd.isna(point.focal_next_ms):
        horizon = min(horizon, int(point.focal_next_ms))
    earliest = max(round(-1000 * T_A_S), int(point.turn_start_ms) - int(point.t0_ms))
    return onset_ms if earliest <= onset_ms < horizon else None


def _mixes(
    episodes: pd.DataFrame, posteriors: pd.DataFrame, laws: pd.DataFrame, *, mode: str
) -> tuple[Flags, FloatArray, FloatArray]:
    """Line up the posterior of each episode, (n, K), with the laws on the 1 ms grid, (K, 7001).

    The first part tells which episodes have one.
    """
    by_intent = laws_of(laws, "all")
    names = [intent for intent in INTENTS if intent in by_intent]
    curves = np.stack([by_intent[intent].cdf(GRID_S) for intent in names])
    held = posterior.of(episodes["episode"], posteriors, mode=mode)
    return held.known, held.q[:, [INTENTS.index(intent) for intent in names]], curves


def _marginal(known: Flags, mixes: FloatArray, weights: FloatArray) -> FloatArray:
    """Average the posteriors of the labelled episodes by their weights; zeros without any."""
    held = np.where(known, weights, 0.0)
    return np.asarray(held @ mixes / held.sum() if held.sum() > 0 else np.zeros(mixes.shape[1]))
