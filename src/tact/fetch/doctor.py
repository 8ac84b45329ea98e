"""What stands between a person and a corpus: network, gate, disk, space, and the next step."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import requests
from httpx2 import HTTPError
from huggingface_hub import HfApi
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError

from tact.fetch.listings import ENDPOINT, TOKEN
from tact.fetch.receipts import STATE, Receipts
from tact.settings import Corpus, Source

PATIENCE_S = 10.0


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


def examine(corpus: str, entry: Corpus, source: Source, root: Path) -> Finding:
    """Ask the source, look at the disk, and say what a person does next."""
    reachable, allowed = _asked(source)
    n_files, n_bytes = _there(root)
    complete, lacking = _complete(root, n_files)
    return Finding(
        corpus=corpus,
        release=source.release,
        reachable=reachable,
        allowed=allowed,
        on_disk=f"{n_files} files, {n_bytes / 1e9:.1f} GB" if n_files else "no",
        complete=complete,
        space=_space(source, root, n_bytes),
        next_step=_next(corpus, entry, source, reachable, allowed, n_files, lacking),
    )


def _asked(source: Source) -> tuple[str, str]:
    if source.kind == "local":
        return "not on a network", "not known"
    if source.kind == "hub":
        return _hub(source)
    try:
        answer = requests.head(source.address or "", timeout=PATIENCE_S, allow_redirects=True)
    except requests.RequestException as error:
        return f"no ({type(error).__name__})", "not known"
    # A store answers 403 at its top and still gives its files.
    return ("yes", "yes") if answer.status_code < 500 else (f"no ({answer.status_code})", "no")


def _hub(source: Source) -> tuple[str, str]:
    token = os.environ.get(TOKEN)
    api = HfApi(endpoint=os.environ.get(ENDPOINT) or None, token=token or False)
    try:
        api.auth_check(source.address or "", repo_type="dataset")
    except GatedRepoError:
        return "yes", "no: the gate is not passed" if token else f"no: {TOKEN} is not set"
    except RepositoryNotFoundError:
        return "yes", f"no: {TOKEN} opens no such dataset" if token else f"no: {TOKEN} is not set"
    except (HfHubHTTPError, HTTPError, OSError) as error:
        return f"no ({type(error).__name__})", "not known"
    return "yes", "yes"


def _there(root: Path) -> tuple[int, int]:
    n_files = n_bytes = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        n_files += len(names)
        n_bytes += sum(Path(folder, name).lstat().st_size for name in names)
    return n_files, n_bytes


def _complete(root: Path, n_files: int) -> tuple[str, int]:
    """Hold the disk against the ledger: is each file that was fetched still there, as long?"""
    if not (root / STATE / "ledger.jsonl").is_file():
        return ("not known: no ledger" if n_files else "no"), 0
    known = Receipts(root).all()
    lacking = [
        receipt
        for receipt in known
        if not (root / receipt.path).is_file()
        or (root / receipt.path).stat().st_size != receipt.size
    ]
    begun = len(list((root / STATE).glob("*.part")))
    if lacking or begun:
        return f"no: {len(lacking)} of {len(known)} lost, {begun} begun", len(lacking) + begun
    return f"all {len(known)} that were fetched", 0


def _space(source: Source, root: Path, n_bytes: int) -> str:
    above = next(path for path in (root, *root.resolve().parents) if path.exists())
    free = shutil.disk_usage(above).free / 1e9
    if source.size_gb is None:
        return f"not known, {free:.0f} GB free"
    return f"{max(0.0, source.size_gb - n_bytes / 1e9):.0f} GB more, {free:.0f} GB free"


def _next(
    corpus: str,
    entry: Corpus,
    source: Source,
    reachable: str,
    allowed: str,
    n_files: int,
    lacking: int,
) -> str:
    if n_files and not lacking:
        return f"snakemake --cores all {corpus}"
    if source.kind == "local":
        return source.gate
    if reachable != "yes":
        return f"mend the network; or put the corpus into {entry.root} by other means"
    if allowed != "yes":
        return source.gate
    return f"tact fetch {corpus} --source {source.release} --to {entry.root}"
