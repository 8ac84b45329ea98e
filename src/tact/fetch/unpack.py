"""Unpack an archive without trusting it: no path escape, no links, and limits on size and number.

The members go to a folder beside their place, which gets its name when all of them are there.
"""

import shutil
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from tact.errors import InputError
from tact.fetch.items import safe_path

BLOCK = 2**20


@dataclass(frozen=True)
class Limits:
    """The most that an archive may hold: bytes when unpacked, and members."""

    n_bytes: int = 2**40
    n_members: int = 2_000_000


def unpack(archive: Path, target: Path, *, limits: Limits) -> int:
    """Unpack a zip or a tar into a new folder; give the number of files.

    Raises
    ------
    InputError
        It is not a whole archive, has a member that leaves the folder, that is a link or a device,
        or that comes twice, or it is larger than the limits. Nothing is left at ``target``.
    """
    partial = target.with_name(f".{target.name}.unpacking")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    n_files, left = 0, limits.n_bytes
    try:
        for name, content in _members(archive):
            n_files += 1
            if n_files > limits.n_members:
                raise InputError(f"fetch: {archive.name} has over {limits.n_members} members")
            left = _write(content, partial / _inside(name, archive), left, archive)
        partial.replace(target)
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError,
            RuntimeError, UnicodeError, ValueError) as error:  # fmt: skip
        detail = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"fetch: {archive.name} is not a whole archive ({detail}); remove it and fetch it again"
        ) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return n_files


def folder_of(path: str) -> str:
    """Name the folder beside an archive that it unpacks into: its path without the suffix."""
    archive = PurePosixPath(path)
    name = archive.name.split(".zip")[0].split(".tar")[0].split(".tgz")[0]
    return archive.with_name(name or "unpacked").as_posix()


def _members(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    if zipfile.is_zipfile(archive):
        yield from _of_zip(archive)
    else:
        yield from _of_tar(archive)


def _of_zip(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for member in opened.infolist():
            kind = member.external_attr >> 16 & 0o170000
            if member.is_dir():
                continue
            if kind not in (0, 0o100000):
                raise InputError(f"fetch: {archive.name} has a link or a device: {member.filename}")
            with opened.open(member) as content:
                yield member.filename, content


def _of_tar(archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(archive, "r:*") as opened:
        for member in opened:
            if member.isdir():
                continue
            content = opened.extractfile(member) if member.isreg() else None
            if content is None:
                raise InputError(f"fetch: {archive.name} has a link or a device: {member.name}")
            yield member.name, content


def _inside(name: str, archive: Path) -> str:
    try:
        return safe_path(name.removeprefix("./"))
    except InputError:
        raise InputError(f"fetch: {archive.name} has a path that leaves it: {name!r}") from None


def _write(content: IO[bytes], path: Path, left: int, archive: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        while block := content.read(BLOCK):
            left -= len(block)
            if left < 0:
                raise InputError(f"fetch: {archive.name} unpacks to more than it may; look at it")
            file.write(block)
    return left
