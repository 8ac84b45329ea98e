"""The proof that profiles rest on nothing that an episode asks about, and that splits are apart.

Tables in: ``episodes``, ``history``, ``evidence``, ``swap``, ``points``, ``recordings`` of one
corpus. Table out: ``separation``. Nothing here is used where evidence is allotted or splits are
drawn: it compares intervals and names as they stand in the tables.

::

    own conversation     evidence |====|<- margin ->|history|context t0 horizon|<- margin ->|====|
    another conversation          |====|clip of a test episode of the speaker|====|
"""

import pandas as pd

from tact import frames
from tact.errors import TableError

CURE = "rebuild profiles"
OWN = "intervals by their episode's own history and clip"
CLIPS = "intervals by clips of the speaker's test episodes"
SWAPPED = "swapped intervals by the episode's own history and clip"
SHARED = "speakers in two splits"


def prove(
    corpus: str,
    episodes: pd.DataFrame,
    history: pd.DataFrame,
    evidence: pd.DataFrame,
    swap: pd.DataFrame,
    points: pd.DataFrame,
    recordings: pd.DataFrame,
    *,
    margin_ms: int,
    unit: str,
) -> pd.DataFrame:
    """Hold everything apart that must be, and say by how much it is.

    Parameters
    ----------
    corpus : str
        Name of the corpus.
    episodes, history, evidence, swap, points, recordings : tables of those names
        Of that corpus, in any order.
    margin_ms : int
        Least distance of evidence from the episode's own history and clip.
    unit : str
        ``speaker``: a speaker in two splits is an error; ``dyad``: it is counted.

    Returns
    -------
    table ``separation``

    Raises
    ------
    TableError
        Something touches what it must not; the first culprit is named.
    """
    own = _own_spans(episodes, history)
    _demand_episodes(evidence, episodes, "evidence")
    lent = swap.dropna(subset=["swapped_episode"])
    given = lent[["episode", "swapped_episode"]].merge(
        evidence.rename(columns={"episode": "swapped_episode"}), on="swapped_episode"
    )
    _demand_others(lent, episodes)
    rows = [
        _apart(evidence.merge(own, on=["episode", "conversation"]), OWN, least_ms=margin_ms),
        _apart(_beside_clips(evidence, episodes), CLIPS, least_ms=0),
        _apart(given.merge(own, on=["episode", "conversation"]), SWAPPED, least_ms=margin_ms),
        *_splits(episodes, points, recordings, unit=unit),
    ]
    return frames.frame([{"corpus": corpus, **row} for row in rows], "separation")


def _own_spans(episodes: pd.DataFrame, history: pd.DataFrame) -> pd.DataFrame:
    """Give the span of each episode, from the first turn of its history or its clip's start."""
    told = history.groupby("episode")["start_ms"].min()
    first = episodes["episode"].map(told).fillna(episodes["context_start_ms"])
    named = episodes["history_start_ms"].fillna(episodes["context_start_ms"])
    start = pd.concat([first, named, episodes["context_start_ms"]], axis=1).min(axis=1)
    return pd.DataFrame(
        {
            "episode": episodes["episode"],
            "conversation": episodes["conversation"],
            "from_ms": start.astype("int64"),
            "to_ms": episodes["horizon_end_ms"],
        }
    )


def _beside_clips(evidence: pd.DataFrame, episodes: pd.DataFrame) -> pd.DataFrame:
    """Set each interval beside the test clips of its speaker in the same conversation."""
    test = episodes[episodes["split"] == "test"]
    clips = pd.DataFrame(
        {
            "focal": test["focal"],
            "conversation": test["conversation"],
            "from_ms": test["context_start_ms"],
            "to_ms": test["horizon_end_ms"],
        }
    )
    named = evidence.merge(episodes[["episode", "focal"]], on="episode")
    return named.merge(clips, on=["focal", "conversation"])


def _apart(pairs: pd.DataFrame, what: str, *, least_ms: int) -> dict[str, object]:
    """Demand that the two intervals of each pair lie ``least_ms`` apart or more."""
    distance = pd.concat(
        [pairs["from_ms"] - pairs["end_ms"], pairs["start_ms"] - pairs["to_ms"]], axis=1
    ).max(axis=1)
    near = pairs[distance < least_ms]
    if len(near):
        first = near.iloc[0]
        gap = int(distance[distance < least_ms].iloc[0])
        raise TableError(
            f"separation: {len(near)} of {len(pairs)} {what} lie under {least_ms} ms apart (first:"
            f" episode {first['episode']}, {first['conversation']} from {first['start_ms']} to"
            f" {first['end_ms']} ms, {gap} ms from {first['from_ms']} to {first['to_ms']} ms);"
            f" {CURE}"
        )
    return {
        "what": what,
        "n": len(pairs),
        "least_ms": int(distance.min()) if len(pairs) else None,
        "meaning": f"pairs in one conversation, {least_ms} ms apart or more",
    }


def _demand_episodes(rows: pd.DataFrame, episodes: pd.DataFrame, table: str) -> None:
    known = rows["episode"].isin(episodes["episode"])
    if not known.all():
        raise TableError(
            f"separation: {int((~known).sum())} of {len(rows)} rows of {table} stand for no"
            f" episode (first: {rows.loc[~known, 'episode'].iloc[0]}); {CURE}"
        )


def _demand_others(lent: pd.DataFrame, episodes: pd.DataFrame) -> None:
    """Demand that nobody is given their own profile or their partner's."""
    who = lent.merge(episodes[["episode", "focal", "partner"]], on="episode", how="left")
    focal = who["swapped_episode"].map(episodes.set_index("episode")["focal"])
    wrong = focal != who["swapped_speaker"]
    wrong |= (focal == who["focal"]) | (focal == who["partner"])
    if wrong.any():
        first = who[wrong].iloc[0]
        raise TableError(
            f"separation: {int(wrong.sum())} of {len(lent)} rows of swap give a speaker their own"
            f" profile, their partner's or none of the one named (first: episode"
            f" {first['episode']}, {first['swapped_episode']}); {CURE}"
        )


def _splits(
    episodes: pd.DataFrame, points: pd.DataFrame, recordings: pd.DataFrame, *, unit: str
) -> list[dict[str, object]]:
    """Demand one split for each conversation and group, and count who is in two."""
    names = ["conversation", "split_group", "split"]
    talk = pd.concat([points[names], episodes[names]]).drop_duplicates()
    rows = []
    for column in names[:2]:
        splits = talk.groupby(column)["split"].nunique()
        _demand_one(splits, column.replace("_", " ") + "s")
        rows.append(_count(column.replace("_", " ") + "s", len(splits), "each in one split"))
    people = recordings[["conversation", "speaker"]].merge(talk, on="conversation")
    known = people[["speaker", "split"]].drop_duplicates()
    splits = known.groupby("speaker")["split"].nunique()
    if unit == "speaker":
        _demand_one(splits, "speakers")
    tested = set(known.loc[known["split"] == "test", "speaker"])
    trained = set(known.loc[known["split"] == "train", "speaker"])
    return [
        *rows,
        _count("speakers", len(splits), "who are heard where there are points"),
        _count(SHARED, int((splits > 1).sum()), "allowed with splits.unit: dyad"),
        _count("speakers in train and test", len(tested & trained), "of those"),
    ]


def _demand_one(splits: "pd.Series[int]", what: str) -> None:
    twice = splits[splits > 1]
    if len(twice):
        raise TableError(
            f"separation: {len(twice)} of {len(splits)} {what} are in two splits (first:"
            f" {twice.index[0]}); rebuild points and episodes"
        )


def _count(what: str, n: int, meaning: str) -> dict[str, object]:
    return {"what": what, "n": n, "least_ms": None, "meaning": meaning}
