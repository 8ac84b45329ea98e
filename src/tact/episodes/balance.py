"""Balance: in which order candidates come, so that the strata of a cell come out even.

Candidates of one kind (the same value on every axis) come in the order of their draws, at even
steps; a kind that pulls twice as hard takes steps of half the length::

    kind a  a----a----a----a----a        each starts at a phase of its own
    kind b    b--b--b--b--b              the n first of all of them are about even

Pulls depend on the shares of strata alone, so a further session moves each a little, and changes
few turns.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tact import keys
from tact.clock import FloatArray

ROUNDS = 40
STRONGEST = 10.0
"""No stratum pulls harder than this many times one that is as common as usual."""

Codes = npt.NDArray[np.int64]


class Turns(NamedTuple):
    """How hard each candidate pulls (mean 1), and how long it waits for its turn."""

    pull: FloatArray
    wait: FloatArray


def turns(traits: pd.DataFrame, draws: FloatArray, *, seed: int) -> Turns:
    """Order the candidates of a cell.

    Parameters
    ----------
    traits : DataFrame
        One row per candidate, one column per axis; null where unknown.
    draws : (n,) array
        In [0, 1), by the content of each candidate.
    seed : int
        With the values of a kind it gives the kind its phase.
    """
    if traits.empty:
        return Turns(np.ones(len(traits)), draws)
    codes = np.stack([pd.factorize(traits[axis], sort=True)[0] for axis in traits], axis=1)
    kinds, first, kind, counts = np.unique(
        codes, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    kind = kind.reshape(-1)
    pull = pulls(kinds, counts)
    values = traits.iloc[first].itertuples(index=False, name=None)
    phase = np.array([keys.draw(seed, "phase", *value) for value in values])
    rank = pd.Series(draws).groupby(kind).rank(method="first").to_numpy(np.float64) - 1
    return Turns(pull[kind], (rank + phase[kind]) / (counts * pull)[kind])


def pulls(kinds: Codes, counts: Codes) -> FloatArray:
    """Weigh kinds of candidates so that the values of each axis weigh the same in all.

    Raking (iterative proportional fitting; Deming and Stephan, 1940,
    doi:10.1214/aoms/1177731829): axis by axis, what is known of it is shared evenly among its
    values, again and again. What is not known keeps its share::

        gender   female .7  male .2  unknown .1   ->   .45  .45  .1

    Parameters
    ----------
    kinds : (k, axes) codes
        The number of the value on each axis; -1 = unknown.
    counts : (k,)
        How many candidates there are of each kind.

    Returns
    -------
    (k,) array
        Of mean 1 over candidates; 1 throughout where nothing is known, or all are alike.
    """
    weight = np.ones(len(kinds))
    for _ in range(ROUNDS):
        for axis in kinds.T:
            weight *= _evened(axis, weight * counts)
    weight = np.clip(weight, 1 / STRONGEST, STRONGEST)
    return np.asarray(weight * counts.sum() / (weight * counts).sum())


def _evened(axis: Codes, mass: FloatArray) -> FloatArray:
    """Give the factor of each kind that makes all known values of an axis weigh the same."""
    known = axis >= 0
    factor = np.ones(len(axis))
    if known.any():
        value, at = np.unique(axis[known], return_inverse=True)
        total = np.bincount(at, weights=mass[known])
        factor[known] = (total.sum() / len(value) / total)[at]
    return factor
