"""Profiles: what is known of the focal speaker of an episode from elsewhere, and from where.

Tables in: ``episodes``, ``recordings``, ``words``, ``ipus``, ``pauses``,
``backchannels``, ``transfers`` of one corpus. Tables out: ``profiles``, ``evidence``, ``swap``. A
profile holds behaviour only: no intent, no label and no response to a decision point enters it.
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from tact import frames
from tact.profiles.events import Spans, Talk
from tact.profiles.evidence import allot
from tact.profiles.features import measure
from tact.profiles.fto import FtoLaws
from tact.profiles.swap import FEATURES, swap
from tact.profiles.synopsis import describe
from tact.settings import Corpus, Profiles

__all__ = [
    "FEATURES",
    "Built",
    "FtoLaws",
    "Talk",
    "allot",
    "build",
    "describe",
    "measure",
    "swap",
]


class Built(NamedTuple):
    """The three tables of one corpus."""

    profiles: pd.DataFrame
    evidence: pd.DataFrame
    swap: pd.DataFrame


def build(
    episodes: pd.DataFrame,
    recordings: pd.DataFrame,
    talk: Talk,
    laws: FtoLaws,
    *,
    entry: Corpus,
    settings: Profiles,
    silence_min_ms: int,
    seed: int,
) -> Built:
    """Profile the focal speaker of each episode from evidence that touches no test clip.

    Parameters
    ----------
    episodes, recordings : tables of those names
        Of one corpus, in any order.
    talk : Talk
        Who spoke when in that corpus, found by conversation.
    laws : FtoLaws
        What laws of FTO are like in that corpus.
    entry : Corpus
        Language, layout, and whether its words abut.
    settings : Profiles
        Evidence sought, margin, fillers, connectives.
    silence_min_ms : int
        An own silence of this length or more could have been filled by another.
    seed : int
        Seed of the run; it orders the conversations of a speaker.

    Returns
    -------
    tables ``profiles`` (one row per episode), ``evidence`` and ``swap``
    """
    evidence = allot(episodes, recordings, talk.present, settings=settings, seed=seed)
    company = recordings.groupby("conversation")["speaker"].agg(set).to_dict()
    intervals = evidence.groupby("episode", sort=False).indices
    conversation = evidence["conversation"].tolist()
    start_ms, end_ms = evidence["start_ms"].tolist(), evidence["end_ms"].tolist()
    rows = []
    columns = (episodes[name] for name in ("episode", "focal", "partner"))
    for episode, focal, partner in zip(*columns, strict=True):
        places = intervals.get(episode, [])
        spans = [(conversation[i], start_ms[i], end_ms[i]) for i in places]
        features, reasons = measure(
            talk.heard(spans, focal),
            laws=laws,
            entry=entry,
            settings=settings,
            silence_min_ms=silence_min_ms,
        )
        known = {
            "episode": episode,
            "speaker": focal,
            "partner": partner,
            **_company(spans, company, focal, partner),
            **features,
        }
        rows.append(
            {
                **known,
                "synopsis": describe(known),
                "synthetic": entry.scripted,
                "reasons": ";".join(f"{name}={reason}" for name, reason in reasons.items()),
            }
        )
    profiles = frames.frame(rows, "profiles")
    return Built(profiles, evidence, swap(profiles, evidence, episodes, settings=settings))


def _company(
    spans: Spans, company: Mapping[str, set[str]], focal: str, partner: str
) -> dict[str, object]:
    """Say whom the speaker was heard with, and for how long with the episode's own partner."""
    met = {name for name, _, _ in spans}
    return {
        "n_conversations": len(met),
        "partners": ",".join(sorted({who for name in met for who in company[name]} - {focal})),
        "partner_evidence_ms": sum(
            end - start for name, start, end in spans if partner in company[name]
        ),
    }
