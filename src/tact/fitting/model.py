"""What is fitted, to what, and what comes out."""

from dataclasses import dataclass, replace

import numpy as np

from tact.clock import Flags, FloatArray, IntArray
from tact.fitting.cells import Cells
from tact.fitting.families import Family


@dataclass(frozen=True)
class Component:
    """The law of one intent in a mixture: shape theta, which parts of it are free, and beta."""

    family: Family
    theta: FloatArray
    free: Flags
    no_response: float


@dataclass(frozen=True)
class Sample:
    """Points to fit to.

    Attributes
    ----------
    q : (n, Z) posteriors
    cell : (n,) cell of each onset
    weight : how many points each row stands for: (n,), or one number for all
    """

    q: FloatArray
    cell: IntArray
    cells: Cells
    weight: FloatArray | float = 1.0

    @property
    def answered(self) -> Flags:
        """Which points had a response, (n,)."""
        return np.asarray(self.cell < self.cells.atom)


@dataclass(frozen=True)
class Fit:
    """A fitted mixture.

    Attributes
    ----------
    components : one law per intent
    responsibilities : (n, Z), P(z | labels, y)
    log_likelihood : of the sample
    converged : the gradient vanished within tolerance and the information is positive definite
    information : (P, P) observed information of the free parameters, intents in turn: the free
        parts of theta, then logit beta
    scores : (n, P) gradient of each point's log likelihood
    """

    components: tuple[Component, ...]
    responsibilities: FloatArray
    log_likelihood: float
    converged: bool
    information: FloatArray
    scores: FloatArray

    def slices(self) -> list[slice]:
        """Say where each component's parameters lie among the P."""
        ends = np.cumsum([1 + int(component.free.sum()) for component in self.components])
        starts = np.concatenate([[0], ends[:-1]])
        return [slice(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]


def freed(component: Component) -> Component:
    """Let all of the shape of a component be fitted."""
    return replace(component, free=np.ones_like(component.free))


def held(component: Component) -> Component:
    """Fix the shape of a component, leaving its beta free."""
    return replace(component, free=np.zeros_like(component.free))
