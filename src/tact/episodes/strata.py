"""Strata of an episode: the slices that its scores and laws can be cut by."""

from typing import Any

import pandas as pd

from tact.vocabulary import STRATA, UNTIMED_SOURCES

AXES = ("corpus", "language", *STRATA)
RATES = ("slow", "medium", "fast")
Strata = list[tuple[str, str | None]]


def strata(
    episodes: pd.DataFrame,
    recordings: pd.DataFrame,
    speakers: pd.DataFrame,
    words: pd.DataFrame,
    *,
    contiguous_words: bool,
) -> "pd.Series[Any]":
    """Give each episode its axis -> value pairs, of its focal speaker; null where unknown.

    Gender, age band and region are as the corpus states them; the rate is the speaker's tercile
    within the corpus; the SNR band needs audio and is null here.

    Returns
    -------
    Series of lists of pairs, in the order of ``AXES``, on the index of ``episodes``
    """
    traits = speakers.set_index("speaker")[["gender", "age", "region"]]
    known = {axis: _present(traits[axis]) for axis in traits}
    known["rate"] = {} if contiguous_words else rate_terciles(words)
    languages = _present(recordings.groupby("conversation")["language"].first())

    def of(corpus: str, conversation: str, focal: str) -> Strata:
        values = {axis: by_speaker.get(focal) for axis, by_speaker in known.items()}
        values |= {"corpus": corpus, "language": languages.get(conversation)}
        return [(axis, values.get(axis)) for axis in AXES]

    columns = (episodes[name] for name in ("corpus", "conversation", "focal"))
    rows = [of(*row) for row in zip(*columns, strict=True)]
    return pd.Series(rows, index=episodes.index, dtype="object")


def rate_terciles(words: pd.DataFrame) -> dict[str, str]:
    """Call each speaker slow, medium or fast: terciles of the articulation rates of a corpus.

    The rate is the number of words over the time that they fill, so silences do not count. Ranks
    tie by name; a corpus of fewer than three speakers has no tercile.
    """
    rates = articulation_rates(words)
    if len(rates) < len(RATES):
        return {}
    ranked = sorted(rates, key=lambda speaker: (rates[speaker], speaker))
    return {speaker: RATES[len(RATES) * rank // len(ranked)] for rank, speaker in enumerate(ranked)}


def articulation_rates(words: pd.DataFrame) -> dict[str, float]:
    """Measure words per second of own speech of every speaker whose words are timed."""
    timed = words[
        (words["kind"] == "word")
        & ~words["source"].isin(UNTIMED_SOURCES)
        & (words["end_ms"] > words["start_ms"])
    ]
    ordered = timed.sort_values(["conversation", "speaker", "start_ms"], kind="stable")
    stream = ordered.groupby(["conversation", "speaker"], sort=False)
    reached = stream["end_ms"].cummax().groupby(stream.ngroup()).shift(fill_value=0)
    begins = ordered["start_ms"].where(ordered["start_ms"] > reached, reached)
    filled = (ordered["end_ms"] - begins).clip(lower=0)
    spoken_ms = filled.groupby(ordered["speaker"]).sum()
    counts = ordered.groupby("speaker").size()
    return {str(name): float(rate) for name, rate in (counts * 1000.0 / spoken_ms).items()}


def _present(values: "pd.Series[Any]") -> dict[str, str]:
    return {str(name): str(value) for name, value in values.dropna().items()}
