"""Do two ways to score put the systems in the same order?

Tables in: ``composites`` and ``binary``. Table out: ``ranks``. Every metric is turned so that more
is better; metrics without a better end are left out.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from tact import frames
from tact.correlation import bonett_wright, spearman

METRICS = ("timing_population_fair", "timing_episode", "length", "overlap", "score")


def headline(composites: pd.DataFrame) -> pd.DataFrame:
    """Take the rows of table ``composites`` over all slices and intents."""
    return composites.query("slice == 'all' and intent == 'all'")


def ranks(composites: pd.DataFrame, binary: pd.DataFrame | None, *, level: float) -> pd.DataFrame:
    """Correlate each pair of metrics over the systems, by scenario and over all: table ``ranks``.

    A system that lacks one of the two is left out of the pair.
    """
    values = _long(composites, binary)
    rows = []
    for scenario, own in values.groupby("scenario", sort=True):
        wide = own.pivot(index="system", columns="metric", values="value")
        for first, second in combinations(sorted(wide.columns), 2):
            both = wide[[first, second]].dropna()
            rho = spearman(both[first].to_numpy(), both[second].to_numpy())
            low, high = bonett_wright(rho, len(both), level=level)
            rows.append((scenario, first, second, rho, low, high, len(both)))
    return frames.frame(rows, "ranks")


def _long(composites: pd.DataFrame, binary: pd.DataFrame | None) -> pd.DataFrame:
    main = headline(composites)
    parts = [
        main[["system", "scenario", metric]].rename(columns={metric: "value"}).assign(metric=metric)
        for metric in METRICS
    ]
    if binary is not None:
        turned = binary[binary["better"] != "neither"]
        sign = np.where(turned["better"] == "low", -1.0, 1.0)
        turned = turned.assign(value=sign * turned["value"])
        parts.append(turned[["system", "scenario", "value", "metric"]])
    return pd.concat(parts, ignore_index=True).dropna(subset="value")
