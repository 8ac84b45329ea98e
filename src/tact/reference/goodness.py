"""Does a fitted law look like the responses? A Kolmogorov-Smirnov test by parametric bootstrap.

The distance is that of the randomised probability integral transform from uniform. Inside a cell
the transform is uniform by construction, so the distance is taken at the cells' edges; responses
count by P(z | labels, y). Its law under the fit is found by drawing intents and onsets from the fit
at the same posteriors, fitting again and measuring again (Stute et al. 1993).
"""

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import Component, Sample, fit, log_mass
from tact.fitting.mixture import Fit

_LEAST = 1e-12
"""A law that no response speaks for is nowhere off."""


def ks_p(found: Fit, sample: Sample, *, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Give p of each law, (K,): how often a refitted resample lies at least as far off."""
    masses = [_masses(component, sample) for component in found.components]
    observed = _distances(found, sample)
    further = np.ones(observed.size)
    for _ in range(resamples):
        drawn = Sample(sample.q, _draw(found.components, masses, sample, rng), sample.cells)
        further += _distances(fit(found.components, drawn), drawn) >= observed
    return further / (resamples + 1.0)


def _masses(component: Component, sample: Sample) -> FloatArray:
    cells = sample.cells
    mass = np.exp(log_mass(component.family, component.theta, cells.low, cells.high)[0])
    return np.asarray(mass / mass.sum())


def _distances(found: Fit, sample: Sample) -> FloatArray:
    distances = []
    for z, component in enumerate(found.components):
        weight = found.responsibilities[:, z]
        counts = np.bincount(sample.cell, weight, sample.cells.atom + 1)[:-1]
        gap = counts.cumsum() - counts.sum() * _masses(component, sample).cumsum()
        distances.append(float(np.abs(gap).max()) / max(counts.sum(), _LEAST))
    return np.array(distances)


def _draw(
    components: tuple[Component, ...],
    masses: list[FloatArray],
    sample: Sample,
    rng: np.random.Generator,
) -> IntArray:
    n = sample.cell.size
    intent = (rng.random(n)[:, None] > sample.q.cumsum(axis=1)[:, :-1]).sum(axis=1)
    silent, place = rng.random(n), rng.random(n)
    cell = np.full(n, sample.cells.atom, dtype=np.int64)
    for z, (component, mass) in enumerate(zip(components, masses, strict=True)):
        mine = (intent == z) & (silent >= component.no_response)
        found = np.searchsorted(mass.cumsum(), place[mine], side="right")
        cell[mine] = np.minimum(found, sample.cells.atom - 1)
    return cell
