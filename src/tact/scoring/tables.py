"""Everything that a score needs of the laws, integrated once.

With ``A_zk(t)`` the integral of w_z H_k from t to T_h and ``B_z(t)`` that of w_z, each score is a
sum of table values at the onsets::

    twCRPS(H, y) = int w H^2 - 2 A(y) + B(y)          A = B = 0 at the atom and from T_h on

The tables are exact at every millisecond and cubic Hermite between, since their slopes are known;
the error is below 1e-11 for the paper's laws.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tact.clock import FloatArray
from tact.kernels import GRID_S, NODE_WEIGHTS, NODES_S, weight
from tact.laws import Law
from tact.vocabulary import T_A_S, T_H_S

_STEP_S = 1e-3


@dataclass(frozen=True)
class LawTables:
    """Integrals of K laws; ``intents`` names the axis z or k.

    Attributes
    ----------
    totals : (K,) W_z, s
    squares : (K, K, K) int w_z H_j H_k, s
    weights, cdfs : (K, 7001) w_z and H_z on the 1 ms grid
    tails_b : (K, 7001) B_z
    tails_a : (K, K, 7001) A_zk
    """

    intents: tuple[str, ...]
    totals: FloatArray
    squares: FloatArray
    weights: FloatArray
    cdfs: FloatArray
    tails_b: FloatArray
    tails_a: FloatArray

    def b(self, onsets: FloatArray) -> FloatArray:
        """Look up B_z at onsets (n,), s: shape (K, n), s; 0 at ``inf``."""
        return _hermite(self.tails_b, -self.weights, onsets)

    def a(self, z: int, onsets: FloatArray) -> FloatArray:
        """Look up A_zk at onsets (n,), s, for one z and every k: shape (K, n), s."""
        return _hermite(self.tails_a[z], -self.weights[z] * self.cdfs, onsets)

    def position(self, intent: str) -> int:
        """Find an intent on the axis."""
        return self.intents.index(intent)


def integrate(laws: Mapping[str, Law], *, gamma: float, epsilon: float) -> LawTables:
    """Integrate the laws by Gauss-Legendre on 1 ms cells, in the order of the mapping."""
    w = np.stack([weight(law, NODES_S, gamma=gamma, epsilon=epsilon) for law in laws.values()])
    h = np.stack([law.cdf(NODES_S) for law in laws.values()])
    # Both have shape (K, cells, 3); the rule's weights go into w once.
    w = w * NODE_WEIGHTS
    n, flat = len(laws), (len(laws), -1)
    products = (h[:, None] * h[None, :]).reshape(n * n, -1)
    return LawTables(
        intents=tuple(laws),
        totals=w.sum(axis=(1, 2)),
        squares=(w.reshape(flat) @ products.T).reshape(n, n, n),
        weights=np.stack(
            [weight(law, GRID_S, gamma=gamma, epsilon=epsilon) for law in laws.values()]
        ),
        cdfs=np.stack([law.cdf(GRID_S) for law in laws.values()]),
        tails_b=_tail(w.sum(axis=2)),
        tails_a=_tail(np.einsum("zcg,kcg->zkc", w, h)),
    )


def _tail(cells: FloatArray) -> FloatArray:
    """Sum cells from the right: (..., 7000) to (..., 7001), 0 at T_h."""
    sums = np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1]
    return np.concatenate([sums, np.zeros((*sums.shape[:-1], 1))], axis=-1)


def _hermite(values: FloatArray, slopes: FloatArray, onsets: FloatArray) -> FloatArray:
    """Interpolate (K, 7001) tables at onsets (n,); before -T_a as at -T_a, after T_h as at T_h."""
    at = (np.clip(onsets, -T_A_S, T_H_S) + T_A_S) / _STEP_S
    cell = np.minimum(at.astype(np.int64), values.shape[-1] - 2)
    x = at - cell
    rise = values[:, cell + 1] - values[:, cell]
    left, right = _STEP_S * slopes[:, cell] - rise, rise - _STEP_S * slopes[:, cell + 1]
    bend = x * (1.0 - x) * (left * (1.0 - x) + right * x)
    return np.asarray(values[:, cell] + x * rise + bend)
