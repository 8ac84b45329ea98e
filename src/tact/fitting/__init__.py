"""Fits of reference laws: families, cells, the latent-intent mixture, clustered covariance."""

from tact.fitting.cells import Cells, cell_of, horizon_cells
from tact.fitting.covariance import clustered_covariance, model_covariance
from tact.fitting.drawn import Prior, drawn, learn
from tact.fitting.families import (
    ExGaussianFamily,
    Family,
    FreeLogNormalFamily,
    LogNormalFamily,
    family_of,
    log_mass,
)
from tact.fitting.likelihood import tabulate
from tact.fitting.mixture import Refit, fit, fit_by_weights, responsibilities
from tact.fitting.model import Component, Fit, Sample, freed, held
from tact.fitting.settle import settle

__all__ = [
    "Cells",
    "Component",
    "ExGaussianFamily",
    "Family",
    "Fit",
    "FreeLogNormalFamily",
    "LogNormalFamily",
    "Prior",
    "Refit",
    "Sample",
    "cell_of",
    "clustered_covariance",
    "drawn",
    "family_of",
    "fit",
    "fit_by_weights",
    "freed",
    "held",
    "horizon_cells",
    "learn",
    "log_mass",
    "model_covariance",
    "responsibilities",
    "settle",
    "tabulate",
]
