"""What each kind of source has: items, in batches where a list stands in an earlier file."""

import contextlib
import csv
import fnmatch
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from httpx2 import HTTPError
from huggingface_hub import HfApi, hf_hub_url
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from tact.corpora import raw
from tact.errors import InputError
from tact.fetch.answers import is_unreachable
from tact.fetch.items import Item, name_of, safe_path
from tact.settings import Source

TOKEN = "HF_TOKEN"
ENDPOINT = "HF_ENDPOINT"
FILELIST = "filelist.csv"
ANNOTATIONS = "AMICorpusAnnotations/ami_public_manual_1.6.2.zip"


def batches(source: Source, root: Path) -> Iterator[list[Item]]:
    """Give the items of a source; a later batch may be listed in a file of an earlier one.

    Raises
    ------
    InputError
        The source cannot be listed: no answer, a gate, or a list that has to be on disk.
    """
    match source.kind:
        case "hub":
            yield hub(source)
        case "ami":
            yield [_annotations(source)]
            yield headsets(source, root)
        case "seamless":
            yield interactions(source, root)
        case "local":
            raise InputError(f"fetch: {source.release} has no address; {source.gate}")


def first_of(source: Source) -> str:
    """Give an address at which a source that is no hub should have something."""
    return _annotations(source).urls[0] if source.kind == "ami" else source.address or ""


def token_headers(source: Source) -> dict[str, str]:
    """Give the headers that a source wants: the hub's token, from the environment alone."""
    token = os.environ.get(TOKEN)
    return {"Authorization": f"Bearer {token}"} if source.kind == "hub" and token else {}


def hub(source: Source) -> list[Item]:
    """List the files of a dataset of the hub that match ``source.files``, with size and SHA-256."""
    endpoint = os.environ.get(ENDPOINT) or None
    api = HfApi(endpoint=endpoint, token=os.environ.get(TOKEN) or False)
    name = source.address or ""
    try:
        with quiet():
            _meet(api, name)
            pages = api.list_repo_tree(
                name, recursive=True, repo_type="dataset", revision=source.revision
            )
            tree = list(pages)
    except (GatedRepoError, RepositoryNotFoundError):
        raise InputError(f"fetch: {source.address} is behind a gate; {source.gate}") from None
    except (HfHubHTTPError, HTTPError, OSError) as error:
        raise InputError(f"fetch: {name} cannot be listed ({_why(error, api.endpoint)}") from None
    return [
        Item(
            path=safe_path(file.path),
            urls=(_resolve(source, file.path, endpoint),),
            size=file.size,
            sha256=file.lfs.sha256 if file.lfs else None,
            group=_group(file.path),
            split=_split(file.path),
        )
        for file in tree
        if isinstance(file, RepoFile) and _wanted(file.path, source)
    ]


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the hub's own account of its retries off the screen; its error says what is wrong."""
    told = logging.getLogger("huggingface_hub")
    level = told.level
    told.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        told.setLevel(level)


def _meet(api: HfApi, name: str) -> None:
    """Ask once whether the hub is there at all: the listing asks a lost host six times."""
    try:
        api.auth_check(name, repo_type="dataset")
    except (HfHubHTTPError, HTTPError, OSError) as error:
        if is_unreachable(error):
            raise


def _why(error: Exception, endpoint: str) -> str:
    """Say why a dataset cannot be listed, and after a bracket, what a person does about it."""
    if is_unreachable(error):
        host = urlsplit(endpoint).hostname
        return f"the host {host} cannot be found or reached); mend the network and run it again"
    detail = " ".join(str(error).split())[:200]
    if isinstance(error, HfHubHTTPError) and error.response.status_code == 404:
        return f"{detail}); mend its address or revision in the config"
    return f"{detail}); try again later, or mend the network"


def _resolve(source: Source, path: str, endpoint: str | None) -> str:
    return hf_hub_url(
        source.address or "",
        path,
        repo_type="dataset",
        revision=source.revision,
        endpoint=endpoint,
    )


def headsets(source: Source, root: Path) -> list[Item]:
    """List the headset files of AMI: one per channel that ``meetings.xml`` names."""
    found = sorted(path for path in root.rglob("meetings.xml") if ".fetch" not in path.parts)
    if not found:
        raise InputError(f"fetch: no meetings.xml below {root}; unpack the annotations there")
    tree = raw.xml(found[0].read_bytes(), "meetings.xml")
    items = []
    for meeting in tree.iter("meeting"):
        name = meeting.get("observation", "")
        channels = {speaker.get("channel", "") for speaker in meeting.iter("speaker")}
        for channel in sorted(c for c in channels if c.isdigit()):
            path = safe_path(f"{name}/audio/{name}.Headset-{channel}.wav")
            url = f"{source.address}/AMICorpusMirror/amicorpus/{path}"
            items.append(Item(f"amicorpus/{path}", (url,), group=name))
    return items


def interactions(source: Source, root: Path) -> list[Item]:
    """List sound, transcript and activity of Seamless, which ``filelist.csv`` names.

    Pairs of an interaction are one group. The transcripts lie in ``metadata/`` or beside it.
    """
    path = root / FILELIST
    if not path.is_file():
        raise InputError(f"fetch: no {path}; {source.gate}")
    items = []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name, label, split = (row.get(key) or "" for key in ("file_id", "label", "split"))
            base = f"{source.address}/{label}/{split}"
            group = name.rpartition("_P")[0]
            for kind, suffix in (("audio", "wav"), ("transcript", "jsonl"), ("vad", "jsonl")):
                tail = f"{kind}/{name}.{suffix}"
                heads = ("",) if kind == "audio" else ("metadata/", "")
                urls = tuple(f"{base}/{head}{tail}" for head in heads)
                where = safe_path(f"{label}/{split}/{tail}")
                items.append(Item(where, urls, group=group, split=split))
    return items


def _annotations(source: Source) -> Item:
    return Item(name_of(ANNOTATIONS), (f"{source.address}/{ANNOTATIONS}",), archive=True)


def _wanted(path: str, source: Source) -> bool:
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in source.files)


def _group(path: str) -> str:
    """Name what stands or falls together: the folder of a file, or a tar alone."""
    folder, _, name = path.rpartition("/")
    return path if name.endswith(".tar") or not folder else folder.split("/")[0]


def _split(path: str) -> str | None:
    return next((part for part in path.split("/") if part in ("train", "dev", "test")), None)
