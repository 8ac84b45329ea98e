"""How a system meets an episode, and how its answer is measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray
from tact.errors import InputError
from tact.kernels import GRID_S
from tact.laws import laws_of
from tact.settings import System as Setting
from tact.vocabulary import INTENTS, T_A_S, T_H_S

_SCRIPT = "script"


@dataclass(frozen=True)
class Task:
    """One episode as a system meets it.

    Attributes
    ----------
    episode, point : rows of these tables
    law : P_q on the 1 ms grid over T, the human law mixed by the posterior; None without one
    """

    episode: Any
    point: Any
    law: FloatArray | None


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
    at = points.set_index("point")
    if len(lost := episodes[~episodes["point"].isin(at.index)]):
        raise InputError(
            f"points: no row for the point of {len(lost)} of {len(episodes)} episodes"
            f" (first: {lost['episode'].iloc[0]}); give every --points of the build"
        )
    at = at.loc[episodes["point"]]
    rows = []
    laws_by_episode = _mixed_laws(episodes, posteriors, laws, mode=mode)
    joined = zip(episodes.itertuples(), at.itertuples(), laws_by_episode, strict=True)
    for episode, point, law in joined:
        for run in range(settings.runs):
            response = system.respond(Task(episode, point, law), run)
            if response is not None:
                rows.append(_row(name, episode.episode, run, response, point))
    return frames.frame(rows, "responses")


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


def _mixed_laws(
    episodes: pd.DataFrame, posteriors: pd.DataFrame, laws: pd.DataFrame, *, mode: str
) -> Iterator[FloatArray | None]:
    """Mix the laws of slice ``all`` by each episode's posterior, on the 1 ms grid."""
    by_intent = laws_of(laws, "all")
    known = [intent for intent in INTENTS if intent in by_intent]
    curves = np.stack([by_intent[intent].cdf(GRID_S) for intent in known])
    chosen = posteriors[posteriors["mode"].isin([mode, _SCRIPT])]
    wide = chosen.pivot(index=["episode", "mode"], columns="intent", values="probability")
    wide = wide.reindex(columns=known).fillna(0.0)
    held = dict(zip(wide.index, wide.to_numpy(), strict=True))
    for episode in episodes["episode"]:
        key = next((k for k in ((episode, _SCRIPT), (episode, mode)) if k in held), None)
        yield None if key is None else held[key] @ curves
