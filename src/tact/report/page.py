"""The page: episodes, shortfalls, laws, scores, what was left out."""

import pandas as pd

from tact.hearing.bias import Corrections
from tact.report import laws, scores
from tact.report.results import Results
from tact.report.text import text_of
from tact.vocabulary import SCENARIOS


def summary(results: Results) -> str:
    """Write the page."""
    parts = [
        ("Episodes by corpus and scenario", _episodes(results)),
        ("Cells that could not be filled", _shortfalls(results.shortfalls)),
        ("Where IPUs come from, and what a floor transfer may be off by", _hearing(results)),
        ("Context of an episode, beside the paper's", _context(results)),
        ("What profiles and splits keep apart", _separation(results.separation)),
        (
            "Reference laws, slice `all`, beside the paper's",
            laws.of_all(results.laws, results.settings.reference.paper),
        ),
        ("Laws of other slices", laws.of_slices(results.laws)),
        ("What the last build of the laws changed", laws.of_changes(results.changes)),
        ("Agreement of the annotators (Krippendorff's alpha)", _agreement(results.agreement)),
        (
            "Scores of the anchors and systems, with probes and without",
            scores.of_rule(results.composites),
        ),
        ("The same answers by the field's binary metrics", scores.of_peers(results.binary)),
        (
            "Completion of turns (psi), on dyads kept out of its fit",
            scores.of_completion(results.completion),
        ),
        ("Quarantined, by reason", _quarantine(results.quarantine)),
        ("Where everything is", _paths(results)),
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
    return text_of(counts, index=True)


def _shortfalls(shortfalls: pd.DataFrame) -> str:
    short = shortfalls[shortfalls["chosen"] < shortfalls["quota"]]
    return text_of(short) if len(short) else "none"


def _context(results: Results) -> str:
    per_episode = results.history.groupby("episode").agg(
        start=("start_ms", "min"), end=("end_ms", "max"), turns=("turn", "size")
    )
    rows = [
        ("history, min", (per_episode["end"] - per_episode["start"]).mean() / 60_000, 3.2),
        ("history, turns", per_episode["turns"].mean(), 11.4),
        ("profile evidence, min", results.profiles["evidence_ms"].mean() / 60_000, 14.6),
    ]
    return text_of(pd.DataFrame(rows, columns=["mean of", "here", "paper"]))


def _separation(separation: pd.DataFrame) -> str:
    """Say how near evidence comes to what is asked about, and who is in two splits."""
    near = ["" if pd.isna(ms) else f" ({ms})" for ms in separation["least_ms"]]
    counts = separation["n"].tolist()
    told = separation.assign(told=[f"{n}{ms}" for n, ms in zip(counts, near, strict=True)])
    wide = told.pivot(index="what", columns="corpus", values="told").fillna("")
    return text_of(wide, index=True) + "\nin brackets: the least distance between the two, ms"


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
    return text_of(agreement) if len(agreement) else "no labels"


def _quarantine(quarantine: pd.DataFrame) -> str:
    if quarantine.empty:
        return "nothing"
    counts = quarantine.groupby(["corpus", "stage", "reason"]).agg(
        items=("item", "size"), first=("item", "first")
    )
    return text_of(counts.reset_index())


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
