"""What a run has made, as far as the page needs it."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tact import config, frames, tables
from tact.settings import Settings


@dataclass(frozen=True)
class Results:
    """What a run has made, as far as the page needs it."""

    folder: Path
    settings: Settings
    episodes: pd.DataFrame
    shortfalls: pd.DataFrame
    quarantine: pd.DataFrame
    profiles: pd.DataFrame
    separation: pd.DataFrame
    history: pd.DataFrame
    laws: pd.DataFrame
    changes: pd.DataFrame
    agreement: pd.DataFrame
    composites: pd.DataFrame
    binary: pd.DataFrame
    errors: pd.DataFrame
    completion: pd.DataFrame


def read(folder: Path) -> Results:
    """Read the tables of a run that the page needs."""
    settings = config.load([folder / "config.yaml"])

    def every(pattern: str, table: str) -> pd.DataFrame:
        return tables.read([folder / pattern.format(name) for name in settings.build], table)

    repeats = tables.read(folder / "repeats.parquet", "quarantine")
    return Results(
        folder=folder,
        settings=settings,
        episodes=tables.read(folder / "episodes/episodes.parquet", "episodes"),
        shortfalls=every("episodes/{}/shortfalls.parquet", "shortfalls"),
        quarantine=frames.join(
            [every("quarantine/{}.parquet", "quarantine"), repeats], "quarantine"
        ),
        profiles=every("profiles/{}/profiles.parquet", "profiles"),
        separation=every("profiles/{}/separation.parquet", "separation"),
        history=every("episodes/{}/history.parquet", "history"),
        laws=tables.read(folder / "reference/laws.parquet", "laws"),
        changes=tables.read(folder / "reference/changes.parquet", "changes"),
        agreement=tables.read(folder / "posteriors/agreement.parquet", "agreement"),
        composites=tables.read(folder / "scores/composites.parquet", "composites"),
        binary=tables.read(folder / "scores/binary.parquet", "binary"),
        errors=_errors(folder, settings),
        completion=every("completion/{}/completion_check.parquet", "completion_check"),
    )


def _errors(folder: Path, settings: Settings) -> pd.DataFrame:
    """Read what the detectors of this run are off by; none where all IPUs come from words."""
    used = {settings.corpora[name].activity for name in settings.build} - {"words"}
    parts = [
        tables.read(folder / f"calibration/{name}.parquet", "detector_errors")
        for name in sorted(used)
    ]
    return frames.join(parts, "detector_errors")
