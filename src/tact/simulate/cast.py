"""Who talks to whom: people meet in circles, so that they return with several partners.

::

    circle of 6    1-2 2-3 3-4 4-5 5-6 6-1   first round: everyone twice, with two partners
                   1-3 2-4 3-5 ...           then the next but one, and so on
"""

from dataclasses import dataclass

from tact.keys import digest

CIRCLE = 6
SERIES = "abcd"


@dataclass(frozen=True)
class Meeting:
    """One conversation to be made: its number, and the numbers of its people."""

    index: int
    people: tuple[int, ...]


def circles(n_speakers: int) -> int:
    """Give the number of circles; person k is in circle k modulo it."""
    return max(1, n_speakers // CIRCLE)


def dyads(n_conversations: int, n_speakers: int) -> list[Meeting]:
    """Pair people within circles of six or more, each pair once before any pair twice."""
    n_circles = circles(n_speakers)
    pairs = [_pairs(range(circle, n_speakers, n_circles)) for circle in range(n_circles)]
    meetings = []
    for index in range(n_conversations):
        rounds, circle = divmod(index, n_circles)
        meetings.append(Meeting(index, pairs[circle][rounds % len(pairs[circle])]))
    return meetings


def series(n_conversations: int, n_speakers: int) -> list[Meeting]:
    """Let groups of four meet four times running, as in AMI."""
    n_groups = max(1, n_speakers // 4)
    meetings = []
    for index in range(n_conversations):
        first = 4 * (index // len(SERIES) % n_groups)
        meetings.append(Meeting(index, (first, first + 1, first + 2, first + 3)))
    return meetings


def hexadecimal(length: int, *parts: object) -> str:
    """Make an id of ``length`` hex digits from content."""
    return digest(*parts)[:length]


def uuid(*parts: object) -> str:
    """Make an id in the shape of a UUID from content."""
    code = digest(*parts)
    return "-".join((code[:8], code[8:12], code[12:16], code[16:20], code[20:32]))


def _pairs(circle: range) -> list[tuple[int, int]]:
    n = len(circle)
    pairs = []
    for step in range(1, n // 2 + 1):
        starts = n // 2 if 2 * step == n else n
        pairs += [(circle[at], circle[(at + step) % n]) for at in range(starts)]
    return pairs
