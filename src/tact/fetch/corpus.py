"""Fetch one corpus: its batches in turn; an archive is unpacked before the next one is listed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tact import frames
from tact.errors import InputError
from tact.fetch import listings
from tact.fetch.items import Item, Subset, subset
from tact.fetch.receipts import STATE
from tact.fetch.run import Fetched, fetch
from tact.fetch.transfer import Policy
from tact.fetch.unpack import Limits, unpack
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
        See ``listings.batches``, ``items.subset``, ``run.fetch`` and ``unpack.unpack``.
    """
    root.mkdir(parents=True, exist_ok=True)
    done: list[Fetched] = []
    for batch in _batches(source, root, urls):
        chosen = subset(batch, wanted, bytes_per_hour=_bytes_per_hour(source))
        got = fetch(
            chosen,
            root,
            corpus=corpus,
            headers=listings.token_headers(source) if urls is None else {},
            jobs=jobs,
            policy=policy,
            gate=source.gate,
        )
        done.append(got)
        missing = set(got.quarantine["item"])
        for item in chosen:
            if item.archive and item.path not in missing:
                _unpack_once(root, item)
    rows = [got.quarantine for got in done]
    return Brought(
        files=sum(len(got.receipts) for got in done),
        new=sum(got.new for got in done),
        n_bytes=sum(receipt.size for got in done for receipt in got.receipts),
        quarantine=frames.check(pd.concat(rows, ignore_index=True), "quarantine"),
    )


def _batches(source: Source, root: Path, urls: Path | None) -> Iterator[list[Item]]:
    if urls is not None:
        yield listings.from_file(urls)
    else:
        yield from listings.batches(source, root)


def _bytes_per_hour(source: Source) -> float | None:
    if source.size_gb is None or source.hours is None:
        return None
    return source.size_gb * 1e9 / source.hours


def _unpack_once(root: Path, item: Item) -> None:
    """Unpack beside the archive, into a folder of its name without the suffix."""
    archive = root / item.path
    target = archive.with_name(archive.name.split(".zip")[0].split(".tar")[0].split(".tgz")[0])
    done = root / STATE / f"{target.name}.unpacked"
    if done.is_file() and target.is_dir():
        return
    if target.exists():
        raise InputError(
            f"fetch: {target} is in the place where {archive.name} unpacks; move one of the two"
        )
    unpack(archive, target, limits=Limits())
    done.touch()
