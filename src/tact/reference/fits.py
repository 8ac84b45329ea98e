"""Fit the laws of one slice together, by the mixture of latent intents.

::

    responses of intent z   law of the slice        source
    >= own_min              its own fit             own
    >= shrink_min           own, shrunk to parent   shrunk
    fewer                   the parent's density    parent

Responses are sums of posteriors. beta needs points only, and is the slice's own wherever the law
is; elsewhere it is shrunk to the parent's by the beta-binomial (``siblings``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import (
    Component,
    Fit,
    Sample,
    family_of,
    held,
    model_covariance,
    settle,
)
from tact.laws import Law
from tact.reference.doubt import Doubt
from tact.settings import Reference as Settings

OWN, SHRUNK, PARENT = "own", "shrunk", "parent"


@dataclass(frozen=True)
class Fitted:
    """The laws of a slice, in the order of the intents.

    Attributes
    ----------
    components : laws
    sources : own, shrunk, parent
    reasons : why a law is not simply the slice's own; empty where there is nothing to say
    n_points, n_responses : (K,) sums of posteriors
    fit : the joint fit behind them
    cluster : (n,) cluster of each point
    doubt : how far each law may be off
    """

    components: tuple[Component, ...]
    sources: tuple[str, ...]
    reasons: tuple[str, ...]
    n_points: FloatArray
    n_responses: FloatArray
    fit: Fit
    cluster: IntArray
    doubt: tuple[Doubt, ...]

    def covariance(self, z: int) -> FloatArray:
        """Give the model covariance of one law's free parameters and logit beta."""
        part = self.fit.slices()[z]
        return model_covariance(self.fit)[part, part]

    def whole(self, z: int) -> bool:
        """Tell whether all of a law's shape was fitted here."""
        return self.sources[z] != PARENT and bool(self.fit.components[z].free.all())


def component_of(law: Law, *, shift_sd: float | None) -> Component:
    """Make the free component that starts at a law; for ``shift_sd`` see ``family_of``."""
    family = family_of(law.density, shift_sd=shift_sd)
    theta = family.theta(law.density)
    return Component(family, theta, np.ones(theta.size, dtype=bool), law.no_response)


def law_of(component: Component) -> Law:
    """Make the law of a component."""
    return Law(component.family.density(component.theta), component.no_response)


def fit_slice(
    parents: Sequence[Component],
    sample: Sample,
    cluster: IntArray,
    *,
    settings: Settings,
    rng: np.random.Generator,
) -> Fitted:
    """Fit all laws of one slice together, from its parent's.

    Parameters
    ----------
    parents : the parent slice's laws, all free
    sample : the slice's labelled points, at least one
    cluster : (n,) cluster of each point
    rng : of the bootstrap
    """
    n_points = sample.q.sum(axis=0)
    n_responses = sample.q[sample.answered].sum(axis=0)
    start = [
        parent if n >= settings.shrink_min else held(parent)
        for parent, n in zip(parents, n_responses, strict=True)
    ]
    fit, failures = settle(start, sample)
    sources, reasons = [], []
    for z, component in enumerate(fit.components):
        n = float(n_responses[z])
        few = f"{n:.0f} responses, under {settings.shrink_min}: the parent's density"
        reasons.append(failures.get(z, few if n < settings.shrink_min else ""))
        own = OWN if n >= settings.own_min else SHRUNK
        sources.append(own if component.free.any() else PARENT)
    doubt = Doubt.of(fit, cluster, resamples=settings.resamples, rng=rng)
    return Fitted(
        fit.components,
        tuple(sources),
        tuple(reasons),
        n_points,
        n_responses,
        fit,
        cluster,
        doubt,
    )
