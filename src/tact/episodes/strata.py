"""Strata of an episode: the slices that its scores and laws can be cut by."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tact.vocabulary import STRATA, UNTIMED_SOURCES

AXES = ("corpus", "language", *STRATA)
RATES = ("slow", "medium", "fast")
SNRS = ("low", "medium", "high")
Strata = list[tuple[str, str | None]]


def traits(
    points: pd.DataFrame,
    recordings: pd.DataFrame,
    speakers: pd.DataFrame,
    words: pd.DataFrame,
    inspections: pd.DataFrame,
    *,
    contiguous_words: bool,
    bands_db: Sequence[float],
) -> pd.DataFrame:
    """Look up the value of each axis for the focal speaker of each point; null where unknown.

    Gender, age band and region are as the corpus states them; the rate is the speaker's tercile
    within the corpus; the SNR band is that of the speaker's channel.

    Returns
    -------
    DataFrame
        One column per axis, in the order of ``AXES``, on the index of ``points``.
    """
    known: dict[str, Mapping[str, str]] = {
        axis: _present(speakers.set_index("speaker")[axis]) for axis in ("gender", "age", "region")
    }
    known["rate"] = {} if contiguous_words else rate_terciles(words)
    languages = _present(recordings.groupby("conversation")["language"].first())
    bands = snr_bands(inspections, bands_db)
    channels = zip(points["conversation"], points["focal"], strict=True)
    values = {axis: points["focal"].map(by_speaker) for axis, by_speaker in known.items()}
    values["snr"] = pd.Series([bands.get(key) for key in channels], points.index, dtype="object")
    values |= {"corpus": points["corpus"], "language": points["conversation"].map(languages)}
    return pd.DataFrame({axis: values[axis].astype("object") for axis in AXES}, index=points.index)


def strata(table: pd.DataFrame) -> "pd.Series[Any]":
    """Write each row of traits as axis -> value pairs, null where unknown."""
    known = table.astype("object").where(table.notna(), None)
    rows: list[Strata] = [
        list(zip(AXES, values, strict=True))
        for values in known[list(AXES)].itertuples(index=False, name=None)
    ]
    return pd.Series(rows, index=table.index, dtype="object")


def snr_bands(inspections: pd.DataFrame, bands_db: Sequence[float]) -> dict[tuple[str, str], str]:
    """Call each channel low, medium or high by its speech over its noise.

    Speech is the 95 % quantile of the level, noise the 5 % quantile, as the door measured them;
    a band starts at its edge. Of several channels of a speaker in a conversation the last counts.
    """
    level = inspections["level_dbfs"] - inspections["floor_dbfs"]
    band = np.searchsorted(np.asarray(bands_db), level.to_numpy(np.float64), side="right")
    keys = zip(inspections["conversation"], inspections["speaker"], strict=True)
    return {key: SNRS[at] for key, at in zip(keys, band.tolist(), strict=True)}


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
