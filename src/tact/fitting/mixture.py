"""Fit reference laws when the intent of a point is known only as a posterior.

The likelihood of onsets y_i with posteriors q_i is that of a mixture with known proportions,

    sum_i log sum_z q_i(z) h_z(y_i),    h_z = (1 - beta_z) f_z + beta_z * atom,

f_z truncated to T and summed over the cell that y_i lies in. It is climbed by EM (Dempster, Laird
and Rubin 1977), then by Newton's method on the same likelihood, whose last Hessian is the observed
information. q must not have seen y. Weighting cases by q instead lets every law swallow its
neighbours' responses; ``latent=False`` does that, for comparison. Section 5 of arXiv 2609.27372.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tact.clock import FloatArray, IntArray
from tact.fitting.cells import Cells
from tact.fitting.families import FAINT, Family, log_mass

BoolArray = npt.NDArray[np.bool_]

_FLOOR = -60.0
"""Least log mass of a cell: an onset that a law forbids is an error of its label, and no more."""

_ROUNDS = 400
_GAIN = 1e-5
_SCORE_STEPS = 2
_HALVINGS = 12
_NEWTON_ROUNDS = 15
_DECREMENT = 1e-7
_STEP = 1e-4
_BETA_MIN = 1e-9


@dataclass(frozen=True)
class Component:
    """The law of one intent in a mixture: shape theta, which parts of it are free, and beta."""

    family: Family
    theta: FloatArray
    free: BoolArray
    no_response: float


@dataclass(frozen=True)
class Sample:
    """Points to fit to: posteriors q (n, Z), cell of each onset (n,), and the cells."""

    q: FloatArray
    cell: IntArray
    cells: Cells

    @property
    def answered(self) -> BoolArray:
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


def fit(start: Sequence[Component], sample: Sample) -> Fit:
    """Climb the mixture likelihood from ``start``.

    Parameters
    ----------
    start : one component per column of ``sample.q``
    sample : points, at least one

    Returns
    -------
    Fit
        beta is kept off 0 and 1 by half a pseudo-point on either side (Jeffreys).
    """
    components = _climb(tuple(start), sample)
    components, information, converged = _polish(components, sample)
    table, slopes = _tables(components, sample.cells)
    r, log_likelihood = _expect(table, sample)
    return Fit(
        components,
        r,
        log_likelihood,
        converged,
        information,
        _scores(components, slopes, r, sample),
    )


def fit_by_weights(start: Sequence[Component], sample: Sample) -> tuple[Component, ...]:
    """Fit each law with q as plain case weights: biased, to be shown beside ``fit``."""
    components = tuple(start)
    counts = _counts(sample.q, sample)
    for _ in range(_ROUNDS):
        moved = _maximise(components, counts, sample.cells)
        if all(
            np.abs(a.theta - b.theta).max() < 1e-9 for a, b in zip(components, moved, strict=True)
        ):
            break
        components = moved
    return moved


def responsibilities(components: Sequence[Component], sample: Sample) -> FloatArray:
    """Give P(z | labels, y) of each point, (n, Z)."""
    return _expect(_tables(components, sample.cells)[0], sample)[0]


def held(component: Component) -> Component:
    """Fix the shape of a component, leaving its beta free."""
    return replace(component, free=np.zeros_like(component.free))


def _climb(components: tuple[Component, ...], sample: Sample) -> tuple[Component, ...]:
    last = -np.inf
    for _ in range(_ROUNDS):
        r, log_likelihood = _expect(_tables(components, sample.cells)[0], sample)
        components = _maximise(components, _counts(r, sample), sample.cells)
        if log_likelihood - last < _GAIN:
            break
        last = log_likelihood
    return components


def _tables(components: Sequence[Component], cells: Cells) -> tuple[FloatArray, list[FloatArray]]:
    """Tabulate h_z over cells and atom, (Z, K + 1), and the gradient of log f_z, each (K, p)."""
    table = np.empty((len(components), cells.atom + 1))
    slopes = []
    for z, component in enumerate(components):
        value, slope = _log_cells(component.family, component.theta, cells)
        table[z, :-1] = (1.0 - component.no_response) * np.exp(value)
        table[z, -1] = component.no_response
        slopes.append(slope)
    return table, slopes


def _log_cells(family: Family, theta: FloatArray, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Give the log mass of each cell, given that the onset lies in the window, and its gradient."""
    value, slope = log_mass(family, theta, cells.low, cells.high)
    whole, whole_slope = log_mass(family, theta, np.array([cells.start]), np.array([cells.end]))
    if whole[0] < np.log(FAINT):
        # A law whose tail alone reaches the window: only the cells are narrow enough to measure it.
        whole = np.array([np.logaddexp.reduce(value)])
        whole_slope = np.exp(value - whole) @ slope
    value, slope = value - whole, slope - whole_slope
    faint = value < _FLOOR
    return np.where(faint, _FLOOR, value), np.where(faint[:, None], 0.0, slope)


def _expect(table: FloatArray, sample: Sample) -> tuple[FloatArray, float]:
    joint = sample.q * table.T[sample.cell]
    total = joint.sum(axis=1)
    return joint / total[:, None], float(np.log(total).sum())


def _counts(r: FloatArray, sample: Sample) -> FloatArray:
    """Sum responsibilities by cell, (Z, K + 1)."""
    size = sample.cells.atom + 1
    return np.stack([np.bincount(sample.cell, column, size) for column in r.T])


def _maximise(
    components: Sequence[Component], counts: FloatArray, cells: Cells
) -> tuple[Component, ...]:
    moved = []
    for component, row in zip(components, counts, strict=True):
        for _ in range(_SCORE_STEPS if component.free.any() else 0):
            component = _scoring_step(component, row[:-1], cells)
        beta = (row[-1] + 0.5) / (row.sum() + 1.0)
        moved.append(replace(component, no_response=float(beta)))
    return tuple(moved)


def _scoring_step(component: Component, counts: FloatArray, cells: Cells) -> Component:
    """Step by the counts' outer products, halved until the likelihood does not fall."""
    family, theta, free = component.family, component.theta, component.free
    value, slope = _log_cells(family, theta, cells)
    slope = slope[:, free]
    outer = (slope * counts[:, None]).T @ slope
    outer[np.diag_indices_from(outer)] += 1e-9 * (1.0 + np.trace(outer))
    direction = np.zeros_like(theta)
    direction[free] = np.linalg.solve(outer, counts @ slope)
    direction = np.clip(direction, -1.0, 1.0)
    before = float(counts @ value)
    for _ in range(_HALVINGS):
        tried = np.clip(theta + direction, family.lower, family.upper)
        if float(counts @ _log_cells(family, tried, cells)[0]) >= before:
            return replace(component, theta=tried)
        direction *= 0.5
    return component


def _polish(
    components: tuple[Component, ...], sample: Sample
) -> tuple[tuple[Component, ...], FloatArray, bool]:
    """Finish by Newton's method; give the observed information with the laws."""
    value = _objective(components, sample)
    information = np.zeros((0, 0))
    for _ in range(_NEWTON_ROUNDS):
        gradient = _gradient(components, sample)
        information = _information(components, sample)
        try:
            np.linalg.cholesky(information)
        except np.linalg.LinAlgError:
            return components, information, False
        direction = np.asarray(np.linalg.solve(information, gradient), dtype=np.float64)
        decrement = float(gradient @ direction)
        if decrement < _DECREMENT:
            # So near, one more whole step squares what is left of the error.
            return _moved(components, direction), information, True
        components, reached = _line_search(components, direction, value, sample)
        if reached <= value:
            return components, information, False
        value = reached
    return components, information, False


def _line_search(
    components: tuple[Component, ...], direction: FloatArray, value: float, sample: Sample
) -> tuple[tuple[Component, ...], float]:
    for _ in range(_HALVINGS):
        tried = _moved(components, direction)
        reached = _objective(tried, sample)
        if reached > value:
            return tried, reached
        direction = 0.5 * direction
    return components, value


def _moved(components: Sequence[Component], direction: FloatArray) -> tuple[Component, ...]:
    """Move the free parameters, theta within its bounds and beta on its logit."""
    moved, at = [], 0
    for component in components:
        theta = component.theta.copy()
        n_free = int(component.free.sum())
        theta[component.free] += direction[at : at + n_free]
        theta = np.clip(theta, component.family.lower, component.family.upper)
        beta = np.clip(component.no_response, _BETA_MIN, 1.0 - _BETA_MIN)
        odds = beta / (1.0 - beta) * np.exp(np.clip(direction[at + n_free], -20.0, 20.0))
        moved.append(replace(component, theta=theta, no_response=float(odds / (1.0 + odds))))
        at += n_free + 1
    return tuple(moved)


def _objective(components: Sequence[Component], sample: Sample) -> float:
    beta = np.array([component.no_response for component in components])
    return _expect(_tables(components, sample.cells)[0], sample)[1] + 0.5 * float(
        np.log(beta * (1.0 - beta)).sum()
    )


def _gradient(components: Sequence[Component], sample: Sample) -> FloatArray:
    table, slopes = _tables(components, sample.cells)
    counts = _counts(_expect(table, sample)[0], sample)
    parts = []
    for component, slope, row in zip(components, slopes, counts, strict=True):
        beta = component.no_response
        parts.append(row[:-1] @ slope[:, component.free])
        parts.append([row[-1] + 0.5 - beta * (row.sum() + 1.0)])
    return np.concatenate(parts)


def _information(components: tuple[Component, ...], sample: Sample) -> FloatArray:
    """Differentiate the gradient: the observed information, (P, P)."""
    size = sum(1 + int(component.free.sum()) for component in components)
    columns = []
    for step in np.eye(size) * _STEP:
        ahead = _gradient(_moved(components, step), sample)
        behind = _gradient(_moved(components, -step), sample)
        columns.append((behind - ahead) / (2.0 * _STEP))
    hessian = np.array(columns)
    return np.asarray(0.5 * (hessian + hessian.T))


def _scores(
    components: Sequence[Component], slopes: Sequence[FloatArray], r: FloatArray, sample: Sample
) -> FloatArray:
    columns = []
    answered = sample.answered
    cell = np.where(answered, sample.cell, 0)
    for z, (component, slope) in enumerate(zip(components, slopes, strict=True)):
        weight = np.where(answered, r[:, z], 0.0)
        columns.append(slope[cell][:, component.free] * weight[:, None])
        beta = component.no_response
        columns.append(np.where(answered, -beta, 1.0 - beta)[:, None] * r[:, [z]])
    return np.hstack(columns)
