"""Put a file in place whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, fill: Callable[[Path], object]) -> None:
    """Let ``fill`` write a temporary file beside ``path``, sync it and rename it into place."""
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
