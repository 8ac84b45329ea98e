"""Turn a recipe and a corpus on disk into the clips that were cut when the release was made."""

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tact import audio, clips, frames, tables
from tact.errors import InputError
from tact.files import no_folder
from tact.release import card, shards
from tact.release.pack import conversation_hash

STAGE = "rebuild"


class Rebuilt(NamedTuple):
    """How many clips a recipe has, how many came out the same, and what did not (quarantine)."""

    asked: int
    same: int
    left_out: pd.DataFrame


class Wrong(Exception):
    """A clip did not come out: reason and detail."""


def rebuild(
    release: Path, recordings: pd.DataFrame, root: Path, to: Path, *, corpus: str, most_mb: int
) -> Rebuilt:
    """Cut the clips of a recipe again and keep those of the very same bytes.

    Parameters
    ----------
    release : Path
        A release.
    recordings : table ``recordings``
        Of the corpus as it is on this disk.
    root : Path
        Its folder.
    to : Path
        Gets ``clips/*.parquet``, ``quarantine.parquet`` and a card.
    corpus : str
        Name of the corpus in the release.
    most_mb : int
        Most bytes of clips in a file, MB.

    Raises
    ------
    InputError
        The release has no recipe of that corpus.
    """
    if not release.is_dir():
        raise InputError(f"rebuild: {no_folder(release, cure='give a release')}")
    path = release / f"recipes/{corpus}.parquet"
    if not path.is_file():
        known = ", ".join(sorted(one.stem for one in path.parent.glob("*.parquet"))) or "none"
        raise InputError(f"rebuild: {release} has no recipe of {corpus!r}; it has: {known}")
    recipes = tables.read(path, "recipes")
    episodes = tables.read(release / "tables/episodes.parquet", "episodes")
    episodes = episodes[episodes["episode"].isin(recipes["episode"])]
    kitchen = Kitchen(recipes, recordings, root)
    licence = recordings["licence"].iloc[0] if len(recordings) else "unknown"
    licences = pd.Series(licence, index=episodes.index)
    same = shards.write(episodes, licences, to / "clips", of=kitchen.cook, most_mb=most_mb)
    left_out = frames.frame([{"corpus": corpus, **one} for one in kitchen.left_out], "quarantine")
    tables.write(left_out, to / "quarantine.parquet", "quarantine")
    (to / "README.md").write_text(card.rebuilt(to, corpus, licence), encoding="utf-8")
    return Rebuilt(len(recipes), same, left_out)


class Kitchen:
    """Cuts the clip of an episode from what is on this disk, and notes what went wrong."""

    def __init__(self, recipes: pd.DataFrame, recordings: pd.DataFrame, root: Path) -> None:
        hashed = recordings["conversation"].map(conversation_hash)
        self._recipes = {row.episode: row for row in recipes.itertuples(index=False)}
        self._recordings = {
            (at, row.channel): row
            for at, row in zip(hashed, recordings.itertuples(index=False), strict=True)
        }
        self._sources = clips.find_sources(recordings, root)
        self.left_out: list[dict[str, str]] = []

    def cook(self, episode: str) -> bytes | None:
        """Give the FLAC bytes if they are those of the release, else None and a row of why."""
        try:
            return self._cut(self._recipes[episode])
        except Wrong as wrong:
            reason, detail = wrong.args
            self.left_out.append(
                {"item": episode, "stage": STAGE, "reason": reason, "detail": detail}
            )
            return None

    def _cut(self, recipe: Any) -> bytes:
        if recipe.clip_sha256 is None:
            raise Wrong("no audio", "the run behind the release had no audio of it")
        sides = [
            self._recordings.get((recipe.conversation_sha256, channel))
            for channel in (recipe.focal_channel, recipe.partner_channel)
        ]
        focal, partner = (self._source(recipe, side) for side in sides)
        try:
            cut = clips.cut(focal, partner, start_ms=recipe.start_ms, end_ms=recipe.end_ms)
        except InputError as error:
            raise Wrong("cannot be cut", str(error)) from None
        if hashlib.sha256(cut).hexdigest() != recipe.clip_sha256:
            raise Wrong("clip differs", _difference(recipe, sides))
        return cut

    def _source(self, recipe: Any, side: Any) -> clips.Source:
        if side is None:
            raise Wrong(
                "conversation not here",
                f"no conversation with SHA-256 {recipe.conversation_sha256[:16]} and its channels",
            )
        source = self._sources.get((side.conversation, side.speaker))
        if source is None:
            raise Wrong("no audio", f"{side.conversation} has no audio on this disk")
        return source


def _difference(recipe: Any, sides: list[Any]) -> str:
    """Say what made a clip come out otherwise: other files, else other software."""
    wanted = (recipe.focal_sha256, recipe.partner_sha256)
    others = sorted(
        {side.path for side, sha256 in zip(sides, wanted, strict=True) if side.sha256 != sha256}
    )
    if others:
        return f"other audio than at release: {', '.join(others)}"
    return f"same audio files; cut with {recipe.cut_with} at release, {audio.versions()} here"
