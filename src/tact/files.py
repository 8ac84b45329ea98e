"""Put the files of one command in place together, each whole or not at all."""

import errno
import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple

from tact.errors import InputError


def no_file(path: Path, *, kind: str, cure: str | None = None) -> str:
    """Say what is there in place of a file of some kind; ``cure`` is for where nothing is."""
    if path.is_dir():
        return f"{path} is a folder; give {kind}"
    return f"no file {path}; {_in_the_way(path) or cure or f'give {kind}'}"


def no_folder(path: Path, *, cure: str) -> str:
    """Say what is there in place of a folder; ``cure`` is for where nothing is."""
    return f"no folder {path}; {_in_the_way(path / '_') or cure}"


def _in_the_way(path: Path) -> str | None:
    """Name the file that stands where a path needs a folder."""
    file = next((above for above in path.parents if above.is_file()), None)
    return None if file is None else f"{file} is a file; give a folder"


class Output(NamedTuple):
    """A file to write: where, and what fills it when it is given a path."""

    path: Path
    fill: Callable[[Path], object]


FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_inputs: ContextVar[tuple[Path, ...]] = ContextVar("inputs", default=())


@contextmanager
def keeping(inputs: Iterable[Path]) -> Iterator[None]:
    """Let no output take the place of these files."""
    token = _inputs.set(tuple(inputs))
    try:
        yield
    finally:
        _inputs.reset(token)


def demand_kept(paths: Iterable[Path]) -> None:
    """Demand that no path is a file that is kept, by whatever name.

    Raises
    ------
    InputError
        One is.
    """
    for path in paths:
        for kept in _inputs.get():
            if path.is_file() and kept.is_file() and path.samefile(kept):
                raise InputError(f"{path} would be written over the input {kept}; give another")


def text(path: Path, content: str) -> Output:
    """Give an output of text, in UTF-8."""
    return Output(path, lambda partial: partial.write_text(content, encoding="utf-8"))


def write_together(*outputs: Output) -> None:
    """Write every output beside its place, in turn, and put them in place when all are whole.

    What stands in their places is at each moment the old files or some of them, or the new ones or
    some of them, and never old beside new::

        places     old old old   old  -   -    new  -   -    new new  -    new new new
        beside      -  n   n     n   n   n      -  n   n      -   -  n      -   -   -

    The first output is never missing where it stood before; one alone is replaced in one step.
    A run that is killed leaves files beside, which the next one to these places takes away.

    Raises
    ------
    InputError
        A folder stands there, or a file where a folder is needed, two outputs share a place, or
        one is that of a file that is kept.
    """
    paths = [output.path for output in outputs]
    _check_places(paths)
    partials: dict[Path, Path] = {}
    with ExitStack() as stack:
        for path, fill in outputs:
            partial = partials[path] = stack.enter_context(_partial(path))
            with naming(path):
                fill(partial)
                with partial.open("rb") as written:
                    os.fsync(written.fileno())
            partial.chmod(0o644)
        _swap(partials)


@contextmanager
def naming(*paths: Path) -> Iterator[None]:
    """Name where it was to be written in the error of a full disk that names no file."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL and error.filename is None:
            error.filename = ", ".join(map(str, paths))
        raise


def _check_places(paths: list[Path]) -> None:
    demand_kept(paths)
    for path in paths:
        if path.is_dir():
            raise InputError(f"{path} is a folder; give a file")
        if said := _in_the_way(path):
            raise InputError(f"{path} cannot be written; {said}")
    places = [path.parent.resolve() / path.name for path in paths]
    for path, place in zip(paths, places, strict=True):
        if places.count(place) > 1:
            raise InputError(f"{path} is given for two outputs; give each its own")


@contextmanager
def _partial(path: Path) -> Iterator[Path]:
    """Make an empty file beside a place; one that is not put in place goes at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _take_away_left(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".partial")
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)
        os.close(handle)


def _take_away_left(path: Path) -> None:
    """Remove what killed runs left beside a place; a living run holds a lock on its own."""
    of_path = re.compile(rf"\.{re.escape(path.name)}\.\w+\.partial")
    for beside in path.parent.iterdir():
        if of_path.fullmatch(beside.name):
            with suppress(OSError), beside.open("r+b") as left:
                fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
                beside.unlink()


def _swap(partials: Mapping[Path, Path]) -> None:
    """Put files in their places, each step on disk before the next."""
    others = list(partials)[1:]
    for path in others:
        path.unlink(missing_ok=True)
    _sync_folders(others)
    for path, partial in partials.items():
        partial.replace(path)
        _sync_folders([path])


def _sync_folders(paths: list[Path]) -> None:
    for folder in {path.parent for path in paths}:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def sha256(path: Path) -> str:
    """Digest a file, 64 hex digits of SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
