"""Fit the laws of one slice, and draw those of few responses toward the parent's.

::

    responses of intent z   law of the slice        source
    >= own_min              its own fit             own
    >= shrink_min           own, shrunk to parent   shrunk
    fewer                   the parent's density    parent

Responses are sums of posteriors. beta needs points only, and is the slice's own wherever the law
is; elsewhere it is shrunk to the parent's by the beta-binomial.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting import (
    Component,
    Fit,
    Sample,
    clustered_covariance,
    family_of,
    held,
    intervals,
    model_covariance,
    settle,
)
from tact.laws import Law
from tact.settings import Reference as Settings
from tact.shrinkage import between, shrink, shrink_rates

_RATE_EDGE = 1e-3


@dataclass(frozen=True)
class Fitted:
    """The laws of a slice, in the order of the intents.

    Attributes
    ----------
    components : laws
    sources : own, shrunk, parent
    reasons : why a law is not simply the slice's own; empty where there is nothing to say
    n_points, n_responses : (K,) sums of posteriors
    limits : per law, parameter -> [low, high]; empty where it has none
    fit : the joint fit behind them
    """

    components: tuple[Component, ...]
    sources: tuple[str, ...]
    reasons: tuple[str, ...]
    n_points: FloatArray
    n_responses: FloatArray
    limits: tuple[dict[str, list[float]], ...]
    fit: Fit

    def covariance(self, z: int) -> FloatArray:
        """Give the model covariance of one law's free parameters and logit beta."""
        part = self.fit.slices()[z]
        return model_covariance(self.fit)[part, part]

    def whole(self, z: int) -> bool:
        """Tell whether all of a law's shape was fitted here."""
        return self.sources[z] != "parent" and bool(self.fit.components[z].free.all())


def component_of(law: Law) -> Component:
    """Make the free component that starts at a law."""
    family = family_of(law.density)
    theta = family.theta(law.density)
    return Component(family, theta, np.ones(theta.size, dtype=bool), law.no_response)


def law_of(component: Component) -> Law:
    """Make the law of a component."""
    return Law(component.family.density(component.theta), component.no_response)


def fit_slice(
    parents: Sequence[Component], sample: Sample, cluster: IntArray, *, settings: Settings
) -> Fitted:
    """Fit all laws of one slice together, from its parent's.

    Parameters
    ----------
    parents : the parent slice's laws, all free
    sample : the slice's labelled points, at least one
    cluster : (n,) cluster of each point
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
        own = "own" if n >= settings.own_min else "shrunk"
        sources.append(own if component.free.any() else "parent")
    limits = _limits(fit, sources, cluster, settings)
    return Fitted(
        fit.components, tuple(sources), tuple(reasons), n_points, n_responses, limits, fit
    )


def _limits(
    fit: Fit, sources: Sequence[str], cluster: IntArray, settings: Settings
) -> tuple[dict[str, list[float]], ...]:
    clusters = np.unique(cluster).size
    if clusters < 2 or not fit.converged:
        return tuple({} for _ in sources)
    covariance = clustered_covariance(fit, cluster)
    return tuple(
        intervals(component, covariance[part, part], level=settings.level, clusters=clusters)
        if source == "own"
        else {}
        for component, part, source in zip(fit.components, fit.slices(), sources, strict=True)
    )


def shrink_siblings(
    parents: Sequence[Component], siblings: Sequence[Fitted], *, settings: Settings
) -> list[Fitted]:
    """Draw the laws of the slices of one axis toward the parent's where responses are few."""
    shapes = [[fitted.components[z] for fitted in siblings] for z in range(len(parents))]
    for z, parent in enumerate(parents):
        thetas = _shrunk_shapes(parent, [(f, z) for f in siblings])
        rates = _shrunk_rates(parent, siblings, z)
        for i, fitted in enumerate(siblings):
            if fitted.sources[z] != "own":
                rate = float(rates[i])
                shapes[z][i] = replace(shapes[z][i], theta=thetas[i], no_response=rate)
    return [
        replace(fitted, components=tuple(column[i] for column in shapes), reasons=_notes(fitted))
        for i, fitted in enumerate(siblings)
    ]


def _shrunk_shapes(parent: Component, members: Sequence[tuple[Fitted, int]]) -> list[FloatArray]:
    thetas = [fitted.components[z].theta for fitted, z in members]
    told = [i for i, (fitted, z) in enumerate(members) if fitted.whole(z)]
    few = [i for i in told if members[i][0].sources[members[i][1]] == "shrunk"]
    if not few:
        return thetas
    p = parent.theta.size
    v = np.array([members[i][0].covariance(members[i][1])[:p, :p] for i in told])
    estimates = np.array([thetas[i] for i in told])
    # One slice says nothing of the spread about an unknown centre: the parent's is taken as known.
    spread = between(estimates, v, centre=parent.theta if len(told) == 1 else None).spread
    for i in few:
        thetas[i] = shrink(thetas[i], v[told.index(i)], parent.theta, spread)[0]
    return thetas


def _shrunk_rates(parent: Component, siblings: Sequence[Fitted], z: int) -> FloatArray:
    beta = np.array([fitted.components[z].no_response for fitted in siblings])
    # As many points as would give the fit's own variance, were their intent known.
    n = np.array(
        [
            1.0 / (fitted.covariance(z)[-1, -1] * b * (1.0 - b))
            if fitted.fit.converged
            else fitted.n_points[z]
            for fitted, b in zip(siblings, beta, strict=True)
        ]
    )
    centre = float(np.clip(parent.no_response, _RATE_EDGE, 1.0 - _RATE_EDGE))
    return shrink_rates(beta * n, n, centre)


def _notes(fitted: Fitted) -> tuple[str, ...]:
    return tuple(
        reason or (f"{n:.0f} responses: shrunk to the parent" if source == "shrunk" else "")
        for reason, source, n in zip(
            fitted.reasons, fitted.sources, fitted.n_responses, strict=True
        )
    )
