"""What else the train points tell: how long responses are, and what each speaker tends to mean."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tact.clock import FloatArray
from tact.reference.slices import ALL, Train
from tact.vocabulary import INTENTS, SCENARIOS, T_A_S, T_H_S

LONGEST_MS = 30_000
STEP_MS = 50
BIN_MS = 100
MERGED = {"ref": "ref+rhe+hold", "rhe": "ref+rhe+hold", "hold": "ref+rhe+hold"}
"""Their onset laws are too alike to tell a speaker's shares of them apart."""


def durations(train: Train, r: FloatArray, *, least: float) -> pd.DataFrame:
    """Measure the law of response length by intent and scenario.

    Parameters
    ----------
    train : labelled points of the slice ``all``
    r : (n, K) P(z | labels, y): with the labels alone, the rare responses to ``hold`` would be
        outnumbered by mislabelled ones
    least : with fewer responses than this in a cell, those of all intents in the scenario stand
        for it; with fewer in the scenario too, all responses

    Returns
    -------
    table ``durations``
        Weighted ECDF on a 50 ms grid, lengths cut to 30 s; no row where nobody responded.
    """
    length = train.points["response_duration_ms"]
    known = np.asarray(length.notna().to_numpy(dtype=bool)) & np.isfinite(train.onsets)
    if not known.any():
        return pd.DataFrame(columns=["slice", "intent", "scenario", "t_ms", "cdf"])
    capped = np.minimum(length[known].to_numpy(np.int64), LONGEST_MS)
    step = -(-capped // STEP_MS)
    weights, scenario = r[known], train.points["scenario"][known].to_numpy(object)
    parts = []
    for name in SCENARIOS:
        here = scenario == name
        for z, intent in enumerate(INTENTS):
            ladder = weights[:, z] * here, 1.0 * here, np.ones(here.size)
            weight = next((w for w in ladder if w.sum() >= least), ladder[-1])
            counts = np.bincount(step, weight, LONGEST_MS // STEP_MS + 1).cumsum()
            parts.append(
                pd.DataFrame(
                    {
                        "slice": ALL,
                        "intent": intent,
                        "scenario": name,
                        "t_ms": np.arange(counts.size, dtype=np.int64) * STEP_MS,
                        "cdf": np.minimum(counts / counts[-1], 1.0),
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def onsets(name: str, intents: Sequence[str], train: Train, r: FloatArray) -> pd.DataFrame:
    """Count the responses of a slice by bin of onset: table ``onsets``.

    ``train`` are the points of the slice, r (n, K) is P(z | labels, y) of ``intents``.
    """
    answered = np.isfinite(train.onsets)
    # An onset on an edge falls right of it, whatever its nearest float.
    at = np.floor(train.onsets[answered] * 1000 / BIN_MS + 1e-6).astype(np.int64)
    first, last = round(-T_A_S * 1000 / BIN_MS), round(T_H_S * 1000 / BIN_MS)
    counts = np.stack(
        [np.bincount(at - first, column, last - first) for column in r[answered].T], axis=1
    )
    return pd.DataFrame(
        {
            "slice": name,
            "intent": np.repeat(list(intents), len(counts)),
            "t_ms": np.tile(np.arange(first, last, dtype=np.int64) * BIN_MS, len(intents)),
            "responses": counts.T.ravel(),
        }
    )


def speaker_priors(train: Train) -> pd.DataFrame:
    """Average the posteriors of each focal speaker's train points: table ``speaker_priors``."""
    mine = train.of(train.labelled)
    wide = pd.DataFrame(mine.q, columns=list(INTENTS))
    merged = wide.T.groupby([MERGED.get(intent, intent) for intent in INTENTS]).sum().T
    by_speaker = merged.groupby(mine.points["focal"].to_numpy(object))
    means = by_speaker.mean().rename_axis(index="speaker", columns="intent")
    long = means.stack().rename("probability").reset_index()
    long["n_points"] = long["speaker"].map(by_speaker.size()).astype("int64")
    return long
