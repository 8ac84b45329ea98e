"""How long the real partner went on over a focal speaker who barged in.

::

    focal              ###########
    partner  ###############
                       |----|       the overlap, from the focal turn's onset
                                t0

Settled: the overlap of an interruption begins at the focal turn's onset, lasts as long as the
partner keeps speaking inside [focal onset, T_h], and its completion probability is 0.
"""

from collections.abc import Mapping

import pandas as pd

from tact import frames
from tact.vocabulary import T_H_S


def partner_overlaps(
    episodes: pd.DataFrame, points: pd.DataFrame, ipus: pd.DataFrame
) -> dict[str, int]:
    """Measure the overlap of each interruption whose partner speaks at the focal turn's onset, ms.

    An interruption that is missing from the result has a partner who was silent there.
    """
    barged = episodes.loc[episodes["scenario"] == "interruption", ["episode", "point"]]
    barged = barged.merge(points, on="point", validate="one_to_one")
    spoken = barged.merge(
        ipus[["conversation", "speaker", "start_ms", "end_ms"]],
        left_on=["conversation", "partner"],
        right_on=["conversation", "speaker"],
    )
    onset = spoken["turn_start_ms"]
    spoken = spoken[(spoken["start_ms"] <= onset) & (onset < spoken["end_ms"])]
    end = spoken["end_ms"].clip(upper=spoken["t0_ms"] + round(1000 * T_H_S))
    length = (end - spoken["turn_start_ms"]).groupby(spoken["episode"]).max()
    return {str(episode): int(duration) for episode, duration in length.items()}


def overlaps_table(
    name: str,
    responses: pd.DataFrame,
    episodes: pd.DataFrame,
    points: pd.DataFrame,
    overlaps_ms: Mapping[str, int],
) -> pd.DataFrame:
    """Make table ``overlaps``: one row for each response to an interruption with an overlap."""
    at = episodes[["episode", "point"]].merge(
        points[["point", "t0_ms", "turn_start_ms"]], on="point"
    )
    onset = dict(zip(at["episode"], at["turn_start_ms"] - at["t0_ms"], strict=True))
    rows = [
        {
            "system": name,
            "episode": response.episode,
            "run": response.run,
            "onset_ms": onset[response.episode],
            "duration_ms": overlaps_ms[response.episode],
            "completion": 0.0,
            "backchannel": False,
        }
        for response in responses.itertuples()
        if response.episode in overlaps_ms
    ]
    return frames.frame(rows, "overlaps")
