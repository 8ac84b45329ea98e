"""Laws beside the paper's, of other slices, what moved, and runs side by side."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tact.laws import ShiftedLogNormal, from_row
from tact.report.text import text_of
from tact.settings import PaperLaw
from tact.settings.base import Intent
from tact.vocabulary import INTENTS

_COMPARED = ("run", "intent", "no_response", "median_s", "responses", "source")


def comparison(laws: Mapping[str, pd.DataFrame], composites: Mapping[str, pd.DataFrame]) -> str:
    """Set laws and order of systems of several runs, by name, side by side."""
    rows = [
        {
            "run": name,
            "intent": law.intent,
            "no_response": law.no_response,
            "median_s": _median(law),
            "responses": law.n_responses,
            "source": law.source,
        }
        for name, fitted in laws.items()
        for law in _of(fitted, "all").itertuples()
    ]
    table = pd.DataFrame(rows, columns=_COMPARED)
    beta = table.pivot(index="run", columns="intent", values="no_response")
    median = table.pivot(index="run", columns="intent", values="median_s")
    counts = table.pivot(index="run", columns="intent", values="responses")
    order = {name: _order(scored) for name, scored in composites.items()}
    parts = [
        ("No response, beta_z", text_of(beta, index=True)),
        ("Median of the parent law, s", text_of(median, index=True)),
        ("Responses behind each law", text_of(counts.round(), index=True, digits=0)),
        ("Order of the systems by timing", "\n".join(f"{k}: {v}" for k, v in order.items())),
    ]
    return "\n".join(f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts)


def of_all(laws: pd.DataFrame, paper: Mapping[Intent, PaperLaw]) -> str:
    """Show the laws of slice `all` beside the paper's."""
    rows = []
    for law in _of(laws, "all").itertuples():
        printed = paper[law.intent]
        exgaussian = printed.median is None
        spread = printed.sigma if exgaussian else printed.log_sigma
        rows.append(
            {
                "intent": law.intent,
                "beta": _beside(law.no_response, printed.no_response),
                "location": _beside(law.mu, printed.mu)
                if exgaussian
                else _beside(_median(law), printed.median),
                "spread": _beside(law.sigma if exgaussian else law.log_sigma, spread),
                "tau": _beside(law.tau, printed.tau) if exgaussian else "",
                "points": round(law.n_points),
                "responses": round(law.n_responses),
                "absent": 1.0 - law.n_responses / law.n_points if law.n_points else np.nan,
                "source": law.source,
            }
        )
    note = (
        "here (paper). location: mu of an ex-Gaussian, median of a log-normal; spread: sigma or\n"
        "log_sigma; seconds. absent: the share of points that nobody answered, each point weighed\n"
        "by its posterior; beta is what the mixture makes of it."
    )
    return text_of(pd.DataFrame(rows)) + "\n" + note


def _beside(here: float, paper: float | None) -> str:
    return f"{here:.3f} ({paper:.3f})"


def of_slices(laws: pd.DataFrame) -> str:
    """Show the laws of every other slice."""
    others = laws[laws["slice"] != "all"]
    if others.empty:
        return "none"
    shown = others.assign(median_s=[_median(law) for law in others.itertuples()])
    names = ["slice", "intent", "no_response", "median_s", "n_points", "n_responses", "source"]
    names += ["parent", "ks_p"]
    return text_of(shown[names])


def of_changes(changes: pd.DataFrame) -> str:
    """Count the laws that came, went and moved, and show those that moved."""
    counts = changes["change"].value_counts().sort_index()
    told = ", ".join(f"{n} {change}" for change, n in counts.items()) or "no law"
    moved = changes[changes["change"].isin(["moved", "gone"])]
    names = ["slice", "intent", "change", "parameter", "before", "after", "standard_errors"]
    return told + ("\n" + text_of(moved[[*names, "apart"]]) if len(moved) else "")


def _order(composites: pd.DataFrame) -> str:
    main = composites.query("scenario == 'all' and slice == 'all' and intent == 'all'")
    ranked = main.sort_values("timing_population_fair", ascending=False)
    return " > ".join(
        f"{row.system} {row.timing_population_fair:.3f}" for row in ranked.itertuples()
    )


def _of(laws: pd.DataFrame, name: str) -> pd.DataFrame:
    chosen = laws[(laws["slice"] == name) & laws["intent"].isin(INTENTS)]
    return chosen.assign(order=chosen["intent"].map(INTENTS.index)).sort_values("order")


def _median(row: Any) -> float:
    """Median of the parent law, before truncation to T, s."""
    if row.family == ShiftedLogNormal.family:
        return float(row.shift + np.exp(row.log_median))
    law = from_row(row)
    return float(law.quantile((1 - law.no_response) / 2))
