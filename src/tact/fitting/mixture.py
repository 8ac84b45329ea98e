"""Fit reference laws when the intent of a point is known only as a posterior.

The likelihood of onsets y_i with posteriors q_i is that of a mixture with known proportions,

    sum_i log sum_z q_i(z) h_z(y_i),    h_z = (1 - beta_z) f_z + beta_z * atom,

f_z truncated to T and summed over the cell that y_i lies in. It is climbed by EM (Dempster, Laird
and Rubin 1977), then by Newton's method on the same likelihood, whose last Hessian is the observed
information. q must not have seen y. Weighting cases by q instead lets every law swallow its
neighbours' responses; ``fit_by_weights`` does that, for comparison. Section 5 of arXiv 2609.27372.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tact.clock import FloatArray
from tact.fitting.cells import Cells
from tact.fitting.likelihood import (
    counts_of,
    expect,
    gradient_of,
    information_of,
    log_cells,
    log_cells_alone,
    log_prior,
    scores_of,
    tables,
    tabulate,
)
from tact.fitting.model import Component, Fit, Sample

_ROUNDS = 400
_GAINS = (1e-2, 1e-5)
"""EM ends when a round gains less; where Newton's method then fails, EM goes on to the second."""
_SCORE_STEPS = 2
_HALVINGS = 12
_REFIT_STEPS = 2
_NEWTON_ROUNDS = 15
_DECREMENT = 1e-7
_BETA_MIN = 1e-9


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
    first, last = _GAINS
    found = _polish(_climb(tuple(start), sample, first), sample)
    if not found.converged:
        found = _polish(_climb(found.components, sample, last), sample)
    return found


class Refit:
    """Fits of resamples of what a fit was made to, by two steps of Newton's method from there.

    The information is held, since for resamples of the same size it is nearly right for all; a step
    that loses likelihood is halved. The error of one step is of a smaller order than that of a fit
    (Le Cam's one-step estimator), but of few responses it can be seen in p; that of two can not.
    """

    def __init__(self, found: Fit, cells: Cells) -> None:
        self.components = found.components
        self._inverse = np.linalg.inv(found.information)
        self._tables = tables(found.components, cells)

    def table(self, sample: Sample) -> FloatArray:
        """Tabulate the laws fitted to a resample over its cells and the atom, (Z, K + 1)."""
        components, (table, slopes) = self.components, self._tables
        for _ in range(_REFIT_STEPS - 1):
            components, _ = self._step(components, table, slopes, sample)
            table, slopes = tables(components, sample.cells)
        return self._step(components, table, slopes, sample)[1]

    def _step(
        self,
        components: tuple[Component, ...],
        table: FloatArray,
        slopes: list[FloatArray],
        sample: Sample,
    ) -> tuple[tuple[Component, ...], FloatArray]:
        """Step once: the components and their table."""
        r, value = expect(table, sample)
        value += log_prior(components)
        gradient = gradient_of(components, slopes, counts_of(r, sample))
        direction = self._inverse @ gradient
        for _ in range(_HALVINGS):
            tried = _moved(components, direction)
            reached = tabulate(tried, sample.cells)
            if expect(reached, sample)[1] + log_prior(tried) >= value:
                return tried, reached
            direction = 0.5 * direction
        return components, table


def fit_by_weights(start: Sequence[Component], sample: Sample) -> tuple[Component, ...]:
    """Fit each law with q as plain case weights: biased, to be shown beside ``fit``."""
    components = tuple(start)
    counts = counts_of(sample.q, sample)
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
    return expect(tabulate(components, sample.cells), sample)[0]


@dataclass(frozen=True)
class _Place:
    """The likelihood and what follows from it at one set of laws."""

    components: tuple[Component, ...]
    slopes: list[FloatArray]
    r: FloatArray
    log_likelihood: float
    counts: FloatArray

    @classmethod
    def of(cls, components: tuple[Component, ...], sample: Sample) -> "_Place":
        table, slopes = tables(components, sample.cells)
        r, log_likelihood = expect(table, sample)
        return cls(components, slopes, r, log_likelihood, counts_of(r, sample))

    @property
    def objective(self) -> float:
        return self.log_likelihood + log_prior(self.components)

    @property
    def gradient(self) -> FloatArray:
        return gradient_of(self.components, self.slopes, self.counts)

    def information(self, sample: Sample) -> tuple[FloatArray, FloatArray]:
        """Give the scores (n, P) and the observed information (P, P)."""
        scores = scores_of(self.components, self.slopes, self.r, sample)
        return scores, information_of(self.components, self.slopes, self.counts, scores, sample)

    def fit(self, scores: FloatArray, information: FloatArray, *, converged: bool) -> Fit:
        return Fit(self.components, self.r, self.log_likelihood, converged, information, scores)


def _climb(components: tuple[Component, ...], sample: Sample, gain: float) -> tuple[Component, ...]:
    last = -np.inf
    for _ in range(_ROUNDS):
        r, log_likelihood = expect(tabulate(components, sample.cells), sample)
        components = _maximise(components, counts_of(r, sample), sample.cells)
        if log_likelihood - last < gain:
            break
        last = log_likelihood
    return components


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
    value, slope = log_cells(family, theta, cells)
    pulled, pull, bend = family.prior(theta)
    slope = slope[:, free]
    outer = (slope * counts[:, None]).T @ slope - np.diag(bend[free])
    outer[np.diag_indices_from(outer)] += 1e-9 * (1.0 + np.trace(outer))
    direction = np.zeros_like(theta)
    direction[free] = np.linalg.solve(outer, counts @ slope + pull[free])
    direction = np.clip(direction, -1.0, 1.0)
    before = float(counts @ value) + pulled
    for _ in range(_HALVINGS):
        tried = np.clip(theta + direction, family.lower, family.upper)
        reached = float(counts @ log_cells_alone(family, tried, cells)) + family.prior(tried)[0]
        if reached >= before:
            return replace(component, theta=tried)
        direction *= 0.5
    return component


def _polish(components: tuple[Component, ...], sample: Sample) -> Fit:
    """Finish by Newton's method; converged if it came to rest at a maximum."""
    at = _Place.of(components, sample)
    for _ in range(_NEWTON_ROUNDS):
        scores, information = at.information(sample)
        try:
            np.linalg.cholesky(information)
        except np.linalg.LinAlgError:
            return at.fit(scores, information, converged=False)
        direction = np.asarray(np.linalg.solve(information, at.gradient), dtype=np.float64)
        if float(at.gradient @ direction) < _DECREMENT:
            # So near, one more whole step squares what is left of the error.
            rest = _Place.of(_moved(at.components, direction), sample)
            return rest.fit(*rest.information(sample), converged=True)
        reached = _line_search(at, direction, sample)
        if reached is None:
            return at.fit(scores, information, converged=False)
        at = reached
    return at.fit(*at.information(sample), converged=False)


def _line_search(at: _Place, direction: FloatArray, sample: Sample) -> _Place | None:
    for _ in range(_HALVINGS):
        tried = _Place.of(_moved(at.components, direction), sample)
        if tried.objective > at.objective:
            return tried
        direction = 0.5 * direction
    return None


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
