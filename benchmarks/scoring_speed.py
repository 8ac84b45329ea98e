"""Time the rule and the fit beside what people would use, on the same numbers in one run.

    python benchmarks/scoring_speed.py [--systems 14] [--episodes 9728] [--quad 40]

1. mixed episode scores: ours beside a loop over the 1 ms grid with laws precomputed, and beside
   `scipy.integrate.quad`, split at the onset, which is also the truth (some episodes, scaled up);
2. a fit of an ex-Gaussian to 10^6 onsets in cells of 1 ms beside `scipy.stats.exponnorm.fit`;
3. `tact score` as a process: systems x episodes x 3 runs, every slice, BCa over 10^4 resamples of
   dyads; and the same with one resample, so that the difference is what the intervals take;
4. whole `snakemake scores` of the same, the anchors among the systems: its scores and the binary
   metrics beside them, from tables of responses.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy import integrate as quadrature
from scipy import stats
from stages import measured

from tact import config, frames, systems, tables
from tact.fitting import Cells, Component, Sample, cell_of, fit
from tact.fitting.families import ExGaussianFamily
from tact.kernels import weight
from tact.laws import ExGaussian, paper_laws, paper_rows
from tact.scoring import episode_scores, integrate
from tact.vocabulary import INTENTS, SCENARIOS, T_A_S, T_H_S

ROOT = Path(__file__).resolve().parents[1]
CONFIG = ROOT / "config.yaml"
SETTINGS = config.load([CONFIG])
LAWS = paper_laws(SETTINGS.reference.paper)
SHARES = np.array([SETTINGS.reference.paper[intent].share for intent in INTENTS])
RULE = {"gamma": SETTINGS.reference.gamma, "epsilon": SETTINGS.reference.epsilon}
NAMES = ("laws", "episodes", "posteriors", "responses", "overlaps", "durations")
FEWEST = 40
"""Resamples that an interval of 95 % may have."""

WIDE = (-100.0, 100.0)
"""A window, s, that truncates nothing."""
STRATA = {
    "corpus": ["candor", "sssd", "otospeech", "ami"],
    "gender": ["female", "male"],
    "age": ["18-29", "30-39", "40-49", "50-59"],
    "region": ["north", "south", "east", "west"],
    "snr": ["low", "high"],
    "rate": ["slow", "middle", "fast"],
    "language": ["en"],
}


def timed(work, *given, times=1, **named):
    """Run something some times; give its result and the seconds it took at best."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        found = work(*given, **named)
        taken.append(time.perf_counter() - started)
    return found, min(taken)


def draws(rng, n):
    """Posteriors (n, 6) and onsets of people (n,), s; no response is inf."""
    intent = rng.choice(len(INTENTS), n, p=SHARES)
    onsets = np.empty(n)
    for z, law in enumerate(LAWS.values()):
        onsets[intent == z] = law.sample(int((intent == z).sum()), rng)
    return rng.dirichlet(4 * SHARES, n), onsets


def by_grid(posterior, onsets):
    """Score each episode by a trapezoid over the 1 ms grid, laws and weights at hand."""
    t = np.linspace(-T_A_S, T_H_S, 7001)
    w = np.stack([weight(law, t, **RULE) for law in LAWS.values()])
    h = np.stack([law.cdf(t) for law in LAWS.values()])
    totals = np.trapezoid(w, t, axis=1)
    scores = np.empty(len(onsets))
    for i, (q, y) in enumerate(zip(posterior, onsets, strict=True)):
        loss = np.trapezoid((q @ w) * (q @ h - (y <= t)) ** 2, t)
        scores[i] = 1 - loss / (q @ totals)
    return scores


def by_quad(posterior, onsets):
    """Score each episode by adaptive quadrature, split at the onset and where the laws bend."""
    laws = list(LAWS.values())
    bends = [law.density.mode for law in laws]

    def mixed(q, parts):
        return float(sum(share * part for share, part in zip(q, parts, strict=True)))

    def loss(t, q, y):
        at = np.array([t])
        w = mixed(q, [weight(law, at, **RULE)[0] for law in laws])
        return w * (mixed(q, [law.cdf(at)[0] for law in laws]) - (y <= t)) ** 2

    def area(f, q, y):
        cuts = sorted({-T_A_S, 0.0, T_H_S, *bends, *([y] if -T_A_S < y < T_H_S else [])})
        return sum(
            quadrature.quad(f, a, b, args=(q, y), epsabs=1e-12, epsrel=1e-12, limit=200)[0]
            for a, b in pairwise(cuts)
        )

    def whole(t, q, y):
        return mixed(q, [weight(law, np.array([t]), **RULE)[0] for law in laws])

    return np.array(
        [1 - area(loss, q, y) / area(whole, q, y) for q, y in zip(posterior, onsets, strict=True)]
    )


def scores(n, n_quad):
    """Part 1."""
    posterior, onsets = draws(np.random.default_rng(1), n)
    found, set_up = timed(integrate, LAWS, times=3, **RULE)
    ours, own_s = timed(episode_scores, found, posterior, onsets, times=3)
    grid, grid_s = timed(by_grid, posterior, onsets, times=3)
    exact, quad_s = timed(by_quad, posterior[:n_quad], onsets[:n_quad])
    quad_s *= n / n_quad
    print(f"1. {n} mixed episode scores (tables of six laws, once: {set_up:.3f} s)")
    print(f"   here               {own_s:10.4f} s")
    print(f"   1 ms grid          {grid_s:10.4f} s   {grid_s / own_s:9.0f} times as long,"
          f" off by {np.abs(grid - ours).max():.1e} at most")  # fmt: skip
    off = np.abs(exact - ours[:n_quad]).max()
    print(f"   scipy quad         {quad_s:10.1f} s   {quad_s / own_s:9.0f} times as long"
          f" (from {n_quad}), ours off by {off:.1e} at most\n")  # fmt: skip


def fits(n):
    """Part 2."""
    law = LAWS["ans"].density
    rng = np.random.default_rng(2)
    onsets = rng.normal(law.mu, law.sigma, n) + rng.exponential(law.tau, n)
    (k, loc, scale), peer_s = timed(stats.exponnorm.fit, onsets, times=3)
    peer = np.array([loc, scale, k * scale])

    def own():
        edges = np.arange(np.floor(1000 * onsets.min()), np.ceil(1000 * onsets.max()) + 1) / 1000
        cells = Cells(edges[:-1], edges[1:], *WIDE)
        counts = np.bincount(cell_of(onsets, cells), minlength=cells.atom)
        filled = np.flatnonzero(counts)
        family = ExGaussianFamily()
        mean = counts @ edges[1:] / counts.sum()
        spread = np.sqrt(counts @ (edges[1:] - mean) ** 2 / counts.sum())
        start = ExGaussian(mean - 0.7 * spread, 0.7 * spread, 0.7 * spread)
        component = Component(family, family.theta(start), np.ones(3, dtype=bool), 1e-9)
        sample = Sample(np.ones((len(filled), 1)), filled, cells, counts[filled].astype(float))
        return fit([component], sample)

    found, own_s = timed(own, times=3)
    theta = found.components[0].theta
    ours = np.array([theta[0], np.exp(theta[1]), np.exp(theta[2])])
    se = np.sqrt(np.diag(np.linalg.inv(found.information))[:3]) * np.array([1, *ours[1:]])
    print(f"2. {len(onsets)} onsets of `ans`, not truncated, cells of 1 ms")
    print(f"   here               {own_s:10.4f} s   mu, sigma, tau {ours.round(5)}")
    print(f"   exponnorm.fit      {peer_s:10.4f} s   {peer_s / own_s:9.0f} times as long, apart by"
          f" {np.abs((peer - ours) / se).max():.4f} standard errors at most\n")  # fmt: skip


def write_world(folder, n_systems, n):
    """Write tables of the full benchmark's size."""
    rng = np.random.default_rng(3)
    ids = [f"candor-{i:010x}" for i in range(n)]
    dyad = rng.integers(0, n // 6, n)
    columns = {axis: rng.choice(values, n // 6)[dyad] for axis, values in STRATA.items()}
    # Of some strata the two speakers of a dyad differ.
    for axis in ("gender", "age", "rate"):
        columns[axis] = np.where(rng.random(n) < 0.5, rng.choice(STRATA[axis], n), columns[axis])
    episodes = pd.DataFrame(
        {
            "episode": ids,
            "point": [f"{i:016x}" for i in range(n)],
            "corpus": columns["corpus"],
            "scenario": rng.choice(SCENARIOS, n),
            "split": "test",
            "split_group": [f"dyad-{k}" for k in dyad],
            "conversation": "candor:c", "focal": "candor:a", "partner": "candor:b",
            "t0_ms": 10_000 * np.arange(1, n + 1), "context_start_ms": 0, "horizon_end_ms": 9_000,
            "rights": "audio", "weight": 1.0,
            "strata": [{axis: columns[axis][i] for axis in columns} for i in range(n)],
        }
    )  # fmt: skip
    posterior, _ = draws(rng, n)
    labelled = pd.DataFrame(
        {"episode": np.repeat(ids, len(INTENTS)), "mode": "fused",
         "intent": np.tile(INTENTS, n), "probability": posterior.ravel()}
    )  # fmt: skip
    answers = []
    for k in range(n_systems):
        for run in range(3):
            onset = np.floor(1000 * draws(rng, n)[1] + 40 * k)
            silent = ~(onset < 4_990)
            length = rng.integers(200, 6_000, n)
            answers.append(pd.DataFrame(
                {"system": f"system{k:02}", "episode": ids, "run": run,
                 "onset_ms": pd.array(np.where(silent, 0, onset), "Int64"),
                 "duration_ms": pd.array(length, "Int64"), "status": "ok", "primed": False}
            ).assign(onset_ms=lambda f, s=silent: f["onset_ms"].mask(s),
                     duration_ms=lambda f, s=silent: f["duration_ms"].mask(s)))  # fmt: skip
    answered = pd.concat(answers, ignore_index=True)
    over = answered[rng.random(len(answered)) < 0.3]
    overlaps = over[["system", "episode", "run"]].assign(
        onset_ms=rng.integers(-2_000, 0, len(over)), duration_ms=rng.integers(50, 900, len(over)),
        completion=rng.random(len(over)), backchannel=rng.random(len(over)) < 0.2,
        completion_words=None,
    )  # fmt: skip
    steps = np.arange(200, 6_200, 200)
    lengths = pd.DataFrame(
        [{"slice": "all", "intent": z, "scenario": s, "t_ms": t, "cdf": (k + 1) / len(steps)}
         for z in INTENTS for s in SCENARIOS for k, t in enumerate(steps)]
    )  # fmt: skip
    rows = frames.frame(paper_rows(SETTINGS.reference.paper), "laws")
    named = [f"{axis}={value}" for axis in ("gender", "age") for value in STRATA[axis]]
    by_slice = pd.concat([rows, *[rows.assign(slice=name) for name in named]], ignore_index=True)
    for name, table in (
        ("laws", frames.check(by_slice, "laws")),
        ("episodes", frames.check(episodes, "episodes")),
        ("posteriors", frames.check(labelled, "posteriors")),
        ("responses", frames.check(answered, "responses")),
        ("overlaps", frames.check(overlaps.reset_index(drop=True), "overlaps")),
        ("durations", frames.check(lengths, "durations")),
    ):
        tables.write(table, folder / f"{name}.parquet", name)


def process(folder, n_systems, n):
    """Part 3."""
    taken = {}
    for resamples in (SETTINGS.scores.resamples, FEWEST):
        over = folder / f"{resamples}.yaml"
        over.write_text(yaml.safe_dump({"scores": {"resamples": resamples}}))
        command = [sys.executable, "-m", "tact", "--config", str(CONFIG), "--config", str(over),
                   "score", "--out", str(folder / f"out{resamples}")]  # fmt: skip
        for name in NAMES:
            command += [f"--{name}", str(folder / f"{name}.parquet")]
        taken[resamples] = measured(*command)
    found = tables.read(folder / f"out{SETTINGS.scores.resamples}/composites.parquet", "composites")
    (whole, megabytes), (bare, _) = taken[SETTINGS.scores.resamples], taken[FEWEST]
    print(f"3. tact score: {n_systems} systems and anchors, {n} episodes, 3 runs,"
          f" {found['slice'].nunique()} slices, {len(found)} rows")  # fmt: skip
    print(f"   whole process      {whole:10.1f} s   {megabytes / 1024:.2f} GB at most")
    drawn = f"{SETTINGS.scores.resamples} resamples of {found['clusters'].max()} dyads"
    print(f"   of it, intervals   {whole - bare:10.1f} s   ({drawn})\n")


def workflow(folder):
    """Part 4."""
    run = folder / "results"
    for name, stage in (("laws", "reference"), ("durations", "reference"),
                        ("posteriors", "posteriors"), ("episodes", "episodes")):  # fmt: skip
        (run / stage).mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / f"{name}.parquet", run / stage)
    told = {name: tables.read(folder / f"{name}.parquet", name) for name in NAMES}
    beside = systems.anchors(
        told["responses"], told["episodes"], None, told["posteriors"], told["laws"],
        settings=SETTINGS.systems, mode=SETTINGS.scores.mode, seed=SETTINGS.seed,
    )  # fmt: skip
    for name, own in frames.join([told["responses"], beside], "responses").groupby("system"):
        place = run / "responses" / str(name)
        place.mkdir(parents=True)
        tables.write(own, place / "responses.parquet", "responses")
        over = told["overlaps"][told["overlaps"]["system"] == name]
        tables.write(over, place / "overlaps.parquet", "overlaps")
    entries = {
        str(name): {"kind": "table", "onset_s": None, "runs": 3, "detector": None, "path": "none"}
        for name in told["responses"]["system"].unique()
    }
    shutil.copy(CONFIG, folder)
    over = folder / "systems.yaml"
    over.write_text(yaml.safe_dump({"results": "results", "systems": entries}))
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"),
               "--directory", str(folder), "--configfile", str(CONFIG), str(over),
               "--cores", "2", "--allowed-rules", "score", "score_binary", "scores",
               "--", "scores"]  # fmt: skip
    _, whole = timed(subprocess.run, command, check=True, capture_output=True)
    taken = {name: pd.read_csv(run / f"benchmarks/{name}.tsv", sep="\t").iloc[0]
             for name in ("scores", "binary")}  # fmt: skip
    peak = max(own["max_rss"] for own in taken.values()) / 1024
    print(f"4. snakemake scores   {whole:10.1f} s   {peak:.2f} GB at most, on two cores")
    for name, own in taken.items():
        print(f"   of it, {name:11} {own['s']:10.1f} s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=14)
    parser.add_argument("--episodes", type=int, default=9_728)
    parser.add_argument("--quad", type=int, default=40)
    parser.add_argument("--onsets", type=int, default=1_000_000)
    wanted = parser.parse_args()
    scores(wanted.episodes, wanted.quad)
    fits(wanted.onsets)
    with tempfile.TemporaryDirectory() as scratch:
        write_world(Path(scratch), wanted.systems, wanted.episodes)
        process(Path(scratch), wanted.systems, wanted.episodes)
        workflow(Path(scratch))
