"""Do 95 % intervals of laws cover the truth, and do shrunk slices score better than either side?

    python benchmarks/interval_coverage.py    # 200 data sets a law and size, 1,000 pooled
    python benchmarks/interval_coverage.py --sets 20 --pooled 0 --worlds 4

Coverage: onsets of each of the paper's six laws, 50, 300 and 3,000 responses among as many points
as that takes, in dyads of five; then all six at once behind latent intents (`pooled`), the intent
known only as a posterior. Every interval is that of table `laws`: clustered by dyad.

Shrinkage: slices whose laws spread about their parent's (sd .03 s of mu, .15 of log sigma,
log tau, m and log s, .2 of logit beta), 50 to 300 responses
each. The score error of a law is d_z(law || truth) / W_z: the timing score that a system with the
true law loses.
"""

import argparse
import os
import time
from dataclasses import replace
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from tact import config, kernels
from tact.fitting import Sample, cell_of, horizon_cells, settle
from tact.laws import paper_laws
from tact.reference.doubt import Doubt
from tact.reference.fits import component_of, fit_slice, law_of
from tact.reference.siblings import Parent, shrink_siblings
from tact.vocabulary import INTENTS

SIZES = (50, 300, 3000)
IN_DYAD = 5
LEVEL = 0.95
CELLS = horizon_cells(10)
GRID = np.arange(-2000, 5001, 10) / 1000


def settings_of():
    return config.load([Path(__file__).resolve().parents[1] / "config.yaml"]).reference


def sample_of(q, y):
    return Sample(q, cell_of(np.round(y, 2), CELLS), CELLS)


def dyads(n):
    return np.arange(n) // IN_DYAD


def responses(law, n, rng):
    """Draw points until n of them are answered."""
    total = rng.negative_binomial(n, 1 - law.no_response) + n
    y = np.full(total, np.inf)
    answered = rng.choice(total, n, replace=False)
    y[answered] = (law.__class__(law.density, 0.0)).sample(n, rng)
    return y


def hits(found, truths):
    """Tell by law and parameter whether the interval holds the truth; None where there is none."""
    cluster = dyads(len(found.scores))
    doubts = Doubt.of(found, cluster, resamples=0, rng=np.random.default_rng(0))
    made = {}
    for name, truth, component, doubt in zip(
        truths, truths.values(), found.components, doubts, strict=True
    ):
        limits = doubt.limits(component, level=LEVEL)
        for parameter in (*component.family.parameters, "no_response"):
            value = getattr(truth.density, parameter, truth.no_response)
            low, high = limits.get(parameter, (np.nan, np.nan))
            made[f"{name}.{parameter}"] = np.nan if np.isnan(low) else float(low <= value <= high)
    return made


def alone(laws, size, sets, seed):
    """Fit one law at a time to `size` responses."""
    columns = {}
    for name, law in laws.items():
        for k in range(sets):
            rng = np.random.default_rng([seed, size, k, INTENTS.index(name)])
            y = responses(law, size, rng)
            start = [component_of(law, shift_sd=None)]
            found, _ = settle(start, sample_of(np.ones((len(y), 1)), y))
            for key, hit in hits(found, {name: law}).items():
                columns.setdefault(key, []).append(hit)
    return columns


def behind_labels(laws, shares, n, rng, accuracy=0.88):
    """Draw n points with one label each, and the posterior that it leaves."""
    z = rng.choice(len(shares), n, p=shares)
    y = np.empty(n)
    for k, law in enumerate(laws.values()):
        y[z == k] = law.sample(int((z == k).sum()), rng)
    wrong = (1 - accuracy) / (len(shares) - 1)
    confusion = np.full((len(shares), len(shares)), wrong)
    np.fill_diagonal(confusion, accuracy)
    said = (rng.random(n)[:, None] > confusion[z].cumsum(axis=1)[:, :-1]).sum(axis=1)
    q = shares * confusion[:, said].T
    return q / q.sum(axis=1, keepdims=True), y


def one_pooled(laws, shares, n, key):
    """Fit all laws at once behind latent intents, points that are alike as one row."""
    q, y = behind_labels(laws, shares, n, np.random.default_rng(key))
    whole = sample_of(q, y)
    rows = np.column_stack([q.argmax(axis=1), whole.cell])
    _, first, row, count = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    start = [component_of(law, shift_sd=None) for law in laws.values()]
    found, reasons = settle(start, Sample(q[first], whole.cell[first], CELLS, count.astype(float)))
    return hits(replace(found, scores=found.scores[row.ravel()]), laws), sorted(reasons.items())


def pooled(laws, shares, n, sets, seed, processes):
    """Fit many sets of latent intents, some at a time."""
    columns, held = {}, 0
    keys = [[seed, n, k] for k in range(sets)]
    with Pool(processes) as workers:
        for made, reasons in workers.imap(partial(one_pooled, laws, shares, n), keys, chunksize=4):
            held += bool(reasons)
            for key, hit in made.items():
                columns.setdefault(key, []).append(hit)
    print(f"{held} of {sets} sets had a law that did not settle whole", flush=True)
    return columns


def told(label, columns):
    rates = {key: np.nanmean(values) for key, values in columns.items()}
    lost = sum(int(np.isnan(values).sum()) for values in columns.values())
    if len(rates) > 12:
        print("  " + "  ".join(f"{key} {100 * rate:.1f}" for key, rate in rates.items()))
    whole = np.nanmean([hit for values in columns.values() for hit in values])
    least, most = min(rates, key=rates.get), max(rates, key=rates.get)
    print(
        f"{label:24} pooled {100 * whole:5.1f} %; each {100 * rates[least]:.1f} % ({least}) to"
        f" {100 * rates[most]:.1f} % ({most}); {lost} without an interval",
        flush=True,
    )
    return whole, rates


def spread_of(component):
    return np.array([0.03 if name == "mu" else 0.15 for name in component.family.parameters])


def distance(component, truth, weighing):
    w = kernels.weight(truth, GRID, **weighing)
    gap = w * (law_of(component).cdf(GRID) - truth.cdf(GRID)) ** 2
    return float(np.trapezoid(gap, GRID) / np.trapezoid(w, GRID))


def world(law, settings, sizes, seed):
    """Fit slices that spread about their parent: mean error of own, shrunk and parent's laws."""
    weighing = {"gamma": settings.gamma, "epsilon": settings.epsilon}
    rng = np.random.default_rng(seed)
    parent = component_of(law, shift_sd=None)
    truths, fits = [], []
    for size in sizes:
        theta = parent.theta + spread_of(parent) * rng.standard_normal(parent.theta.size)
        logit = np.log(law.no_response / (1 - law.no_response)) + 0.2 * rng.standard_normal()
        truth = type(law)(parent.family.density(theta), float(1 / (1 + np.exp(-logit))))
        y = responses(truth, size, rng)
        sample = sample_of(np.ones((len(y), 1)), y)
        truths.append(truth)
        fits.append(fit_slice([parent], sample, dyads(len(y)), settings=settings, rng=rng))
    above = Parent((parent,), (Doubt.none(parent.theta.size + 1, 0),))
    shrunk = shrink_siblings([above] * len(fits), fits, [rng] * len(fits))
    rows = [
        (
            distance(own.fit.components[0], truth, weighing),
            distance(drawn.components[0], truth, weighing),
            distance(parent, truth, weighing),
        )
        for own, drawn, truth in zip(fits, shrunk, truths, strict=True)
    ]
    return np.mean(rows, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--pooled", type=int, default=1000)
    parser.add_argument("--points", type=int, default=22_000)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    settings = settings_of()
    laws = paper_laws(settings.paper)
    shares = np.array([settings.paper[z].share for z in INTENTS])
    started = time.perf_counter()
    for size in SIZES if chosen.sets else ():
        told(f"{size} responses", alone(laws, size, chosen.sets, chosen.seed))
    if chosen.pooled:
        label = f"six laws, {chosen.points} points"
        made = pooled(laws, shares, chosen.points, chosen.pooled, chosen.seed, chosen.processes)
        whole, rates = told(label, made)
        inside = 0.92 <= whole <= 0.98 and all(0.89 <= rate <= 0.99 for rate in rates.values())
        print(f"92 to 98 % pooled and 89 to 99 % each: {'yes' if inside else 'NO'}", flush=True)
    few = settings.model_copy(update={"resamples": 0})
    print("mean score error 1e-4:      own   shrunk   parent's")
    for name, law in laws.items():
        sizes = np.linspace(50, 299, 12).astype(int)
        runs = [world(law, few, sizes, [chosen.seed, k]) for k in range(chosen.worlds)]
        print(f"  {name:22}", *(f"{1e4 * value:8.2f}" for value in np.mean(runs, axis=0)))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
