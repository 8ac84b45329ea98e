"""Raw files: listed, hashed, and parsed without trust. Whatever is wrong is one `InputError`."""

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tact import audio
from tact.audio import Header
from tact.errors import InputError


class Sound(NamedTuple):
    """An audio file: path relative to the corpus root, what it holds, its sha256."""

    path: str
    header: Header
    sha256: str

    @property
    def duration_ms(self) -> int:
        """Length as decoded, ms."""
        return round(1000 * self.header.n_samples / self.header.sample_rate_hz)


def listing(root: Path, *, corpus: str, obtain: str) -> list[str]:
    """List the files below a root, relative to it, in a fixed order; hidden ones are passed over.

    Raises
    ------
    InputError
        The root is missing or holds no file; the message says how to get the corpus.
    """
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = Path(folder).relative_to(root)
        found += [(inside / name).as_posix() for name in names if not name.startswith(".")]
    if not found:
        raise InputError(missing(root, "files", corpus=corpus, obtain=obtain))
    return sorted(found)


def missing(root: Path, what: str, *, corpus: str, obtain: str) -> str:
    """Say that a corpus is not there and how to get it."""
    return f"ingest: {corpus} has no {what} in {root}; {obtain}"


def sha256(path: Path) -> str:
    """Hash a file in blocks, 64 hex digits."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path.name} ({error.strerror})") from None


def hear(root: Path, path: str) -> Sound:
    """Probe and hash an audio file.

    Raises
    ------
    InputError
        It is missing, not audio, empty or truncated.
    """
    return Sound(path, audio.probe(root / path), sha256(root / path))


def content(path: Path) -> bytes:
    """Read a whole annotation file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path.name} ({error.strerror})") from None


def xml(data: bytes, name: str) -> Element:
    """Parse XML; a document type, and with it any entity, is refused.

    Raises
    ------
    InputError
        It is not well-formed, or declares a document type.
    """
    try:
        tree: Element = fromstring(data, forbid_dtd=True)
    except DefusedXmlException:
        raise InputError(f"{name} declares a document type") from None
    except (ParseError, ValueError, LookupError) as error:
        raise InputError(f"{name} is not XML ({_line(error)})") from None
    return tree


def parse_json(data: bytes, name: str) -> Any:
    """Parse JSON of any shape.

    Raises
    ------
    InputError
        It is not JSON in UTF-8, or nested too deep.
    """
    try:
        return json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({_line(error)})") from None


def json_lines(data: bytes, name: str) -> Iterator[tuple[int, Any]]:
    """Parse JSON Lines; yields (line number from 1, value, or the `InputError` of that line)."""
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                yield number, parse_json(line, f"{name} line {number}")
            except InputError as error:
                yield number, error


def gunzip(data: bytes, name: str) -> bytes:
    """Decompress a gzip file.

    Raises
    ------
    InputError
        It is not gzip, or cut short.
    """
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is not gzip ({_line(error)})") from None


def mapping(value: object) -> Mapping[str, Any]:
    """Take a JSON object; anything else is an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Any]:
    """Take a JSON array; anything else is an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """Take a text or a whole number as text that UTF-8 can hold; anything else is empty."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value).strip().encode("utf-8", "replace").decode("utf-8")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
