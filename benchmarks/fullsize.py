"""Hold a full-size run against the table of the paper, and say what it cost.

    python benchmarks/fullsize.py RESULTS

RESULTS is what `make fullsize` writes. Every cell and both margins must be the quota's, hours
within 3 % of each corpus's figure, and no cap, clip or split may be broken. Times and memory are of
Snakemake's `benchmark:` files. Exits with 1 where something does not hold.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd
import yaml

from tact import tables
from tact.vocabulary import SCENARIOS

HOURS = {
    "candor": 19.8,
    "sssd": 17.1,
    "otospeech": 13.9,
    "seamless": 11.5,
    "ami": 5.4,
    "probes": 5.5,
}
"""The paper's hours of clips."""

MEANS = {"history, min": 3.2, "history, turns": 11.4, "profile evidence, min": 14.6}
STAGES = ("points", "episodes", "profiles")
EARLIER = ("simulate", "ingest", "door", "activity", "turns")
NEAR = 0.03


def counts(episodes: pd.DataFrame, quota: dict[str, dict[str, int]]) -> tuple[pd.DataFrame, bool]:
    """Count the cells with their margins and hours, and tell whether all are as they should be."""
    got = pd.crosstab(episodes["corpus"], episodes["scenario"])
    got = got.reindex(index=list(quota), columns=list(SCENARIOS), fill_value=0)
    wanted = pd.DataFrame(quota).T.reindex(columns=list(SCENARIOS)).fillna(0).astype(int)
    right = bool((got == wanted).all(axis=None))
    length_ms = episodes["horizon_end_ms"] - episodes["context_start_ms"]
    got["total"] = got.sum(axis=1)
    got["hours"] = length_ms.groupby(episodes["corpus"]).sum() / 3.6e6
    got["paper's"] = pd.Series(HOURS)
    got.loc["total"] = got.sum()
    right &= bool(((got["hours"] / got["paper's"] - 1).abs() <= NEAR).all())
    return got, right


def broken_rules(episodes: pd.DataFrame, settings: dict[str, int]) -> dict[str, int]:
    """Count what must not be."""
    ordered = episodes.sort_values(["conversation", "context_start_ms"])
    reached = ordered.groupby("conversation")["horizon_end_ms"].shift()
    shared_ms = reached - ordered["context_start_ms"]
    by_speaker = episodes.groupby(["corpus", "focal"]).size()
    most = by_speaker.index.get_level_values("corpus").map(
        lambda corpus: settings["per_speaker_of"].get(corpus, settings["per_speaker"])
    )
    by_conversation = episodes["conversation"].value_counts()
    splits = episodes.groupby("conversation")["split"].nunique()
    return {
        "speakers above their cap": int((by_speaker.to_numpy() > most.to_numpy()).sum()),
        "conversations above theirs": int((by_conversation > settings["per_conversation"]).sum()),
        "clips that share too much": int((shared_ms > settings["clip_overlap_ms"]).sum()),
        "conversations in two splits": int((splits > 1).sum()),
    }


def means(results: Path, corpora: list[str]) -> pd.DataFrame:
    """Set the means of history and evidence beside the paper's."""

    def every(pattern: str, table: str) -> pd.DataFrame:
        return tables.read([results / pattern.format(name) for name in corpora], table)

    told = every("episodes/{}/history.parquet", "history").groupby("episode")
    span_ms = told["end_ms"].max() - told["start_ms"].min()
    profiles = every("profiles/{}/profiles.parquet", "profiles")
    here = (span_ms.mean() / 6e4, told.size().mean(), profiles["evidence_ms"].mean() / 6e4)
    return pd.DataFrame({"mean of": list(MEANS), "here": here, "paper": list(MEANS.values())})


def costs(results: Path) -> pd.DataFrame:
    """Sum wall time and CPU time of each stage, and give the most memory of a process of it."""
    rows = []
    for stage in (*EARLIER, *STAGES):
        files = sorted((results / "benchmarks" / stage).rglob("*.tsv"))
        runs = pd.concat([pd.read_csv(file, sep="\t") for file in files]).replace("-", 0)
        rows.append(
            {
                "stage": stage,
                "jobs": len(runs),
                "wall, min": runs["s"].sum() / 60,
                "CPU, min": runs["cpu_time"].astype(float).sum() / 60,
                "most memory, GB": runs["max_rss"].astype(float).max() / 1024,
            }
        )
    return pd.DataFrame(rows)


def main() -> int:
    """Print the tables, and fail where the run is not what it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    results = parser.parse_args().results
    settings = yaml.safe_load((results / "config.yaml").read_text(encoding="utf-8"))
    corpora = settings["build"]
    episodes = tables.read(
        [results / f"episodes/{name}/episodes.parquet" for name in corpora], "episodes"
    )
    table, right = counts(episodes, settings["episodes"]["quota"])
    broken = broken_rules(episodes, settings["episodes"])
    spent = costs(results)
    late = spent[spent["stage"].isin(STAGES)]
    pages = [
        table.to_string(float_format="{:.2f}".format),
        "\n".join(f"{count} {what}" for what, count in broken.items()),
        means(results, corpora).to_string(index=False, float_format="{:.2f}".format),
        spent.to_string(index=False, float_format="{:.2f}".format),
        "points to profiles, jobs one after another: {:.1f} min of wall time, {:.1f} of CPU,"
        " {:.2f} GB at most".format(
            late["wall, min"].sum(), late["CPU, min"].sum(), late["most memory, GB"].max()
        ),
    ]
    print("\n\n".join(pages))
    return 0 if right and not any(broken.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
