"""Fit so that every law ends defined: what the data do not settle is held at the parent's shape.

A latent-intent fit can fail in one law alone: its density spreads until it is flat over T, or the
responses do not tell it from its neighbours. That law keeps its parent's shape, with the reason,
and the rest are fitted again around it. A spread that the responses do not miss rests at its least
first: holding the whole law for it would leave its responses to its neighbours. No result is NaN,
and no failure is silent.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tact.clock import FloatArray
from tact.fitting.mixture import fit
from tact.fitting.model import Component, Fit, Sample, held

_AT_BOUND = 1e-6
_MISSED = 0.1
"""Log likelihood that a spread must be worth to be kept when a fit does not come to rest."""


def settle(start: Sequence[Component], sample: Sample) -> tuple[Fit, dict[int, str]]:
    """Fit a mixture, holding what cannot be fitted.

    Parameters
    ----------
    start : the parents' laws, one per intent; also what a law that fails falls back to
    sample : points, at least one

    Returns
    -------
    fit : Fit
        Converged, unless even the shares of no response cannot be told apart.
    reasons : by position in ``start``, why a law is held in part or whole
    """
    reasons: dict[int, str] = {}
    components = tuple(start)
    while True:
        found = fit(components, sample)
        failed = _at_edges(found.components, start, reasons)
        if failed is None and not found.converged:
            failed = _least_settled(found, start, reasons, sample)
        if failed is None:
            return found, reasons
        components = failed


def _at_edges(
    components: Sequence[Component], start: Sequence[Component], reasons: dict[int, str]
) -> tuple[Component, ...] | None:
    """Hold a law at an edge of its range, or a spread at its least; None when there is none."""
    kept = list(components)
    for z, component in enumerate(components):
        family, theta = component.family, component.theta
        low = component.free & (theta <= np.add(family.lower, _AT_BOUND))
        high = component.free & (theta >= np.subtract(family.upper, _AT_BOUND))
        rests = low & np.array(family.may_rest)
        if (high | low & ~rests).any():
            name = family.parameters[int(np.argmax(high | low & ~rests))]
            reasons[z] = f"{name} runs to the edge of its range: the parent's shape is kept"
            kept[z] = held(replace(start[z], no_response=component.no_response))
        elif rests.any():
            kept[z] = _resting(component, int(np.argmax(rests)), z, reasons)
    return tuple(kept) if any(a is not b for a, b in zip(kept, components, strict=True)) else None


def _least_settled(
    found: Fit, start: Sequence[Component], reasons: dict[int, str], sample: Sample
) -> tuple[Component, ...] | None:
    """Rest or hold the shape that the information says least about; None when none is free."""
    _, vectors = np.linalg.eigh(_scaled(found.information))
    loads = [
        float(np.sum(vectors[part, 0] ** 2)) if component.free.any() else 0.0
        for part, component in zip(found.slices(), found.components, strict=True)
    ]
    if not any(loads):
        return None
    z = int(np.argmax(loads))
    if rested := _without_spread(found, z, reasons, sample):
        return rested
    reasons[z] = "the responses do not settle the shape: the parent's is kept"
    kept = list(found.components)
    kept[z] = held(replace(start[z], no_response=found.components[z].no_response))
    return tuple(kept)


def _without_spread(
    found: Fit, z: int, reasons: dict[int, str], sample: Sample
) -> tuple[Component, ...] | None:
    """Rest the smaller spread of law z at its least; None where the responses miss it."""
    component = found.components[z]
    family = component.family
    may = np.flatnonzero(component.free & np.array(family.may_rest))
    if not may.size:
        return None
    part = int(may[np.argmin(component.theta[may])])
    at_least = component.theta.copy()
    at_least[part] = family.lower[part]
    tried = list(found.components)
    tried[z] = _resting(replace(component, theta=at_least), part, z, reasons)
    again = fit(tried, sample)
    if again.log_likelihood < found.log_likelihood - _MISSED:
        return None
    return again.components


def _resting(component: Component, part: int, z: int, reasons: dict[int, str]) -> Component:
    """Hold one part of a shape where it is, and say so."""
    least = math.exp(component.theta[part])
    reasons[z] = f"{component.family.parameters[part]} rests at its least, {least:g} s"
    return replace(component, free=component.free & (np.arange(component.free.size) != part))


def _scaled(information: FloatArray) -> FloatArray:
    scale = np.sqrt(np.maximum(np.abs(np.diag(information)), 1e-12))
    return np.asarray(information / np.outer(scale, scale))
