"""The page that a person reads first: episodes, shortfalls, laws, scores, what was left out."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tact import config, frames, tables
from tact.hearing.bias import Corrections
from tact.laws import ShiftedLogNormal, from_row
from tact.settings import Settings
from tact.vocabulary import INTENTS, SCENARIOS


@dataclass(frozen=True)
class Results:
    """What a run has made, as far as the page needs it."""

    folder: Path
    settings: Settings
    episodes: pd.DataFrame
    shortfalls: pd.DataFrame
    quarantine: pd.DataFrame
    profiles: pd.DataFrame
    separation: pd.DataFrame
    history: pd.DataFrame
    laws: pd.DataFrame
    changes: pd.DataFrame
    agreement: pd.DataFrame
    composites: pd.DataFrame
    errors: pd.DataFrame
    completion: pd.DataFrame


def read(folder: Path) -> Results:
    """Read the tables of a run that the page needs."""
    settings = config.load([folder / "config.yaml"])

    def every(pattern: str, table: str) -> pd.DataFrame:
        return tables.read([folder / pattern.format(name) for name in settings.build], table)

    repeats = tables.read(folder / "repeats.parquet", "quarantine")
    return Results(
        folder=folder,
        settings=settings,
        episodes=tables.read(folder / "episodes/episodes.parquet", "episodes"),
        shortfalls=every("episodes/{}/shortfalls.parquet", "shortfalls"),
        quarantine=frames.join(
            [every("quarantine/{}.parquet", "quarantine"), repeats], "quarantine"
        ),
        profiles=every("profiles/{}/profiles.parquet", "profiles"),
        separation=every("profiles/{}/separation.parquet", "separation"),
        history=every("episodes/{}/history.parquet", "history"),
        laws=tables.read(folder / "reference/laws.parquet", "laws"),
        changes=tables.read(folder / "reference/changes.parquet", "changes"),
        agreement=tables.read(folder / "posteriors/agreement.parquet", "agreement"),
        composites=tables.read(folder / "scores/composites.parquet", "composites"),
        errors=_errors(folder, settings),
        completion=every("completion/{}/completion_check.parquet", "completion_check"),
    )


def _errors(folder: Path, settings: Settings) -> pd.DataFrame:
    """Read what the detectors of this run are off by; none where all IPUs come from words."""
    used = {settings.corpora[name].activity for name in settings.build} - {"words"}
    parts = [
        tables.read(folder / f"calibration/{name}.parquet", "detector_errors")
        for name in sorted(used)
    ]
    return frames.join(parts, "detector_errors")


def summary(results: Results) -> str:
    """Write the page."""
    parts = [
        ("Episodes by corpus and scenario", _episodes(results)),
        ("Cells that could not be filled", _shortfalls(results.shortfalls)),
        ("Where IPUs come from, and what a floor transfer may be off by", _hearing(results)),
        ("Context of an episode, beside the paper's", _context(results)),
        ("What profiles and splits keep apart", _separation(results.separation)),
        ("Reference laws, slice `all`, beside the paper's", _laws(results)),
        ("Laws of other slices", _slices(results)),
        ("What the last build of the laws changed", _changes(results.changes)),
        ("Agreement of the annotators (Krippendorff's alpha)", _agreement(results.agreement)),
        ("Scores of the anchors and systems, with probes and without", _scores(results)),
        ("Completion of turns (psi), on dyads kept out of its fit", _completion(results)),
        ("Quarantined, by reason", _quarantine(results.quarantine)),
        ("Where everything is", _paths(results)),
    ]
    return "\n".join(f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts)


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
        ("No response, beta_z", _text(beta, index=True)),
        ("Median of the parent law, s", _text(median, index=True)),
        ("Responses behind each law", _text(counts.round(), index=True, digits=0)),
        ("Order of the systems by timing", "\n".join(f"{k}: {v}" for k, v in order.items())),
    ]
    return "\n".join(f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts)


def _episodes(results: Results) -> str:
    counts = results.shortfalls.pivot_table(
        index="corpus", columns="scenario", values="chosen", aggfunc="sum", fill_value=0
    ).reindex(columns=list(SCENARIOS), fill_value=0)
    counts["total"] = counts.sum(axis=1)
    span = results.episodes["horizon_end_ms"] - results.episodes["context_start_ms"]
    counts["hours"] = span.groupby(results.episodes["corpus"]).sum() / 3.6e6
    counts.loc["total"] = counts.sum()
    return _text(counts, index=True)


def _shortfalls(shortfalls: pd.DataFrame) -> str:
    short = shortfalls[shortfalls["chosen"] < shortfalls["quota"]]
    return _text(short) if len(short) else "none"


def _context(results: Results) -> str:
    per_episode = results.history.groupby("episode").agg(
        start=("start_ms", "min"), end=("end_ms", "max"), turns=("turn", "size")
    )
    rows = [
        ("history, min", (per_episode["end"] - per_episode["start"]).mean() / 60_000, 3.2),
        ("history, turns", per_episode["turns"].mean(), 11.4),
        ("profile evidence, min", results.profiles["evidence_ms"].mean() / 60_000, 14.6),
    ]
    return _text(pd.DataFrame(rows, columns=["mean of", "here", "paper"]))


def _separation(separation: pd.DataFrame) -> str:
    """Say how near evidence comes to what is asked about, and who is in two splits."""
    near = ["" if pd.isna(ms) else f" ({ms})" for ms in separation["least_ms"]]
    counts = separation["n"].tolist()
    told = separation.assign(told=[f"{n}{ms}" for n, ms in zip(counts, near, strict=True)])
    wide = told.pivot(index="what", columns="corpus", values="told").fillna("")
    return _text(wide, index=True) + "\nin brackets: the least distance between the two, ms"


def _laws(results: Results) -> str:
    rows = []
    for law in _of(results.laws, "all").itertuples():
        printed = results.settings.reference.paper[law.intent]
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
    return _text(pd.DataFrame(rows)) + "\n" + note


def _beside(here: float, paper: float | None) -> str:
    return f"{here:.3f} ({paper:.3f})"


def _slices(results: Results) -> str:
    others = results.laws[results.laws["slice"] != "all"]
    if others.empty:
        return "none"
    shown = others.assign(median_s=[_median(law) for law in others.itertuples()])
    names = ["slice", "intent", "no_response", "median_s", "n_points", "n_responses", "source"]
    names += ["parent", "ks_p"]
    return _text(shown[names])


def _changes(changes: pd.DataFrame) -> str:
    counts = changes["change"].value_counts().sort_index()
    told = ", ".join(f"{n} {change}" for change, n in counts.items()) or "no law"
    moved = changes[changes["change"].isin(["moved", "gone"])]
    names = ["slice", "intent", "change", "parameter", "before", "after", "standard_errors"]
    return told + ("\n" + _text(moved[[*names, "apart"]]) if len(moved) else "")


def _hearing(results: Results) -> str:
    """Say what 90 % of the errors of a transfer are, once corrected, for each detector used."""
    sources = results.settings.corpora
    lines = [f"{name}: {sources[name].activity}" for name in results.settings.build]
    for (name, measured_on), rows in results.errors.groupby(["detector", "measured_on"]):
        lines += [
            f"{name}, SNR {low_db:.0f} to {high_db:.0f} dB: FTO error, 90 %:"
            f" {bias.low_ms:+.0f} to {bias.high_ms:+.0f} ms (measured on {measured_on})"
            for low_db, high_db, bias in Corrections.of(rows, name).bands
        ]
    return "\n".join(lines)


def _agreement(agreement: pd.DataFrame) -> str:
    return _text(agreement) if len(agreement) else "no labels"


def _scores(results: Results) -> str:
    names = ["timing_population_fair", "skill", "timing_episode", "length", "overlap"]
    names += ["score", "low", "high", "n", "flags"]
    main = results.composites.query("slice in ('all', 'synthetic=no') and intent == 'all'")
    order = ["slice", "scenario", "timing_population_fair"]
    ranked = main.sort_values(order, ascending=[True, True, False])
    note = (
        "timing_episode is a known case: its best policy is the median of the law, above a human\n"
        "draw, and under the paper's laws `never` may beat the human there. The headline is the\n"
        "population score (fair), which is 1 exactly at the human law."
    )
    return _text(ranked[["slice", "scenario", "system", *names]]) + "\n" + note


def _completion(results: Results) -> str:
    whole = results.completion.drop_duplicates(["corpus", "model"])
    names = ["corpus", "model", "n_all", "base_rate", "ece", "brier", "brier_of_share"]
    return _text(whole[names]) if len(whole) else "no train turns"


def _quarantine(quarantine: pd.DataFrame) -> str:
    if quarantine.empty:
        return "nothing"
    counts = quarantine.groupby(["corpus", "stage", "reason"]).agg(
        items=("item", "size"), first=("item", "first")
    )
    return _text(counts.reset_index())


def _paths(results: Results) -> str:
    return "\n".join(
        f"{meaning:<10} {results.folder / name}"
        for meaning, name in (
            ("episodes", "episodes/episodes.parquet"),
            ("clips", "clips/<corpus>/<shard>.tar"),
            ("profiles", "profiles/<corpus>/profiles.parquet"),
            ("laws", "reference/laws.parquet"),
            ("kernels", "reference/kernels.parquet"),
            ("scores", "scores/composites.parquet"),
            ("figures", "report/laws.svg, reference/plots/<intent>.svg"),
            ("left out", "quarantine/<corpus>.parquet"),
        )
    )


def _of(laws: pd.DataFrame, name: str) -> pd.DataFrame:
    chosen = laws[(laws["slice"] == name) & laws["intent"].isin(INTENTS)]
    return chosen.assign(order=chosen["intent"].map(INTENTS.index)).sort_values("order")


def _order(composites: pd.DataFrame) -> str:
    main = composites.query("scenario == 'all' and slice == 'all' and intent == 'all'")
    ranked = main.sort_values("timing_population_fair", ascending=False)
    return " > ".join(
        f"{row.system} {row.timing_population_fair:.3f}" for row in ranked.itertuples()
    )


def _median(row: Any) -> float:
    """Median of the parent law, before truncation to T, s."""
    if row.family == ShiftedLogNormal.family:
        return float(row.shift + np.exp(row.log_median))
    law = from_row(row)
    return float(law.quantile((1 - law.no_response) / 2))


def _text(table: pd.DataFrame, *, index: bool = False, digits: int = 3) -> str:
    return str(table.to_string(index=index, float_format=lambda value: f"{value:.{digits}f}"))
