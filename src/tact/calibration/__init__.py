"""From labels to calibrated posteriors: temperature, fusion, calibration error, latent classes."""

from tact.calibration.fusion import (
    ece,
    fit_lambda,
    fit_temperature,
    fuse,
    held_out,
    share,
    temper,
)
from tact.calibration.latent import Latent, Votes, fit_latent

__all__ = [
    "Latent",
    "Votes",
    "ece",
    "fit_lambda",
    "fit_latent",
    "fit_temperature",
    "fuse",
    "held_out",
    "share",
    "temper",
]
