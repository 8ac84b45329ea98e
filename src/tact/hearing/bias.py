"""What a detector is off by, at starts, at ends and in the transfers between them, by SNR.

On speech whose edges are known every found IPU that meets exactly one true IPU, and is met by it
alone, gives an error at each end::

    true      |=========|      |====|     start error  found less true, > 0 is late
    found       |=========|   |=====|     end error    the same

The bias of an end is the median of its errors, whose interval comes from order statistics (the
sign test's, David and Nagaraja 2003, section 7.1) and so rests on no shape. A floor transfer runs
from an end to a start, so its error is a start error less an end error. Where errors are skewed its
median is not the difference of the two medians: what is left of it once both biases are taken off
is shared by both ends, half each, so that the median transfer is right. The spread about it is what
a response time may be wrong by.

Before that, the errors of ends as detected, of all SNRs together, tell how far from a detected end
the true one lies (`tact.hearing.spans.Reach`), and so where to look for it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import bdtr

from tact.clock import Flags, FloatArray, IntArray
from tact.errors import InputError
from tact.hearing.levels import SNR_CEILING_DB
from tact.hearing.spans import NOWHERE, Reach, Reaches

LEVEL = 0.95
IQR_OF_NORMAL = 1.349
LEAST_IPUS = 40
"""So that one lies in each tail of a reach."""

LEAST_IN_BAND = 20
"""So that one lies below the 5 % point and one above the 95 % point."""

MOST_MS = 1000.0
"""What lies further off is another word's end."""

EDGES = ("start", "end", "transfer")
REACH = ("reach_low_ms", "reach_high_ms", "reach_middle_ms")


class Sample(NamedTuple):
    """One channel with known edges: true and found IPUs, (n, 2) in ms, and its SNR, dB."""

    true: IntArray
    found: IntArray
    snr_db: float


class Errors(NamedTuple):
    """Errors at the ends of the IPUs that were found one to one, ms, in order."""

    start: FloatArray
    end: FloatArray
    n_true: int
    n_found: int


class Bias(NamedTuple):
    """What a detector is late by at each end, ms, and the 5 % and 95 % points of what is left.

    The last two are null where nothing was measured.
    """

    start_ms: float
    end_ms: float
    low_ms: float | None
    high_ms: float | None


UNKNOWN = Bias(0.0, 0.0, None, None)
NO_REACH = Reaches(NOWHERE, NOWHERE)


@dataclass(frozen=True)
class Corrections:
    """What one detector is off by: its reaches, and its biases by band of SNR.

    Without them nothing is corrected: ends are as detected.
    """

    reaches: Reaches = NO_REACH
    bands: tuple[tuple[float, float, Bias], ...] = ()

    @classmethod
    def of(cls, errors: pd.DataFrame, detector: str) -> "Corrections":
        """Read them from table ``detector_errors``; bands of fewer than 20 IPUs tell too little.

        Raises
        ------
        InputError
            What it says of the detector cannot be, or is not all there.
        """
        own = errors[errors["detector"] == detector]
        for _, rows in own.groupby("snr_low_db"):
            if fault := _fault(rows):
                raise InputError(f"{fault} ({detector}); make it anew: `tact calibrate {detector}`")
        bands = []
        for (low, high), rows in own.groupby(["snr_low_db", "snr_high_db"]):
            row = rows.set_index("edge")
            over = row.loc["transfer"]
            if over["n"] < LEAST_IN_BAND:
                continue
            half = float(over["left_ms"]) / 2.0
            bias = Bias(
                float(row.loc["start", "bias_ms"]) + half,
                float(row.loc["end", "bias_ms"]) - half,
                float(over["low_ms"]) - 2.0 * half,
                float(over["high_ms"]) - 2.0 * half,
            )
            bands.append((float(low), float(high), bias))
        return cls(_reaches(own), tuple(bands)) if len(own) else cls()

    def at(self, snr_db: float) -> Bias:
        """Give the bias of the nearest band that was measured.

        What is left is unknown at the ceiling of SNR, where a channel is digital silence between
        utterances: a gate may have shut on noise that is still beside them.
        """
        if not self.bands:
            return UNKNOWN

        def away(band: tuple[float, float, Bias]) -> float:
            low, high, _ = band
            return max(low - snr_db, snr_db - high, 0.0)

        # Bands share their edges: the upper one has it.
        bias = min(reversed(self.bands), key=away)[2]
        return bias._replace(low_ms=None, high_ms=None) if snr_db >= SNR_CEILING_DB else bias


def errors(true: IntArray, found: IntArray) -> Errors:
    """Compare the found IPUs of a channel with the true ones, both ordered and apart."""
    which_found, which_true = np.nonzero(one_to_one(meet(true, found)))
    off = (found[which_found] - true[which_true]).astype(np.float64)
    return Errors(off[:, 0], off[:, 1], len(true), len(found))


def meet(true: IntArray, found: IntArray) -> Flags:
    """Tell which found IPU shares time with which true one, (n_found, n_true)."""
    flags: Flags = (found[:, None, 0] < true[:, 1]) & (found[:, None, 1] > true[:, 0])
    return flags


def one_to_one(meets: Flags) -> Flags:
    """Keep the pairs of which neither meets another."""
    alone: Flags = meets & (meets.sum(axis=0) == 1) & (meets.sum(axis=1, keepdims=True) == 1)
    return alone


def reaches(measured: Sequence[Errors]) -> Reaches:
    """Measure how far from detected ends the true ones lie, over all SNRs.

    Parameters
    ----------
    measured : sequence of Errors
        Of the ends as detected; at least one IPU was found one to one.
    """
    ends = [one.start for one in measured], [one.end for one in measured]
    at = ((1 - LEVEL) / 2, (1 + LEVEL) / 2, 0.5)
    start, end = (Reach(*np.quantile(-np.concatenate(off), at).tolist()) for off in ends)
    return Reaches(start, end)


def near(reaches: Reaches) -> bool:
    """Tell whether reaches are such that the ends they lead to are of the same words."""
    return all(
        -MOST_MS <= reach.low_ms <= reach.middle_ms <= reach.high_ms <= MOST_MS for reach in reaches
    )


def table(
    detector: str, samples: Iterable[Sample], reaches: Reaches, *, bands_db: Sequence[float]
) -> list[dict[str, object]]:
    """Measure a detector: rows of table ``detector_errors``, three for each band with speech.

    Parameters
    ----------
    detector : str
    samples : iterable of Sample
        With the ends sharpened.
    reaches : Reaches
        With which they were.
    bands_db : sequence of float
        Where one band of SNR ends and the next begins, rising, dB.
    """
    limits = [-np.inf, *bands_db, np.inf]
    by_band: dict[int, list[Errors]] = {}
    for sample in samples:
        band = int(np.searchsorted(bands_db, sample.snr_db, side="right"))
        by_band.setdefault(band, []).append(errors(sample.true, sample.found))
    rows: list[dict[str, object]] = []
    for band, measured in sorted(by_band.items()):
        start = np.concatenate([one.start for one in measured])
        end = np.concatenate([one.end for one in measured])
        if not len(start):
            continue
        common = {
            "detector": detector,
            "snr_low_db": float(np.clip(limits[band], 0, None)),
            "snr_high_db": min(float(limits[band + 1]), 1000.0),
            "n_true": sum(one.n_true for one in measured),
            "n_found": sum(one.n_found for one in measured),
        }
        left = start - np.median(start), end - np.median(end)
        for edge, off, rest, reach in (
            ("start", start, left[0], reaches.start),
            ("end", end, left[1], reaches.end),
            ("transfer", transfers(start, end), transfers(*left), (None, None, None)),
        ):
            row = {**common, "edge": edge, **_summary(off, rest)}
            rows.append(row | dict(zip(REACH, reach, strict=True)))
    return rows


def transfers(start: FloatArray, end: FloatArray) -> FloatArray:
    """Give the errors of floor transfers: each start less the end before it in the list.

    Which start follows which end in a conversation has nothing to do with their errors, so any
    pairing has the same distribution; this one uses each error once.
    """
    return np.asarray(start - np.roll(end, 1))


def median_interval(values: FloatArray) -> tuple[float, float]:
    """Give the 95 % interval of a median by order statistics; all values for fewer than six."""
    ordered = np.sort(values)
    n = len(ordered)
    # The most values that fewer than 2.5 % of samples have below their median.
    below = int(np.searchsorted(bdtr(np.arange(n), n, 0.5), (1 - LEVEL) / 2, side="right")) - 1
    first = max(0, below)
    return float(ordered[first]), float(ordered[n - 1 - first])


def _fault(band: pd.DataFrame) -> str | None:
    """Tell what is wrong with the rows of one detector and band, if anything."""
    if sorted(band["edge"]) != sorted(EDGES):
        return "rows of start, end and transfer are needed for each band of SNR"
    if not (band["snr_low_db"] < band["snr_high_db"]).all():
        return "a band of SNR ends before it begins"
    if not (band[["bias_ms", "left_ms", "low_ms", "high_ms"]].abs() <= 2 * MOST_MS).all(axis=None):
        return f"an error is no number, or over {2 * MOST_MS:.0f} ms"
    if band.loc[band["edge"] != "transfer", list(REACH)].isna().any(axis=None):
        return "there is no reach of starts and ends, as in tables of an older version"
    if not near(_reaches(band)):
        return f"a reach is none, or goes beyond {MOST_MS:.0f} ms"
    return None


def _reaches(rows: pd.DataFrame) -> Reaches:
    """Read the reaches of one detector, which all its rows tell."""
    by_edge = rows.drop_duplicates("edge").set_index("edge")[list(REACH)]
    start, end = (Reach(*by_edge.loc[edge].astype(float)) for edge in ("start", "end"))
    return Reaches(start, end)


def _summary(off: FloatArray, rest: FloatArray) -> dict[str, object]:
    low, high = median_interval(off)
    quarter, three_quarters = np.quantile(off, [0.25, 0.75])
    return {
        "n": len(off),
        "bias_ms": float(np.median(off)),
        "bias_low_ms": low,
        "bias_high_ms": high,
        "spread_ms": float((three_quarters - quarter) / IQR_OF_NORMAL),
        "left_ms": float(np.median(rest)),
        "low_ms": float(np.quantile(rest, 0.05)),
        "high_ms": float(np.quantile(rest, 0.95)),
    }
