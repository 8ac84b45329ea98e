"""Empirical Bayes: draw uncertain laws of slices toward their parent's.

::

    theta_i ~ N(centre, A + V_i)
    posterior_i = centre + A (A + V_i)^-1 (theta_i - centre)

V_i is the sampling covariance of slice i, A the spread of true laws about their common centre, by
restricted maximum likelihood (Patterson and Thompson 1971, doi:10.1093/biomet/58.3.545). A = 0 is
a normal outcome: nothing tells the slices apart. Shares of no response are drawn in by a beta law
of known mean, whose concentration is fitted.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, minimize_scalar
from scipy.special import betaln

from tact.clock import FloatArray

_LOG_CONCENTRATION = (-7.0, 16.0)


@dataclass(frozen=True)
class Spread:
    """The centre (p,) and the spread A (p, p) of the laws of several slices."""

    centre: FloatArray
    spread: FloatArray


def between(theta: FloatArray, v: FloatArray, *, centre: FloatArray | None = None) -> Spread:
    """Estimate how far true laws spread.

    Parameters
    ----------
    theta : (k, p) estimates
    v : (k, p, p) their sampling covariances, positive definite
    centre : (p,) where it is known; otherwise it is estimated with A by REML

    Raises
    ------
    ValueError
        No centre is given for fewer than two estimates.
    """
    k, p = theta.shape
    if centre is None and k < 2:
        raise ValueError("the spread of one estimate needs a known centre")
    scale = np.sqrt(np.mean(np.diagonal(v, axis1=1, axis2=2), axis=0))
    theta_s, v_s = theta / scale, v / np.outer(scale, scale)
    known = None if centre is None else centre / scale
    _, slope = _likelihood(np.zeros((p, p)), theta_s, v_s, known)
    a = np.zeros((p, p))
    if float(np.linalg.eigvalsh(slope)[-1]) > 0:
        a = _climb(theta_s, v_s, known)
    mean = centre if centre is not None else _mean(a, theta_s, v_s)[0] * scale
    return Spread(mean, a * np.outer(scale, scale))


def shrink(
    theta: FloatArray, v: FloatArray, centre: FloatArray, spread: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Give the posterior mean (p,) and covariance (p, p) of one slice."""
    gain = spread @ np.linalg.inv(spread + v)
    covariance = gain @ v
    return centre + gain @ (theta - centre), 0.5 * (covariance + covariance.T)


def concentration(k: FloatArray, n: FloatArray, centre: FloatArray | float) -> float:
    """Say how many points the parent's rates are worth, by maximum likelihood.

    Parameters
    ----------
    k, n : (s,) counts of the event and of trials by slice; need not be whole
    centre : the parent's rate, inside (0, 1); or (s,), that of each slice's parent

    Returns
    -------
    c of the beta-binomial with mean ``centre``: with no more spread than chance it runs to
    infinity.

    Raises
    ------
    ValueError
        ``centre`` is 0 or 1.
    """
    if not np.all((np.asarray(centre) > 0) & (np.asarray(centre) < 1)):
        raise ValueError(f"a rate to shrink to lies inside (0, 1), got {centre}")

    def loss(log_c: float) -> float:
        a, b = np.exp(log_c) * centre, np.exp(log_c) * (1.0 - centre)
        return -float(np.sum(betaln(k + a, n - k + b) - betaln(a, b)))

    found = minimize_scalar(loss, bounds=_LOG_CONCENTRATION, method="bounded")
    ends = [float(found.x), *_LOG_CONCENTRATION]
    return float(np.exp(min(ends, key=loss)))


def shrink_rates(k: FloatArray, n: FloatArray, centre: FloatArray | float) -> FloatArray:
    """Draw rates toward a parent's: ``(k + c centre) / (n + c)``, c their ``concentration``."""
    c = concentration(k, n, centre)
    return np.asarray((k + c * centre) / (n + c))


def _mean(a: FloatArray, theta: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    weights = np.linalg.inv(a + v)
    covariance = np.linalg.inv(weights.sum(axis=0))
    return covariance @ np.einsum("kpq,kq->p", weights, theta), covariance


def _likelihood(
    a: FloatArray, theta: FloatArray, v: FloatArray, centre: FloatArray | None
) -> tuple[float, FloatArray]:
    """Give the (restricted) log likelihood of A and its gradient (p, p), symmetric."""
    weights = np.linalg.inv(a + v)
    mean, covariance = _mean(a, theta, v)
    away = theta - (mean if centre is None else centre)
    pulled = np.einsum("kpq,kq->kp", weights, away)
    value = 0.5 * np.linalg.slogdet(weights)[1].sum() - 0.5 * np.sum(pulled * away)
    slope = np.einsum("kp,kq->pq", pulled, pulled) - weights.sum(axis=0)
    if centre is None:
        value += 0.5 * np.linalg.slogdet(covariance)[1]
        slope += np.einsum("kpq,qr,krs->ps", weights, covariance, weights)
    return float(value), 0.5 * slope


def _climb(theta: FloatArray, v: FloatArray, centre: FloatArray | None) -> FloatArray:
    """Maximise over A = L L', L lower triangular, from the size of the estimates' own spread."""
    p = theta.shape[1]
    rows = np.tril_indices(p)

    def loss(packed: FloatArray) -> tuple[float, FloatArray]:
        lower = np.zeros((p, p))
        lower[rows] = packed
        value, slope = _likelihood(lower @ lower.T, theta, v, centre)
        return -value, -(2.0 * slope @ lower)[rows]

    middle = theta.mean(axis=0) if centre is None else centre
    start = np.diag(np.sqrt(np.mean((theta - middle) ** 2, axis=0) + 0.01))
    found = minimize(loss, start[rows], jac=True, method="BFGS", options={"gtol": 1e-10})
    lower = np.zeros((p, p))
    lower[rows] = found.x
    return np.asarray(lower @ lower.T)
