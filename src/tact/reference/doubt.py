"""How far a law of a slice may be off, in its parameters and as a whole.

Clusters (dyads) are drawn anew, and the laws fitted to each draw by one step of Newton's method
from the fit (Kline and Santos 2012, doi:10.1515/2156-6674.1005), so that with s_c the summed scores
of cluster c, I the information and n_c how often c is drawn, a replicate of theta is off by

    sqrt(C / (C - 1)) I^-1 sum_c n_c s_c,

whose covariance is the sandwich. A law that is drawn to its parent by a gain G takes G of that, and
I - G of how far the parent is off and of how far slices spread about it (A):

    theta* - theta = G (own) + (I - G) (parent's + N(0, A)).
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit
from scipy.stats import norm
from scipy.stats import t as student

from tact.bootstrap import resamples as drawn_clusters
from tact.clock import FloatArray, IntArray
from tact.fitting import Component, Fit, clustered_covariance, model_covariance


@dataclass(frozen=True)
class Doubt:
    """Of one law, in theta and logit beta.

    Attributes
    ----------
    covariance : (p + 1, p + 1); zeros where nothing is known to vary
    draws : (R, p + 1) deviations of the replicates
    clusters : how many clusters are behind it
    """

    covariance: FloatArray
    draws: FloatArray
    clusters: int

    @classmethod
    def of(
        cls, fit: Fit, cluster: IntArray, *, resamples: int, rng: np.random.Generator
    ) -> "tuple[Doubt, ...]":
        """Give the sampling error of each law of a fit; none with one cluster or no convergence."""
        names, number = np.unique(cluster, return_inverse=True)
        sizes = [component.theta.size + 1 for component in fit.components]
        if names.size < 2 or not fit.converged:
            return tuple(cls.none(size, resamples) for size in sizes)
        covariance = clustered_covariance(fit, number)
        steps = _steps(fit, number, names.size, resamples, rng)
        made = []
        for component, size, part in zip(fit.components, sizes, fit.slices(), strict=True):
            at = np.flatnonzero(np.append(component.free, True))
            whole, draws = np.zeros((size, size)), np.zeros((resamples, size))
            whole[np.ix_(at, at)], draws[:, at] = covariance[part, part], steps[:, part]
            made.append(cls(whole, draws, names.size))
        return tuple(made)

    @classmethod
    def none(cls, size: int, resamples: int) -> "Doubt":
        """Make that of a law which is taken as known."""
        return cls(np.zeros((size, size)), np.zeros((resamples, size)), 0)

    def drawn_to(
        self, parent: "Doubt", gain: FloatArray, spread: FloatArray, rng: np.random.Generator
    ) -> "Doubt":
        """Give the error of the law that ``gain`` draws toward its parent's, (p + 1, p + 1)."""
        rest = np.eye(len(gain)) - gain
        apart = rng.multivariate_normal(
            np.zeros(len(gain)), spread, len(self.draws), method="eigh", check_valid="ignore"
        )
        return Doubt(
            gain @ self.covariance @ gain.T + rest @ (parent.covariance + spread) @ rest.T,
            self.draws @ gain.T + (parent.draws + apart) @ rest.T,
            self.clusters or parent.clusters,
        )

    def limits(self, component: Component, *, level: float) -> dict[str, list[float]]:
        """Give the interval of each parameter that varies, on its own scale."""
        if self.clusters < 2:
            return {}
        family = component.family
        centre = np.append(component.theta, logit(component.no_response))
        half = float(student.ppf(0.5 + 0.5 * level, self.clusters - 1)) * np.sqrt(
            np.diag(self.covariance)
        )
        names = (*family.parameters, "no_response")
        back = [np.exp if logged else np.asarray for logged in family.logged] + [expit]
        return {
            name: [float(to(middle - wide)), float(to(middle + wide))]
            for name, to, middle, wide in zip(names, back, centre, half, strict=True)
            if wide > 0
        }

    def replicates(self, component: Component, *, level: float) -> Iterable[Component]:
        """Give laws as another sample of dyads might have given them.

        Deviations are stretched as Student's t stretches an interval at ``level``.
        """
        family = component.family
        stretch = student.ppf(0.5 + 0.5 * level, max(self.clusters - 1, 1)) / norm.ppf(
            0.5 + 0.5 * level
        )
        for off in self.draws * stretch:
            theta = np.clip(component.theta + off[:-1], family.lower, family.upper)
            beta = float(expit(logit(component.no_response) + off[-1]))
            yield Component(family, theta, component.free, beta)


def _steps(
    fit: Fit, number: IntArray, clusters: int, resamples: int, rng: np.random.Generator
) -> FloatArray:
    """Step to the fit of each resample of clusters: (R, P)."""
    sums = np.stack([np.bincount(number, column, clusters) for column in fit.scores.T], axis=1)
    sums = (sums - sums.mean(axis=0)) @ model_covariance(fit)
    chunks = [counts @ sums for counts in drawn_clusters(clusters, resamples, rng)]
    drawn = np.concatenate(chunks) if chunks else np.zeros((0, sums.shape[1]))
    return np.asarray(np.sqrt(clusters / (clusters - 1)) * drawn)
