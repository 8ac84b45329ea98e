"""Fetch the files of a source: several at once, the disk checked first, faults set aside."""

import contextlib
import fcntl
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import requests
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
from tact.fetch.answers import Absent, Refused, Spoilt
from tact.fetch.items import Item
from tact.fetch.receipts import STATE, Receipt, Receipts
from tact.fetch.transfer import Policy, Transfer, bare, sha256

SPARE = 2**28
"""Bytes of the disk that a fetch leaves free."""


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
    gate: str,
) -> Fetched:
    """Fetch items below a root.

    A file that cannot be had is a quarantine row of stage ``fetch``, and the rest goes on.

    Parameters
    ----------
    items : what to fetch, each path once
    headers : sent with every request; a token belongs here
    jobs : transfers at a time
    gate : how a person passes the gate, for the error message

    Raises
    ------
    InputError
        The disk has too little space, another fetch is at work below the root, or the source
        refuses everything for want of a token or an accepted gate.
    """
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
    whole = tuple(r for item in items if (r := receipts.get(item.path)) is not None)
    new = len(wanted) - len(rows)
    return Fetched(whole, new, frames.frame(rows, "quarantine"))


def _all(
    items: Sequence[Item],
    transfer: Transfer,
    receipts: Receipts,
    corpus: str,
    jobs: int,
    gate: str,
) -> list[dict[str, str]]:
    def one(item: Item) -> None:
        receipts.add(transfer.fetch(item))

    rows = []
    with ThreadPoolExecutor(jobs) as pool:
        futures = [(item, pool.submit(one, item)) for item in items]
        for item, future in futures:
            try:
                future.result()
            except Refused as refused:
                _cancel(future for _, future in futures)
                raise InputError(f"fetch: {corpus} refuses ({refused}); {gate}") from None
            except (Absent, Spoilt) as fault:
                reason = "absent at the source" if isinstance(fault, Absent) else "not whole"
                rows.append(
                    {
                        "corpus": corpus,
                        "item": item.path,
                        "stage": "fetch",
                        "reason": reason,
                        "detail": str(fault),
                    }
                )
            except BaseException:
                _cancel(future for _, future in futures)
                raise
    return rows


def _cancel(futures: Iterator[Future[None]]) -> None:
    for future in futures:
        future.cancel()


def _in_place(item: Item, receipts: Receipts, transfer: Transfer) -> bool:
    """Tell whether a file is there whole; one without a receipt is checked, and then has one."""
    place, known = transfer.root / item.path, receipts.get(item.path)
    if not place.is_file():
        return False
    size = place.stat().st_size
    if known is not None:
        same = item.sha256 in (None, known.sha256) and item.size in (None, known.size)
        return same and size == known.size
    if not transfer.holds(item, size):
        return False
    found = sha256(place)
    if item.sha256 not in (None, found):
        return False
    receipts.add(Receipt(item.path, size, found, bare(item.urls[0])))
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
    with Progress(*columns, transient=True) as progress:
        yield _Told(progress, progress.add_task("what is there", total=None))
