"""Scores of the rule, of the field's binary metrics, and of psi."""

import pandas as pd

from tact.report.text import text_of
from tact.schemas import CONTRACTS
from tact.vocabulary import SCENARIOS


def of_rule(composites: pd.DataFrame) -> str:
    """Show the composites of each scenario, the best timing first."""
    names = ["timing_population_fair", "skill", "timing_episode", "length", "overlap"]
    names += ["score", "low", "high", "n", "flags"]
    main = composites.query("slice in ('all', 'synthetic=no') and intent == 'all'")
    order = ["slice", "scenario", "timing_population_fair"]
    ranked = main.sort_values(order, ascending=[True, True, False])
    note = (
        "timing_episode is a known case: its best policy is the median of the law, above a human\n"
        "draw, and under the paper's laws `never` may beat the human there. The headline is the\n"
        "population score (fair), which is 1 exactly at the human law."
    )
    return text_of(ranked[["slice", "scenario", "system", *names]]) + "\n" + note


def of_completion(completion: pd.DataFrame) -> str:
    """Show how well psi is calibrated."""
    whole = completion.drop_duplicates(["corpus", "model"])
    names = ["corpus", "model", "n_all", "base_rate", "ece", "brier", "brier_of_share"]
    return text_of(whole[names]) if len(whole) else "no train turns"


def of_peers(binary: pd.DataFrame) -> str:
    """Show the binary metrics of each scenario and system, with the runs that tell.

    ``n`` is the least and the most over the metrics of a row.
    """
    wide = binary.pivot(index=["scenario", "system"], columns="metric", values="value")
    told = binary.groupby(["scenario", "system"])["n"].agg(["min", "max"])
    wide["n"] = [f"{low} to {high}" if low < high else str(low) for low, high in told.to_numpy()]
    names = [name for name in _metrics() if name in wide.columns]
    rows = wide.reset_index().sort_values(["scenario", "system"], key=_placed)
    note = (
        "fdb_: as Full-Duplex-Bench v1 computes it, on runs of known length; takeover_right:\n"
        "the share whose takeover is as it wants it; windowed_takeover: onsets in (0, W];\n"
        "intent_binary: acted by W as most people do, given the intent."
    )
    return text_of(rows[["scenario", "system", *names, "n"]]) + "\n" + note


def _placed(column: "pd.Series[str]") -> "pd.Series[str] | pd.Series[int]":
    """Put scenarios in their order, and leave names as they are."""
    places = {name: place for place, name in enumerate((*SCENARIOS, "all"))}
    return column.map(places) if column.name == "scenario" else column


def _metrics() -> list[str]:
    """List the binary metrics in the order of their contract."""
    (metric,) = (c for c in CONTRACTS["binary"].columns if c.name == "metric")
    return list(metric.values)
