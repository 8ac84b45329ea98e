"""Does a fitted law look like the responses? A Kolmogorov-Smirnov test by parametric bootstrap.

Points of intent z are known by their labels only, so z is tested where it is meant: each point
counts by q(z), and its outcome is held against the mixture that its own posterior says,

    D_z = max over t of | sum_i q_i(z) (1[y_i <= t] - sum_k q_i(k) H_k(t)) | / sum_i q_i(z),

at the edges of the cells, between which an onset is placed by chance. Counting points by
P(z | labels, y) would not do: a law that takes its neighbours' responses fits those very well. The
distribution of D_z under the fit is found by drawing intents and onsets from it at the same
posteriors, fitting again and measuring again (Stute et al. 1993). Refits start at the law that they
were drawn from, so two Newton steps do (``fitting.Refit``).
"""

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import Fit, Refit, Sample, tabulate

_LEAST = 1e-12
"""A law that no point speaks for is nowhere off."""


def ks_p(found: Fit, sample: Sample, *, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Give p of each law, (K,): how often a refitted resample lies at least as far off.

    All NaN where the fit did not converge, since there is then no law to draw from.
    """
    if not found.converged:
        return np.full(len(found.components), np.nan)
    together = sample.q.T @ sample.q
    table = tabulate(found.components, sample.cells)
    observed = _distances(table, sample, together)
    refit, further = Refit(found, sample.cells), np.ones(observed.size)
    for _ in range(resamples):
        drawn = Sample(sample.q, _draw(table, sample, rng), sample.cells)
        further += _distances(refit.table(drawn), drawn, together) >= observed
    return further / (resamples + 1.0)


def _distances(table: FloatArray, sample: Sample, together: FloatArray) -> FloatArray:
    """Measure D of each law, (K,); ``together`` (K, K) is the sum of q(z) q(k) over points."""
    size = sample.cells.atom + 1
    counts = np.stack([np.bincount(sample.cell, column, size) for column in sample.q.T])
    gap = np.cumsum((counts - together @ table)[:, :-1], axis=1)
    return np.asarray(np.abs(gap).max(axis=1) / np.maximum(sample.q.sum(axis=0), _LEAST))


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
