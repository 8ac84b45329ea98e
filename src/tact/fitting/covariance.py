"""Covariance of a fit when points come in clusters, and the intervals it gives.

Points of one speaker (or dyad) share that speaker's habits. With H the observed information and
s_c the summed scores of cluster c, C clusters, the covariance is the sandwich

    C / (C - 1)  H^-1 (sum_c s_c s_c') H^-1,

(White 1982, doi:10.2307/1912526; Liang and Zeger 1986, doi:10.1093/biomet/73.1.13), and intervals
are symmetric on theta and logit beta with Student's t on C - 1.
"""

import math
from typing import Any

import numpy as np
from scipy.stats import t as student

from tact.clock import FloatArray, IntArray
from tact.fitting.mixture import Component, Fit


def model_covariance(fit: Fit) -> FloatArray:
    """Give the inverse observed information, (P, P)."""
    return np.asarray(np.linalg.inv(fit.information))


def clustered_covariance(fit: Fit, cluster: IntArray) -> FloatArray:
    """Give the sandwich over clusters.

    Parameters
    ----------
    fit : a converged fit to n points
    cluster : (n,) cluster of each point, whole numbers from 0

    Returns
    -------
    (P, P)

    Raises
    ------
    ValueError
        There are fewer than two clusters.
    """
    names, cluster = np.unique(cluster, return_inverse=True)
    if names.size < 2:
        raise ValueError("a clustered covariance needs two clusters")
    sums = np.stack([np.bincount(cluster, column, names.size) for column in fit.scores.T], axis=1)
    bread = model_covariance(fit)
    return np.asarray(bread @ (sums.T @ sums) @ bread * names.size / (names.size - 1))


def intervals(
    component: Component, covariance: FloatArray, *, level: float, clusters: int
) -> dict[str, list[float]]:
    """Give the interval of each free parameter of one law, on its own scale.

    Parameters
    ----------
    covariance : (p + 1, p + 1) of the free parts of theta and of logit beta
    level : coverage
    clusters : how many clusters are behind it
    """
    times = float(student.ppf(0.5 + 0.5 * level, clusters - 1))
    half = times * np.sqrt(np.diag(covariance))
    family = component.family
    limits: dict[str, list[float]] = {}
    free = np.flatnonzero(component.free)
    for place, part in enumerate(free):
        ends = component.theta[part] + half[place] * np.array([-1.0, 1.0])
        values = np.exp(ends) if family.logged[part] else ends
        limits[family.parameters[part]] = [float(value) for value in values]
    logit = math.log(component.no_response / (1.0 - component.no_response))
    limits["no_response"] = [_expit(logit - half[-1]), _expit(logit + half[-1])]
    return limits


def _expit(x: Any) -> float:
    return float(0.5 * (1.0 + np.tanh(0.5 * x)))
