"""Do scores agree with what people think of the systems?

Tables in: ``ratings``, ``composites``, ``episodes``. Table out: ``validity``. A cell is a system in
a scenario. Cells of one system are alike, so one interval draws whole systems; the other, by
Fisher's z with the variance of Bonett and Wright, takes cells to be independent.
"""

import numpy as np
import pandas as pd

from tact import frames, keys
from tact.analyses.ranks import METRICS, headline
from tact.correlation import bonett_wright, clustered, spearman
from tact.errors import TableError
from tact.settings import Scores


def validity(
    ratings: pd.DataFrame,
    composites: pd.DataFrame,
    episodes: pd.DataFrame,
    *,
    scores: Scores,
    seed: int,
) -> pd.DataFrame:
    """Correlate each score with the mean rating over system x scenario cells: table ``validity``.

    Raises
    ------
    TableError
        A rating is of an unknown episode or of a system without scores, or fewer than three cells
        are rated.
    """
    frames.check_known(ratings, "ratings", episodes["episode"], "episode", "episodes")
    frames.check_known(ratings, "ratings", composites["system"], "system", "composites")
    cells = _cells(ratings, episodes)
    scored = headline(composites).query("scenario != 'all'")
    both = cells.merge(scored, on=["system", "scenario"], validate="one_to_one")
    if len(both) < 3:
        raise TableError(
            f"ratings: {len(both)} cells of system and scenario are rated; at least 3 are needed"
        )
    rows = []
    for metric in METRICS:
        known = both.dropna(subset=metric)
        score, rating = known[metric].to_numpy(dtype=float), known["rating"].to_numpy(dtype=float)
        rho = spearman(score, rating)
        low, high = bonett_wright(rho, len(known), level=scores.level)
        system = pd.factorize(known["system"], sort=True)[0]
        ends = clustered(
            score, rating, system, n=scores.resamples, level=scores.level,
            rng=keys.generator(seed, "validity", metric),
        )  # fmt: skip
        rows.append(
            {
                "metric": metric,
                "rho": rho,
                "fisher_low": low,
                "fisher_high": high,
                "cluster_low": ends.low,
                "cluster_high": ends.high,
                "n_cells": len(known),
                "n_systems": int(np.unique(system).size),
                "n_ratings": len(ratings),
            }
        )
    return frames.frame(rows, "validity")


def _cells(ratings: pd.DataFrame, episodes: pd.DataFrame) -> pd.DataFrame:
    """Average over raters of an episode, then over the episodes of a cell."""
    rated = ratings.groupby(["system", "episode"], as_index=False)["rating"].mean()
    rated = rated.merge(episodes[["episode", "scenario"]], on="episode", validate="many_to_one")
    return rated.groupby(["system", "scenario"], as_index=False)["rating"].mean()
