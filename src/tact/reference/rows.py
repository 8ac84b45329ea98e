"""Rows of tables ``laws`` and ``kernels``."""

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from tact import kernels
from tact.clock import FloatArray
from tact.laws import Law, from_row, parameters
from tact.reference.bands import Band
from tact.reference.fits import Fitted, law_of
from tact.reference.slices import ALL, PAPER, Slice, Train
from tact.settings import Reference as Settings
from tact.vocabulary import ANY_INTENT, INTENTS

Row = dict[str, object]
Bands = dict[tuple[str, str], Band]


def slice_rows(
    part: Slice,
    train: Train,
    fitted: Fitted,
    fits: FloatArray,
    limits: Sequence[str | None],
) -> Iterator[Row]:
    """Give the rows of one fitted slice.

    ``fits`` holds p of the KS test and ``limits`` the intervals, by intent.
    """
    mine = train.of(part.chosen)
    for z, intent in enumerate(INTENTS):
        notes = [note for note in (part.pools, fitted.reasons[z]) if note]
        yield {
            "slice": part.name,
            "intent": intent,
            **parameters(law_of(fitted.components[z])),
            "acceptability": _acceptability(mine, z),
            "n_points": float(fitted.n_points[z]),
            "n_responses": float(fitted.n_responses[z]),
            "source": fitted.sources[z],
            "parent": part.parent,
            "ks_p": None if np.isnan(fits[z]) else float(fits[z]),
            "intervals": limits[z],
            "reason": "; ".join(notes) or None,
        }


def paper_rows(laws: Mapping[str, Law], reason: str) -> Iterator[Row]:
    """Give the rows of slice ``all`` where no point may be pooled: the paper's laws."""
    for intent in INTENTS:
        yield _borrowed(ALL, intent, laws[intent], PAPER, PAPER, reason)


def unlabelled_rows(
    part: Slice, laws: Mapping[str, Law], blind: Row | None, note: str
) -> Iterator[Row]:
    """Give the rows of a corpus without labels: the parent's, and its own intent-blind law."""
    for intent in INTENTS:
        yield _borrowed(part.name, intent, laws[intent], "parent", ALL, note)
    if blind is not None:
        yield {"slice": part.name, "intent": ANY_INTENT, "source": "own", "parent": ALL, **blind}


def _borrowed(name: str, intent: str, law: Law, source: str, parent: str, reason: str) -> Row:
    return {
        "slice": name,
        "intent": intent,
        **parameters(law),
        "n_points": 0.0,
        "n_responses": 0.0,
        "source": source,
        "parent": parent,
        "reason": reason,
    }


def limits_json(
    limits: Mapping[str, list[float]], clusters: int, *, settings: Settings
) -> str | None:
    """Write the intervals of a law with their level and what they are clustered by."""
    if not limits:
        return None
    heading = {"level": settings.level, "cluster": settings.cluster, "clusters": clusters}
    return json.dumps({**heading, **limits})


def kernel_table(laws: pd.DataFrame, bands: Bands, *, settings: Settings) -> pd.DataFrame:
    """Tabulate every law on the 1 ms grid: table ``kernels``."""
    parts = []
    for row in laws.itertuples():
        own = bands.get((str(row.slice), str(row.intent)))
        parts.append(
            pd.DataFrame(
                {
                    "slice": row.slice,
                    "intent": row.intent,
                    "t_ms": kernels.GRID_MS,
                    **kernels.on_grid(
                        from_row(row), gamma=settings.gamma, epsilon=settings.epsilon
                    ),
                    "kernel_low": np.nan if own is None else own.low,
                    "kernel_high": np.nan if own is None else own.high,
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _acceptability(train: Train, z: int) -> float | None:
    accepts = train.points["silence_ok"].to_numpy(np.float64)
    weight = np.where(np.isnan(accepts), 0.0, train.q[:, z])
    if weight.sum() <= 0:
        return None
    return float(weight @ np.nan_to_num(accepts) / weight.sum())
