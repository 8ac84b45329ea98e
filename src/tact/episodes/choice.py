"""Which candidates become episodes: what disqualifies one, the quota, the caps, the draw."""

from collections import Counter, defaultdict
from collections.abc import Mapping

import numpy as np
import pandas as pd

from tact import frames, keys, rounding
from tact.clock import Interval, to_ms
from tact.episodes.balance import turns
from tact.episodes.fill import Chosen, fill
from tact.errors import TableError
from tact.settings import Episodes
from tact.vocabulary import NO_SCENARIO, SCENARIOS, T_H_S

RAREST_FIRST = ("interruption", "backchannel", "smooth", "pause")
"""Order in which the cells of a corpus are filled, so that a cap binds where talk is plenty."""

UNFIT = ("no_context", "no_horizon", "redacted")
"""Words in ``reasons`` of a point that bar it from being an episode."""


def eligible(points: pd.DataFrame, recordings: pd.DataFrame) -> pd.DataFrame:
    """Keep the points that may become episodes.

    A point with a scenario, in dev or test, with no third party, whose whole clip lies in the
    recording. Of a corpus with audio, conversations without it give none::

        0         context_start        t0       t0 + 5 s      end of the recording
        |----------|====================|=========|------------|

    Raises
    ------
    TableError
        A point's conversation has no recording.
    """
    bars = "|".join(UNFIT)
    fit = (
        (points["scenario"] != NO_SCENARIO)
        & points["split"].isin(["dev", "test"])
        & ~points["third_party"]
        & ~points["reasons"].str.contains(bars, regex=True)
        & (points["context_start_ms"] >= 0)
        & (points["context_start_ms"] < points["t0_ms"])
    )
    audio = recordings[recordings["path"].notna() & ~recordings["mixed"]]
    kept = points[fit & (audio.empty | points["conversation"].isin(audio["conversation"]))]
    covered = kept["t0_ms"] + to_ms(T_H_S) <= _recorded_ms(kept, recordings, audio)
    return kept[covered].reset_index(drop=True)


def in_turn(candidates: pd.DataFrame, traits: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Add ``draw``, ``pull`` and ``place`` of each candidate, and sort by cell and place.

    The draw comes from the content of the point, the pull from the strata of its cell, so that
    nothing else of the run moves a place. Cells come with the rarest scenario first.
    """
    draws = [keys.draw(seed, "episode", point) for point in candidates["point"]]
    drawn = candidates.assign(draw=pd.Series(draws, index=candidates.index, dtype="float64"))
    parts = []
    for scenario in RAREST_FIRST:
        cell = drawn[drawn["scenario"] == scenario].sort_values("point")
        draw = cell["draw"].to_numpy(np.float64)
        pull, wait = turns(traits.loc[cell.index], draw, seed=seed)
        cell = cell.assign(pull=pull, wait=wait)
        cell = cell.sort_values(["wait", "point"], kind="stable").drop(columns="wait")
        parts.append(cell.assign(place=np.arange(1, len(cell) + 1)))
    return pd.concat(parts)


def quota(corpus: str, *, settings: Episodes) -> dict[str, int]:
    """Give the scaled row of one corpus; it depends on the whole table, not on what is built."""
    scaled = rounding.scale(settings.quota, settings.scale, SCENARIOS)
    return scaled.get(corpus, dict.fromkeys(SCENARIOS, 0))


def choose(
    candidates: pd.DataFrame,
    traits: pd.DataFrame,
    *,
    corpus: str,
    settings: Episodes,
    seed: int,
) -> pd.DataFrame:
    """Fill the cells of one corpus in the order of turns, within the caps.

    A candidate is passed over when its focal speaker has ``per_speaker`` episodes, its
    conversation ``per_conversation``, or when its clip would overlap a chosen one by more than
    ``clip_overlap_ms``. The caps run across scenarios; the rarest scenario is filled first. Where
    a cell then lacks some that it has candidates for, the largest choice within the caps is
    looked for, which keeps what it can.

    Parameters
    ----------
    candidates : table ``points``
        Eligible points of one corpus, in any order.
    traits : DataFrame
        Strata by which cells are evened, one column per axis, on the index of ``candidates``.
    corpus : str
        Row of the quota table.
    settings : Episodes
        Quota, scale and caps.
    seed : int
        Seed of the run.

    Returns
    -------
    rows of ``candidates`` with their ``draw``, ``pull`` and ``place``, on the same index
    """
    wanted = quota(corpus, settings=settings)
    per_speaker = settings.most_of_a_speaker(corpus)
    ordered = in_turn(candidates[candidates["scenario"].map(wanted) > 0], traits, seed=seed).assign(
        horizon_end_ms=lambda rows: rows["t0_ms"] + to_ms(T_H_S)
    )
    caps = _Caps(per_speaker, settings.per_conversation, settings.clip_overlap_ms)
    chosen = _draw(ordered, wanted, caps)
    if _short(ordered, chosen, wanted):
        chosen = fill(
            ordered,
            chosen,
            quota=wanted,
            per_speaker=per_speaker,
            per_conversation=settings.per_conversation,
            overlap_ms=settings.clip_overlap_ms,
        )
    return ordered[chosen].drop(columns="horizon_end_ms").sort_values("point")


def _draw(ordered: pd.DataFrame, wanted: Mapping[str, int], caps: "_Caps") -> Chosen:
    """Take candidates in turn until each cell is full."""
    left = dict(wanted)
    columns = ("scenario", "conversation", "focal", "context_start_ms", "horizon_end_ms")
    chosen = np.zeros(len(ordered), dtype=np.bool_)
    rows = zip(*(ordered[name].tolist() for name in columns), strict=True)
    for at, (scenario, conversation, focal, start_ms, end_ms) in enumerate(rows):
        if left[scenario] and caps.admit(conversation, focal, (start_ms, end_ms)):
            chosen[at] = True
            left[scenario] -= 1
    return chosen


def _short(ordered: pd.DataFrame, chosen: Chosen, wanted: Mapping[str, int]) -> bool:
    """Tell whether a cell is not full and has candidates that were passed over."""
    able = ordered["scenario"].value_counts()
    got = ordered.loc[chosen, "scenario"].value_counts()
    return any(
        got.get(scenario, 0) < min(quota, able.get(scenario, 0))
        for scenario, quota in wanted.items()
    )


def shortfalls(
    candidates: pd.DataFrame, chosen: pd.DataFrame, *, corpus: str, settings: Episodes
) -> pd.DataFrame:
    """Set each cell's quota beside what could be chosen and what was."""
    wanted = quota(corpus, settings=settings)
    able = candidates["scenario"].value_counts()
    got = chosen["scenario"].value_counts()
    return frames.frame(
        [
            {
                "corpus": corpus,
                "scenario": scenario,
                "quota": wanted[scenario],
                "candidates": int(able.get(scenario, 0)),
                "chosen": int(got.get(scenario, 0)),
            }
            for scenario in SCENARIOS
        ],
        "shortfalls",
    )


class _Caps:
    """What the chosen episodes have used up."""

    def __init__(self, per_speaker: int, per_conversation: int, overlap_ms: int) -> None:
        self._per_speaker = per_speaker
        self._per_conversation = per_conversation
        self._overlap_ms = overlap_ms
        self._by_speaker: Counter[str] = Counter()
        self._by_conversation: defaultdict[str, list[Interval]] = defaultdict(list)

    def admit(self, conversation: str, focal: str, clip: Interval) -> bool:
        """Count the candidate in if no cap bars it."""
        clips = self._by_conversation[conversation]
        if (
            self._by_speaker[focal] >= self._per_speaker
            or len(clips) >= self._per_conversation
            or any(_shared_ms(clip, other) > self._overlap_ms for other in clips)
        ):
            return False
        self._by_speaker[focal] += 1
        clips.append(clip)
        return True


def _shared_ms(one: Interval, other: Interval) -> int:
    return min(one[1], other[1]) - max(one[0], other[0])


def _recorded_ms(
    points: pd.DataFrame, recordings: pd.DataFrame, audio: pd.DataFrame
) -> "pd.Series[int]":
    """Say up to when each point's clip can be cut, ms.

    Where there is audio, both channels of the pair must cover the clip; else the annotation of
    the conversation must.
    """
    whole = recordings.groupby("conversation")["duration_ms"].max()
    limit = pd.Series(whole.reindex(points["conversation"]).to_numpy(), index=points.index)
    if limit.isna().any():
        lost = points.loc[limit.isna(), "conversation"]
        raise TableError(
            f"points: {len(lost)} rows have no recording (first: conversation {lost.iloc[0]});"
            " rebuild points"
        )
    ends = audio.groupby(["conversation", "speaker"])["duration_ms"].min()
    for role in ("focal", "partner"):
        pairs = pd.MultiIndex.from_frame(points[["conversation", role]])
        own = pd.Series(ends.reindex(pairs).to_numpy(), index=points.index)
        limit = limit.where(own.isna() | (own >= limit), own)
    return limit.astype("int64")
