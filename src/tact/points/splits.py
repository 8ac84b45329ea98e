"""Which split a dyad, a meeting series or a connected group of speakers falls into."""

import pandas as pd

from tact import keys
from tact.settings import Settings


def split_of(
    recordings: pd.DataFrame, *, corpus: str, settings: Settings
) -> dict[str, tuple[str, str]]:
    """Give each conversation of a corpus its split and its split group.

    With ``splits.unit`` = speaker, dyads that share a speaker are joined, so that no speaker is in
    two splits.
    """
    groups = dict(zip(recordings["conversation"], recordings["split_group"], strict=True))
    joined = dict(groups)
    if settings.splits.unit == "speaker":
        root = _connected(recordings[["speaker", "split_group"]].drop_duplicates())
        joined = {name: root[group] for name, group in groups.items()}
    train_share = settings.train_share(corpus)
    splits = {group: _split(group, train_share, settings) for group in set(joined.values())}
    return {name: (splits[joined[name]], group) for name, group in groups.items()}


def _split(group: str, train_share: float, settings: Settings) -> str:
    if keys.draw(settings.seed, "split", group) < train_share:
        return "train"
    dev = keys.draw(settings.seed, "dev", group) < settings.episodes.dev_share
    return "dev" if dev else "test"


def _connected(pairs: pd.DataFrame) -> dict[str, str]:
    """Join groups that share a speaker; each is named by its least member."""
    parent: dict[str, str] = {}

    def find(name: str) -> str:
        parent.setdefault(name, name)
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for speaker, group in pairs.itertuples(index=False):
        a, b = sorted((find(f"s {speaker}"), find(f"g {group}")))
        parent[b] = a
    return {str(group): find(f"g {group}") for group in pairs["split_group"]}
