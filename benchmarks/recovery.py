"""Recover the laws of a made world through the whole pipeline, seed by seed.

    python benchmarks/recovery.py --seeds 10 --conversations 700 --minutes 12

Each seed simulates a words-only corpus whose pooled responses follow the paper's laws exactly, with
speakers who differ, and takes it through ingest, activity, turns, points, made annotators,
posteriors and reference. Printed: how many of the 21 intervals at 99 % (clustered by the focal
speaker) cover the truth, d/W of each fitted law from the true one, the medians of hold and rhe;
and beside them two biased rivals, case weights with the calibrated posterior and with the raw
share.
"""

import argparse
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from stages import merged, run_stages, settings_file

from tact import config, kernels, tables
from tact.clock import to_seconds
from tact.fitting import Sample, cell_of, fit_by_weights, horizon_cells
from tact.laws import from_row, paper_laws
from tact.reference.fits import component_of, law_of
from tact.vocabulary import INTENTS

CORPUS = "candor"
MEDIANS = ("rhe", "hold")
PARAMETERS = {
    "exgaussian": ("mu", "sigma", "tau"),
    "shifted_lognormal": ("log_median", "log_sigma"),
}


def overlay(folder, seed, conversations, minutes):
    return {
        "seed": seed,
        "results": str(folder / "results"),
        "build": [CORPUS],
        "corpora": {CORPUS: {"root": str(folder / "corpora" / CORPUS), "shards": 1}},
        "splits": {"train_share": 1.0},
        "labels": {"train_points": 10_000_000},
        "reference": {
            "pooled": [CORPUS],
            "axes": [],
            "level": 0.99,
            "cluster": "focal",
            # intervals of parameters are asked for alone
            "resamples": 0,
            "ks_resamples": 0,
        },
        "simulation": {
            "words_only": True,
            "truth": str(folder / "truth"),
            "corpora": {
                CORPUS: {
                    "conversations": conversations,
                    "minutes": minutes,
                    "speakers": conversations,
                    "interruptions": 0.02,
                }
            },
        },
    }


def pipeline(folder, settings):
    """Run every stage by its command, as the rules do."""
    at = folder / "results"
    corpus, turns, points = at / "corpora", at / "turns", at / "points"
    recordings, words = corpus / "recordings.parquet", corpus / "words.parquet"
    labels = at / "labels"
    run_stages(
        settings,
        f"simulate --corpus {CORPUS} --out {folder / 'corpora'} --truth {folder / 'truth'}"
        " --words-only",
        f"ingest {CORPUS} --root {folder / 'corpora' / CORPUS} --out {corpus}",
        f"activity {CORPUS} --recordings {recordings} --words {words} --shard 1/1"
        f" --out {at / 'ipus.parquet'} --quarantine {at / 'left_out.parquet'}",
        f"turns {at / 'ipus.parquet'} --recordings {recordings} --words {words}"
        f" --acts {corpus / 'acts.parquet'} --out {turns}",
        f"points {CORPUS} --recordings {recordings} --words {words} --turns {turns}"
        f" --ipus {at / 'ipus.parquet'} --out {points}",
        f"episodes {CORPUS} --points {points / 'points.parquet'} --recordings {recordings}"
        f" --speakers {corpus / 'speakers.parquet'} --words {words} --turns {turns}"
        f" --out {at / 'episodes'}",
        f"annotate {CORPUS} --points {points / 'points.parquet'} --frame {points / 'frame.parquet'}"
        f" --episodes {at / 'episodes/episodes.parquet'} --truth {folder / 'truth'} --out {labels}",
        f"posteriors --labels {labels / 'labels.parquet'} --judge {labels / 'judge.parquet'}"
        f" --points {points / 'points.parquet'} --episodes {at / 'episodes/episodes.parquet'}"
        f" --out {at / 'posteriors'}",
        f"reference --points {points / 'points.parquet'} --frame {points / 'frame.parquet'}"
        f" --point-posteriors {at / 'posteriors/point_posteriors.parquet'}"
        f" --speakers {corpus / 'speakers.parquet'} --recordings {recordings}"
        f" --labels {labels / 'labels.parquet'} --out {at / 'reference'}",
    )
    return at


def distance(law, truth, settings):
    """d / W of a law from the true one, on the 1 ms grid."""
    grid = np.arange(-2000, 5001) / 1000
    w = kernels.weight(truth, grid, gamma=settings.gamma, epsilon=settings.epsilon)
    gap = w * (law.cdf(grid) - truth.cdf(grid)) ** 2
    return float(np.trapezoid(gap, grid) / np.trapezoid(w, grid))


def median(law):
    return float(law.density.shift + np.exp(law.density.log_median))


def covered(row, truth):
    """Which parameters of a law lie in their interval: name -> true or false."""
    limits = json.loads(row.intervals) if isinstance(row.intervals, str) else {}
    names = [*PARAMETERS[row.family], "no_response"]
    values = {name: getattr(truth.density, name, truth.no_response) for name in names}
    return {
        f"{row.intent}.{name}": name in limits and limits[name][0] <= value <= limits[name][1]
        for name, value in values.items()
    }


def rival(results, mode, truth, settings):
    """Fit by case weights under the posteriors of one mode."""
    frame = tables.read(results / "points/frame.parquet", "frame")
    points = tables.read(results / "points/points.parquet", "points").set_index("point")
    q = tables.read(results / "posteriors/point_posteriors.parquet", "point_posteriors")
    q = q[(q["mode"] == mode) & q["point"].isin(frame["point"])]
    wide = q.pivot(index="point", columns="intent", values="probability")[list(INTENTS)]
    cells = horizon_cells(settings.resolution_ms)
    onsets = to_seconds(points.loc[wide.index, "response_ms"])
    sample = Sample(wide.to_numpy(), cell_of(onsets, cells), cells)
    fitted = fit_by_weights(
        [component_of(truth[intent], shift_sd=None) for intent in INTENTS], sample
    )
    return {intent: law_of(part) for intent, part in zip(INTENTS, fitted, strict=True)}


@dataclass(frozen=True)
class Recovery:
    """What one seed gave; by intent, and hits by intent and parameter."""

    n: int
    hits: dict[str, bool]
    gaps: dict[str, float]
    medians: dict[str, float]
    true_medians: dict[str, float]
    rival_gaps: dict[str, dict[str, float]]


def one_seed(seed, conversations, minutes):
    """Make a world, take it through the pipeline, and hold the laws against the truth."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changes = overlay(folder, seed, conversations, minutes)
        settings = config.parse(merged(changes)).reference
        truth = paper_laws(settings.paper)
        results = pipeline(folder, settings_file(folder, changes))
        rows = list(tables.read(results / "reference/laws.parquet", "laws").itertuples())
        rivals = {mode: rival(results, mode, truth, settings) for mode in ("calibrated", "share")}
        n = len(tables.read(results / "points/frame.parquet", "frame"))
    fitted = {row.intent: from_row(row) for row in rows}

    def gaps(laws):
        return {z: distance(laws[z], truth[z], settings) for z in INTENTS}

    return Recovery(
        n=n,
        hits={k: v for row in rows for k, v in covered(row, truth[row.intent]).items()},
        gaps=gaps(fitted),
        medians={z: median(fitted[z]) for z in MEDIANS},
        true_medians={z: median(truth[z]) for z in MEDIANS},
        rival_gaps={mode: gaps(laws) for mode, laws in rivals.items()},
    )


def report(seed, found, seconds):
    missed = [name for name, hit in found.hits.items() if not hit]
    middle = " ".join(f"{z} {found.medians[z]:.2f}/{found.true_medians[z]:.2f}" for z in MEDIANS)
    print(
        f"seed {seed}: {found.n} labelled candidates, {sum(found.hits.values())} of"
        f" {len(found.hits)} covered, missed {missed}; median {middle}; {seconds:.0f} s"
    )
    for name, gaps in (("mixture", found.gaps), *found.rival_gaps.items()):
        label = name if name == "mixture" else f"case weights, {name}"
        apart = " ".join(f"{z} {gaps[z]:.1e} (x{gaps[z] / found.gaps[z]:.0f})" for z in INTENTS)
        print(f"  {label:26} d/W {apart}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--conversations", type=int, default=700)
    parser.add_argument("--minutes", type=float, default=12.0)
    chosen = parser.parse_args()
    results = []
    for seed in range(chosen.first, chosen.first + chosen.seeds):
        started = time.perf_counter()
        results.append(one_seed(seed, chosen.conversations, chosen.minutes))
        report(seed, results[-1], time.perf_counter() - started)
    hits = [hit for found in results for hit in found.hits.values()]
    print(f"covered {sum(hits)} of {len(hits)} intervals at 99 %")
    for z in INTENTS:
        print(f"d/W {z}: worst {max(found.gaps[z] for found in results):.1e}")


if __name__ == "__main__":
    main()
