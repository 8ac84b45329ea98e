"""What a release may hold of each table.

Of a corpus with ``rights: audio`` everything goes. Of one with ``rights: recipe`` (CANDOR, whose
licence forbids to share anything derived) the rows of ``episodes`` go, without strata, and a
recipe: times, hashes and what rebuilds the clip. No word, no profile, no evidence, no outcome and,
unless `release.posteriors_of_recipes` says so, no posterior of them leaves. Statistics over several
corpora go; rows of statistics over a recipe corpus alone stay.
"""

from typing import NamedTuple

import pandas as pd

from tact.settings import Settings


class Shared(NamedTuple):
    """A table of a release: its files below the results, ``{corpus}`` filled for each corpus."""

    table: str
    pattern: str


PER_EPISODE = (
    Shared("history", "episodes/{corpus}/history.parquet"),
    Shared("points", "points/{corpus}/points.parquet"),
    Shared("profiles", "profiles/{corpus}/profiles.parquet"),
    Shared("evidence", "profiles/{corpus}/evidence.parquet"),
    Shared("swap", "profiles/{corpus}/swap.parquet"),
    Shared("posteriors", "posteriors/posteriors.parquet"),
)
STATISTICS = (
    Shared("shortfalls", "episodes/{corpus}/shortfalls.parquet"),
    Shared("agreement", "posteriors/agreement.parquet"),
    Shared("calibration", "posteriors/calibration.parquet"),
    Shared("laws", "reference/laws.parquet"),
    Shared("kernels", "reference/kernels.parquet"),
    Shared("durations", "reference/durations.parquet"),
    Shared("composites", "scores/composites.parquet"),
)


def recipe_corpora(settings: Settings) -> set[str]:
    """Name the built corpora of which no audio may be shared."""
    return {name for name in settings.build if settings.corpora[name].rights == "recipe"}


def strip(episodes: pd.DataFrame) -> pd.DataFrame:
    """Take out of ``episodes`` what may not be said of the people of a recipe corpus."""
    closed = episodes["rights"] == "recipe"
    strata = [{} if shut else value for shut, value in zip(closed, episodes["strata"], strict=True)]
    return episodes.assign(strata=strata, clip=episodes["clip"].mask(closed, None))


def keep(
    rows: pd.DataFrame, table: str, episodes: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """Keep the rows of chosen episodes that may be shared."""
    free = episodes["rights"] == "audio"
    if table == "posteriors" and settings.release.posteriors_of_recipes:
        free |= True
    by = "point" if table == "points" else "episode"
    return rows[rows[by].isin(episodes.loc[free, by])]


def keep_statistics(rows: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Leave out rows about a recipe corpus alone."""
    closed = recipe_corpora(settings)
    for column, named in (("corpus", closed), ("slice", {f"corpus={name}" for name in closed})):
        if column in rows:
            rows = rows[~rows[column].isin(named)]
    return rows
