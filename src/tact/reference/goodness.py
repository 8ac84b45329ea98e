"""Does a fitted law look like the responses? A Kolmogorov-Smirnov test by parametric bootstrap.

The distance is that of the randomised probability integral transform from uniform. Inside a cell
the transform is uniform by construction, so the distance is taken at the cells' edges; responses
count by P(z | labels, y). Its law under the fit is found by drawing intents and onsets from the fit
at the same posteriors, fitting again and measuring again (Stute et al. 1993). Refits start at the
law that they were drawn from, so one Newton step does (``fitting.Refit``).
"""

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import Fit, Refit, Sample, tabulate

_LEAST = 1e-12
"""A law that no response speaks for is nowhere off."""


def ks_p(found: Fit, sample: Sample, *, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Give p of each law, (K,): how often a refitted resample lies at least as far off.

    All NaN where the fit did not converge, since there is then no law to draw from.
    """
    if not found.converged:
        return np.full(len(found.components), np.nan)
    table = tabulate(found.components, sample.cells)
    observed = _distances(table, sample)
    refit, further = Refit(found, sample.cells), np.ones(observed.size)
    for _ in range(resamples):
        drawn = Sample(sample.q, _draw(table, sample, rng), sample.cells)
        further += _distances(refit.table(drawn), drawn) >= observed
    return further / (resamples + 1.0)


def _distances(table: FloatArray, sample: Sample) -> FloatArray:
    """Measure the largest gap of each law's CDF, given a response, from that of its responses."""
    joint = sample.q * table.T[sample.cell]
    r = joint / joint.sum(axis=1, keepdims=True)
    size = sample.cells.atom + 1
    counts = np.stack([np.bincount(sample.cell, column, size)[:-1] for column in r.T])
    masses = table[:, :-1] / table[:, :-1].sum(axis=1, keepdims=True)
    total = counts.sum(axis=1)
    gap = np.cumsum(counts - total[:, None] * masses, axis=1)
    return np.asarray(np.abs(gap).max(axis=1) / np.maximum(total, _LEAST))


def _draw(table: FloatArray, sample: Sample, rng: np.random.Generator) -> IntArray:
    """Draw an intent by each posterior, and a cell or the atom by its law."""
    n = sample.cell.size
    intent = (rng.random(n)[:, None] > sample.q.cumsum(axis=1)[:, :-1]).sum(axis=1)
    place, cell = rng.random(n), np.empty(n, dtype=np.int64)
    for z, row in enumerate(table):
        mine = intent == z
        upto = np.cumsum(row)
        cell[mine] = np.searchsorted(upto / upto[-1], place[mine], side="right")
    return np.minimum(cell, sample.cells.atom)
