"""The channels of one conversation, measured and judged."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from tact.clock import FloatArray
from tact.door import faults, measures
from tact.door.kinds import FRAME_MS, KEPT, Channel, Heard, Reason
from tact.door.measures import Fit
from tact.door.repeats import mark
from tact.drift import Drift
from tact.settings import Door


def inspect(
    recordings: pd.DataFrame,
    heard: Sequence[Heard],
    drifts: Sequence[Drift | None],
    words: pd.DataFrame,
    *,
    settings: Door,
) -> tuple[list[dict[str, object]], list[dict[str, str]]]:
    """Judge the channels of one conversation.

    Parameters
    ----------
    recordings : rows of one conversation
    heard : what was decoded of each row
    drifts : clock of each row against that of the first; None where it is not known
    words : table ``words`` of the conversation; may be empty

    Returns
    -------
    rows of ``inspections``, one per channel, and of ``quarantine``
    """
    level = measures.levels(heard)
    said = measures.said(recordings, words, level.shape[1])
    fits = measures.fits(level, said.own, settings)
    bleed = measures.bleeds(level, said.sole, settings)
    channels = [
        _channel(row, channel, level[k], drift, fits[k], settings, bleed_db=bleed[k], at=k)
        for k, (row, channel, drift) in enumerate(
            zip(recordings.itertuples(), heard, drifts, strict=True)
        )
    ]
    found = [
        *faults.lengths(channels, recordings, settings),
        *faults.alone(channels, heard, settings),
        *faults.together(channels, level, settings),
        *faults.worded(channels, fits, settings),
        *faults.apart(channels, drifts, level.shape[1] * FRAME_MS, settings),
    ]
    if any(why not in KEPT for why, _ in found):
        # Of one that is left out, what is only said is no news: a swapped channel bleeds, too.
        found = [(why, detail) for why, detail in found if why not in KEPT]
    rows = [asdict(channel) for channel in channels]
    return rows, [fault(recordings, why, detail) for why, detail in found]


def _channel(
    row: Any,
    channel: Heard,
    level: FloatArray,
    drift: Drift | None,
    fit: Fit | None,
    settings: Door,
    *,
    bleed_db: float | None,
    at: int,
) -> Channel:
    """Write the row of one channel, the one at a place among its conversation's."""
    loud, soft = (float(np.quantile(level, share)) for share in (0.95, 0.05))
    return Channel(
        corpus=str(row.corpus),
        conversation=str(row.conversation),
        channel=int(row.channel),
        speaker=str(row.speaker),
        n_decoded=channel.n_samples,
        off_ms=_off_ms(row.n_samples, channel),
        stated_off_ms=_stated_off_ms(row.stated_ms, channel),
        n_not_finite=channel.n_not_finite,
        clipped_share=max(channel.n_clipped, channel.n_flat) / max(1, channel.n_samples),
        level_dbfs=loud,
        floor_dbfs=soft,
        word_fit=fit and fit.own.here,
        word_best=fit and fit.own.best,
        word_lag_ms=fit and fit.own.lag * FRAME_MS,
        other_fit=fit and _highest(np.delete(fit.each, at)),
        bleed_db=bleed_db,
        drift_ppm=drift and drift.ppm,
        drift_low_ppm=drift and drift.low_ppm,
        drift_high_ppm=drift and drift.high_ppm,
        sound_sha256=mark(channel) if loud >= settings.silent_dbfs else None,
    )


def _highest(values: FloatArray) -> float | None:
    """Give the highest of some values; None where none is a number."""
    return None if np.isnan(values).all() else float(np.nanmax(values))


def fault(recordings: pd.DataFrame, why: Reason, detail: str) -> dict[str, str]:
    """Make a row of ``quarantine`` for the one conversation of ``recordings``."""
    first = recordings.iloc[0]
    return {
        "corpus": str(first["corpus"]),
        "item": str(first["conversation"]),
        "stage": "door",
        "reason": str(why),
        "detail": detail,
    }


def turned_away(quarantine: pd.DataFrame) -> "pd.Series[str]":
    """Name the conversations that no later stage may use."""
    rows = quarantine[(quarantine["stage"] == "door") & ~quarantine["reason"].isin(KEPT)]
    return rows["item"]


def _off_ms(stated: object, channel: Heard) -> float:
    """Tell how much longer the sound is than its header says, ms."""
    n_stated = channel.n_samples if pd.isna(stated) else int(str(stated))
    return 1000.0 * (channel.n_samples - n_stated) / channel.sample_rate_hz


def _stated_off_ms(stated: object, channel: Heard) -> float | None:
    """Tell how much longer the sound is than its corpus says, ms."""
    if pd.isna(stated):
        return None
    return 1000.0 * channel.n_samples / channel.sample_rate_hz - float(str(stated))
