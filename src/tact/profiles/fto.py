"""The law of a speaker's own floor-transfer offsets, drawn to what speakers of the corpus are like.

What they are like is learned from conversations of the train split alone, so that no profile rests
on talk that an episode asks about.
"""

from collections.abc import Collection

import numpy as np
import pandas as pd

from tact import keys
from tact.clock import FloatArray, IntArray
from tact.fitting import ExGaussianFamily, Prior, drawn, learn
from tact.laws import ExGaussian
from tact.settings import Profiles
from tact.vocabulary import T_A_S, T_H_S

LAW = ("fto_mu_ms", "fto_sigma_ms", "fto_tau_ms")
_FAMILY = ExGaussianFamily()
_START_SPREAD = 0.1


class FtoLaws:
    """Ex-Gaussian laws of FTO for the speakers of one corpus."""

    def __init__(
        self, transfers: pd.DataFrame, train: Collection[str], *, settings: Profiles, seed: int
    ) -> None:
        """Learn from the speakers who take the floor in the conversations of ``train``.

        At most ``fto_law_speakers`` of them, by a draw from their names, each with
        ``fto_law_min`` FTOs or more inside T.
        """
        self._least = settings.fto_law_min
        self._known: dict[bytes, FloatArray] = {}
        told = transfers[transfers["conversation"].isin(set(train))]
        samples = {
            str(speaker): _inside(fto.to_numpy(np.int64))
            for speaker, fto in told.groupby("taker")["fto_ms"]
        }
        able = sorted(
            (name for name, onsets in samples.items() if onsets.size >= self._least),
            key=lambda name: (keys.draw(seed, "fto law", name), name),
        )
        chosen = [samples[name] for name in able[: settings.fto_law_speakers]]
        self._prior = learn(chosen, _start(np.concatenate(chosen))) if len(chosen) > 1 else None

    def of(self, fto_ms: IntArray) -> tuple[dict[str, float | None], str]:
        """Give the law of some FTOs in ms, or why there is none."""
        onsets = np.sort(_inside(fto_ms))
        if self._prior is None:
            return dict.fromkeys(LAW), "fewer than two train speakers with FTOs enough"
        if onsets.size < self._least:
            return dict.fromkeys(LAW), f"under {self._least} floor transfers"
        content = onsets.tobytes()
        if content not in self._known:
            self._known[content] = drawn(onsets, self._prior)[0]
        law = _FAMILY.density(self._known[content])
        values = (round(1000 * value, 1) for value in (law.mu, law.sigma, law.tau))
        return dict(zip(LAW, values, strict=True)), ""


def _inside(fto_ms: IntArray) -> FloatArray:
    """Give the FTOs inside T, s."""
    seconds = fto_ms / 1000.0
    return np.asarray(seconds[(seconds >= -T_A_S) & (seconds < T_H_S)])


def _start(onsets: FloatArray) -> Prior:
    """Begin where half of the variance is the exponential's."""
    spread = float(onsets.std()) / np.sqrt(2.0) + 0.01
    law = ExGaussian(float(onsets.mean()) - spread, spread, spread)
    return Prior(_FAMILY, _FAMILY.theta(law), _START_SPREAD * np.eye(3))
