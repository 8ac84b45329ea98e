"""Verdicts on drawn points, and the precision of each scenario with its interval."""

from pathlib import Path

import pandas as pd
from scipy.stats import binomtest

from tact.errors import InputError
from tact.files import no_file
from tact.vocabulary import SCENARIOS

COLUMNS = ("point", "scenario", "verdict", "note")
VERDICTS = ("right", "wrong", "unsure")


def read_verdicts(path: Path) -> pd.DataFrame:
    """Read the CSV that the page saves; rows without a verdict are left out.

    Raises
    ------
    InputError
        The file cannot be read, lacks a column, says something else, or judges a point twice.
    """
    if not path.is_file():
        raise InputError(f"audit: {no_file(path, kind='the CSV that the page saved')}")
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise InputError(f"audit: cannot read {path} ({' '.join(str(error).split())})") from None
    if missing := [name for name in COLUMNS[:3] if name not in rows]:
        raise InputError(f"audit: {path} has no column {missing[0]!r}; save it from the page")
    rows = rows[rows["verdict"] != ""]
    for column, known in (("verdict", VERDICTS), ("scenario", SCENARIOS)):
        if len(strange := rows[~rows[column].isin(known)]):
            raise InputError(
                f"audit: {path}: {len(strange)} rows have a {column} outside {', '.join(known)}"
                f" (first: {strange['point'].iloc[0]}: {strange[column].iloc[0]!r})"
            )
    if len(twice := rows[rows["point"].duplicated()]):
        raise InputError(f"audit: {path} judges {twice['point'].iloc[0]} twice; keep one")
    return rows


def precision(verdicts: pd.DataFrame, *, level: float) -> pd.DataFrame:
    """Give the share of right labels among those judged right or wrong, by scenario.

    Returns
    -------
    DataFrame
        scenario, right, wrong, unsure, precision, low, high: the interval of Clopper and Pearson
        (1934), exact for a binomial share.
    """
    rows = []
    for scenario in SCENARIOS:
        said = verdicts.loc[verdicts["scenario"] == scenario, "verdict"].value_counts()
        right, wrong, unsure = (int(said.get(name, 0)) for name in VERDICTS)
        if right + wrong + unsure == 0:
            continue
        share = low = high = float("nan")
        if right + wrong:
            share = right / (right + wrong)
            low, high = binomtest(right, right + wrong).proportion_ci(level, method="exact")
        rows.append((scenario, right, wrong, unsure, share, low, high))
    names = ["scenario", "right", "wrong", "unsure", "precision", "low", "high"]
    return pd.DataFrame(rows, columns=names)


def table(rows: pd.DataFrame, *, level: float) -> str:
    """Write the precision of each scenario as lines."""
    lines = [f"{'scenario':14}{'right':>7}{'wrong':>7}{'unsure':>8}{'precision':>11}  {level:.0%}"]
    lines += [
        f"{row.scenario:14}{row.right:7}{row.wrong:7}{row.unsure:8}{row.precision:11.3f}"
        f"  {row.low:.3f} to {row.high:.3f}"
        for row in rows.itertuples()
    ]
    return "\n".join(lines)
