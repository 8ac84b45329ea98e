"""Names that a release may show: keyed hashes of speakers, conversations, groups and points.

The native id of a speaker is not in a release, nor can it be guessed from one: a name is
HMAC-SHA256(key, kind, native id). The ids of points and episodes are hashes of a speaker and a
time, which anyone with a list of speakers could try out, so they are hashed again. The same key
gives the same names; without the key no name leads back.
"""

import hashlib
import hmac
import os
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from tact.errors import InputError
from tact.files import no_file

VARIABLE = "TACT_RELEASE_KEY"
LEAST_CHARACTERS = 32
CURE = "make one with `openssl rand -hex 32` and keep it for the next release"
SPEAKER_COLUMNS = ("speaker", "focal", "partner", "swapped_speaker")
KINDS = {
    **dict.fromkeys(SPEAKER_COLUMNS, "speaker"),
    "conversation": "conversation",
    "split_group": "group",
    "point": "point",
    "episode": "episode",
    "swapped_episode": "episode",
}
"""What the ids of a column name."""


def read_key(path: Path | None) -> bytes:
    """Take the key from a file, or from the environment.

    Raises
    ------
    InputError
        There is none, or it is too short to resist guessing.
    """
    if path is None:
        text, where = os.environ.get(VARIABLE, ""), VARIABLE
    elif path.is_file():
        text, where = path.read_text(encoding="utf-8", errors="replace"), str(path)
    else:
        raise InputError(f"release: {no_file(path, kind='a file with the key', cure=CURE)}")
    if len(text.strip()) < LEAST_CHARACTERS:
        raise InputError(
            f"release: the key in {where} has {len(text.strip())} characters, not"
            f" {LEAST_CHARACTERS} or more; {CURE}"
        )
    return text.strip().encode()


class Namer:
    """Give each native id its name in the release."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._forms: dict[str, Callable[[str], str]] = {
            "point": lambda native: self._digest("point", native)[:16],
            "episode": lambda native: (
                f"{native.rsplit('-', 1)[0]}-{self._digest('episode', native)[:10]}"
            ),
        }

    def name(self, kind: str, native: str) -> str:
        """Name a thing; the corpus before the colon stays."""
        form = self._forms.get(kind)
        if form is not None:
            return form(native)
        return f"{native.split(':', 1)[0]}:{self._digest(kind, native)[:16]}"

    def rename(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Name every id in a table, also partners in a list with commas.

        Raises
        ------
        InputError
            Two ids got one name.
        """
        renamed = rows.copy()
        for column in rows.columns.intersection(list(KINDS)):
            renamed[column] = self._column(rows[column], KINDS[column])
        if "partners" in rows:
            renamed["partners"] = [self._list(several) for several in rows["partners"]]
        return renamed

    def _column(self, natives: "pd.Series[str]", kind: str) -> "pd.Series[str]":
        names = {native: self.name(kind, native) for native in natives.dropna().unique()}
        if len(set(names.values())) < len(names):
            raise InputError(f"release: two {kind} ids got one name; use another key")
        return natives.map(names)

    def _list(self, several: str) -> str:
        return ",".join(sorted(self.name("speaker", one) for one in several.split(",") if one))

    def _digest(self, kind: str, native: str) -> str:
        return hmac.new(self._key, f"{kind}\x1f{native}".encode(), hashlib.sha256).hexdigest()
