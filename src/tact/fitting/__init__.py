"""Fits of reference laws: families, cells, the latent-intent mixture, clustered intervals."""

from tact.fitting.cells import Cells, cell_of, horizon_cells
from tact.fitting.covariance import clustered_covariance, intervals, model_covariance
from tact.fitting.drawn import Prior, drawn, learn
from tact.fitting.families import ExGaussianFamily, Family, LogNormalFamily, family_of, log_mass
from tact.fitting.mixture import (
    Component,
    Fit,
    Sample,
    fit,
    fit_by_weights,
    held,
    responsibilities,
)
from tact.fitting.settle import settle

__all__ = [
    "Cells",
    "Component",
    "ExGaussianFamily",
    "Family",
    "Fit",
    "LogNormalFamily",
    "Prior",
    "Sample",
    "cell_of",
    "clustered_covariance",
    "drawn",
    "family_of",
    "fit",
    "fit_by_weights",
    "held",
    "horizon_cells",
    "intervals",
    "learn",
    "log_mass",
    "model_covariance",
    "responsibilities",
    "settle",
]
