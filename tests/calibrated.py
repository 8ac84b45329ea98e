"""Detectors as the config sets them, measured on a little made speech."""

from functools import cache
from pathlib import Path

import pandas as pd

from tact import calibrating, config, detectors
from tact.hearing.bias import Corrections

SETTINGS = config.load([Path(__file__).resolve().parents[1] / "config.yaml"]).activity


@cache
def detector_errors(name: str) -> pd.DataFrame:
    """Make the table of a detector."""
    less = SETTINGS.calibration.model_copy(update={"snrs_db": [60.0, 30.0, 20.0], "utterances": 40})
    settings = SETTINGS.model_copy(update={"calibration": less})
    heard = calibrating.on_made_speech(detectors.create(name, settings), settings=settings)
    return calibrating.measure(name, heard, measured_on="made speech", settings=settings)


def corrections(name: str) -> Corrections:
    """Read what the detector is off by from that table."""
    return Corrections.of(detector_errors(name), name)
