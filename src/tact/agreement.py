"""Agreement of annotators: Krippendorff's alpha, with every case where it is not defined named.

::

    alpha = 1 - D_o / D_e      observed over expected disagreement of pairable labels

A unit with fewer than two labels has no pair and is left out. Krippendorff (2011), "Computing
Krippendorff's alpha-reliability"; nominal differences by the ``krippendorff`` library from counts
of labels, interval differences by the same formula in sums of squares, which stays linear in the
number of distinct times. Section 6.1 of arXiv 2609.27372 reports .73, .84 and .79.
"""

from dataclasses import dataclass
from typing import Any, Literal

import krippendorff
import numpy as np

from tact.clock import FloatArray, IntArray

Level = Literal["nominal", "interval"]


@dataclass(frozen=True)
class Agreement:
    """Alpha over ``n_units`` units of two labels or more; null with a reason where undefined."""

    alpha: float | None
    n_units: int
    reason: str | None


def alpha(unit: IntArray, value: Any, *, level: Level) -> Agreement:
    """Measure the agreement of labels, any number per unit.

    Parameters
    ----------
    unit : (m,) unit of each label, whole numbers from 0
    value : (m,) the label: a category from 0 (nominal) or a quantity (interval); NaN = missing
    level : "nominal" or "interval"

    Returns
    -------
    Agreement
        Alpha is null where no unit has two labels, and where all pairable labels are the same, so
        that chance agreement is 1 (perfect agreement on a constant says nothing).

    Raises
    ------
    ValueError
        ``unit`` and ``value`` differ in length.
    """
    value = np.asarray(value, dtype=np.float64)
    if value.shape != unit.shape:
        raise ValueError(f"{unit.size} units for {value.size} labels")
    given = ~np.isnan(value)
    unit, value = unit[given], value[given]
    pairable = np.bincount(unit)[unit] >= 2 if unit.size else np.zeros(0, dtype=bool)
    if not pairable.any():
        return Agreement(None, 0, "no unit has two labels")
    names, unit = np.unique(unit[pairable], return_inverse=True)
    value = value[pairable]
    if np.all(value == value[0]):
        return Agreement(None, names.size, "every label is the same")
    figure = _nominal(unit, value) if level == "nominal" else _interval(unit, value)
    return Agreement(figure, names.size, None)


def _nominal(unit: IntArray, value: FloatArray) -> float:
    categories, code = np.unique(value, return_inverse=True)
    counts = np.zeros((unit.max() + 1, categories.size), dtype=np.int64)
    np.add.at(counts, (unit, code), 1)
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def _interval(unit: IntArray, value: FloatArray) -> float:
    # sum over pairs of (x - y)^2 = 2 n sum (x - mean)^2, within units and over all labels
    n = np.bincount(unit)
    away = value - (np.bincount(unit, value) / n)[unit]
    observed = 2.0 * np.sum(np.bincount(unit, away * away) * n / (n - 1)) / value.size
    spread = value - value.mean()
    expected = 2.0 * np.sum(spread * spread) / (value.size - 1)
    return float(1.0 - observed / expected)
