"""Small benches for tests: episodes with posteriors, points, laws, and the answers of systems."""

from pathlib import Path

import numpy as np
import pandas as pd

from tact import config, frames
from tact.laws import paper_laws, paper_rows
from tact.vocabulary import INTENTS, SCENARIOS

SETTINGS = config.load([Path(__file__).resolve().parents[1] / "config.yaml"])
SHARES = np.array([SETTINGS.reference.paper[intent].share for intent in INTENTS])
LAWS = paper_laws(SETTINGS.reference.paper)


def laws():
    """Table laws with the paper's."""
    return frames.frame(paper_rows(SETTINGS.reference.paper), "laws")


def episodes(n, scenarios=SCENARIOS, **columns):
    """Table episodes: ids candor-00, candor-01, ..., scenarios in turn, two to a dyad."""
    row = {"corpus": "candor", "split": "test", "conversation": "candor:c", "focal": "candor:a",
           "partner": "candor:b", "context_start_ms": 0, "horizon_end_ms": 9_000,
           "rights": "audio", "weight": 1.0, "strata": [{} for _ in range(n)]}  # fmt: skip
    frame = pd.DataFrame(
        {
            "episode": [f"candor-{i:02}" for i in range(n)],
            "point": [f"{i:016x}" for i in range(n)],
            "scenario": [scenarios[i % len(scenarios)] for i in range(n)],
            "split_group": [f"dyad-{i // 2}" for i in range(n)],
            "t0_ms": 10_000 * np.arange(1, n + 1),
        }
    )
    return frames.check(frame.assign(**(row | columns)), "episodes")


def points(of, response_ms=None, duration_ms=None, **columns):
    """Table points, one for each episode."""
    row = {"split": "test", "ipu_start_ms": 0, "turn_start_ms": 0, "context_start_ms": 0,
           "carry_over": False, "third_party": False, "reasons": ""}  # fmt: skip
    named = of[["point", "corpus", "scenario", "split_group", "conversation", "focal", "partner",
                "t0_ms"]]  # fmt: skip
    given = {
        "response_ms": whole(response_ms, len(of)),
        "response_duration_ms": whole(duration_ms, len(of)),
    }
    return frames.check(named.assign(**(row | given | columns)), "points")


def posteriors(of, probability, mode="fused"):
    """Table posteriors from (n, 6) rows, or from one intent for all."""
    if isinstance(probability, str):
        probability = np.tile(np.eye(6)[INTENTS.index(probability)], (len(of), 1))
    frame = pd.DataFrame(
        {
            "episode": np.repeat(of["episode"].to_numpy(), len(INTENTS)),
            "mode": mode,
            "intent": np.tile(INTENTS, len(of)),
            "probability": np.asarray(probability, dtype=float).ravel(),
        }
    )
    return frames.check(frame, "posteriors")


def responses(of, onset_ms, duration_ms=None, system="mine", run=0, **columns):
    """Table responses, one row for each episode; None is no response, and has no length."""
    frame = pd.DataFrame(
        {
            "system": system,
            "episode": of["episode"].to_numpy(),
            "run": run,
            "onset_ms": whole(onset_ms, len(of)),
            "duration_ms": whole(duration_ms, len(of)),
            "status": "ok",
            "primed": False,
        }
    )
    frame["duration_ms"] = frame["duration_ms"].mask(frame["onset_ms"].isna())
    return frames.check(frame.assign(**columns), "responses")


def draws(rng, n, *, soft=False):
    """Posteriors (n, 6) with the prior as their mean, and human onsets in ms; None is silence."""
    posterior = rng.dirichlet(4 * SHARES, n) if soft else np.eye(6)[rng.choice(6, n, p=SHARES)]
    intent = (rng.random((n, 1)) > np.cumsum(posterior, axis=1)).sum(axis=1).clip(0, 5)
    u = rng.random(n)
    onset = np.empty(n)
    for z, law in enumerate(LAWS.values()):
        onset[intent == z] = law.quantile(u[intent == z])
    return posterior, [None if np.isinf(y) else round(1000 * y) for y in onset]


def whole(values, n):
    """Whole numbers with gaps; one value stands for all."""
    if values is None or np.isscalar(values):
        values = [values] * n
    return pd.array(list(values), dtype="Int64")
