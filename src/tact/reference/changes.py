"""What a rebuild of the laws changed: which slices came and went, and which laws moved how far."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import t as student

from tact import frames, kernels
from tact.clock import FloatArray
from tact.laws import from_row
from tact.settings import Reference as Settings

_LOGGED = ("sigma", "tau", "log_sigma")
_SHARE = "no_response"
_PARAMETERS = ("mu", "sigma", "tau", "log_median", "log_sigma", "shift", _SHARE)
_EVERY = 10


def changes(before: pd.DataFrame, after: pd.DataFrame, *, settings: Settings) -> pd.DataFrame:
    """Compare the laws of two builds.

    Parameters
    ----------
    before, after : table ``laws``

    Returns
    -------
    table ``changes``
        One row a law, in the order of ``after``, then those that are gone. Standard errors are
        those of ``after``, on the scale on which intervals are symmetric; null where a law has
        none.
    """
    old = {(row.slice, row.intent): row for row in before.itertuples()}
    new = {(row.slice, row.intent): row for row in after.itertuples()}
    rows = [_row(key, old.get(key), new.get(key), settings) for key in {**new, **old}]
    return frames.frame(rows, "changes")


def _row(key: tuple[Any, Any], old: Any, new: Any, settings: Settings) -> dict[str, object]:
    row: dict[str, object] = {
        "slice": key[0],
        "intent": key[1],
        "source_before": None if old is None else old.source,
        "source_after": None if new is None else new.source,
    }
    if old is None or new is None:
        return row | {"change": "new" if old is None else "gone"}
    if old.family != new.family:
        return row | {"change": "moved", "parameter": "family", "apart": _apart(old, new, settings)}
    moves = list(_moves(old, new))
    if not moves:
        return row | {"change": "same", "apart": 0.0}
    # Where no standard error is known, what moved furthest on its own scale.
    name, _, errors = max(moves, key=lambda move: (np.nan_to_num(move[2]), move[1]))
    return row | {
        "change": "moved",
        "parameter": name,
        "before": getattr(old, name),
        "after": getattr(new, name),
        "standard_errors": errors,
        "apart": _apart(old, new, settings),
    }


def _moves(old: Any, new: Any) -> Iterator[tuple[str, float, float]]:
    """Give each parameter that moved, by how much on its own scale and in standard errors."""
    limits = json.loads(new.intervals) if isinstance(new.intervals, str) else {}
    for name in _PARAMETERS:
        values = np.array([getattr(old, name), getattr(new, name)], dtype=np.float64)
        if np.isnan(values).any() or values[0] == values[1]:
            continue
        first, second = _scaled(name, values)
        errors = np.nan
        if name in limits:
            low, high = _scaled(name, np.array(limits[name]))
            times = student.ppf(0.5 + 0.5 * limits["level"], limits["clusters"] - 1)
            errors = abs(second - first) * 2.0 * times / (high - low)
        yield name, float(abs(second - first)), float(errors)


def _scaled(name: str, values: FloatArray) -> FloatArray:
    if name in _LOGGED:
        return np.log(values)
    if name == _SHARE:
        return np.asarray(logit(np.clip(values, 1e-9, 1 - 1e-9)))
    return values


def _apart(old: Any, new: Any, settings: Settings) -> float:
    grid, law = kernels.GRID_S[::_EVERY], from_row(new)
    w = kernels.weight(law, grid, gamma=settings.gamma, epsilon=settings.epsilon)
    gap = law.cdf(grid) - from_row(old).cdf(grid)
    return float(np.trapezoid(w * gap**2, grid) / np.trapezoid(w, grid))
