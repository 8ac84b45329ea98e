"""The same sound in two conversations, of one corpus or of two."""

from hashlib import sha256

import numpy as np
import pandas as pd

from tact import frames
from tact.door.kinds import Heard, Reason
from tact.hearing.levels import decibel


def mark(channel: Heard) -> str:
    """Name the sound of a channel by SHA-256 of its level curve, to a hundredth of a dB.

    Two files that decode to the same samples have the same name, whatever holds them.
    """
    steps = np.rint(100.0 * decibel(channel.power)).astype("<i4")
    return sha256(steps.tobytes()).hexdigest()


def repeated(inspections: pd.DataFrame) -> pd.DataFrame:
    """Name each conversation with a channel whose sound another conversation has, too.

    Parameters
    ----------
    inspections : table ``inspections``, of any number of corpora

    Returns
    -------
    table ``quarantine``
        Cautions: a row of each such conversation, which names the first of the others by its id.
    """
    heard = inspections[inspections["sound_sha256"].notna()]
    heard = heard[heard.duplicated("sound_sha256", keep=False)]
    heard = heard.sort_values(["conversation", "channel"])
    by_sound = dict(iter(heard.groupby("sound_sha256")))
    rows: dict[str, dict[str, str]] = {}
    for row in heard.itertuples():
        same = by_sound[row.sound_sha256]
        others = same[same["conversation"] != row.conversation]
        if len(others) and row.conversation not in rows:
            other, n_more = others.iloc[0], others["conversation"].nunique() - 1
            more = f" and of {n_more} more" if n_more else ""
            rows[row.conversation] = {
                "corpus": row.corpus,
                "item": row.conversation,
                "stage": "door",
                "reason": str(Reason.REPEATED),
                "detail": f"channel {row.channel} sounds as channel {other['channel']} of"
                f" {other['conversation']}{more}; both are kept",
            }
    return frames.frame(list(rows.values()), "quarantine")
