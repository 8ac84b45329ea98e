"""A person's own list of addresses: a CSV of url and, if known, path, size and sha256.

Signed addresses belong here; their queries are in no ledger. A list is refused as a whole where two
lines would end in one place, before anything is fetched.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from tact.errors import InputError
from tact.fetch.items import Item, name_of, safe_path
from tact.fetch.unpack import folder_of
from tact.files import no_file

SIZE_MAX = 2**26
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz")


def from_file(path: Path) -> list[Item]:
    """List the files that a list names.

    Raises
    ------
    InputError
        It is no such list, is empty, has a line without an address, or two that go to one place.
    """
    if not path.is_file():
        raise InputError(f"fetch: {no_file(path, kind='a CSV with a column url')}")
    if path.stat().st_size > SIZE_MAX:
        raise InputError(f"fetch: {path} is no list of addresses; give a CSV with a column url")
    items: list[Item] = []
    places = _Places(path)
    for number, row in _rows(path):
        item = _item(row, f"line {number} of {path}")
        places.claim(item, number)
        items.append(item)
    if not items:
        raise InputError(f"fetch: {path} has no address; give a CSV with a column url")
    return items


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Give each row with the line of the file that it begins at; a mark of UTF-8 is passed over."""
    names: list[str] = []
    before = 0
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        reader = csv.reader(file)
        try:
            for cells in reader:
                number, before = before + 1, reader.line_num
                if not any(cell.strip() for cell in cells):
                    continue
                if not names:
                    names = _names(cells, number, path)
                    if "://" not in "".join(cells):
                        continue
                if len(cells) > len(names):
                    raise InputError(
                        f"fetch: line {number} of {path} has {len(cells)} columns, not"
                        f" {len(names)}; name them in a first line, and quote what has commas"
                    )
                yield number, dict(zip(names, map(str.strip, cells), strict=False))
        except csv.Error as error:
            raise InputError(
                f"fetch: line {reader.line_num} of {path} is not CSV ({error}); mend it"
            ) from None


def _names(cells: list[str], number: int, path: Path) -> list[str]:
    """Name the columns; a list may begin with an address at once, and has that column alone."""
    if "://" in "".join(cells):
        return ["url"]
    names = [cell.strip().lower() for cell in cells]
    if "url" not in names:
        raise InputError(
            f"fetch: line {number} of {path} names no column url"
            f" (but {', '.join(names)[:80]}); name the addresses url"
        )
    return names


def _item(row: dict[str, str], line: str) -> Item:
    url, size = row.get("url", ""), row.get("size", "")
    if not url.startswith(("http://", "https://")):
        raise InputError(f"fetch: {line} has no http address; mend it or leave it out")
    named = row.get("path") or name_of(url)
    try:
        where = safe_path(named)
    except InputError:
        raise InputError(
            f"fetch: {line}: {named!r} is no path below the corpus root; give one in a column path"
        ) from None
    return Item(
        path=where,
        urls=(url,),
        size=int(size) if size.isdecimal() else None,
        sha256=row.get("sha256", "").lower() or None,
        group=where,
        archive=where.endswith(ARCHIVES),
    )


@dataclass
class _Places:
    """What each line of a list takes for itself, and the folders above it: lines by path."""

    path: Path
    taken: dict[str, int] = field(default_factory=dict)
    above: dict[str, int] = field(default_factory=dict)

    def claim(self, item: Item, number: int) -> None:
        """Note where a line goes, or refuse it: one place holds a file or a folder, not two."""
        places = [item.path, *([folder_of(item.path)] if item.archive else [])]
        folders = [folder.as_posix() for folder in PurePosixPath(item.path).parents][:-1]
        for place in places:
            self._refuse(place, number, self.taken, self.above)
        for folder in folders:
            self._refuse(folder, number, self.taken)
        self.taken |= dict.fromkeys(places, number)
        for folder in folders:
            self.above.setdefault(folder, number)

    def _refuse(self, place: str, number: int, *known: dict[str, int]) -> None:
        for lines in known:
            if place in lines:
                raise InputError(
                    f"fetch: lines {lines[place]} and {number} of {self.path} both go to {place};"
                    " give each a path of its own in a column path"
                )
