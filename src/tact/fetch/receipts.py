"""The ledger of a corpus root: every file that was fetched whole, with its size and SHA-256.

It is ``<root>/.fetch/ledger.jsonl``, one line per file, appended and synced after the file is in
place, so a line means a whole file; a line that a kill has cut is passed over. A file in place
without a line is checked again, never fetched again. So is one whose time of change is not that of
its line: where its SHA-256 is another, it is no longer the file of the source, and comes anew.
"""

import json
import os
import threading
from dataclasses import asdict, dataclass
from pathlib import Path

STATE = ".fetch"


@dataclass(frozen=True)
class Receipt:
    """A file that was fetched: path below the root, bytes, SHA-256, where from, last change."""

    path: str
    size: int
    sha256: str
    url: str
    mtime_ns: int | None = None


class Receipts:
    """The receipts of one root; `add` may be called from several threads."""

    def __init__(self, root: Path) -> None:
        self.path = root / STATE / "ledger.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._known = {receipt.path: receipt for receipt in _read(self.path)}

    def get(self, path: str) -> Receipt | None:
        """Give the receipt of a file, if there is one."""
        return self._known.get(path)

    def all(self) -> list[Receipt]:
        """Give the receipts of all files, the last one of each path."""
        return list(self._known.values())

    def add(self, receipt: Receipt) -> None:
        """Note a file that is in place."""
        with self._lock, self.path.open("a", encoding="utf-8") as ledger:
            if ledger.tell() and not _ends_a_line(self.path):
                ledger.write("\n")
            ledger.write(json.dumps(asdict(receipt)) + "\n")
            ledger.flush()
            os.fsync(ledger.fileno())
            self._known[receipt.path] = receipt


def _read(path: Path) -> list[Receipt]:
    if not path.is_file():
        return []
    found = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found.append(Receipt(**json.loads(line)))
        except (ValueError, TypeError):
            continue
    return found


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as ledger:
        ledger.seek(-1, os.SEEK_END)
        return ledger.read(1) == b"\n"
