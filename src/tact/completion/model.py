"""A logistic model of completion, and how well its probabilities hold on speakers it has not seen.

The weights minimise the negative log-likelihood plus half their square (the intercept is free).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from tact.clock import FloatArray

INTERCEPT = "intercept"
LEAST_OF_EACH = 30


@dataclass(frozen=True)
class Model:
    """Weights of standardised features; without any it is the share of the training moments.

    Attributes
    ----------
    features : names, F of them
    mean, scale, weight : (F,)
    intercept : log odds
    """

    features: tuple[str, ...]
    mean: FloatArray
    scale: FloatArray
    weight: FloatArray
    intercept: float

    def psi(self, values: FloatArray) -> FloatArray:
        """Give the probability of completion for rows (n, F); NaN where a feature is NaN."""
        odds = ((values - self.mean) / self.scale) @ self.weight + self.intercept
        return np.asarray(expit(odds))

    def rows(self) -> list[dict[str, object]]:
        """Write the model as rows of table ``completion``."""
        one: dict[str, object] = {"feature": INTERCEPT, "mean": 0.0, "scale": 1.0}
        return [one | {"weight": self.intercept}] + [
            {"feature": name, "mean": mean, "scale": scale, "weight": weight}
            for name, mean, scale, weight in zip(
                self.features, self.mean, self.scale, self.weight, strict=True
            )
        ]

    @classmethod
    def of(cls, rows: Mapping[str, tuple[float, float, float]]) -> "Model":
        """Read a model: feature -> mean, scale, weight."""
        names = tuple(name for name in rows if name != INTERCEPT)
        columns = np.array([rows[name] for name in names]).reshape(-1, 3)
        return cls(names, columns[:, 0], columns[:, 1], columns[:, 2], rows[INTERCEPT][2])


def fit(features: Sequence[str], values: FloatArray, done: FloatArray) -> Model:
    """Fit moments (n, F) to whether the turn was then about to end (n,), 0 or 1.

    With under 30 moments of either kind the model has no features: psi is the smoothed share.
    """
    share = (done.sum() + 1.0) / (len(done) + 2.0)
    if min(done.sum(), len(done) - done.sum()) < LEAST_OF_EACH:
        none = np.zeros(0)
        return Model((), none, none, none, float(np.log(share / (1.0 - share))))
    mean, scale = values.mean(axis=0), values.std(axis=0)
    scale = np.where(scale > 1e-9, scale, 1.0)
    unit = np.column_stack([np.ones(len(values)), (values - mean) / scale])
    free = np.r_[0.0, np.ones(len(features))]

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        odds = unit @ theta
        value = np.logaddexp(0.0, odds).sum() - done @ odds + 0.5 * (free * theta**2).sum()
        return float(value), unit.T @ (expit(odds) - done) + free * theta

    start = np.r_[np.log(share / (1.0 - share)), np.zeros(len(features))]
    found = minimize(loss, start, jac=True, method="BFGS").x
    return Model(tuple(features), mean, scale, found[1:], float(found[0]))


def check(psi: FloatArray, done: FloatArray, *, bins: int) -> list[dict[str, object]]:
    """Hold predictions (n,) against what came (n,), 0 or 1: rows of ``completion_check``.

    One row for each bin of equal width that has any, with the whole's ECE (the mean distance of
    prediction and outcome over bins), Brier score, and the Brier score of the share alone.
    """
    place = np.minimum((psi * bins).astype(int), bins - 1)
    rows, ece = [], 0.0
    for one in np.unique(place):
        here = place == one
        predicted, observed = float(psi[here].mean()), float(done[here].mean())
        ece += here.mean() * abs(predicted - observed)
        rows.append(
            {
                "bin": int(one),
                "low": one / bins,
                "high": (one + 1) / bins,
                "n": int(here.sum()),
                "predicted": predicted,
                "observed": observed,
            }
        )
    whole = {
        "n_all": len(done),
        "base_rate": float(done.mean()),
        "ece": float(ece),
        "brier": float(((psi - done) ** 2).mean()),
        "brier_of_share": float(done.mean() * (1.0 - done.mean())),
    }
    return [row | whole for row in rows]
