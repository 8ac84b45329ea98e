"""Fit one density to each of many small samples, each drawn to what the others are like.

A speaker has some tens of onsets, too few for a fit of their own. With theta_i the shape of
speaker i and t_ij that speaker's onsets,

    theta_i ~ N(centre, spread),    log L_i = sum_j log f(t_ij | theta_i).

``drawn`` gives the mode of theta_i given the onsets; ``learn`` finds centre and spread by EM, each
posterior taken as normal at its mode (Laplace), with the outer products of the scores for its
information. f is not truncated: truncated, a few onsets fit the tail of a law far outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from tact.clock import FloatArray
from tact.fitting.families import Family

_ROUNDS = 30
_STILL = 1e-3
_LEAST_SPREAD = 1e-4


@dataclass(frozen=True)
class Prior:
    """What shapes are like: centre (p,) and covariance (p, p) of theta."""

    family: Family
    centre: FloatArray
    spread: FloatArray


def drawn(onsets: FloatArray, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """Give the mode of theta given one sample.

    Parameters
    ----------
    onsets : (n,), s
    prior : what theta is like before the sample

    Returns
    -------
    theta : (p,)
    covariance : (p, p) of the posterior, as a normal law at the mode
    """
    family = prior.family
    precision = np.linalg.inv(prior.spread)

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        value, slope = family.slope(theta, onsets)
        away = theta - prior.centre
        pull = precision @ away
        return 0.5 * float(away @ pull) - float(value.sum()), pull - slope.sum(axis=0)

    found = minimize(
        loss,
        prior.centre,
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(family.lower, family.upper, strict=True)),
    )
    theta = np.asarray(found.x, dtype=np.float64)
    slope = family.slope(theta, onsets)[1]
    covariance = np.linalg.inv(precision + slope.T @ slope)
    return theta, 0.5 * (covariance + covariance.T)


def learn(samples: Sequence[FloatArray], start: Prior) -> Prior:
    """Find centre and spread from many samples.

    Parameters
    ----------
    samples : onsets of each, s; two samples or more
    start : where the search begins

    Raises
    ------
    ValueError
        There are fewer than two samples.
    """
    if len(samples) < 2:
        raise ValueError("what samples are like needs two of them")
    prior = start
    least = _LEAST_SPREAD * np.eye(start.centre.size)
    for _ in range(_ROUNDS):
        fits = [drawn(onsets, prior) for onsets in samples]
        theta = np.array([one for one, _ in fits])
        centre = theta.mean(axis=0)
        away = theta - centre
        spread = np.mean([v for _, v in fits], axis=0) + away.T @ away / len(samples) + least
        moved = max(np.abs(centre - prior.centre).max(), np.abs(spread - prior.spread).max())
        prior = Prior(start.family, centre, spread)
        if moved < _STILL:
            break
    return prior
