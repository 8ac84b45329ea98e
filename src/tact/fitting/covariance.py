"""Covariance of a fit when points come in clusters, and the intervals it gives.

Points of one speaker (or dyad) share that speaker's habits. With H the observed information and
s_c the summed scores of cluster c, C clusters, the covariance is the sandwich

    C / (C - 1)  H^-1 (sum_c s_c s_c') H^-1,

(White 1982, doi:10.2307/1912526; Liang and Zeger 1986, doi:10.1093/biomet/73.1.13).
"""

import numpy as np

from tact.clock import FloatArray, IntArray
from tact.fitting.model import Fit


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
