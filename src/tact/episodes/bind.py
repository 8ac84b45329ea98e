"""Bind the episodes of all corpora into one table, with their clips."""

import pandas as pd

from tact.errors import TableError


def bind(episodes: pd.DataFrame, clips: pd.DataFrame) -> pd.DataFrame:
    """Fill ``clip`` and ``clip_sha256`` from the tables of the clip shards.

    An episode whose clip was not cut keeps both null; the table ``clips`` says why.

    Parameters
    ----------
    episodes : table ``episodes``
        Of any number of corpora.
    clips : table ``clips``
        Of any number of shards; may be empty.

    Raises
    ------
    TableError
        A clip belongs to no episode.
    """
    strange = clips.loc[~clips["episode"].isin(episodes["episode"]), "episode"]
    if len(strange):
        raise TableError(
            f"clips: {len(strange)} of {len(clips)} rows belong to no episode"
            f" (first: {strange.iloc[0]}); cut the clips again"
        )
    cut = clips.set_index("episode")
    return episodes.assign(
        clip=episodes["episode"].map(cut["clip"]),
        clip_sha256=episodes["episode"].map(cut["clip_sha256"]),
    )
