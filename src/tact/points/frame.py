"""The fitting frame: train candidates whatever their outcome, thinned, chosen by content."""

from bisect import bisect_left, insort

import pandas as pd

from tact import frames, keys
from tact.settings import Labels

UNFIT = ("no_horizon", "redacted")


def sample_frame(points: pd.DataFrame, *, settings: Labels, seed: int) -> pd.DataFrame:
    """Sample the points that laws are fitted on.

    All train candidates whose horizon was recorded and not redacted, `none` included; in hash
    order, one is kept if no kept point of the same focal speaker and conversation is nearer than
    the width of a window.
    Neither the order nor the thinning sees the outcome.

    Returns
    -------
    table ``frame``
        At most ``settings.train_points`` rows.
    """
    fit = (points["split"] == "train") & ~points["third_party"]
    fit &= ~points["reasons"].str.contains("|".join(UNFIT))
    rows = points[fit]
    order = sorted(
        zip(rows["point"], rows["conversation"], rows["focal"], rows["t0_ms"],
            rows["split_group"], strict=True),
        key=lambda row: keys.digest(seed, "frame", row[0]),
    )  # fmt: skip
    kept: dict[tuple[str, str], list[int]] = {}
    chosen: list[tuple[object, ...]] = []
    for point, conversation, focal, t0, group in order:
        near = kept.setdefault((conversation, focal), [])
        at = bisect_left(near, t0)
        clear = all(abs(near[i] - t0) >= settings.frame_window_ms
                    for i in (at - 1, at) if 0 <= i < len(near))  # fmt: skip
        if clear:
            insort(near, t0)
            chosen.append((point, conversation, focal, group))
    return frames.frame(chosen[: settings.train_points], "frame")
