"""The anchors: never, one fixed onset, the intent-blind marginal, the median, the real partner.

They bound what a score means. Only the human has a voice: in an interruption the others hold no
floor, and their overlap is null there; so is the human's where no IPUs tell how long the partner
went on.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact import keys
from tact.clock import FloatArray
from tact.errors import ConfigError
from tact.kernels import GRID_MS, GRID_S
from tact.settings import System as Setting
from tact.systems.protocol import Response, System, Task
from tact.vocabulary import PROBES


@dataclass(frozen=True)
class Never:
    """Never responds."""

    def respond(self, task: Task, run: int) -> Response | None:
        """Stay silent."""
        return _anchor(task, None)


@dataclass(frozen=True)
class Fixed:
    """Responds always at the same onset."""

    onset_ms: int

    def respond(self, task: Task, run: int) -> Response | None:
        """Respond at the onset of the setting."""
        return _anchor(task, self.onset_ms)


@dataclass(frozen=True)
class Median:
    """Responds at the median of P_q, the atom included: the best policy for the episode score."""

    def respond(self, task: Task, run: int) -> Response | None:
        """Respond where P_q reaches one half; not at all where it never does."""
        law = task.law
        return _anchor(task, None if law is None else median_ms(law))


@dataclass(frozen=True)
class Drawn:
    """Draws its onset from a human law, keyed by seed, episode and run.

    ``blind``: from the intent-blind human marginal, the same law for every episode; else from the
    episode's own P_q, as a person would.
    """

    seed: int
    blind: bool

    def respond(self, task: Task, run: int) -> Response | None:
        """Respond where the law reaches the draw; not at all where it never does."""
        law = task.marginal if self.blind else task.law
        if law is None:
            return _anchor(task, None)
        share = keys.draw(self.seed, "anchor", self.blind, task.episode.episode, run)
        return _anchor(task, quantile_ms(law, share))


@dataclass(frozen=True)
class Human:
    """Responds as the real partner did; not defined on probes, which no human answered.

    ``held`` names the interruptions in which the partner held the floor; None where that is
    unknown.
    """

    held: Collection[str] | None

    def respond(self, task: Task, run: int) -> Response | None:
        """Repeat the partner's first onset and its length."""
        if task.episode.corpus == PROBES:
            return None
        held = None
        if self.held is not None and task.episode.scenario == "interruption":
            held = task.episode.episode in self.held
        onset, duration = task.point.response_ms, task.point.response_duration_ms
        return Response(
            onset_ms=None if pd.isna(onset) else int(onset),
            duration_ms=None if pd.isna(duration) else int(duration),
            status="ok",
            primed=True,
            floor_held=held,
        )


def make(name: str, setting: Setting, *, held: Collection[str] | None, seed: int) -> System:
    """Make the system of an entry of the config; ``held`` is the human's.

    Raises
    ------
    ConfigError
        A fixed anchor has no onset.
    """
    if setting.kind == "never":
        return Never()
    if setting.kind == "median":
        return Median()
    if setting.kind == "blind":
        return Drawn(seed, blind=True)
    if setting.kind == "human":
        return Human(held)
    if setting.onset_s is None:
        raise ConfigError(f"systems.{name}: kind fixed needs onset_s")
    return Fixed(round(1000 * setting.onset_s))


def median_ms(law: FloatArray) -> int | None:
    """Find where a sub-CDF on the 1 ms grid reaches one half, to the nearest ms; None if never."""
    return quantile_ms(law, 0.5)


def quantile_ms(law: FloatArray, share: float) -> int | None:
    """Find where a sub-CDF on the 1 ms grid reaches a share, to the nearest ms; None if never."""
    if law[-1] <= share:
        return None
    after = int(np.searchsorted(law, share, side="left"))
    if after == 0:
        return int(GRID_MS[0])
    between = np.interp(share, law[after - 1 : after + 1], GRID_S[after - 1 : after + 1])
    return round(1000 * float(between))


def _anchor(task: Task, onset_ms: int | None) -> Response:
    held = False if task.episode.scenario == "interruption" else None
    return Response(onset_ms, None, status="ok", primed=False, floor_held=held)
