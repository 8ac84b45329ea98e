"""Sound files opened: a path, or a member of an uncompressed tar, for soundfile to read."""

import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import soundfile

from tact.audio import riff
from tact.errors import InputError

MEMBER = "::"
BROKEN = (soundfile.SoundFileError, RuntimeError, ValueError)
"""What soundfile raises on a spoilt file: ValueError where its position is past its length."""


@contextmanager
def opened(path: Path) -> Iterator[soundfile.SoundFile]:
    """Open a sound file, whose header is checked first.

    Raises
    ------
    InputError
        It cannot be read, or is not audio, or its header cannot be.
    """
    with _bytes_of(path) as stream:
        riff.check(stream, path)
        try:
            sound = soundfile.SoundFile(stream)
        except BROKEN as error:
            raise InputError(f"audio: {path} is not audio ({line(error)})") from None
        with sound:
            yield sound


@contextmanager
def _bytes_of(path: Path) -> Iterator[BinaryIO]:
    outer, _, member = str(path).partition(MEMBER)
    try:
        with open(outer, "rb") as file:
            if not member:
                yield file
                return
            with tarfile.open(fileobj=file, mode="r:") as tar:
                inner = tar.extractfile(member)
                if inner is None:
                    raise InputError(f"audio: {member} in {outer} is no file")
                yield cast(BinaryIO, inner)
    except OSError as error:
        raise InputError(f"audio: cannot read {outer} ({error.strerror})") from None
    except KeyError:
        raise InputError(f"audio: {outer} has no member {member}") from None
    except tarfile.TarError as error:
        raise InputError(f"audio: {outer} is not a tar ({line(error)})") from None


def line(error: Exception) -> str:
    """Say in one line what soundfile or tarfile says of a file."""
    text = getattr(error, "error_string", str(error))
    return " ".join(text.split()).rstrip(".")
