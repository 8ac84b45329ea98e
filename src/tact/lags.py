"""How well two curves go together, in place and at other lags.

Pearson's correlation of what overlaps, at every lag up to a furthest::

    in place    ____/\\____
    late        ________/\\      a peak elsewhere
    unlike      _.-._.-._.      no peak that stands out
"""

from typing import NamedTuple

import numpy as np
from scipy import fft

from tact.clock import FloatArray, IntArray

_FLAT = 1e-9
"""A stretch with less than this share of the curve's variance is one value, rounded."""


class Likeness(NamedTuple):
    """How two curves go together.

    Attributes
    ----------
    here : float
        Their correlation in place, -1 to 1.
    best : float
        The highest at any lag.
    lag : int
        How much later the second is there, frames.
    """

    here: float
    best: float
    lag: int


def compare(first: FloatArray, second: FloatArray, *, furthest: int) -> Likeness:
    """Find where the second of two curves, (n,) each, goes best with the first.

    Parameters
    ----------
    furthest : int
        Frames that the second may be late or early by; under n.
    """
    likeness = correlations(first, second, furthest=furthest)
    at = int(np.argmax(likeness))
    return Likeness(float(likeness[furthest]), float(likeness[at]), at - furthest)


def correlations(first: FloatArray, second: FloatArray, *, furthest: int) -> FloatArray:
    """Correlate first(t) with second(t + lag) for each lag from -furthest to furthest.

    Returns
    -------
    (2 furthest + 1,)
        0 where what overlaps of either is one value throughout.
    """
    n = len(first)
    a, b = first - first.mean(), second - second.mean()
    lags = np.arange(-furthest, furthest + 1)
    low, high = np.maximum(0, -lags), np.minimum(n, n - lags)
    size = fft.next_fast_len(n + furthest, real=True)
    products = fft.irfft(np.conj(fft.rfft(a, size)) * fft.rfft(b, size), size)[lags]
    count = high - low
    mean_a, square_a = _means(a, low, high)
    mean_b, square_b = _means(b, low + lags, high + lags)
    spread = np.sqrt(square_a * square_b)
    together = products / count - mean_a * mean_b
    nothing = np.zeros(len(lags))
    return np.asarray(np.divide(together, spread, out=nothing, where=spread > 0))


def _means(curve: FloatArray, low: IntArray, high: IntArray) -> tuple[FloatArray, FloatArray]:
    """Average stretches [low, high) of a centred curve: mean and variance of each."""
    total, squares = (np.concatenate(([0.0], np.cumsum(curve**power))) for power in (1, 2))
    mean = (total[high] - total[low]) / (high - low)
    variance = (squares[high] - squares[low]) / (high - low) - mean**2
    return mean, np.where(variance > _FLAT * squares[-1] / len(curve), variance, 0.0)
