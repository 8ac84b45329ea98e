"""The intent-blind law of a corpus that has no labels."""

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import (
    Component,
    ExGaussianFamily,
    Fit,
    LogNormalFamily,
    Sample,
    fit,
)
from tact.reference.doubt import Doubt
from tact.settings import Reference as Settings


def fit_blind(
    onsets: FloatArray,
    sample: Sample,
    cluster: IntArray,
    *,
    settings: Settings,
    rng: np.random.Generator,
) -> tuple[Component, Doubt]:
    """Fit one law to all responses, by the family of the lower AIC.

    Parameters
    ----------
    onsets : (n,) s, ``inf`` where nobody responded; at least two responses
    sample : the same points with the one intent, q all 1
    cluster : (n,)
    rng : of the bootstrap

    Returns
    -------
    component, doubt : the law, and how far it may be off; nothing is known of that with one
        cluster or a fit at the edge of its range

    Notes
    -----
    A log-normal of shift 0 has no onset before 0; it is tried where all of them come after.
    """
    given = onsets[np.isfinite(onsets)]
    spread = max(float(given.std()), 0.01)
    tried: list[tuple[Component, Fit]] = []
    middle = np.array([given.mean() - 0.5 * spread, np.log(0.7 * spread), np.log(0.7 * spread)])
    families: list[tuple[ExGaussianFamily | LogNormalFamily, FloatArray]] = [
        (ExGaussianFamily(), middle)
    ]
    if given.min() > 0:
        log_given = np.log(given)
        shape = np.array([log_given.mean(), np.log(max(float(log_given.std()), 0.06))])
        families.append((LogNormalFamily(0.0), shape))
    for family, theta in families:
        theta = np.clip(theta, family.lower, family.upper)
        start = Component(family, theta, np.ones(theta.size, dtype=bool), 0.5)
        found = fit([start], sample)
        tried.append((found.components[0], found))
    component, best = min(tried, key=lambda pair: pair[0].theta.size - pair[1].log_likelihood)
    (doubt,) = Doubt.of(best, cluster, resamples=settings.resamples, rng=rng)
    return component, doubt
