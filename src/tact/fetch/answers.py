"""What an HTTP answer says of a file: that it is absent, refused or may come, and where bytes go.

RFC 9110: ranges (section 14), validators (8.8), Retry-After (10.2.3).
"""

import errno
import socket
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import requests

ABSENT = (404, 410)
GATES = ("GatedRepo", "RepoNotFound")


class Absent(Exception):
    """The source does not have the file, or does not give it to anyone."""


class Forbidden(Absent):
    """403: a store says so of what it does not have, and of a signature that has expired."""


class Unreachable(Exception):
    """The host cannot be found or has no way to it, and has not answered before."""


class Refused(Exception):
    """The source gives nothing without a token or an accepted gate."""


class Spoilt(Exception):
    """The bytes that came are not the file: wrong length or SHA-256."""


class Brief(Exception):
    """Something that may pass: a cut connection, 429, 5xx. ``wait`` is the server's wish, s."""

    def __init__(self, what: str, wait: float = 0.0, *, is_refused: bool = False) -> None:
        super().__init__(what)
        self.wait = wait
        self.is_refused = is_refused


def refuse(answer: requests.Response) -> None:
    """Sort an answer that brings no byte."""
    code = answer.status_code
    if code in (401, 407) or answer.headers.get("X-Error-Code") in GATES:
        raise Refused(f"{code} {answer.headers.get('X-Error-Message', answer.reason)}")
    if code == 403:
        raise Forbidden(f"{code} {answer.reason}")
    if code in ABSENT:
        raise Absent(f"{code} {answer.reason}")
    if code == 416:
        return
    wait_if_busy(answer)
    if code not in (200, 206):
        raise Absent(f"{code} {answer.reason}")


def is_unreachable(error: BaseException) -> bool:
    """Tell whether a request failed because its host has no address or no way leads there."""
    return any(
        isinstance(one, socket.gaierror)
        or (isinstance(one, OSError) and one.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH))
        for one in _causes(error)
    )


def is_refused(error: BaseException) -> bool:
    """Tell whether the host is there and takes no connection."""
    return any(isinstance(one, ConnectionRefusedError) for one in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def wait_if_busy(answer: requests.Response) -> None:
    """Raise `Brief` where the source asks to come again."""
    if answer.status_code == 429 or answer.status_code >= 500:
        raise Brief(f"{answer.status_code} {answer.reason}", _retry_after(answer))


def length_of(answer: requests.Response) -> int | None:
    """Give the length that an answer states, bytes."""
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None


def place(answer: requests.Response, have: int, mark: object) -> tuple[int, int | None]:
    """Tell where the bytes of an answer belong, and how long the whole file is."""
    if answer.status_code == 200:
        return 0, length_of(answer)
    first, whole = _content_range(answer)
    if answer.status_code == 416:
        if whole != have:
            raise Spoilt(f"the source has {whole} bytes, {have} came before")
        return have, whole
    if first != have or mark_of(answer) not in (None, mark):
        raise Spoilt(f"bytes from {first} of {mark_of(answer)} came, not from {have} of {mark}")
    return have, whole


def _content_range(answer: requests.Response) -> tuple[int | None, int | None]:
    unit, _, rest = answer.headers.get("Content-Range", "").partition(" ")
    span, _, whole = rest.partition("/")
    first = span.partition("-")[0]
    if unit != "bytes":
        return None, None
    return int(first) if first.isdigit() else None, int(whole) if whole.isdigit() else None


def mark_of(answer: requests.Response) -> str | None:
    """What If-Range may name: a strong ETag, else the date of the last change."""
    tag = answer.headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified")


def _retry_after(answer: requests.Response) -> float:
    """Give the wait that the source asks for, s; 0 where it asks for none."""
    wish = answer.headers.get("Retry-After", "")
    if wish.isdigit():
        return float(wish)
    try:
        return max(0.0, parsedate_to_datetime(wish).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
