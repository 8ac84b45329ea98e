"""Fetch one corpus: its batches in turn; an archive is unpacked before the next one is listed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pandas as pd

from tact import frames
from tact.errors import InputError
from tact.fetch import addresses, listings
from tact.fetch.items import Item, Subset, subset
from tact.fetch.receipts import STATE
from tact.fetch.run import Fetched, Stopped, fetch
from tact.fetch.transfer import Policy
from tact.fetch.unpack import Limits, folder_of, unpack
from tact.settings import Corpus, Source


@dataclass(frozen=True)
class Brought:
    """What a fetch of a corpus brought: files in place, how many are new, bytes, what lacks."""

    files: int
    new: int
    n_bytes: int
    quarantine: pd.DataFrame


def source_of(entry: Corpus, corpus: str, release: str | None) -> Source:
    """Choose the source of a release; the first where none is named.

    Raises
    ------
    InputError
        The corpus has no such source, or none at all.
    """
    known = [source.release for source in entry.sources]
    if not known:
        raise InputError(f"fetch: {corpus} has no source in the config; {entry.obtain}")
    if release is not None and release not in known:
        raise InputError(f"fetch: {corpus} has no source {release!r}; known: {', '.join(known)}")
    return entry.sources[known.index(release) if release else 0]


def bring(
    source: Source,
    root: Path,
    *,
    corpus: str,
    wanted: Subset,
    urls: Path | None,
    jobs: int,
    policy: Policy,
) -> Brought:
    """Fetch a source, or a person's own list of addresses, below a root.

    Raises
    ------
    InputError
        See ``listings.batches``, ``addresses.from_file``, ``items.subset``, ``run.fetch`` and
        ``unpack.unpack``.
    Stopped
        The same, or nothing came, where something could not be had before: it says what.
    """
    done: list[Fetched] = []
    get = partial(
        fetch,
        root=root,
        corpus=corpus,
        headers=listings.token_headers(source) if urls is None else {},
        jobs=jobs,
        policy=policy,
        gate=source.gate if urls is None else None,
    )
    try:
        for batch in _batches(source, root, urls):
            root.mkdir(parents=True, exist_ok=True)
            chosen = subset(batch, wanted, bytes_per_hour=_bytes_per_hour(source))
            done.append(get(chosen))
            _unpack_all(root, chosen, missing=set(done[-1].quarantine["item"]))
    except InputError as error:
        late = error.quarantine if isinstance(error, Stopped) else None
        rows = _quarantine(done, late)
        if rows.empty:
            raise
        then = str(error).removeprefix("fetch: ")
        raise Stopped(f"fetch: {corpus}: {first_of(rows)}; and then: {then}", rows) from None
    brought = Brought(
        files=sum(len(got.receipts) for got in done),
        new=sum(got.new for got in done),
        n_bytes=sum(receipt.size for got in done for receipt in got.receipts),
        quarantine=_quarantine(done),
    )
    if not brought.files and len(brought.quarantine):
        rows = brought.quarantine
        raise Stopped(f"fetch: {corpus}: none of {len(rows)} files came; {first_of(rows)}", rows)
    return brought


def first_of(rows: pd.DataFrame) -> str:
    """Name the first file that could not be had, why, and where a network is missing, the cure."""
    row = rows.iloc[0]
    cure = "; mend the network and run it again" if row["reason"] == "not reachable" else ""
    return f"first: {row['item']} ({row['detail']}){cure}"


def _quarantine(done: list[Fetched], late: pd.DataFrame | None = None) -> pd.DataFrame:
    rows = [got.quarantine for got in done] + ([] if late is None else [late])
    whole = pd.concat(rows, ignore_index=True) if rows else frames.frame([], "quarantine")
    return frames.check(whole, "quarantine")


def _unpack_all(root: Path, items: list[Item], *, missing: set[str]) -> None:
    for item in items:
        if item.archive and item.path not in missing:
            _unpack_once(root, item)


def _batches(source: Source, root: Path, urls: Path | None) -> Iterator[list[Item]]:
    if urls is not None:
        yield addresses.from_file(urls)
    else:
        yield from listings.batches(source, root)


def _bytes_per_hour(source: Source) -> float | None:
    if source.size_gb is None or source.hours is None:
        return None
    return source.size_gb * 1e9 / source.hours


def _unpack_once(root: Path, item: Item) -> None:
    """Unpack beside the archive, into a folder of its name without the suffix."""
    archive, target = root / item.path, root / folder_of(item.path)
    done = root / STATE / f"{target.name}.unpacked"
    if done.is_file() and target.is_dir():
        return
    if target.exists():
        raise InputError(
            f"fetch: {target} is in the place where {archive.name} unpacks; move one of the two"
        )
    unpack(archive, target, limits=Limits())
    done.touch()
