"""What there is to fetch: one item per file, and the part of them that a person asks for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from tact.errors import InputError


@dataclass(frozen=True)
class Item:
    """One file of a source.

    Attributes
    ----------
    path : where it goes, relative to the corpus root
    urls : where it is; the next is tried where one is absent
    size : bytes, where the source tells
    sha256 : 64 hex digits, where the source tells
    group : what a subset counts: a meeting, a shard, a conversation
    split : the corpus's own split, where it has one
    archive : a zip or tar to be unpacked below the root
    """

    path: str
    urls: tuple[str, ...]
    size: int | None = None
    sha256: str | None = None
    group: str = ""
    split: str | None = None
    archive: bool = False


@dataclass(frozen=True)
class Subset:
    """Which part of a source is wanted; the default is all of it."""

    names: frozenset[str] = frozenset()
    split: str | None = None
    count: int | None = None
    hours: float | None = None


def subset(items: Iterable[Item], wanted: Subset, *, bytes_per_hour: float | None) -> list[Item]:
    """Choose whole groups, in the order of their names; what belongs to no group always comes.

    Raises
    ------
    InputError
        A name is of no group, nothing is left, or hours are asked of a source that cannot tell
        how long its files are.
    """
    given = list(items)
    common = [item for item in given if not item.group]
    rest = [item for item in given if item.group]
    if wanted.split is not None:
        rest = [item for item in rest if item.split == wanted.split]
    if wanted.names:
        known = {item.group for item in rest}
        if strange := sorted(wanted.names - known):
            raise InputError(
                f"fetch: {len(strange)} of {len(wanted.names)} names are not in the source"
                f" (first: {strange[0]!r}); it has such as {min(known, default='none')!r}"
            )
        rest = [item for item in rest if item.group in wanted.names]
    rest.sort(key=lambda item: (item.group, item.path))
    groups = list(dict.fromkeys(item.group for item in rest))
    if wanted.hours is not None:
        groups = _first_hours(groups, rest, wanted.hours, bytes_per_hour)
    kept = set(groups[: wanted.count])
    chosen = common + [item for item in rest if item.group in kept]
    if not chosen:
        raise InputError("fetch: no file of the source is left by the subset; widen it")
    return chosen


def _first_hours(
    groups: Sequence[str], items: Sequence[Item], hours: float, bytes_per_hour: float | None
) -> list[str]:
    if bytes_per_hour is None or any(item.size is None for item in items):
        raise InputError("fetch: --hours needs the sizes of the files; use --count or --list")
    sizes = dict.fromkeys(groups, 0)
    for item in items:
        sizes[item.group] += item.size or 0
    kept: list[str] = []
    left = hours * bytes_per_hour
    for group in groups:
        if left <= 0:
            break
        kept.append(group)
        left -= sizes[group]
    return kept


def safe_path(name: str) -> str:
    """Take a path of a source as one below the corpus root.

    Raises
    ------
    InputError
        It is absolute, leaves the root, or is no path.
    """
    path = PurePosixPath(name)
    bad = not path.parts or path.is_absolute() or ".." in path.parts
    if bad or "\\" in name or "\0" in name or path.parts[0].startswith("."):
        raise InputError(f"fetch: {name!r} is no path below the corpus root; leave it out")
    return path.as_posix()


def name_of(url: str) -> str:
    """Name the file that a URL ends in, its query (such as a signature) left out."""
    return PurePosixPath(unquote(urlsplit(url).path)).name
