"""Made annotators and a made judge, who know the truth through noise.

A unit (a point) is matched to the candidate of the truth with the same conversation and focal
speaker whose t0 is nearest, within 300 ms. What annotators and judge say depends on that
candidate's intent alone, never on the response, so that labels leak nothing.

- Three to five annotators vote. A vote is right with the annotator's accuracy, else it falls on
  another intent, a similar one sooner (`SIMILAR`).
- Silence is acceptable at a unit in a share beta_z of units, for all annotators but for flips.
- The acceptable window is the 10 to 90 % range of the onsets of the intent they voted for.
- The judge hears evidence e ~ N(2 * onehot(z), I). p(z | e) is then known exactly; what it states
  is p^(1 / temperature), too sure of itself below 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray, to_ms
from tact.keys import digest, draw, generator
from tact.laws import Law
from tact.vocabulary import INTENTS

MATCH_MS = 300
FEWEST = 3
ACCURACY_SPREAD = 0.02
SILENCE_FLIPS = 0.05
SAW_SHARE = 0.05
WINDOW = (0.1, 0.9)
WINDOW_JITTER_MS = 200
EVIDENCE = 2.0
MODEL = "made-judge-1"
SIMILAR = {
    "ans": {"ref": 0.50, "bck": 0.20, "rhe": 0.15, "hold": 0.10, "abn": 0.05},
    "ref": {"ans": 0.40, "rhe": 0.30, "hold": 0.15, "bck": 0.10, "abn": 0.05},
    "rhe": {"ref": 0.30, "hold": 0.30, "bck": 0.25, "ans": 0.10, "abn": 0.05},
    "hold": {"abn": 0.35, "bck": 0.35, "rhe": 0.20, "ref": 0.07, "ans": 0.03},
    "bck": {"hold": 0.45, "rhe": 0.25, "abn": 0.15, "ref": 0.10, "ans": 0.05},
    "abn": {"hold": 0.65, "bck": 0.20, "rhe": 0.10, "ref": 0.03, "ans": 0.02},
}
"""Where a wrong vote falls, by true intent; each row sums to 1."""


@dataclass(frozen=True)
class Panel:
    """Who labels, how well, and what they take the laws to be.

    ``accuracy`` is an annotator's chance of the true intent, up to .02 more or less by annotator;
    .88 gives an alpha near .73 (errors are drawn apart, so two wrong votes seldom agree).
    """

    seed: int
    annotators: int
    accuracy: float
    judge_temperature: float
    laws: Mapping[str, Law]
    shares: Mapping[str, float]


@dataclass(frozen=True)
class Draws:
    """Five numbers in [0, 1) from the content of a unit and an annotator."""

    rank: float
    vote: float
    silence: float
    window: float
    saw: float

    @classmethod
    def of(cls, *parts: object) -> "Draws":
        """Cut one digest into five draws of 12 digits."""
        code = digest(*parts)
        cuts = (int(code[at : at + 12], 16) / 16.0**12 for at in range(0, 60, 12))
        return cls(*cuts)


def match(units: pd.DataFrame, truth: pd.DataFrame) -> pd.DataFrame:
    """Find the candidate of the truth that each unit stands for.

    Parameters
    ----------
    units : columns of table ``points``
        point, conversation, focal, t0_ms.
    truth : candidates of the truth
        conversation, focal, t0_ms, intent.

    Returns
    -------
    table
        point and the true intent, in the order of the points; units without a candidate within
        300 ms are not in it.
    """
    by = ["conversation", "focal"]
    left = units[["point", *by, "t0_ms"]].sort_values(["t0_ms", "point"])
    right = truth[[*by, "t0_ms", "intent"]].sort_values(["t0_ms", *by])
    matched = pd.merge_asof(left, right, on="t0_ms", by=by, direction="nearest", tolerance=MATCH_MS)
    found = matched.loc[matched["intent"].notna(), ["point", "intent"]]
    return found.sort_values("point", ignore_index=True)


def label(matched: pd.DataFrame, panel: Panel) -> pd.DataFrame:
    """Let three to ``panel.annotators`` people label each unit: table ``labels``."""
    names = [f"annotator{number + 1}" for number in range(panel.annotators)]
    rows = {name: _confusions(name, panel) for name in names}
    windows = {intent: _window(panel.laws[intent]) for intent in INTENTS}
    said = [
        vote
        for point, intent in matched[["point", "intent"]].itertuples(index=False, name=None)
        for vote in _votes(point, intent, rows, windows, panel)
    ]
    return frames.frame(said, "labels")


def judge(matched: pd.DataFrame, panel: Panel) -> pd.DataFrame:
    """Let the judge state a probability of each intent at each unit: table ``judge``."""
    n_units, points = len(matched), matched["point"].tolist()
    evidence = np.zeros((n_units, len(INTENTS)))
    for row, point in enumerate(points):
        evidence[row] = generator(panel.seed, "judge", point).standard_normal(len(INTENTS))
    true = np.array([INTENTS.index(intent) for intent in matched["intent"]], dtype=np.int64)
    evidence[np.arange(n_units), true] += EVIDENCE
    stated = sharpen(evidence, panel)
    return pd.DataFrame(
        {
            "unit": np.repeat(points, len(INTENTS)),
            "intent": list(INTENTS) * n_units,
            "probability": stated.ravel(),
            "model": MODEL,
            "prompt_sha256": digest(MODEL),
        }
    )


def sharpen(evidence: FloatArray, panel: Panel) -> FloatArray:
    """Turn evidence, (n, 6), into what the judge states, (n, 6): rows sum to 1.

    p(z | e) is in proportion to share_z exp(2 e_z), since the evidence of each intent is normal
    with variance 1 around 2 or 0.
    """
    prior = np.log([panel.shares[intent] for intent in INTENTS])
    logits = (prior + EVIDENCE * evidence) / panel.judge_temperature
    weights = np.exp(logits - logits.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def script(matched: pd.DataFrame) -> pd.DataFrame:
    """Label probes with the intent that they were told to have: table ``labels``."""
    labels = matched.rename(columns={"point": "unit"})
    return frames.check(
        labels.assign(annotator="script", kind="script", probability=1.0, saw_continuation=False),
        "labels",
    )


def _confusions(name: str, panel: Panel) -> Mapping[str, tuple[FloatArray, tuple[str, ...]]]:
    """Give, by true intent, the cumulative chances of each vote of one annotator."""
    lean = 2 * draw(panel.seed, "accuracy", name) - 1
    accuracy = float(np.clip(panel.accuracy + ACCURACY_SPREAD * lean, 0, 1))
    rows = {}
    for intent, similar in SIMILAR.items():
        chances = [accuracy, *((1 - accuracy) * share for share in similar.values())]
        rows[intent] = (np.cumsum(chances), (intent, *similar))
    return rows


def _window(law: Law) -> tuple[int, int]:
    low, high = law.quantile(np.array(WINDOW) * (1.0 - law.no_response))
    return to_ms(float(low)), to_ms(float(high))


def _votes(
    point: str,
    intent: str,
    rows: Mapping[str, Mapping[str, tuple[FloatArray, tuple[str, ...]]]],
    windows: Mapping[str, tuple[int, int]],
    panel: Panel,
) -> Iterator[dict[str, object]]:
    draws = {name: Draws.of(panel.seed, "label", point, name) for name in rows}
    n_votes = FEWEST + int(draw(panel.seed, "panel", point) * (panel.annotators - FEWEST + 1))
    silent = draw(panel.seed, "silence", point) < panel.laws[intent].no_response
    careless = next(iter(rows))
    for name in sorted(rows, key=lambda name: draws[name].rank)[:n_votes]:
        own = draws[name]
        chances, intents = rows[name][intent]
        vote = intents[min(int(np.searchsorted(chances, own.vote)), len(intents) - 1)]
        start_ms, end_ms = windows[vote]
        jitter_ms = 10 * round((own.window - 0.5) * WINDOW_JITTER_MS / 5)
        yield {
            "unit": point,
            "annotator": name,
            "kind": "human",
            "intent": vote,
            "probability": 1.0,
            "silence_ok": silent != (own.silence < SILENCE_FLIPS),
            "window_start_ms": start_ms + jitter_ms,
            "window_end_ms": end_ms + jitter_ms,
            "saw_continuation": name == careless and own.saw < SAW_SHARE,
        }
