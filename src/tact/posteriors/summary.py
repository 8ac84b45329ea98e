"""Tables ``agreement`` and ``calibration``: what the labels are worth."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tact import agreement
from tact.calibration import Latent
from tact.posteriors.evidence import HUMAN, WEAK, Evidence
from tact.vocabulary import INTENTS

Row = dict[str, object]
ALL = "all"


def agreement_rows(evidence: Evidence) -> Iterator[Row]:
    """Measure how far people agree, by corpus and over all: on intent, silence and window.

    Alpha is nominal for intents and interval for the rest (on true and false the two are one).
    """
    labels = evidence.labels.assign(corpus=evidence.corpus[evidence.labels["at"]])
    people = labels[labels["kind"] == HUMAN]
    for corpus in [*sorted(labels["corpus"].unique()), ALL]:
        mine = labels if corpus == ALL else labels[labels["corpus"] == corpus]
        votes = people if corpus == ALL else people[people["corpus"] == corpus]
        for what in ("intent", "silence_ok", "window_start_ms", "window_end_ms"):
            yield {"what": what, "corpus": corpus, **_alpha(votes, mine, what)}


def _alpha(votes: pd.DataFrame, labels: pd.DataFrame, what: str) -> Row:
    if votes.empty:
        weak = [kind for kind in WEAK if (labels["kind"] == kind).any()]
        reason = f"{weak[0]} alone: one source per unit" if weak else "no labels by people"
        return {"alpha": None, "n_units": 0, "n_annotators": 0, "reason": reason}
    if what == "intent":
        value = pd.Index(INTENTS).get_indexer(votes["intent"]).astype(np.float64)
        level: agreement.Level = "nominal"
    else:
        value = votes[what].astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)
        level = "interval"
    found = agreement.alpha(votes["at"].to_numpy(np.int64), value, level=level)
    return {
        "alpha": found.alpha,
        "n_units": found.n_units,
        "n_annotators": int(votes["annotator"][~np.isnan(value)].nunique()),
        "reason": found.reason,
    }


def latent_rows(
    latent: Latent, annotators: list[str], counts: list[int], groups: list[str], sizes: list[int]
) -> Iterator[Row]:
    """List the confusions of each annotator and the shares of each group of units."""
    for who, matrix, n in zip(annotators, latent.confusion, counts, strict=True):
        for true, said in zip(INTENTS, matrix, strict=True):
            for label, value in zip(INTENTS, said, strict=True):
                name = f"confusion:{who}:{true}:{label}"
                yield {"name": name, "value": float(value), "n": n, "reason": None}
    for group, row, n in zip(groups, latent.shares, sizes, strict=True):
        for intent, value in zip(INTENTS, row, strict=True):
            yield {"name": f"share:{group}:{intent}", "value": float(value), "n": n, "reason": None}


def judge_rows(latent: Latent, n: int) -> Iterator[Row]:
    """List what the annotators taught of the judge: its sharpness and its bias by intent."""
    reason = "learned with the confusions; a sharpness below 1 softens the judge"
    yield {"name": "judge_sharpness", "value": latent.sharpness, "n": n, "reason": reason}
    for intent, value in zip(INTENTS, latent.bias, strict=True):
        yield {"name": f"judge_bias:{intent}", "value": float(value), "n": n, "reason": None}
