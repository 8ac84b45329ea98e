"""The mixture likelihood on cells: its value, gradient and observed information.

With r_i(z) = P(z | labels, y_i), S the gradient and D the second derivative of log h_z at the cell
of y_i, the observed information is that of the complete data less what the latent intents hide
(Louis 1982, doi:10.1111/j.2517-6161.1982.tb01203.x):

    I = - sum_i E[D_i] - sum_i E[S_i S_i'] + sum_i E[S_i] E[S_i]',   E over r_i.

S is in closed form and D its central difference. beta has the prior of half a point on either side
(Jeffreys), on the scale of logit beta; a free shift has its own.
"""

from collections.abc import Sequence

import numpy as np

from tact.clock import FloatArray
from tact.fitting.cells import Cells
from tact.fitting.families import FAINT, Family, log_mass, log_mass_alone
from tact.fitting.model import Component, Sample

_FLOOR = -60.0
"""Least log mass of a cell: an onset that a law forbids is an error of its label, and no more."""

_LEAST_WHOLE = np.log(FAINT)
"""A law whose tail alone reaches the window: only the cells are narrow enough to measure it."""

_STEP = 1e-4


def tables(components: Sequence[Component], cells: Cells) -> tuple[FloatArray, list[FloatArray]]:
    """Tabulate h_z over cells and atom, (Z, K + 1), and the gradient of log f_z, each (K, p)."""
    table = np.empty((len(components), cells.atom + 1))
    slopes = []
    for z, component in enumerate(components):
        value, slope = log_cells(component.family, component.theta, cells)
        table[z, :-1] = (1.0 - component.no_response) * np.exp(value)
        table[z, -1] = component.no_response
        slopes.append(slope)
    return table, slopes


def tabulate(components: Sequence[Component], cells: Cells) -> FloatArray:
    """Tabulate h_z over the cells and, last, the atom: (Z, K + 1)."""
    table = np.empty((len(components), cells.atom + 1))
    for row, component in zip(table, components, strict=True):
        value = log_cells_alone(component.family, component.theta, cells)
        row[:-1] = (1.0 - component.no_response) * np.exp(value)
        row[-1] = component.no_response
    return table


def log_cells(family: Family, theta: FloatArray, cells: Cells) -> tuple[FloatArray, FloatArray]:
    """Give the log mass of each cell, given that the onset lies in the window, and its gradient."""
    value, slope = log_mass(family, theta, cells.low, cells.high)
    whole, whole_slope = log_mass(family, theta, np.array([cells.start]), np.array([cells.end]))
    if whole[0] < _LEAST_WHOLE:
        whole = np.array([np.logaddexp.reduce(value)])
        whole_slope = np.exp(value - whole) @ slope
    value, slope = value - whole, slope - whole_slope
    faint = value < _FLOOR
    return np.where(faint, _FLOOR, value), np.where(faint[:, None], 0.0, slope)


def log_cells_alone(family: Family, theta: FloatArray, cells: Cells) -> FloatArray:
    """Give what ``log_cells`` gives, without the gradient, (K,)."""
    density = family.density(theta)
    value = log_mass_alone(density, cells.low, cells.high)
    whole = log_mass_alone(density, np.array([cells.start]), np.array([cells.end]))[0]
    whole = np.logaddexp.reduce(value) if whole < _LEAST_WHOLE else whole
    return np.asarray(np.maximum(value - whole, _FLOOR))


def expect(table: FloatArray, sample: Sample) -> tuple[FloatArray, float]:
    """Give P(z | labels, y), (n, Z), and the log likelihood."""
    joint = sample.q * table.T[sample.cell]
    total = joint.sum(axis=1)
    return joint / total[:, None], float(np.sum(sample.weight * np.log(total)))


def counts_of(r: FloatArray, sample: Sample) -> FloatArray:
    """Sum responsibilities by cell, (Z, K + 1)."""
    size = sample.cells.atom + 1
    return np.stack([np.bincount(sample.cell, sample.weight * column, size) for column in r.T])


def log_prior(components: Sequence[Component]) -> float:
    """Give the log prior of beta and of a free shift."""
    beta = np.array([component.no_response for component in components])
    shift = sum(component.family.prior(component.theta)[0] for component in components)
    return 0.5 * float(np.log(beta * (1.0 - beta)).sum()) + shift


def gradient_of(
    components: Sequence[Component], slopes: Sequence[FloatArray], counts: FloatArray
) -> FloatArray:
    """Give the gradient of the objective, (P,), from counts by cell (Z, K + 1)."""
    parts = []
    for component, slope, row in zip(components, slopes, counts, strict=True):
        beta = component.no_response
        pull = component.family.prior(component.theta)[1]
        parts.append((row[:-1] @ slope + pull)[component.free])
        parts.append([row[-1] + 0.5 - beta * (row.sum() + 1.0)])
    return np.concatenate(parts)


def scores_of(
    components: Sequence[Component], slopes: Sequence[FloatArray], r: FloatArray, sample: Sample
) -> FloatArray:
    """Give the gradient of the log likelihood of one point of each row, (n, P)."""
    columns = []
    answered = sample.answered
    cell = np.where(answered, sample.cell, 0)
    for z, (component, slope) in enumerate(zip(components, slopes, strict=True)):
        weight = np.where(answered, r[:, z], 0.0)
        columns.append(slope[:, component.free][cell] * weight[:, None])
        beta = component.no_response
        columns.append(np.where(answered, -beta, 1.0 - beta)[:, None] * r[:, [z]])
    return np.hstack(columns)


def information_of(
    components: Sequence[Component],
    slopes: Sequence[FloatArray],
    counts: FloatArray,
    scores: FloatArray,
    sample: Sample,
) -> FloatArray:
    """Give the observed information of the objective by Louis' formula, (P, P)."""
    weight = np.broadcast_to(sample.weight, sample.cell.shape)
    information = (scores * weight[:, None]).T @ scores
    at = 0
    for component, slope, row in zip(components, slopes, counts, strict=True):
        block = _complete(component, slope, row, sample.cells)
        end = at + len(block)
        information[at:end, at:end] -= block
        at = end
    return np.asarray(0.5 * (information + information.T))


def _complete(
    component: Component, slope: FloatArray, counts: FloatArray, cells: Cells
) -> FloatArray:
    """Sum D + S S' of one law over its counts, and the curvature of its priors: (p + 1, p + 1)."""
    free, beta = component.free, component.no_response
    shape, given = slope[:, free], counts[:-1]
    bend = [_bend(component, part, given, cells)[free] for part in np.flatnonzero(free).tolist()]
    block = np.zeros((shape.shape[1] + 1, shape.shape[1] + 1))
    block[:-1, :-1] = (shape * given[:, None]).T @ shape
    if bend:
        block[:-1, :-1] += np.array(bend)
        block[:-1, :-1] += np.diag(component.family.prior(component.theta)[2][free])
    block[:-1, -1] = block[-1, :-1] = -beta * (given @ shape)
    absent, present = float(counts[-1]), float(given.sum())
    block[-1, -1] = absent * (1.0 - beta) ** 2 + present * beta**2
    block[-1, -1] -= beta * (1.0 - beta) * (absent + present + 1.0)
    return block


def _bend(component: Component, part: int, counts: FloatArray, cells: Cells) -> FloatArray:
    """Differentiate the counts' gradient in one part of theta, (p,)."""
    step = np.zeros_like(component.theta)
    step[part] = _STEP
    ahead, behind = (
        counts @ log_cells(component.family, component.theta + sign * step, cells)[1]
        for sign in (1.0, -1.0)
    )
    return np.asarray((ahead - behind) / (2.0 * _STEP))
