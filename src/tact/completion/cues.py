"""What the pauses and the words of a turn say at a moment."""

import numpy as np
import pandas as pd

from tact.clock import FloatArray, IntArray

FEATURES = (
    "log_since_ipu",
    "log_since_turn",
    "has_words",
    "log_words",
    "clause_ended",
    "log_since_word",
)
ENDS = (".", "?", "!")


def measure(moments: pd.DataFrame, words: pd.DataFrame) -> FloatArray:
    """Measure pauses and words up to each moment.

    Parameters
    ----------
    moments : DataFrame
        conversation, speaker, at_ms, turn_start_ms, ipu_start_ms, on the conversation's clock.
    words : table ``words``; may be empty

    Returns
    -------
    float64 array, (n, 6)
        As `FEATURES`: log of the ms since the IPU and since the turn began; whether the speaker
        has words at all; log of the number of words in the turn so far; whether the last finished
        word ended a clause by its punctuation; log of the ms since it ended.
    """
    known = {
        key: _Said(rows.sort_values(["start_ms", "position"], kind="stable"))
        for key, rows in words[words["kind"].isin(["word", "punctuation"])].groupby(
            ["conversation", "speaker"]
        )
    }
    rows = [
        (
            np.log1p(max(0, row.at_ms - row.ipu_start_ms)),
            np.log1p(max(0, row.at_ms - row.turn_start_ms)),
            *_of_words(known.get((row.conversation, row.speaker)), row.turn_start_ms, row.at_ms),
        )
        for row in moments.itertuples(index=False)
    ]
    return np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES))


class _Said:
    """The words of a speaker: their ends in order, and which of them end a clause."""

    def __init__(self, rows: pd.DataFrame) -> None:
        spoken = (rows["kind"] == "word").to_numpy()
        text = rows["text"].astype(str).str.rstrip()
        closes = text.str.endswith(ENDS).to_numpy()
        after = np.append(closes[1:] & ~spoken[1:], False)
        self.end: IntArray = rows["end_ms"].to_numpy(np.int64)[spoken]
        self.closes = (closes | after)[spoken]


def _of_words(said: _Said | None, turn_start: int, at: int) -> tuple[float, float, float, float]:
    if said is None:
        return 0.0, 0.0, 0.0, 0.0
    last = int(np.searchsorted(said.end, at, side="right"))
    n = last - int(np.searchsorted(said.end, turn_start, side="right"))
    if n <= 0:
        return 1.0, 0.0, 0.0, 0.0
    since = float(np.log1p(at - said.end[last - 1]))
    return 1.0, float(np.log1p(n)), float(said.closes[last - 1]), since
