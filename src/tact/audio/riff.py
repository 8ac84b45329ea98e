"""The chunks of a WAV, held against its file: libsndfile takes any size of data in silence."""

import io
import struct
from pathlib import Path
from typing import BinaryIO

from tact.errors import InputError

SIZE_UNKNOWN = 0xFFFFFFFF
"""Stated by a recorder that streams: it stands for all that follows."""
STRAY_MS = 20
"""Bytes after the sound of a WAV that are no chunk are let pass if they would last less."""
DATA, FORM = b"data", b"fmt "


def check(stream: BinaryIO, path: Path) -> None:
    """Hold the data of a WAV against its file, and go back to its start; other files pass.

    Raises
    ------
    InputError
        There are fewer bytes of samples than its header says, or more: bytes after them that are
        no chunk, or a second chunk of samples, which no reader would play.
    """
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    riff = stream.read(12)
    bytes_per_s = 0
    while riff[:4] == b"RIFF" and riff[8:] == b"WAVE" and len(head := stream.read(8)) == 8:
        declared = struct.unpack("<I", head[4:])[0]
        if head[:4] == DATA:
            _check_data(stream, path, declared, size - stream.tell(), bytes_per_s)
            break
        skipped = declared + declared % 2
        if head[:4] == FORM and len(form := stream.read(min(declared, 12))) == 12:
            bytes_per_s = struct.unpack("<I", form[8:])[0]
            skipped -= 12
        stream.seek(skipped, io.SEEK_CUR)
    stream.seek(0)


def _check_data(stream: BinaryIO, path: Path, declared: int, left: int, bytes_per_s: int) -> None:
    """Judge the chunk of samples that starts here, and what comes behind it."""
    if left < declared != SIZE_UNKNOWN:
        raise InputError(
            f"audio: {path} is truncated; {left} of {declared} bytes of samples are there"
        )
    if declared == SIZE_UNKNOWN:
        return
    if declared == 0 and 1000 * left >= STRAY_MS * bytes_per_s > 0:
        raise InputError(
            f"audio: {path} holds {left} bytes after a header that says none: its recorder was cut"
            " off; let an audio program write it again"
        )
    names, stray = _behind(stream, declared, left)
    if DATA in names:
        raise InputError(
            f"audio: {path} holds {1 + names.count(DATA)} chunks of samples, of which readers play"
            " the first; join them, or write the file again"
        )
    if 1000 * stray >= STRAY_MS * bytes_per_s > 0:
        raise InputError(
            f"audio: {path} holds more than its header says; after {declared} bytes of samples"
            f" come {stray} that are no chunk"
        )


def _behind(stream: BinaryIO, declared: int, left: int) -> tuple[list[bytes], int]:
    """Name the chunks after the data of a WAV, and count the bytes from the first that is none.

    A chunk is a name in ASCII and a length that the file holds. The pad byte after an odd number
    of bytes may be missing.
    """
    at, size = stream.tell() + declared, stream.tell() + left
    odd = declared % 2
    names: list[bytes] = []
    while (rest := size - at) > odd:
        for pad in range(odd, -1, -1):
            stream.seek(at + pad)
            head = stream.read(8)
            length = struct.unpack("<I", head[4:])[0] if len(head) == 8 else size
            if length <= rest - pad - 8 and all(32 <= letter < 127 for letter in head[:4]):
                break
        else:
            return names, rest
        names.append(head[:4])
        at, odd = at + pad + 8 + length, length % 2
    return names, 0
