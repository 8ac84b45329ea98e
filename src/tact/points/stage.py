"""Candidates of every conversation, labelled, split and weighted."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tact import frames, keys, rounding
from tact.clock import IntArray
from tact.points.candidates import CODES, Focal, Outcome, focal_candidates, outcome, third_party
from tact.points.conversation import Conversation
from tact.points.gather import conversations
from tact.points.response import HORIZON_MS, NONE
from tact.points.splits import split_of
from tact.settings import Points, Settings
from tact.vocabulary import NO_SCENARIO, SCENARIOS

Columns = dict[str, np.ndarray]


def find_points(
    corpus: str,
    recordings: pd.DataFrame,
    ipus: pd.DataFrame,
    backchannels: pd.DataFrame,
    turns: pd.DataFrame,
    words: pd.DataFrame,
    *,
    settings: Settings,
) -> pd.DataFrame:
    """List every candidate of a corpus with its outcome and scenario.

    Returns
    -------
    table ``points``
        One row per (conversation, focal, t0_ms).
    """
    durations = recordings.groupby("conversation")["duration_ms"].max().to_dict()
    target = round(settings.corpora[corpus].clip_target_s * 1000) - HORIZON_MS
    parts = [
        _columns(talk, focal, seen, third, settings.points)
        for talk in conversations(ipus, backchannels, turns, words, durations)
        for focal, seen, third in _candidates(talk, target, settings.points)
    ]
    if not parts:
        return frames.empty("points")
    table = _table(parts)
    splits = split_of(recordings, corpus=corpus, settings=settings)
    table["split"] = [splits[name][0] for name in table["conversation"]]
    table["split_group"] = [splits[name][1] for name in table["conversation"]]
    table["corpus"] = corpus
    table["point"] = [
        keys.point_id(*row)
        for row in zip(table["conversation"], table["focal"], table["t0_ms"], strict=True)
    ]
    table["weight"] = _weights(table, corpus, settings)
    return frames.check(table, "points")


def _candidates(
    talk: Conversation, target: int, settings: Points
) -> Iterator[tuple[Focal, Outcome, np.ndarray]]:
    """Give the candidates of each focal speaker, by partner, with what the partner does."""
    for index in range(len(talk.speakers)):
        focal = focal_candidates(talk, index, target, settings)
        if len(talk.speakers) <= 2 or not settings.two_party:
            side, whose = (
                talk.pooled(index) if len(talk.speakers) > 1 else (talk.sides[index], None)
            )
            if whose is not None:
                seen = outcome(talk, focal, side, whose, settings)
                yield focal, seen, np.zeros(len(focal.t0), bool)
            continue
        heard = {
            other: talk.speaks_in(other, focal.context_start, focal.t0)
            for other in range(len(talk.speakers))
            if other != index
        }
        company = sum(present.astype(int) for present in heard.values())
        for other, present in heard.items():
            pair = focal.take(present & (company == 1))
            side = talk.sides[other]
            whose = np.full(len(side.start), other)
            seen = outcome(talk, pair, side, whose, settings)
            yield pair, seen, third_party(talk, pair, other, seen.onsets)


def _columns(
    talk: Conversation, focal: Focal, seen: Outcome, third: np.ndarray, settings: Points
) -> Columns:
    """Give the columns of the candidates, but for those that a partner IPU spans."""
    names = np.array([*talk.speakers, ""], dtype=object)
    code = seen.scenario(focal, settings)
    kind = np.where(seen.kind_backchannel, "backchannel", "turn").astype(object)
    kind[seen.onsets.response == NONE] = None
    kept = ~seen.onsets.spans | seen.interrupts
    columns = {
        "scenario": np.array(CODES, dtype=object)[code],
        "conversation": np.full(len(code), talk.name, dtype=object),
        "focal": np.full(len(code), talk.speakers[focal.index], dtype=object),
        "partner": names[seen.partner],
        "t0_ms": focal.t0,
        "ipu_start_ms": focal.ipu_start,
        "turn_start_ms": focal.turn_start,
        "context_start_ms": focal.context_start,
        "response_kind": kind,
        "carry_over": seen.onsets.carry_over,
        "third_party": third,
        "reasons": _reasons(talk, focal, code),
    }
    columns |= _times(focal, seen)
    return {name: values[kept] for name, values in columns.items()}


def _times(focal: Focal, seen: Outcome) -> Columns:
    """Give what some candidates lack, as NONE there."""
    answered = seen.onsets.response < NONE
    lasts = np.where(answered, seen.unit_end, NONE)
    return {
        "response_ms": _relative(seen.onsets.response, focal.t0),
        "response_duration_ms": _relative(lasts, seen.onsets.response),
        "floor_ms": _relative(seen.floor_start, focal.t0),
        "resume_ms": _relative(focal.resume, focal.t0),
        "focal_next_ms": _relative(focal.next_start, focal.t0),
        "raw_response_ms": _relative(seen.onsets.raw, focal.t0),
    }


def _relative(times: IntArray, origin: IntArray) -> IntArray:
    return np.where(times < NONE, times - np.where(times < NONE, origin, 0), NONE)


def _table(parts: list[Columns]) -> pd.DataFrame:
    """Put the columns together at once: a small frame for each focal speaker takes longer."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return pd.DataFrame({name: _known(values) for name, values in joined.items()})


def _known(values: np.ndarray) -> Any:
    """Turn NONE among times into null."""
    if values.dtype != np.int64:
        return values
    return pd.arrays.IntegerArray(np.where(values == NONE, 0, values), values == NONE)


def _reasons(talk: Conversation, focal: Focal, code: IntArray) -> np.ndarray:
    """Say why the scenario, and what keeps the point out of episodes or of the frame."""
    why = np.array(
        [
            "the focal turn goes on after a silence",
            "the first response is a backchannel",
            "the partner takes the floor",
            "the focal turn began in the partner's unfinished clause",
            "no scenario applies",
        ],
        dtype=object,
    )[code]
    for mark, applies in (
        ("no_boundary", ~focal.near),
        ("no_context", focal.context_start < 0),
        ("no_horizon", focal.t0 + HORIZON_MS > talk.duration_ms),
        ("redacted", talk.touches_redaction(focal.context_start, focal.t0 + HORIZON_MS)),
    ):
        why = np.where(applies, why + f"; {mark}", why)
    return why


def _weights(table: pd.DataFrame, corpus: str, settings: Settings) -> pd.Series:
    """Candidates over quota of each scenario, of dev and test; null outside the quota table."""
    cells = rounding.scale(settings.episodes.quota, settings.episodes.scale, SCENARIOS).get(
        corpus, {}
    )
    open_to_choice = (table["split"] != "train") & ~table["third_party"]
    counts = table[open_to_choice].groupby("scenario").size()
    weight = {
        name: counts.get(name, 0) / quota
        for name, quota in cells.items()
        if quota and name != NO_SCENARIO
    }
    return table["scenario"].map(weight).astype(float)
