"""Fetch the files of a source: several at once, the disk checked first, faults set aside."""

import contextlib
import fcntl
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import requests
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from tact import frames
from tact.errors import InputError
from tact.fetch.answers import Absent, Forbidden, Refused, Spoilt, Unreachable
from tact.fetch.items import Item
from tact.fetch.receipts import STATE, Receipt, Receipts
from tact.fetch.transfer import Policy, Transfer, bare
from tact.files import sha256

SPARE = 2**28
"""Bytes of the disk that a fetch leaves free."""


EXPIRED = "the signature may have expired, get a new list"


class Stopped(InputError):
    """A fetch that ends early; ``quarantine`` has what could not be had until then."""

    def __init__(self, line: str, quarantine: pd.DataFrame) -> None:
        super().__init__(line)
        self.quarantine = quarantine


@dataclass(frozen=True)
class Fetched:
    """What a fetch brought: files in place, how many of them now, and the quarantine rows."""

    receipts: tuple[Receipt, ...]
    new: int
    quarantine: pd.DataFrame


def fetch(
    items: Sequence[Item],
    root: Path,
    *,
    corpus: str,
    headers: Mapping[str, str],
    jobs: int,
    policy: Policy,
    gate: str | None,
) -> Fetched:
    """Fetch items below a root.

    A file that cannot be had is a quarantine row of stage ``fetch``, and the rest goes on.

    Parameters
    ----------
    items : what to fetch, each path once
    headers : sent with every request; a token belongs here
    jobs : transfers at a time
    gate : how a person passes the gate, for the error message; None = each file has its own
        address, and one that is refused is a quarantine row

    Raises
    ------
    InputError
        The disk has too little space, another fetch is at work below the root, or two items have
        one path.
    Stopped
        The source refuses everything for want of a token or an accepted gate.
    """
    items = list(dict.fromkeys(items))
    _check_paths(items)
    with _alone(root):
        receipts = Receipts(root)
        with requests.Session() as session, _bar() as told:
            adapter = requests.adapters.HTTPAdapter(pool_connections=jobs, pool_maxsize=jobs)
            for scheme in ("http://", "https://"):
                session.mount(scheme, adapter)
            transfer = Transfer(root, session, policy, headers, told.came)
            wanted = [item for item in items if not _in_place(item, receipts, transfer)]
            _check_space(wanted, transfer)
            told.start(wanted, sum(map(transfer.begun, wanted)))
            rows = _all(wanted, transfer, receipts, corpus, jobs, gate)
    lacking = {row["item"] for row in rows}
    have = [item.path for item in items if item.path not in lacking]
    whole = tuple(r for path in have if (r := receipts.get(path)) is not None)
    new = len(wanted) - len(rows)
    return Fetched(whole, new, frames.frame(rows, "quarantine"))


def _all(
    items: Sequence[Item],
    transfer: Transfer,
    receipts: Receipts,
    corpus: str,
    jobs: int,
    gate: str | None,
) -> list[dict[str, str]]:
    def one(item: Item) -> None:
        receipts.add(transfer.fetch(item))

    rows: list[dict[str, str]] = []
    with ThreadPoolExecutor(jobs) as pool:
        futures = [(item, pool.submit(one, item)) for item in items]
        for item, future in futures:
            try:
                future.result()
            except (Absent, Refused, Spoilt, Unreachable) as fault:
                if gate is not None and isinstance(fault, Refused):
                    _cancel(future for _, future in futures)
                    line = f"fetch: {corpus} refuses ({fault}); {gate}"
                    raise Stopped(line, frames.frame(rows, "quarantine")) from None
                rows.append(_row(corpus, item, fault, of_list=gate is None))
            except BaseException:
                _cancel(future for _, future in futures)
                raise
    return rows


def _row(corpus: str, item: Item, fault: Exception, *, of_list: bool) -> dict[str, str]:
    reason, detail = "not whole", str(fault)
    if of_list and isinstance(fault, Forbidden | Refused):
        reason, detail = "refused", f"refused ({fault}); {EXPIRED}"
    elif isinstance(fault, Absent):
        reason = "absent at the source"
    elif isinstance(fault, Unreachable):
        reason = "not reachable"
    return {
        "corpus": corpus, "item": item.path, "stage": "fetch", "reason": reason, "detail": detail,
    }  # fmt: skip


def _check_paths(items: Sequence[Item]) -> None:
    counts = Counter(item.path for item in items)
    if twice := [path for path, count in counts.items() if count > 1]:
        raise InputError(
            f"fetch: {len(twice)} paths belong to two files of the source (first: {twice[0]});"
            " mend its list"
        )


def _cancel(futures: Iterator[Future[None]]) -> None:
    for future in futures:
        future.cancel()


def _in_place(item: Item, receipts: Receipts, transfer: Transfer) -> bool:
    """Tell whether a file is there whole.

    One without a receipt, or that was touched since, is hashed; the right one then has a receipt.
    """
    place, known = transfer.root / item.path, receipts.get(item.path)
    if not place.is_file():
        return False
    size, mtime_ns = place.stat().st_size, place.stat().st_mtime_ns
    if known is not None:
        same = item.sha256 in (None, known.sha256) and item.size in (None, known.size)
        if not same or size != known.size:
            return False
        if mtime_ns == known.mtime_ns:
            return True
    elif not transfer.holds(item, size):
        return False
    found = sha256(place)
    if (known is not None and found != known.sha256) or item.sha256 not in (None, found):
        return False
    url = known.url if known is not None else bare(item.urls[0])
    receipts.add(Receipt(item.path, size, found, url, mtime_ns))
    return True


def _check_space(items: Sequence[Item], transfer: Transfer) -> None:
    root = transfer.root
    needed = sum(max(0, (item.size or 0) - transfer.begun(item)) for item in items)
    free = shutil.disk_usage(root).free
    if needed + SPARE > free:
        raise InputError(
            f"fetch: {len(items)} files need {needed / 1e9:.1f} GB, {root} has {free / 1e9:.1f} GB"
            " free; free some space, or fetch a part (--count, --split, --list)"
        )


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    (root / STATE).mkdir(parents=True, exist_ok=True)
    with (root / STATE / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"fetch: another fetch is at work in {root}; wait for it") from None
        yield


@dataclass(frozen=True)
class _Told:
    """The bar: bytes, rate and time left; where a size is not known, only what has come."""

    progress: Progress
    task: TaskID

    def start(self, items: Sequence[Item], come: int) -> None:
        sizes = [item.size for item in items]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        self.progress.update(
            self.task, description=f"{len(items)} files", total=total, completed=come
        )

    def came(self, n_bytes: int) -> None:
        self.progress.update(self.task, advance=n_bytes)


@contextlib.contextmanager
def _bar() -> Iterator[_Told]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        yield _Told(progress, progress.add_task("what is there", total=None))
