"""Raw files: listed, hashed, and parsed without trust. Whatever is wrong is one `InputError`.

A path is relative to the corpus root. A file inside an uncompressed tar is named as
``shard-000000.tar::<member>``, as `tact.audio` reads it.
"""

import gzip
import hashlib
import json
import os
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tact import audio
from tact.audio import Header
from tact.errors import InputError
from tact.files import no_folder

BLOCK = 2**20
CONTENT_MAX = 2**28


class Sound(NamedTuple):
    """An audio file: path relative to the corpus root, what it holds, its sha256."""

    path: str
    header: Header
    sha256: str

    @property
    def duration_ms(self) -> int:
        """Length as decoded, ms."""
        return round(1000 * self.header.n_samples / self.header.sample_rate_hz)


@dataclass(frozen=True)
class File:
    """A file below the root, or a member of a tar: its bytes from ``start``, ``size`` of them."""

    root: Path
    path: str
    start: int = 0
    size: int | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return PurePosixPath(self.path.rpartition(audio.MEMBER)[2]).name

    def content(self) -> bytes:
        """Read it whole.

        Raises
        ------
        InputError
            It cannot be read, or is too long to be an annotation.
        """
        data = b"".join(islice(self._blocks(), CONTENT_MAX // BLOCK))
        if len(data) > CONTENT_MAX - BLOCK:
            raise InputError(f"{self.name} is over {CONTENT_MAX // 2**20} MiB, no annotation")
        return data

    def sha256(self) -> str:
        """Hash it in blocks, 64 hex digits."""
        hashed = hashlib.sha256()
        for block in self._blocks():
            hashed.update(block)
        return hashed.hexdigest()

    def _blocks(self) -> Iterator[bytes]:
        try:
            with (self.root / self.path.partition(audio.MEMBER)[0]).open("rb") as file:
                file.seek(self.start)
                left = self.size
                while block := file.read(BLOCK if left is None else min(BLOCK, left)):
                    left = None if left is None else left - len(block)
                    yield block
        except OSError as error:
            raise InputError(f"cannot read {self.name} ({error.strerror})") from None


def listing(root: Path, *, corpus: str, obtain: str) -> list[str]:
    """List the files below a root, relative to it, in a fixed order.

    Hidden files, and names that are not UTF-8 or look like a member of a tar, are passed over.

    Raises
    ------
    InputError
        The root is missing or holds no file; the message says how to get the corpus.
    """
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        inside = Path(folder).relative_to(root)
        found += [
            (inside / name).as_posix()
            for name in names
            if not name.startswith(".") and _utf8(name) and audio.MEMBER not in name
        ]
    if not found:
        raise InputError(missing(root, "files", corpus=corpus, obtain=obtain))
    return sorted(found)


def missing(root: Path, what: str, *, corpus: str, obtain: str) -> str:
    """Say that a corpus is not there and how to get it."""
    if root.is_file():
        return f"ingest: {corpus}: {no_folder(root, cure=obtain)}"
    return f"ingest: {corpus} has no {what} in {root}; {obtain}"


def files(root: Path, paths: Iterable[str], *, suffix: str = "") -> list[File]:
    """Give the listed files of one suffix."""
    return [File(root, path) for path in paths if path.endswith(suffix)]


def members(tar: File) -> Iterator[File]:
    """List the plain files in an uncompressed tar, in its order, up to where it breaks.

    Raises
    ------
    InputError
        It is no tar, or is cut short; what lies before the break has been listed by then.
    """
    try:
        with tarfile.open(tar.root / tar.path, "r:") as archive:
            end = (tar.root / tar.path).stat().st_size
            for member in archive:
                if member.offset_data + member.size > end:
                    raise InputError(f"{tar.name} is cut short in {member.name}")
                if member.isreg() and not member.issparse() and _utf8(member.name):
                    path = f"{tar.path}{audio.MEMBER}{member.name}"
                    yield File(tar.root, path, member.offset_data, member.size)
    except (tarfile.TarError, OSError) as error:
        raise InputError(f"{tar.name} is not a whole tar ({_line(error)})") from None


def hear(file: File) -> Sound:
    """Probe and hash an audio file.

    Raises
    ------
    InputError
        It is missing, not audio, empty or truncated.
    """
    try:
        header = audio.probe(file.root / file.path)
    except InputError as error:
        # Where the corpus lies on this machine is no part of the tables.
        raise InputError(str(error).replace(f"{file.root}{os.sep}", "")) from None
    return Sound(file.path, header, file.sha256())


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


class Line(NamedTuple):
    """A line of JSON Lines: its number from 1, its bytes, its value or the fault of it."""

    number: int
    data: bytes
    value: Any


def json_lines(data: bytes, name: str) -> Iterator[Line]:
    """Parse JSON Lines; the value of a broken line is its `InputError`."""
    for number, line in enumerate(data.splitlines(), start=1):
        if line.strip():
            try:
                yield Line(number, line, parse_json(line, f"{name} line {number}"))
            except InputError as error:
                yield Line(number, line, error)


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
    """Take a text or a whole number as one line of text; anything else is empty."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return clean(value)


def clean(detail: object) -> str:
    """Put a text on one line that UTF-8 can hold."""
    line = " ".join(str(detail).replace("\0", " ").split())
    return line.encode("utf-8", "replace").decode("utf-8")


def _utf8(name: str) -> bool:
    return name == name.encode("utf-8", "replace").decode("utf-8")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
