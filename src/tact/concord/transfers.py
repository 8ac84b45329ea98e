"""Floor transfers of two sources, matched through the IPUs that they lie between.

A transfer is the same in both if the giver's IPU meets the giver's, the taker's meets the taker's,
and neither transfer has another such partner::

    reference    A  #####            FTO +300 ms
                 B          ####
    hypothesis   A  ######
                 B         #####     FTO +100 ms: shift -200 ms
"""

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray, IntArray
from tact.hearing import bias
from tact.settings import Turns
from tact.turns import take_turns

PASSED = ["conversation", "giver", "taker"]
GIVEN = ["giver_start_ms", "giver_end_ms"]
TAKEN = ["taker_start_ms", "taker_end_ms"]


def between_ipus(ipus: pd.DataFrame, *, settings: Turns) -> pd.DataFrame:
    """Find the floor transfers, backchannels counted as speech, each with its two IPUs.

    Returns
    -------
    DataFrame
        Of table ``transfers`` its columns conversation, giver, taker and fto_ms, and start and end
        of both IPUs, ms.
    """
    everything = settings.backchannel.model_copy(update={"exclude": False})
    found = take_turns(
        ipus,
        frames.empty("words"),
        frames.empty("acts"),
        dict.fromkeys(ipus["conversation"], ""),
        settings=settings.model_copy(update={"backchannel": everything}),
    ).transfers
    found = found.assign(taker_start_ms=found["turn_end_ms"] + found["fto_ms"])
    found = found.rename(columns={"turn_end_ms": "giver_end_ms"})
    spans = ipus[["conversation", "speaker", "start_ms", "end_ms"]]
    for who in ("giver", "taker"):
        found = found.merge(
            spans.rename(columns={name: f"{who}_{name}" for name in ("start_ms", "end_ms")}).rename(
                columns={"speaker": who}
            )
        )
    return found


def shifts(reference: pd.DataFrame, hypothesis: pd.DataFrame) -> FloatArray:
    """Give the FTO of the hypothesis less that of the reference, of each matched transfer, ms."""
    passed = dict(iter(hypothesis.groupby(PASSED)))
    found = [np.zeros(0)]
    for key, true in reference.groupby(PASSED):
        if key in passed:
            found.append(_matched(true, passed[key]))
    return np.concatenate(found)


def _matched(true: pd.DataFrame, found: pd.DataFrame) -> FloatArray:
    meets = bias.meet(_spans(true, GIVEN), _spans(found, GIVEN))
    meets &= bias.meet(_spans(true, TAKEN), _spans(found, TAKEN))
    which_found, which_true = np.nonzero(bias.one_to_one(meets))
    late = found["fto_ms"].to_numpy()[which_found] - true["fto_ms"].to_numpy()[which_true]
    return np.asarray(late, dtype=np.float64)


def _spans(transfers: pd.DataFrame, columns: list[str]) -> IntArray:
    return np.asarray(transfers[columns], dtype=np.int64)
