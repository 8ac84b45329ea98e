"""The numbers of a profile, and why one is missing."""

from functools import cache

import numpy as np

from tact.profiles.events import Heard
from tact.profiles.fto import LAW, FtoLaws
from tact.settings import Corpus, Profiles

Features = dict[str, object]
CONTIGUOUS = (
    "pause_median_ms",
    "pause_q90_ms",
    "abstention_share",
    "abstention_wait_ms",
    "articulation_rate",
    "final_stretch",
)
"""Features that words which abut cannot show: their short silences are not there."""


def measure(
    heard: Heard, *, laws: FtoLaws, entry: Corpus, settings: Profiles, silence_min_ms: int
) -> tuple[Features, dict[str, str]]:
    """Measure the behaviour of a speaker from what was heard.

    Parameters
    ----------
    heard : Heard
        Everything inside the evidence intervals.
    laws : FtoLaws
        What laws of FTO are like in the corpus.
    entry : Corpus
        Its language, and whether its words abut.
    settings : Profiles
        Fillers and connectives by language.
    silence_min_ms : int
        An own silence of this length or more could have been filled by another.

    Returns
    -------
    features : columns of the table ``profiles``
    reasons : feature -> why it is null
    """
    law, no_law = laws.of(heard.fto_ms)
    minutes = heard.evidence_ms / 60_000
    features: Features = {
        "evidence_ms": heard.evidence_ms,
        "speech_ms": heard.speech_ms,
        "n_transfers": len(heard.fto_ms),
        "fto_q10_ms": _quantile(heard.fto_ms, 0.1),
        "fto_median_ms": _quantile(heard.fto_ms, 0.5),
        "fto_q90_ms": _quantile(heard.fto_ms, 0.9),
        **law,
        "overlap_share": _mean(heard.fto_ms < 0),
        "n_pauses": len(heard.pause_ms),
        "pause_median_ms": _quantile(heard.pause_ms, 0.5),
        "pause_q90_ms": _quantile(heard.pause_ms, 0.9),
        **_abstention(heard, silence_min_ms),
        "backchannels_produced_per_min": heard.produced / minutes if minutes else None,
        "backchannels_solicited_per_min": heard.solicited / minutes if minutes else None,
        "articulation_rate": len(heard.timed) * 1000 / heard.word_ms if heard.word_ms else None,
        **_holding(heard, entry.language.split("-")[0], settings),
    }
    if entry.contiguous_words:
        features |= dict.fromkeys(CONTIGUOUS)
    reasons = {
        name: no_law
        if name in LAW and heard.evidence_ms
        else _reason(name, heard, contiguous=entry.contiguous_words)
        for name, value in features.items()
        if value is None
    }
    return features, reasons


def _abstention(heard: Heard, silence_min_ms: int) -> Features:
    """Measure how far the speaker bears that nobody fills a silence of theirs.

    ::

        speaker  ######   |600 ms|     ####    borne: the speaker goes on, after 900 ms
        speaker  ######   |600 ms|             filled: another starts first, and takes the floor
        other                       ######     or gives a backchannel inside the pause
    """
    long = heard.pause_ms >= silence_min_ms
    borne = heard.pause_ms[long & heard.unanswered]
    n_silences = int(long.sum()) + int((heard.given_ms >= silence_min_ms).sum())
    return {
        "n_silences": n_silences,
        "abstention_share": len(borne) / n_silences if n_silences else None,
        "abstention_wait_ms": _quantile(borne, 0.5),
    }


def _holding(heard: Heard, language: str, settings: Profiles) -> Features:
    """Measure what holds the floor: fillers, stretched last words, connectives before a pause."""
    fillers = frozenset(settings.fillers.get(language, ()))
    connectives = frozenset(settings.connectives.get(language, ()))
    timed = [_bare(word) for word in heard.timed]
    letters = np.array([_letters(word) for word in timed], dtype=np.int64)
    plain = np.array([word not in fillers for word in timed], dtype=bool) & (letters > 0)
    last, other = plain & heard.final, plain & ~heard.final
    paces = [
        heard.timed_ms[which].sum() / letters[which].sum() if which.any() else 0.0
        for which in (last, other)
    ]
    return {
        "filler_share": _mean(np.array([_bare(word) in fillers for word in heard.words])),
        "n_final_words": int(heard.final.sum()),
        "final_stretch": float(paces[0] / paces[1]) if min(paces) > 0 else None,
        "connective_share": _mean(
            np.array([timed[place] in connectives for place in np.flatnonzero(heard.final)])
        ),
    }


@cache
def _bare(word: str) -> str:
    return word.lower().strip(".,?!")


@cache
def _letters(word: str) -> int:
    return sum(map(str.isalnum, word))


def _reason(name: str, heard: Heard, *, contiguous: bool) -> str:
    if not heard.evidence_ms:
        return "no evidence"
    if contiguous and name in CONTIGUOUS:
        return "contiguous words"
    if name in ("articulation_rate", "final_stretch", "connective_share") and not heard.timed:
        return "no timed words"
    if name.startswith("abstention"):
        return "no silence that long" if name == "abstention_share" else "none that nobody filled"
    return _NOTHING.get(name, "no floor transfer" if name.startswith("fto") else "no pause")


_NOTHING = {
    "articulation_rate": "no timed words",
    "filler_share": "no words",
    "overlap_share": "no floor transfer",
    "final_stretch": "no timed words both before a pause and elsewhere",
    "connective_share": "no timed word before a pause",
}


def _quantile(values: np.ndarray, level: float) -> float | None:
    return float(np.quantile(values, level)) if len(values) else None


def _mean(values: np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None
