"""Draw the laws of the slices of one axis toward their parents' where responses are few.

The shape by empirical Bayes with A by REML over the deviations of all slices of the axis from their
parents, beta by the beta-binomial; both with the error that the law is left with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tact.clock import FloatArray
from tact.fitting import Component
from tact.reference.doubt import Doubt
from tact.reference.fits import OWN, PARENT, SHRUNK, Fitted
from tact.shrinkage import between, concentration, shrink

_RATE_EDGE = 1e-3


@dataclass(frozen=True)
class Parent:
    """The laws of a parent slice, all free, and how far each may be off."""

    components: tuple[Component, ...]
    doubt: tuple[Doubt, ...]


def shrink_siblings(
    parents: Sequence[Parent], siblings: Sequence[Fitted], rngs: Sequence[np.random.Generator]
) -> list[Fitted]:
    """Draw each of ``siblings`` toward the parent at its place in ``parents``."""
    columns = [
        _one_law([parent.components[z] for parent in parents], siblings, z)
        for z in range(len(siblings[0].components))
    ]
    made = []
    for i, (fitted, parent, rng) in enumerate(zip(siblings, parents, rngs, strict=True)):
        pulled = [column[i] for column in columns]
        # How far slices spread cannot be told from one: its own error then stands.
        doubt = (
            fitted.doubt
            if len(siblings) == 1
            else tuple(
                pull.left(own, above, rng)
                for pull, own, above in zip(pulled, fitted.doubt, parent.doubt, strict=True)
            )
        )
        laws = tuple(pull.component for pull in pulled)
        made.append(replace(fitted, components=laws, doubt=doubt, reasons=_notes(fitted)))
    return made


@dataclass(frozen=True)
class _Pull:
    """A law drawn by a gain toward its parent, about which laws spread by ``spread``."""

    component: Component
    gain: FloatArray | None
    spread: FloatArray

    def left(self, own: Doubt, parent: Doubt, rng: np.random.Generator) -> Doubt:
        if self.gain is None:
            return own
        return own.drawn_to(parent, self.gain, self.spread, rng)


def _one_law(parents: Sequence[Component], siblings: Sequence[Fitted], z: int) -> list[_Pull]:
    members = [fitted.components[z] for fitted in siblings]
    shape, spread = _shapes(parents, siblings, z)
    beta = np.array([member.no_response for member in members])
    n = _worth(siblings, z)
    centre = np.array([parent.no_response for parent in parents]).clip(_RATE_EDGE, 1 - _RATE_EDGE)
    c = concentration(beta * n, n, centre)
    pulls = []
    for i, (member, fitted) in enumerate(zip(members, siblings, strict=True)):
        if fitted.sources[z] == OWN:
            pulls.append(_Pull(member, None, spread))
            continue
        gain, apart = np.zeros((2, member.theta.size + 1, member.theta.size + 1))
        theta, gain[:-1, :-1] = shape[i]
        share = n[i] / (n[i] + c)
        rate = float(share * beta[i] + (1 - share) * centre[i])
        gain[-1, -1] = share
        # About the parent's logit, rates of concentration c spread as n points at share g are off.
        apart[-1, -1] = share / (1 - share) / (n[i] * rate * (1 - rate))
        if fitted.sources[z] == SHRUNK:
            apart[:-1, :-1] = spread
        pulls.append(_Pull(replace(member, theta=theta, no_response=rate), gain, apart))
    return pulls


def _shapes(
    parents: Sequence[Component], siblings: Sequence[Fitted], z: int
) -> tuple[list[tuple[FloatArray, FloatArray]], FloatArray]:
    """Give theta and gain of each slice, and the spread A of true shapes about their parents."""
    p = parents[0].theta.size
    one, nothing = np.eye(p), np.zeros((p, p))
    made = [
        (fitted.components[z].theta, nothing if fitted.sources[z] == PARENT else one)
        for fitted in siblings
    ]
    told = [i for i, fitted in enumerate(siblings) if fitted.whole(z)]
    few = [i for i in told if siblings[i].sources[z] == SHRUNK]
    if not few:
        return made, nothing
    v = np.array([siblings[i].covariance(z)[:p, :p] for i in told])
    off = np.array([siblings[i].components[z].theta - parents[i].theta for i in told])
    # One slice says nothing of the spread about an unknown centre: the parent's is taken as known.
    spread = between(off, v, centre=np.zeros(p) if len(told) == 1 else None).spread
    for i in few:
        at = told.index(i)
        theta = shrink(siblings[i].components[z].theta, v[at], parents[i].theta, spread)[0]
        made[i] = theta, spread @ np.linalg.inv(spread + v[at])
    return made, spread


def _worth(siblings: Sequence[Fitted], z: int) -> FloatArray:
    """Say how many points of known intent would give each fit's own variance of beta, (s,)."""
    n = []
    for fitted in siblings:
        beta = fitted.components[z].no_response
        known = fitted.fit.converged
        n.append(
            1.0 / (fitted.covariance(z)[-1, -1] * beta * (1.0 - beta))
            if known
            else fitted.n_points[z]
        )
    return np.array(n)


def _notes(fitted: Fitted) -> tuple[str, ...]:
    return tuple(
        reason or (f"{n:.0f} responses: shrunk to the parent" if source == SHRUNK else "")
        for reason, source, n in zip(
            fitted.reasons, fitted.sources, fitted.n_responses, strict=True
        )
    )
