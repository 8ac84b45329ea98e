"""One file over HTTP: resumed by range, tried again, verified, put in place whole or not at all.

Bytes go to ``<root>/.fetch/<name>.part`` with a note beside it of what they are part of. A killed
transfer goes on where it stopped if the server still serves the same file (RFC 9110: Range with
If-Range); else it starts over. Size and SHA-256 are checked before the file gets its name.
"""

import contextlib
import hashlib
import json
import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import HTTPError

from tact.fetch.answers import (
    Absent,
    Brief,
    Spoilt,
    Unreachable,
    is_refused,
    is_unreachable,
    length_of,
    mark_of,
    place,
    refuse,
    wait_if_busy,
)
from tact.fetch.items import Item
from tact.fetch.receipts import STATE, Receipt
from tact.files import sha256

BLOCK = 2**18
BRIEF = requests.exceptions.RequestException, HTTPError


@dataclass(frozen=True)
class Policy:
    """How patient a transfer is.

    Attributes
    ----------
    attempts : tries in a row that bring no byte
    refused : such tries where the host refuses the connection and has not answered before
    spoilt : whole transfers of a file that turn out wrong
    wait_s, wait_max_s : first wait and longest; each doubles, times a random .5 to 1.5
    timeout_s : of a connection and between two blocks
    """

    attempts: int = 8
    refused: int = 3
    spoilt: int = 4
    wait_s: float = 1.0
    wait_max_s: float = 60.0
    timeout_s: float = 60.0


@dataclass
class Transfer:
    """The transfer of files into one root.

    ``headers`` go with each request (a token); ``told`` is called with the bytes that came, or
    with a negative number where they were thrown away.
    """

    root: Path
    session: requests.Session
    policy: Policy
    headers: Mapping[str, str]
    told: Callable[[int], None]
    _answered: set[str] = field(default_factory=set)
    _lost: dict[str, str] = field(default_factory=dict)

    def fetch(self, item: Item) -> Receipt:
        """Fetch a file, trying its URLs in turn.

        Raises
        ------
        Absent
            No URL has it.
        Refused
            It is behind a gate.
        Spoilt
            What came was wrong each time, or the source did not answer.
        Unreachable
            The host cannot be found or lets nobody in; after the first file no other asks it
            again.
        """
        for url in item.urls:
            try:
                return self._from(item, url)
            except Absent as absent:
                last = absent
        raise last

    def _from(self, item: Item, url: str) -> Receipt:
        part = self._part(item)
        spoilt, barren = 0, 0
        while True:
            before = _size(part)
            try:
                size = self._bytes(item, url, part)
                return self._put(item, url, part, size)
            except Spoilt:
                spoilt += 1
                self.told(-_size(part))
                part.unlink(missing_ok=True)
                if spoilt >= self.policy.spoilt:
                    raise
            except Brief as brief:
                barren = 0 if _size(part) > before else barren + 1
                if barren >= self.policy.refused and self._is_shut(url, brief):
                    raise self._give_up(url, "refuses connections") from None
                if barren >= self.policy.attempts:
                    raise Spoilt(f"{brief}; {barren} tries brought nothing") from None
                time.sleep(self._wait(barren, brief.wait))

    def _wait(self, barren: int, wished: float) -> float:
        grown = self.policy.wait_s * 2.0 ** min(barren, 16)
        jittered = min(grown, self.policy.wait_max_s) * random.uniform(0.5, 1.5)
        return max(jittered, min(wished, 10 * self.policy.wait_max_s))

    def _bytes(self, item: Item, url: str, part: Path) -> int | None:
        """Bring the part up to the whole length; give that length where the server tells it."""
        note = _note(part)
        same = note.get("url") == bare(url) and note.get("mark")
        have = _size(part) if same else 0
        headers = {"Accept-Encoding": "identity", **self.headers}
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": str(note["mark"])}
        self._ask(url)
        try:
            with self.session.get(
                url, headers=headers, stream=True, timeout=self.policy.timeout_s
            ) as answer:
                self._answered.add(_host(url))
                refuse(answer)
                start, whole = place(answer, have, note.get("mark"))
                if item.size is not None and whole not in (None, item.size):
                    raise Brief(f"{whole} bytes offered, {item.size} expected")
                if answer.ok:
                    self._keep(answer, part, start, url)
        except BRIEF as error:
            raise self._fault(url, error) from None
        return whole

    def _ask(self, url: str) -> None:
        if _host(url) in self._lost:
            raise Unreachable(self._lost[_host(url)])

    def _fault(self, url: str, error: Exception) -> Brief | Unreachable:
        """Tell a host that was never there from one that may come back."""
        if is_unreachable(error) and _host(url) not in self._answered:
            return self._give_up(url, "cannot be found or reached")
        return Brief(_short(error), is_refused=is_refused(error))

    def _give_up(self, url: str, why: str) -> Unreachable:
        """Remember that no other file need ask this host."""
        self._lost[_host(url)] = f"the host {urlsplit(url).hostname} {why}"
        return Unreachable(self._lost[_host(url)])

    def _is_shut(self, url: str, brief: Brief) -> bool:
        return brief.is_refused and _host(url) not in self._answered

    def _keep(self, answer: requests.Response, part: Path, start: int, url: str) -> None:
        """Write what comes behind ``start``; what lay there before is of another file."""
        part.parent.mkdir(parents=True, exist_ok=True)
        if start == 0:
            self.told(-_size(part))
            part.unlink(missing_ok=True)
            _write_note(part, {"url": bare(url), "mark": mark_of(answer)})
        with part.open("ab") as file:
            file.truncate(start)
            for block in answer.raw.stream(BLOCK, decode_content=False):
                file.write(block)
                self.told(len(block))
            file.flush()
            os.fsync(file.fileno())

    def _put(self, item: Item, url: str, part: Path, whole: int | None) -> Receipt:
        size = _size(part)
        expected = item.size if item.size is not None else whole
        if expected is not None and size < expected:
            raise Brief(f"cut at {size} of {expected} bytes")
        if expected is not None and size > expected:
            raise Spoilt(f"{size} bytes came, {expected} expected")
        if item.size is None and item.sha256 is None:
            self._confirm(url, size)
        found = sha256(part)
        if item.sha256 is not None and found != item.sha256:
            raise Spoilt(f"SHA-256 {found[:12]} came, {item.sha256[:12]} expected")
        target = self.root / item.path
        target.parent.mkdir(parents=True, exist_ok=True)
        part.replace(target)
        part.with_suffix(".json").unlink(missing_ok=True)
        return Receipt(item.path, size, found, bare(url), target.stat().st_mtime_ns)

    def _confirm(self, url: str, size: int) -> None:
        """Ask for the length once more: one answer alone may be wrong, and the bytes cut to it."""
        length = self._length(url)
        if length not in (None, size):
            raise Spoilt(f"{size} bytes came, {length} are there")

    def _length(self, url: str) -> int | None:
        self._ask(url)
        try:
            answer = self.session.head(
                url, headers=dict(self.headers), timeout=self.policy.timeout_s, allow_redirects=True
            )
        except BRIEF as error:
            raise self._fault(url, error) from None
        wait_if_busy(answer)
        return length_of(answer) if answer.ok else None

    def holds(self, item: Item, size: int) -> bool:
        """Tell whether a file of this size may be the item, as the list or the source says."""
        if item.size is not None:
            return item.size == size
        with contextlib.suppress(Brief, Unreachable):
            return any(self._length(url) == size for url in item.urls)
        return False

    def _part(self, item: Item) -> Path:
        name = hashlib.sha256(item.path.encode()).hexdigest()[:20]
        return self.root / STATE / f"{name}.part"

    def begun(self, item: Item) -> int:
        """Say how many bytes of a file have come already."""
        return _size(self._part(item))


def _note(part: Path) -> dict[str, Any]:
    try:
        note = json.loads(part.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def _write_note(part: Path, note: Mapping[str, str | None]) -> None:
    part.with_suffix(".json").write_text(json.dumps(note), encoding="utf-8")


def bare(url: str) -> str:
    """Leave out the query: a signature changes, the file does not."""
    return url.partition("?")[0]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _host(url: str) -> str:
    return urlsplit(url).netloc


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
