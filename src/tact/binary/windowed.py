"""Takeover within a fixed window, and the same where the intent says whether it is wanted."""

import numpy as np

from tact.clock import Flags, FloatArray


def takeover(onsets: FloatArray, *, window_s: float) -> Flags:
    """Tell which onsets (n,), s from t0, lie in (0, W]; ``inf`` is no response."""
    return np.asarray((onsets > 0) & (onsets <= window_s))


def intent_conditioned(
    onsets: FloatArray, posterior: FloatArray, acted: FloatArray, *, window_s: float
) -> FloatArray:
    """Score doing by W what most people do by W, given the intent: (n,), 0 to 1.

    ::

        sum over z of q(z | e) * 1[ 1[y <= W] = 1[H_z(W) > 1/2] ]

    This is the limit of Proposition 2 with a reference that acts, or does not, by W.

    Parameters
    ----------
    onsets : (n,), s
    posterior : (n, K) q(z | e)
    acted : (K,) H_z(W), the share of people who responded by W
    """
    wanted = acted > 0.5
    agrees = (onsets <= window_s)[:, None] == wanted
    return np.asarray((posterior * agrees).sum(axis=1))
