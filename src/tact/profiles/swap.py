"""The memory ablation: each speaker is given the profile of the most opposite speaker.

Between speakers a and b, with z the features standardised over the speakers of the corpus and cut
to [-3, 3], and M features that any speaker has,

    distance(a, b)^2 = 1/M * sum over features that both have of (z_a - z_b)^2,

so that what is not known of either counts as no difference, and no speaker is opposite for want of
evidence. A speaker's features are the means over that speaker's profiles.
"""

from typing import Any

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray
from tact.profiles.evidence import forbidden
from tact.settings import Profiles

FEATURES = (
    "fto_median_ms",
    "fto_sigma_ms",
    "fto_tau_ms",
    "overlap_share",
    "pause_median_ms",
    "abstention_share",
    "abstention_wait_ms",
    "backchannels_produced_per_min",
    "backchannels_solicited_per_min",
    "articulation_rate",
    "filler_share",
    "final_stretch",
    "connective_share",
)
_FAR = 3.0


def swap(
    profiles: pd.DataFrame, evidence: pd.DataFrame, episodes: pd.DataFrame, *, settings: Profiles
) -> pd.DataFrame:
    """Give each episode the profile of the speaker most opposite to its own.

    Never the speaker's own and never the partner's; of one language (stratum ``language``); with
    ``fto_law_min`` floor transfers or more; no evidence of it comes within ``margin_ms`` of the
    episode's history or clip. Of the profiles of that speaker the one of most evidence is taken;
    ties go to the lesser name.

    Parameters
    ----------
    profiles, evidence, episodes : tables of those names
        Of one corpus, in any order.
    settings : Profiles
        Margin, and how often a speaker must have taken the floor.

    Returns
    -------
    table ``swap``
        One row per episode; null, with the reason, where no profile may be given.
    """
    offered = _offered(profiles, settings.fto_law_min)
    speakers, apart = distances(profiles)
    farthest = {
        name: sorted(zip(-apart[i], speakers, strict=True)) for i, name in enumerate(speakers)
    }
    near = _Near(evidence, settings.margin_ms)
    language = {
        row.episode: dict(row.strata).get("language") for row in episodes.itertuples(index=False)
    }
    rows = []
    for row in episodes.itertuples(index=False):
        banned = near.episodes(row)
        able = (
            (episode, name, float(-nearness))
            for nearness, name in farthest[row.focal]
            if name not in (row.focal, row.partner)
            for episode in offered.get(name, ())
            if episode not in banned and language[episode] == language[row.episode]
        )
        nobody = (None, None, None, "no profile of another speaker may be given")
        chosen = next(((*found, None) for found in able), nobody)
        rows.append((row.episode, row.focal, *chosen))
    return frames.frame(rows, "swap")


def _offered(profiles: pd.DataFrame, least: int) -> dict[str, list[str]]:
    """List the profiles of each speaker that rest on enough, the one of most evidence first."""
    able = profiles[profiles["n_transfers"] >= least]
    ranked = able.sort_values(["evidence_ms", "episode"], ascending=[False, True], kind="stable")
    return {str(who): rows.tolist() for who, rows in ranked.groupby("speaker")["episode"]}


def distances(profiles: pd.DataFrame) -> tuple[list[str], FloatArray]:
    """Measure how far the speakers are from each other.

    Returns
    -------
    speakers : (n,) names, in order
    distance : (n, n)
    """
    means = profiles.groupby("speaker")[list(FEATURES)].mean().sort_index()
    values = means.to_numpy(np.float64)
    kept = values[:, ~np.isnan(values).all(axis=0)]
    n, m = kept.shape
    if not m:
        return means.index.tolist(), np.zeros((n, n))
    spread = np.nanstd(kept, axis=0)
    z = (kept - np.nanmean(kept, axis=0)) / np.where(spread > 0, spread, 1.0)
    z = np.clip(z, -_FAR, _FAR)
    squares = np.zeros((n, n))
    for column in z.T:
        squares += np.nan_to_num((column[:, None] - column[None, :]) ** 2, nan=0.0)
    return means.index.tolist(), np.sqrt(squares / m)


class _Near:
    """Evidence by conversation, asked which of it comes near a history or clip."""

    def __init__(self, evidence: pd.DataFrame, margin_ms: int) -> None:
        self._margin_ms = margin_ms
        self._by_conversation = dict(iter(evidence.groupby("conversation")))

    def episodes(self, row: Any) -> set[str]:
        """Name the episodes whose evidence comes near the history or clip of an episode."""
        rows = self._by_conversation.get(row.conversation)
        if rows is None:
            return set()
        start, end = forbidden(row.history_start_ms, row.context_start_ms, row.horizon_end_ms)
        near = (rows["start_ms"] < end + self._margin_ms) & (
            rows["end_ms"] > start - self._margin_ms
        )
        return set(rows.loc[near, "episode"])
