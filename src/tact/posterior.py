"""q(z | e) of episodes as an array, by one rule for whoever scores or answers them."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from tact.clock import Flags, FloatArray
from tact.vocabulary import INTENTS

SCRIPT = "script"


class Posterior(NamedTuple):
    """What is known of the intent of some episodes, one row for each.

    Attributes
    ----------
    q : (n, K) in the order of the intents; 0 where nothing is known
    known : (n,) there is a posterior
    scripted : (n,) it is the scripted intent (a probe)
    """

    q: FloatArray
    known: Flags
    scripted: Flags


def of(episodes: "pd.Series[str]", posteriors: pd.DataFrame, *, mode: str) -> Posterior:
    """Line up the posteriors of ``mode`` with episodes; a script goes before the mode."""
    chosen = posteriors[posteriors["mode"].isin([mode, SCRIPT])]
    scripted = set(chosen.loc[chosen["mode"] == SCRIPT, "episode"])
    chosen = chosen[(chosen["mode"] == SCRIPT) | ~chosen["episode"].isin(scripted)]
    wide = chosen.pivot(index="episode", columns="intent", values="probability")
    wide = wide.reindex(index=episodes, columns=list(INTENTS))
    return Posterior(
        q=wide.fillna(0.0).to_numpy(np.float64),
        known=wide.notna().any(axis=1).to_numpy(),
        scripted=episodes.isin(scripted).to_numpy(),
    )
