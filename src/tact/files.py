"""Put a file in place whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

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


def write_atomically(path: Path, fill: Callable[[Path], object]) -> None:
    """Let ``fill`` write a temporary file beside ``path``, sync it and rename it into place.

    Raises
    ------
    InputError
        A folder stands there, or a file where a folder is needed.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file")
    if said := _in_the_way(path):
        raise InputError(f"{path} cannot be written; {said}")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    partial = Path(name)
    try:
        fill(partial)
        with partial.open("rb") as written:
            os.fsync(written.fileno())
        partial.chmod(0o644)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def sha256(path: Path) -> str:
    """Digest a file, 64 hex digits of SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
