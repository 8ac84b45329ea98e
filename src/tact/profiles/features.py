"""The numbers of a profile, and why one is missing."""

import numpy as np

from tact.profiles.events import Heard
from tact.settings import Corpus, Profiles

Features = dict[str, object]
CONTIGUOUS = (
    "pause_median_ms",
    "pause_q90_ms",
    "unanswered_share",
    "articulation_rate",
)
"""Features that words which abut cannot show: their short silences are not there."""


def measure(heard: Heard, *, entry: Corpus, settings: Profiles) -> tuple[Features, dict[str, str]]:
    """Measure the behaviour of a speaker from what was heard.

    Parameters
    ----------
    heard : Heard
        Everything inside the evidence intervals.
    entry : Corpus
        Its language, and whether its words abut.
    settings : Profiles
        Fillers by language.

    Returns
    -------
    features : columns of the table ``profiles``
    reasons : feature -> why it is null
    """
    fillers = frozenset(settings.fillers.get(entry.language.split("-")[0], ()))
    minutes = heard.evidence_ms / 60_000
    features: Features = {
        "evidence_ms": heard.evidence_ms,
        "speech_ms": heard.speech_ms,
        "n_transfers": len(heard.fto_ms),
        "fto_q10_ms": _quantile(heard.fto_ms, 0.1),
        "fto_median_ms": _quantile(heard.fto_ms, 0.5),
        "fto_q90_ms": _quantile(heard.fto_ms, 0.9),
        "overlap_share": _mean(heard.fto_ms < 0),
        "n_pauses": len(heard.pause_ms),
        "pause_median_ms": _quantile(heard.pause_ms, 0.5),
        "pause_q90_ms": _quantile(heard.pause_ms, 0.9),
        "unanswered_share": _mean(heard.unanswered),
        "backchannels_produced_per_min": heard.produced / minutes if minutes else None,
        "backchannels_solicited_per_min": heard.solicited / minutes if minutes else None,
        "articulation_rate": (heard.timed_words * 1000 / heard.word_ms if heard.word_ms else None),
        "filler_share": _mean(np.array([w.lower().strip(".,?!") in fillers for w in heard.words])),
    }
    if entry.contiguous_words:
        features |= dict.fromkeys(CONTIGUOUS)
    reasons = {
        name: _reason(name, heard, contiguous=entry.contiguous_words)
        for name, value in features.items()
        if value is None
    }
    return features, reasons


def _reason(name: str, heard: Heard, *, contiguous: bool) -> str:
    if not heard.evidence_ms:
        return "no evidence"
    if contiguous and name in CONTIGUOUS:
        return "contiguous words"
    if name == "articulation_rate":
        return "no timed words"
    if name == "filler_share":
        return "no words"
    return "no floor transfer" if name.startswith(("fto", "overlap")) else "no pause"


def _quantile(values: np.ndarray, level: float) -> float | None:
    return float(np.quantile(values, level)) if len(values) else None


def _mean(values: np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None
