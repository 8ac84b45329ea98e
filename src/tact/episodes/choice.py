"""Which candidates become episodes: what disqualifies one, the quota, the caps, the draw."""

from bisect import bisect_left

import pandas as pd

from tact import frames, keys, rounding
from tact.clock import to_ms
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
    recording::

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
    kept = points[fit]
    covered = kept["t0_ms"] + to_ms(T_H_S) <= _recorded_ms(kept, recordings)
    return kept[covered].reset_index(drop=True)


def hash_order(candidates: pd.DataFrame, *, seed: int) -> pd.DataFrame:
    """Add the ``draw`` of each candidate, by its content, and sort by it."""
    draws = [keys.draw(seed, "episode", point) for point in candidates["point"]]
    drawn = candidates.assign(draw=pd.Series(draws, index=candidates.index, dtype="float64"))
    return drawn.sort_values(["draw", "point"], kind="stable", ignore_index=True)


def quota(corpus: str, *, settings: Episodes) -> dict[str, int]:
    """Give the scaled row of one corpus; it depends on the whole table, not on what is built."""
    scaled = rounding.scale(settings.quota, settings.scale, SCENARIOS)
    return scaled.get(corpus, dict.fromkeys(SCENARIOS, 0))


def choose(candidates: pd.DataFrame, *, corpus: str, settings: Episodes, seed: int) -> pd.DataFrame:
    """Fill the cells of one corpus in hash order, within the caps.

    A candidate is passed over when its focal speaker has ``per_speaker`` episodes, its
    conversation ``per_conversation``, or when a chosen t0 of the conversation lies nearer than
    ``spacing_ms``. The caps run across scenarios; the rarest scenario is filled first.

    Parameters
    ----------
    candidates : table ``points``
        Eligible points of one corpus, in any order.
    corpus : str
        Row of the quota table.
    settings : Episodes
        Quota, scale and caps.
    seed : int
        Seed of the run.

    Returns
    -------
    rows of ``candidates`` with their ``draw``
    """
    wanted = quota(corpus, settings=settings)
    caps = _Caps(settings)
    chosen: list[str] = []
    ordered = hash_order(candidates[candidates["scenario"].map(wanted) > 0], seed=seed)
    for scenario in RAREST_FIRST:
        left = wanted[scenario]
        cell = ordered[ordered["scenario"] == scenario]
        columns = (cell[name] for name in ("point", "conversation", "focal", "t0_ms"))
        for point, conversation, focal, t0_ms in zip(*columns, strict=True):
            if left == 0:
                break
            if caps.admit(conversation, focal, t0_ms):
                chosen.append(point)
                left -= 1
    return ordered[ordered["point"].isin(chosen)].reset_index(drop=True)


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

    def __init__(self, settings: Episodes) -> None:
        self._settings = settings
        self._by_speaker: dict[str, int] = {}
        self._by_conversation: dict[str, list[int]] = {}

    def admit(self, conversation: str, focal: str, t0_ms: int) -> bool:
        """Count the candidate in if no cap bars it."""
        used = self._by_speaker.get(focal, 0)
        times = self._by_conversation.setdefault(conversation, [])
        place = bisect_left(times, t0_ms)
        near = [abs(t0_ms - other) for other in times[max(0, place - 1) : place + 1]]
        if (
            used >= self._settings.per_speaker
            or len(times) >= self._settings.per_conversation
            or any(distance < self._settings.spacing_ms for distance in near)
        ):
            return False
        self._by_speaker[focal] = used + 1
        times.insert(place, t0_ms)
        return True


def _recorded_ms(points: pd.DataFrame, recordings: pd.DataFrame) -> "pd.Series[int]":
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
    audio = recordings[recordings["path"].notna() & ~recordings["mixed"]]
    ends = audio.groupby(["conversation", "speaker"])["duration_ms"].min()
    for role in ("focal", "partner"):
        pairs = pd.MultiIndex.from_frame(points[["conversation", role]])
        own = pd.Series(ends.reindex(pairs).to_numpy(), index=points.index)
        limit = limit.where(own.isna() | (own >= limit), own)
    return limit.astype("int64")
