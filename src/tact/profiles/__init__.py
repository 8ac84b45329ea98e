"""Profiles: what is known of the focal speaker of an episode from elsewhere, and from where.

Tables in: ``episodes``, ``recordings``, ``words``, ``ipus``, ``pauses``,
``backchannels``, ``transfers`` of one corpus. Tables out: ``profiles``, ``evidence``. A profile
holds behaviour only: no intent, no label and no response to a decision point enters it.
"""

from typing import NamedTuple

import pandas as pd

from tact import frames
from tact.profiles.events import Talk
from tact.profiles.evidence import allot, check_disjoint, nearest
from tact.profiles.features import measure
from tact.profiles.synopsis import describe
from tact.settings import Corpus, Profiles

__all__ = ["Built", "Talk", "allot", "build", "check_disjoint", "describe", "measure", "nearest"]

SYNTHETIC = "probes"


class Built(NamedTuple):
    """The two tables of one corpus."""

    profiles: pd.DataFrame
    evidence: pd.DataFrame


def build(
    episodes: pd.DataFrame,
    recordings: pd.DataFrame,
    talk: Talk,
    *,
    entry: Corpus,
    settings: Profiles,
    seed: int,
) -> Built:
    """Profile the focal speaker of each episode from evidence that touches no test clip.

    Parameters
    ----------
    episodes, recordings : tables of those names
        Of one corpus, in any order.
    talk : Talk
        Who spoke when in that corpus, found by conversation.
    entry : Corpus
        Language, layout, and whether its words abut.
    settings : Profiles
        Evidence sought, margin, fillers.
    seed : int
        Seed of the run; it orders the conversations of a speaker.

    Returns
    -------
    tables ``profiles`` (one row per episode) and ``evidence``
    """
    evidence = allot(episodes, recordings, talk.present, settings=settings, seed=seed)
    company = recordings.groupby("conversation")["speaker"].agg(set).to_dict()
    intervals = evidence.groupby("episode", sort=False).indices
    conversation = evidence["conversation"].tolist()
    start_ms, end_ms = evidence["start_ms"].tolist(), evidence["end_ms"].tolist()
    rows = []
    for episode, focal in zip(episodes["episode"], episodes["focal"], strict=True):
        places = intervals.get(episode, [])
        spans = [(conversation[i], start_ms[i], end_ms[i]) for i in places]
        met = {name for name, _, _ in spans}
        partners = sorted({name for where in met for name in company[where]} - {focal})
        features, reasons = measure(talk.heard(spans, focal), entry=entry, settings=settings)
        known = {
            "episode": episode,
            "speaker": focal,
            "n_conversations": len(met),
            "partners": ",".join(partners),
            **features,
        }
        rows.append(
            {
                **known,
                "synopsis": describe(known),
                "synthetic": entry.adapter == SYNTHETIC,
                "reasons": ";".join(f"{name}={reason}" for name, reason in reasons.items()),
            }
        )
    return Built(frames.frame(rows, "profiles"), evidence)
