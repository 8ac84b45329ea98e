"""From two tables of IPUs of a corpus to how far they agree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact import activity, frames
from tact.clock import Flags, FloatArray, IntArray
from tact.concord import rates, transfers
from tact.concord.rates import Times
from tact.errors import InputError
from tact.hearing import bias
from tact.settings import Turns

QUANTILES = {
    "low_ms": 0.05,
    "quarter_ms": 0.25,
    "median_ms": 0.5,
    "three_quarters_ms": 0.75,
    "high_ms": 0.95,
}


@dataclass(frozen=True)
class Concordance:
    """The tables of the stage, by contract name."""

    concord: pd.DataFrame
    concord_edges: pd.DataFrame
    concord_misses: pd.DataFrame


@dataclass(frozen=True)
class _Beside:
    """The IPUs of one speaker in both tables.

    Attributes
    ----------
    errors : Errors
        At the ends of those found one to one.
    true_ms, false_ms : int64 arrays
        Lengths of all IPUs of the reference, and of those of the hypothesis that meet none.
    missed : bool array, as long as ``true_ms``
    """

    errors: bias.Errors
    true_ms: IntArray
    missed: Flags
    false_ms: IntArray


def compare(
    corpus: str,
    reference: pd.DataFrame,
    hypothesis: pd.DataFrame,
    recordings: pd.DataFrame,
    *,
    contiguous_words: bool,
    bins_ms: Sequence[int],
    settings: Turns,
) -> Concordance:
    """Set two tables of IPUs of the same conversations side by side.

    What one of them has no conversation of says nothing of the other: it is counted and left out.

    Parameters
    ----------
    corpus : str
    reference, hypothesis : tables ``ipus``
        Of one source each.
    recordings : table ``recordings``
        Of the corpus; it tells how long conversations are.
    contiguous_words : bool
        Whether words of this corpus abut.
    bins_ms : sequence of int
        Lengths between which missed IPUs are counted, rising, ms.
    settings : Turns
        How floor transfers are found.

    Raises
    ------
    InputError
        A table has several sources, or no conversation is in both.
    """
    pair = {
        "corpus": corpus,
        "reference": _source(reference, "reference"),
        "hypothesis": _source(hypothesis, "hypothesis"),
    }
    shared = set(reference["conversation"]) & set(hypothesis["conversation"])
    if not shared:
        raise InputError(
            f"concord: no conversation of {corpus} has IPUs of both {pair['reference']} and"
            f" {pair['hypothesis']}; take it out of concord.corpora"
        )
    true, found = (
        _apart(ipus[ipus["conversation"].isin(shared)]) for ipus in (reference, hypothesis)
    )
    found, times = _named(true, found, recordings)
    speakers = _speakers(true, found)
    passed = [transfers.between_ipus(ipus, settings=settings) for ipus in (true, found)]
    late = {
        "start": np.concatenate([one.errors.start for one in speakers]),
        "end": np.concatenate([one.errors.end for one in speakers]),
        "transfer": transfers.shifts(*passed),
    }
    row: dict[str, object] = {
        **pair,
        "contiguous_words": contiguous_words and "words" in pair.values(),
        "conversations": len(shared),
        "left_out": recordings["conversation"].nunique() - len(shared),
        "n_transfers_reference": len(passed[0]),
        "n_transfers_hypothesis": len(passed[1]),
    }
    edges = [{**pair, "edge": edge, **_spread(off)} for edge, off in late.items() if len(off)]
    return Concordance(
        frames.frame([row | _counts(speakers) | _rates(times) | _shift(late)], "concord"),
        frames.frame(edges, "concord_edges"),
        frames.frame(_misses(pair, speakers, bins_ms), "concord_misses"),
    )


def _source(ipus: pd.DataFrame, side: str) -> str:
    sources = ipus["source"].unique()
    if len(sources) != 1:
        named = ", ".join(sorted(sources)) or "nothing"
        raise InputError(f"concord: the {side} has IPUs of {named}; give a table of one source")
    return str(sources[0])


def _apart(ipus: pd.DataFrame) -> pd.DataFrame:
    """Make one IPU of those of a speaker that touch or overlap; a sound table has none."""
    return activity.join(ipus, silence_ms=0)


def _named(
    true: pd.DataFrame, found: pd.DataFrame, recordings: pd.DataFrame
) -> tuple[pd.DataFrame, list[Times]]:
    """Name the speakers of the hypothesis as the reference does, and measure error times."""
    theirs, known = (dict(iter(rows.groupby("conversation"))) for rows in (found, recordings))
    parts: list[pd.DataFrame] = []
    times: list[Times] = []
    for name, own in true.groupby("conversation"):
        other = theirs[name]
        said, heard = rates.annotation(own), rates.annotation(other)
        names = rates.same_names(said, heard, set(known[name]["speaker"]))
        parts.append(other.assign(speaker=other["speaker"].map(names)))
        length_ms = max(part["end_ms"].max() for part in (own, other))
        length_ms = max(length_ms, known[name]["duration_ms"].max())
        times.append(rates.times(said, heard, int(length_ms)))
    return pd.concat(parts, ignore_index=True), times


def _speakers(true: pd.DataFrame, found: pd.DataFrame) -> list[_Beside]:
    """Set the IPUs of each speaker side by side; one side may have none."""
    who = ["conversation", "speaker"]
    said, heard = (
        {
            key: rows.sort_values("start_ms")[["start_ms", "end_ms"]].to_numpy(np.int64)
            for key, rows in ipus.groupby(who)
        }
        for ipus in (true, found)
    )
    nothing = np.zeros((0, 2), dtype=np.int64)
    return [
        _beside(said.get(key, nothing), heard.get(key, nothing)) for key in sorted({*said, *heard})
    ]


def _beside(true: IntArray, found: IntArray) -> _Beside:
    meets = bias.meet(true, found)
    alone = found[~meets.any(axis=1)]
    return _Beside(
        bias.errors(true, found),
        true[:, 1] - true[:, 0],
        np.asarray(~meets.any(axis=0)),
        alone[:, 1] - alone[:, 0],
    )


def _counts(speakers: Sequence[_Beside]) -> dict[str, object]:
    return {
        "n_reference": sum(one.errors.n_true for one in speakers),
        "n_hypothesis": sum(one.errors.n_found for one in speakers),
        "n_met": sum(len(one.errors.start) for one in speakers),
        "n_missed": sum(int(one.missed.sum()) for one in speakers),
        "n_false": sum(len(one.false_ms) for one in speakers),
        "false_ipus_ms": sum(int(one.false_ms.sum()) for one in speakers),
    }


def _rates(times: Sequence[Times]) -> dict[str, object]:
    """Add up the times of all conversations, and make rates of the sums."""
    total = Times(*(sum(values) for values in zip(*times, strict=True)))
    wrong = total.missed_ms + total.false_ms
    confused = total.spoken_missed_ms + total.spoken_false_ms + total.confused_ms
    return {
        **total._asdict(),
        "detection_error": wrong / total.speech_ms if total.speech_ms else None,
        "diarization_error": confused / total.spoken_ms if total.spoken_ms else None,
    }


def _spread(off: FloatArray) -> dict[str, object]:
    quantiles = np.quantile(off, list(QUANTILES.values())).tolist()
    return {"n": len(off), **dict(zip(QUANTILES, quantiles, strict=True))}


def _shift(late: Mapping[str, FloatArray]) -> dict[str, object]:
    found: dict[str, object] = {"n_transfers_met": len(late["transfer"])}
    if len(late["transfer"]):
        low, median, high = np.quantile(late["transfer"], [0.05, 0.5, 0.95]).tolist()
        found |= {"fto_shift_low_ms": low, "fto_shift_ms": median, "fto_shift_high_ms": high}
    return found


def _misses(
    pair: dict[str, str], speakers: Sequence[_Beside], bins_ms: Sequence[int]
) -> list[dict[str, object]]:
    """Count the IPUs of the reference, and the missed ones, by length."""
    length = np.concatenate([one.true_ms for one in speakers])
    missed = np.concatenate([one.missed for one in speakers])
    limits = [0, *bins_ms, None]
    within = np.searchsorted(bins_ms, length, side="right")
    return [
        {
            **pair,
            "from_ms": limits[at],
            "to_ms": limits[at + 1],
            "n": int((within == at).sum()),
            "n_missed": int(missed[within == at].sum()),
        }
        for at in range(len(bins_ms) + 1)
    ]
