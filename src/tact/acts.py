"""Stage: what a dialogue act, or a probe's script, says of the intent at a point.

The act of the focal speaker that ends at t0, or in which t0 lies, picks a row of the table
``labels.acts`` of the config; the row is the label, used directly as q. An act type
``script:<intent>`` is a probe's instruction and gives that intent alone. ``intent:<intent>`` is a
person's mark on a stretch of speech: it gives that intent alone, and only to a point where it ends.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import IntArray
from tact.settings import Labels
from tact.vocabulary import INTENTS

SCRIPT = "script:"
MARK = "intent:"
SOURCES = {SCRIPT: "script", MARK: "textgrid"}
INSIDE = "inside"
FRAGMENT = "fra"


def labels_of_acts(
    points: pd.DataFrame, frame: pd.DataFrame, acts: pd.DataFrame, *, settings: Labels
) -> pd.DataFrame:
    """Label the frame points and the dev and test points of a corpus by the focal speaker's acts.

    ::

        act      ##################      t0 inside        t0 at the end
        speech   ######  ####  #####          |                 |
                      t0                                        t0

    Returns
    -------
    table ``labels``
        One row per point, and intent of its row; a point without an act has none.
    """
    wanted = points[points["point"].isin(frame["point"]) | (points["split"] != "train")]
    rows: list[dict[str, object]] = []
    for point, act, case in _placed(wanted, acts, settings.act_end_tolerance_ms):
        row, source = _row(act, case, settings)
        rows.extend(
            {
                "unit": point,
                "annotator": source,
                "kind": source,
                "intent": intent,
                "probability": row[intent],
                "saw_continuation": False,
            }
            for intent in INTENTS
            if intent in row
        )
    return frames.frame(rows, "labels")


def _row(act: str, case: str, settings: Labels) -> tuple[dict[str, float], str]:
    """Give what an act says of the intent, nothing where it says nothing, and its kind of label."""
    for prefix, source in SOURCES.items():
        if act.startswith(prefix):
            silent = prefix == MARK and case == INSIDE
            return {} if silent else {act.removeprefix(prefix): 1.0}, source
    return settings.acts[act].row(case) if act in settings.acts else {}, "dialogue_acts"


def _placed(
    points: pd.DataFrame, acts: pd.DataFrame, tolerance: int
) -> Iterator[tuple[str, str, str]]:
    """Give each point the act it stands at, and how: ends, ends_answer or inside."""
    by_speaker = dict(iter(acts.groupby(["conversation", "speaker"], sort=False)))
    for key, group in points.groupby(["conversation", "focal"], sort=False):
        own = by_speaker.get(key)
        if own is None:
            continue
        start, end = own["start_ms"].to_numpy(np.int64), own["end_ms"].to_numpy(np.int64)
        names, answers = own["act"].tolist(), own["answers"].tolist()
        cut_off = _cut_off(group)
        for point, t0, cut in zip(group["point"], group["t0_ms"], cut_off, strict=True):
            at, ends = _act_at(start, end, t0, tolerance)
            if at < 0:
                continue
            if not ends or (names[at] == FRAGMENT and cut):
                yield point, names[at], INSIDE
            else:
                yield point, names[at], "ends_answer" if answers[at] else "ends"


def _act_at(start: IntArray, end: IntArray, t0: int, tolerance: int) -> tuple[int, bool]:
    """Find the act that ends nearest to t0 within the tolerance, else the one around t0."""
    apart = np.abs(end - t0)
    nearest = int(apart.argmin())
    if apart[nearest] <= tolerance:
        return nearest, True
    around = np.flatnonzero((start < t0) & (t0 < end))
    return (int(around[-1]), False) if len(around) else (-1, False)


def _cut_off(points: pd.DataFrame) -> np.ndarray:
    """Tell where the partner's speech, begun before t0, overlaps t0."""
    onset = points["response_ms"].astype("Float64").fillna(np.inf).to_numpy(float)
    length = points["response_duration_ms"].astype("Float64").fillna(0).to_numpy(float)
    cut: np.ndarray = points["carry_over"].to_numpy(bool) | ((onset < 0) & (onset + length > 0))
    return cut
