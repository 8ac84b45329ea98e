"""Train points of known intent with onsets of the paper's laws, and the laws that they give."""

import numpy as np
import pandas as pd

from made_world import LAWS, SETTINGS
from tact import frames
from tact.reference import build
from tact.vocabulary import INTENTS

SET = SETTINGS.reference.model_copy(
    update={
        "resolution_ms": 50,
        "axes": ["corpus", "gender"],
        "resamples": 100,
        "ks_resamples": 9,
    }
)

SHARES = {"ans": 0.10, "ref": 0.10, "rhe": 0.28, "hold": 0.36, "bck": 0.08, "abn": 0.08}


def world(rng, n, *, corpus="candor", gender=("female", "male"), shares=SHARES):
    """Draw n train points of known intent with an onset of the paper's law for each."""
    intent = rng.choice(list(shares), n, p=list(shares.values()))
    onset = np.empty(n)
    for z in shares:
        onset[intent == z] = LAWS[z].sample(int((intent == z).sum()), rng)
    focal = rng.integers(0, 20, n)
    rows = [
        {
            "point": f"{corpus}{k:05d}", "corpus": corpus, "scenario": "smooth", "split": "train",
            "split_group": f"{corpus}:{focal[k] // 2}", "conversation": f"{corpus}:{focal[k]}",
            "focal": f"{corpus}:s{focal[k]}", "partner": "p", "t0_ms": 10_000 * k,
            "ipu_start_ms": 0, "turn_start_ms": 0, "context_start_ms": 0,
            "response_ms": None if np.isinf(onset[k]) else round(onset[k] * 20) * 50,
            "response_duration_ms": None if np.isinf(onset[k]) else 400 + 100 * (k % 5),
            "carry_over": False, "third_party": False, "reasons": "",
        }
        for k in range(n)
    ]  # fmt: skip
    points = frames.frame(rows, "points")
    late = points["response_ms"] >= 5000
    points.loc[late, ["response_ms", "response_duration_ms"]] = None
    people = sorted(set(points["focal"]))
    speakers = [
        {"corpus": corpus, "speaker": name, "gender": gender[k % len(gender)]}
        for k, name in enumerate(people)
    ]
    recordings = [
        {
            "corpus": corpus, "conversation": name, "channel": 0, "speaker": "x",
            "duration_ms": 1, "licence": "", "mixed": False, "language": "en",
            "split_group": name,
        }
        for name in sorted(set(points["conversation"]))
    ]  # fmt: skip
    return {
        "points": points,
        "frame": points[["point", "conversation", "focal", "split_group"]],
        "posteriors": posteriors_of(dict(zip(points["point"], intent, strict=True))),
        "speakers": frames.frame(speakers, "speakers"),
        "recordings": frames.frame(recordings, "recordings"),
        "labels": frames.empty("labels"),
    }


def posteriors_of(intents, mode="calibrated"):
    rows = [
        {"point": point, "mode": mode, "intent": z, "probability": float(z == intent)}
        for point, intent in intents.items()
        for z in INTENTS
    ]
    return frames.frame(rows, "point_posteriors")


def joined(*worlds):
    return {name: pd.concat([w[name] for w in worlds], ignore_index=True) for name in worlds[0]}


def laws_of(made):
    return made.laws.set_index(["slice", "intent"])


def reference(tables, settings=SET, seed=1):
    return build(**tables, settings=settings, seed=seed)
