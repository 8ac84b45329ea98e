"""What stands beside a system's own answers: the anchors, and the rule that measures onsets.

A user brings responses alone; the anchors that they lack are made here, on the same episodes, so
that every table of scores says what its numbers mean. Without the table ``points`` nobody knows
what the real partner did: the human is then drawn from the human law.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from tact import frames
from tact.errors import InputError
from tact.settings import System as Setting
from tact.systems.anchors import Drawn, make
from tact.systems.overlap import windows
from tact.systems.protocol import System, respond
from tact.vocabulary import T_A_S

ANCHORS = ("never", "fixed", "blind", "median", "human")
"""Kinds of systems that are anchors."""


class Measured(NamedTuple):
    """Responses with each onset that is none to its point taken out, and how many those were."""

    responses: pd.DataFrame
    early: int
    late: int

    @property
    def said(self) -> str:
        """What is said of a table that was measured."""
        return f"{self.early} onsets before the focal turn, {self.late} after h: no response"


def anchors(
    responses: pd.DataFrame,
    episodes: pd.DataFrame | None,
    points: pd.DataFrame | None,
    posteriors: pd.DataFrame,
    laws: pd.DataFrame,
    *,
    settings: Mapping[str, Setting],
    mode: str,
    seed: int,
) -> pd.DataFrame:
    """Let every anchor of the config that ``responses`` lack answer their episodes.

    Parameters
    ----------
    episodes, points : tables or None; without points the human is drawn from the law

    Returns
    -------
    table ``responses`` of the anchors alone

    Raises
    ------
    InputError
        There is nothing for them to stand beside.
    """
    if responses.empty:
        raise InputError("responses: no row, so no system to score; run tact respond or tact hear")
    if episodes is None:
        named = pd.DataFrame({"episode": sorted(responses["episode"].unique())})
        episodes = named.assign(point=named["episode"], corpus="", scenario="", weight=1.0)
    drawn = points is None
    if points is None:
        points = _unseen(episodes)
    parts = []
    for name in sorted(set(settings) - set(responses["system"].unique())):
        own = settings[name]
        if own.kind not in ANCHORS:
            continue
        law_alone = drawn and own.kind == "human"
        system: System = (
            Drawn(seed, blind=False) if law_alone else make(name, own, held=None, seed=seed)
        )
        answers = respond(name, system, episodes, points, posteriors, laws, settings=own, mode=mode)
        parts.append(answers)
    return frames.join(parts, "responses")


def measure(responses: pd.DataFrame, episodes: pd.DataFrame, points: pd.DataFrame) -> Measured:
    """Take out each onset that does not respond to its point, as is done for people.

    An onset counts in [max(-T_a, start of the focal turn), h), h the start of the focal speaker's
    next IPU, at most T_h. One before -T_a is left in: the scores refuse it.
    """
    window = windows(episodes, points)
    window["opened"] = window["turn_ms"].clip(lower=round(-1000 * T_A_S))
    window = window[["episode", "opened", "closed_ms"]]
    rows = responses.merge(window, on="episode", how="left", validate="many_to_one")
    onset = rows["onset_ms"]
    early = (onset >= round(-1000 * T_A_S)) & (onset < rows["opened"])
    late = onset >= rows["closed_ms"]
    early, late = early.fillna(False).astype(bool), late.fillna(False).astype(bool)
    gone = (early | late).to_numpy()
    kept = responses.reset_index(drop=True).copy()
    kept.loc[gone, ["onset_ms", "duration_ms"]] = pd.NA
    return Measured(kept, int(early.sum()), int(late.sum()))


def say_given(responses: pd.DataFrame, settings: Mapping[str, Setting]) -> str:
    """Say which anchors are not made here, since a system of that name is among the responses."""
    anchors = {name for name, own in settings.items() if own.kind in ANCHORS}
    given = sorted(anchors & set(responses["system"].unique()))
    return f"as given, not made: {', '.join(given)}" if given else ""


def say_drawn(
    composites: pd.DataFrame, beside: pd.DataFrame, settings: Mapping[str, Setting]
) -> pd.DataFrame:
    """Flag the rows of a human that was drawn from the law: ``drawn``."""
    drawn = [name for name in beside["system"].unique() if settings[name].kind == "human"]
    here = composites["system"].isin(drawn)
    flags = ("drawn," + composites["flags"]).str.rstrip(",").where(here, composites["flags"])
    return composites.assign(flags=flags)


def _unseen(episodes: pd.DataFrame) -> pd.DataFrame:
    """Stand in for the points of episodes of which nothing is known but that they are."""
    return pd.DataFrame(
        {
            "point": episodes["point"].to_numpy(),
            "t0_ms": 0,
            "turn_start_ms": round(-1000 * T_A_S),
            "focal_next_ms": pd.NA,
            "response_ms": pd.NA,
            "response_duration_ms": pd.NA,
        }
    )
