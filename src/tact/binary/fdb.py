"""Full-Duplex-Bench v1 (arXiv 2503.04721), as its code computes it, quirks included.

A *chunk* is a word of a recogniser, a *segment* a stretch of a speech detector, both [start, end)
in s. There is no window: speech anywhere in the recording counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import jensenshannon

from tact.clock import FloatArray

Span = tuple[float, float]

SHORT_S = 1.0
FEW_WORDS = 3
LONG_SEGMENT_S = 3.0
BACKCHANNEL_WORDS = 2
BIN_S = 0.2
_NOTHING = 1e-10


class Heard(NamedTuple):
    """What the backchannel rule makes of a recording: did it take over, and which segments count.

    Segments count also where they take over.
    """

    takeover: bool
    events: list[Span]


def takeover(chunks: Sequence[Span]) -> bool:
    """Tell whether the chunks of a whole recording take the floor: 1 s or more, or over 3 words."""
    if not chunks:
        return False
    return not (chunks[-1][1] - chunks[0][0] < SHORT_S and len(chunks) <= FEW_WORDS)


def latency(chunks: Sequence[Span], turn_end_s: float) -> float:
    """Measure the first chunk against the end of the user's turn, s; an early one is 0."""
    return max(0.0, chunks[0][0] - turn_end_s)


def cropped(chunks: Sequence[Span], cut_s: float) -> list[Span]:
    """Cut a recording at the end of the interruption: what is under way there starts there."""
    return [(max(start, cut_s), end) for start, end in chunks if end > cut_s]


def backchannel(segments: Sequence[Span], chunks: Sequence[Span]) -> Heard:
    """Judge the segments in order.

    The last one judged decides on takeover, whatever those before it were; one over 3 s takes
    over, ends the list, and is no event.
    """
    took = False
    events: list[Span] = []
    for start, end in segments:
        if end - start > LONG_SEGMENT_S:
            return Heard(True, events)
        words = sum(first < end and last > start for first, last in chunks)
        took = words > BACKCHANNEL_WORDS or end - start >= SHORT_S
        events.append((start, end))
    return Heard(took, events)


def frequency(events: Sequence[Span], duration_s: float) -> float:
    """Count events per second of the recording."""
    return len(events) / duration_s


def timing_divergence(events: Sequence[Span], reference: FloatArray, duration_s: float) -> float:
    """Give the distance of the events' times from a reference histogram of any length.

    It is the square root of the Jensen-Shannon divergence in nats (at most .8326), and 1, outside
    that range, where there is no event.
    """
    if not events:
        return 1.0
    bins = int(np.ceil(duration_s / BIN_S))
    counts = np.zeros(bins)
    for start, end in events:
        counts[max(0, int(start / BIN_S)) : int(end / BIN_S) + 1] += 1.0
    counts += _NOTHING
    place = np.linspace(0.0, 1.0, bins)
    expected = np.interp(place, np.linspace(0.0, 1.0, len(reference)), reference)
    return float(jensenshannon(counts / counts.sum(), expected))
