"""The overlap score s_O and the composite of the three parts.

s_O(e) = exp(-kappa * sum of (1 - psi(o)) d_o) over the competitive overlaps o of an episode, psi
the completion probability at the onset, d_o the length, s; backchannels are exempt and no overlap
gives 1 (equation (6) of arXiv 2609.27372).
"""

from collections.abc import Mapping

import numpy as np

from tact.clock import FloatArray


def overlap_cost(
    duration_s: FloatArray, completion: FloatArray, backchannel: "np.typing.NDArray[np.bool_]"
) -> FloatArray:
    """Cost each overlap (n,): (1 - psi) d, s; 0 for a backchannel."""
    return np.asarray(np.where(backchannel, 0.0, (1.0 - completion) * duration_s))


def overlap_score(cost_s: FloatArray, *, kappa_per_s: float) -> FloatArray:
    """Turn the summed cost of an episode's overlaps, s, into s_O in (0, 1]."""
    return np.exp(-kappa_per_s * np.asarray(cost_s, dtype=np.float64))


def composite(parts: Mapping[str, float], coefficients: Mapping[str, float]) -> float:
    """Combine timing, length and overlap; a part that is NaN leaves its weight to the others.

    The weight is shared in proportion to the others' weights. NaN where no part with weight is
    known.
    """
    known = {name: part for name, part in parts.items() if not np.isnan(part)}
    weight = sum(coefficients[name] for name in known)
    if not weight > 0:
        return float("nan")
    return sum(coefficients[name] * part for name, part in known.items()) / weight
