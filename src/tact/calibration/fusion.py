"""Fuse annotators with a judge, and measure how far confidence is from being right.

Equation (1) of arXiv 2609.27372, with q_A the share of annotators and p_J the judge:

    q = (1 - lambda) q_A + lambda * p_J^(1/T) / sum p_J^(1/T).

T is the temperature that makes the judge least surprised by the labels of the development split
(Guo et al. 2017, arXiv 1706.04599); lambda is given, or makes q least surprised by a label that is
held out of q_A.
"""

import numpy as np
from scipy.optimize import brentq

from tact.clock import FloatArray

_LEAST = 1e-12
_SHARPNESS = (1e-3, 1e3)


def share(counts: FloatArray) -> FloatArray:
    """Divide counts of labels (n, K) by their sum: q_A; NaN where a unit has no label."""
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def temper(judge: FloatArray, temperature: float) -> FloatArray:
    """Raise probabilities (n, K) to 1 / T and renormalise; T > 1 softens them."""
    raised = np.log(np.maximum(judge, _LEAST)) / temperature
    raised = np.exp(raised - raised.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def fuse(q_a: FloatArray, tempered: FloatArray, weight: float) -> FloatArray:
    """Mix the share of annotators and the tempered judge, both (n, K), by lambda.

    A unit without labels (NaN row) has the judge alone; one without a judge, the share alone.
    """
    mixed = (1.0 - weight) * q_a + weight * tempered
    return np.where(np.isnan(q_a), tempered, np.where(np.isnan(tempered), q_a, mixed))


def fit_temperature(judge: FloatArray, counts: FloatArray) -> float:
    """Find T that minimises the negative log-likelihood of labels under the tempered judge.

    Parameters
    ----------
    judge : (n, K) probabilities
    counts : (n, K) labels of the same units, at least one in all

    Returns
    -------
    T in [1/1000, 1000]; an end of the range where no temperature in it is best
    """
    log_p = np.log(np.maximum(judge, _LEAST))
    n = counts.sum(axis=1)

    def slope(log_sharpness: float) -> float:
        # of the log-likelihood in 1 / T, in which it is concave
        expected = (temper(judge, float(np.exp(-log_sharpness))) * log_p).sum(axis=1)
        return float((counts * log_p).sum() - n @ expected)

    low, high = np.log(_SHARPNESS)
    if slope(low) <= 0:
        return 1.0 / _SHARPNESS[0]
    if slope(high) >= 0:
        return 1.0 / _SHARPNESS[1]
    return float(np.exp(-brentq(slope, low, high, xtol=1e-13, rtol=1e-13)))


def fit_lambda(counts: FloatArray, tempered: FloatArray, *, smoothing: float) -> float:
    """Find lambda that maximises the log-likelihood of each label held out in turn.

    Parameters
    ----------
    counts : (n, K) labels by unit; units of one label have nothing left and are not used
    tempered : (n, K) judge
    smoothing : labels spread evenly over the K intents when one is held out; with none, one label
        that nobody shares makes lambda = 0 infinitely bad

    Returns
    -------
    lambda in [0, 1]

    Raises
    ------
    ValueError
        No unit has two labels.
    """
    n = counts.sum(axis=1)
    use = n >= 2
    if not use.any():
        raise ValueError("lambda needs a unit with two labels")
    counts, tempered, left = counts[use], tempered[use], n[use, None] - 1.0
    others = (counts - 1.0 + smoothing / counts.shape[1]) / (left + smoothing)
    given = counts > 0
    held, judge, times = others[given], tempered[given], counts[given]

    def slope(weight: float) -> float:
        mixed = np.maximum((1.0 - weight) * held + weight * judge, 1e-300)
        return float(np.sum(times * (judge - held) / mixed))

    if slope(1e-12) <= 0:
        return 0.0
    if slope(1.0) >= 0:
        return 1.0
    return float(brentq(slope, 1e-12, 1.0, xtol=1e-14, rtol=1e-14))


def ece(confidence: FloatArray, correct: FloatArray, *, bins: int) -> float:
    """Measure the expected calibration error of top probabilities.

    Parameters
    ----------
    confidence, correct : (n,), the top probability and whether (or how nearly) it was right
    bins : equal-width bins (i/b, (i+1)/b], the first closed

    Returns
    -------
    sum over bins of their share times the distance of mean confidence from accuracy
    """
    edges = np.arange(1, bins) / bins
    at = np.searchsorted(edges, confidence, side="left")
    gap = np.bincount(at, confidence - correct, bins)
    return float(np.abs(gap).sum() / confidence.size)


def held_out(
    counts: FloatArray, tempered: FloatArray, weight: float
) -> tuple[FloatArray, FloatArray]:
    """Hold out each label in turn: confidence of the fused posterior of the rest, and its success.

    Parameters
    ----------
    counts : (n, K) labels by unit
    tempered : (n, K) judge; NaN rows where there is none
    weight : lambda

    Returns
    -------
    confidence, correct : (m,) one row per label whose unit has another label or a judge; a tie at
        the top counts in part
    """
    confidence, correct = [np.zeros(0)], [np.zeros(0)]
    for label in range(counts.shape[1]):
        rows = np.flatnonzero(counts[:, label] > 0)
        rest = counts[rows].copy()
        rest[:, label] -= 1.0
        fused = fuse(share(rest), tempered[rows], weight)
        known = ~np.isnan(fused[:, 0])
        rows, fused = rows[known], fused[known]
        if rows.size:
            top = fused.max(axis=1)
            ties = fused >= top[:, None] - 1e-12
            times = counts[rows, label].astype(np.int64)
            confidence.append(np.repeat(top, times))
            correct.append(np.repeat(ties[:, label] / ties.sum(axis=1), times))
    return np.concatenate(confidence), np.concatenate(correct)
