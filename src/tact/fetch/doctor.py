"""What stands between a person and a corpus: network, gate, disk, space, and the next step."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import requests
from httpx2 import HTTPError
from huggingface_hub import HfApi
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

from tact.corpora import shape
from tact.fetch import listings
from tact.fetch.listings import ENDPOINT, TOKEN
from tact.fetch.receipts import STATE, Receipts
from tact.settings import Corpus, Source

PATIENCE_S = 10.0
NO_SUCH = "there is nothing at its address"


@dataclass(frozen=True)
class Finding:
    """What was found of one source; each answer is yes, no or a word why it is not known."""

    corpus: str
    release: str
    reachable: str
    allowed: str
    on_disk: str
    complete: str
    space: str
    next_step: str


def sources(entry: Corpus) -> Sequence[Source]:
    """Give the sources of a corpus; one that has none in the config is looked for on disk alone."""
    nowhere = Source(
        release="local",
        kind="local",
        address=None,
        revision=None,
        files=[],
        size_gb=None,
        hours=None,
        gate=entry.obtain,
    )
    return entry.sources or [nowhere]


def examine(corpus: str, entry: Corpus, source: Source, root: Path) -> Finding:
    """Ask the source, look at the disk, and say what a person does next."""
    reachable, allowed = _asked(source)
    found = shape.look(root, entry.adapter)
    complete, whole = _complete(root, found)
    space, fits = _space(source, root, found.n_bytes)
    return Finding(
        corpus=corpus,
        release=source.release,
        reachable=reachable,
        allowed=allowed,
        on_disk=_on_disk(root, found),
        complete=complete,
        space=space,
        next_step=_next(corpus, entry, source, reachable, allowed, Disk(root, whole, fits, found)),
    )


class Disk(NamedTuple):
    """What the disk says: the root, whether all is there, whether the rest has room."""

    root: Path
    whole: bool
    fits: bool
    found: shape.Shape


def _asked(source: Source) -> tuple[str, str]:
    if source.kind == "local":
        return "not on a network", "not known"
    if source.kind == "hub":
        return _hub(source)
    url = listings.first_of(source)
    try:
        answer = requests.head(url, timeout=PATIENCE_S, allow_redirects=True)
    except requests.RequestException as error:
        return f"no ({type(error).__name__})", "not known"
    if answer.status_code in (404, 410) and url != source.address:
        return "yes", f"no: {NO_SUCH} ({url})"
    # A store answers 403 at its top and still gives its files.
    return ("yes", "yes") if answer.status_code < 500 else (f"no ({answer.status_code})", "no")


def _hub(source: Source) -> tuple[str, str]:
    token = os.environ.get(TOKEN)
    api = HfApi(endpoint=os.environ.get(ENDPOINT) or None, token=token or False)
    try:
        with listings.quiet():
            api.auth_check(source.address or "", repo_type="dataset")
    except GatedRepoError:
        return "yes", "no: the gate is not passed" if token else f"no: {TOKEN} is not set"
    except RepositoryNotFoundError as error:
        if error.response.status_code == 404:
            return "yes", f"no: {NO_SUCH} ({source.address})"
        return "yes", f"no: {TOKEN} opens no such dataset" if token else f"no: {TOKEN} is not set"
    except (HfHubHTTPError, HTTPError, OSError) as error:
        if isinstance(error, HfHubHTTPError) and error.response.status_code == 404:
            return "yes", f"no: {NO_SUCH} ({source.address})"
        return f"no ({type(error).__name__})", "not known"
    return "yes", "yes"


def _on_disk(root: Path, found: shape.Shape) -> str:
    if root.exists() and not root.is_dir():
        return f"no: {root} is a file, not a folder"
    return f"{found.n_files} files, {found.n_bytes / 1e9:.1f} GB" if found.n_files else "no"


def _complete(root: Path, found: shape.Shape) -> tuple[str, bool]:
    """Hold the disk against the layout, and against the ledger of what was fetched."""
    if not found.n_files:
        return "no", False
    if found.lacking:
        kinds = ", ".join(f"no {kind} ({names})" for kind, names in found.lacking.items())
        return f"no: {kinds}", False
    if not (root / STATE / "ledger.jsonl").is_file():
        return "every kind of file is there; how many there should be is not known", True
    known = Receipts(root).all()
    lost = [
        receipt
        for receipt in known
        if not (root / receipt.path).is_file()
        or (root / receipt.path).stat().st_size != receipt.size
    ]
    begun = len(list((root / STATE).glob("*.part")))
    if lost or begun:
        return f"no: {len(lost)} of {len(known)} lost, {begun} begun", False
    return f"all {len(known)} that were fetched", True


def _space(source: Source, root: Path, n_bytes: int) -> tuple[str, bool]:
    above = next(path for path in (root, *root.resolve().parents) if path.exists())
    free = shutil.disk_usage(above).free / 1e9
    if source.size_gb is None:
        return f"not known, {free:.0f} GB free", True
    more = max(0.0, source.size_gb - n_bytes / 1e9)
    fits = more <= free
    return f"{more:.0f} GB more, {free:.0f} GB free{'' if fits else ': too little'}", fits


def _next(
    corpus: str, entry: Corpus, source: Source, reachable: str, allowed: str, disk: Disk
) -> str:
    if disk.root.exists() and not disk.root.is_dir():
        return f"move {disk.root}, or set corpora.{corpus}.root to a folder"
    if disk.whole:
        return f"snakemake --cores all {corpus}"
    if source.kind == "local":
        return source.gate
    if reachable != "yes":
        return f"mend the network; or put the corpus into {entry.root} by other means"
    if NO_SUCH in allowed:
        return f"mend its address in corpora.{corpus}.sources, or ask who publishes it"
    if allowed != "yes":
        return source.gate
    get = f"tact fetch {corpus} --source {source.release} --to {entry.root}"
    if source.kind == "seamless" and not (disk.root / listings.FILELIST).is_file():
        return f"{source.gate}, then: {get} --count 100"
    if not disk.fits:
        return f"{get} --hours H, for the part that fits; or free space, or set another root"
    if set(disk.found.lacking) == {shape.SOUND}:
        return f"{get}; or words alone: snakemake --cores all {corpus}"
    return get
