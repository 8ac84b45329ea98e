"""Error rates of one conversation by pyannote.metrics: no collar, and overlap counts.

pyannote.metrics reckons in seconds; what comes back is whole milliseconds again, so that rates of a
corpus are sums over sums.
"""

from collections.abc import Collection
from typing import NamedTuple

import pandas as pd
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.detection import DetectionErrorRate
from pyannote.metrics.diarization import DiarizationErrorRate

from tact.clock import to_ms


class Times(NamedTuple):
    """What is said and what is found of it, ms; ``spoken`` counts overlap once per speaker."""

    speech_ms: int
    missed_ms: int
    false_ms: int
    spoken_ms: int
    spoken_missed_ms: int
    spoken_false_ms: int
    confused_ms: int


def annotation(ipus: pd.DataFrame) -> Annotation:
    """Write IPUs of one conversation as pyannote has them."""
    told = Annotation()
    for track, row in enumerate(ipus.itertuples(index=False)):
        told[Segment(row.start_ms / 1000, row.end_ms / 1000), track] = row.speaker
    return told


def times(reference: Annotation, hypothesis: Annotation, duration_ms: int) -> Times:
    """Measure what is missed, false and confused from 0 to ``duration_ms``.

    Speakers are matched as is best for the hypothesis, whatever their names.
    """
    whole = Timeline([Segment(0.0, duration_ms / 1000)])
    heard = DetectionErrorRate().compute_components(reference, hypothesis, uem=whole)
    told = DiarizationErrorRate().compute_components(reference, hypothesis, uem=whole)
    parts = [heard[name] for name in ("total", "miss", "false alarm")]
    parts += [told[name] for name in ("total", "missed detection", "false alarm", "confusion")]
    return Times(*(to_ms(part) for part in parts))


def same_names(
    reference: Annotation, hypothesis: Annotation, known: Collection[str]
) -> dict[str, str]:
    """Say which speaker of the reference each speaker of the hypothesis is.

    Where all are ``known`` by name, those of the same name are the same. Where the hypothesis has
    other names, as a diarizer gives them, all are matched by the time that they share; who shares
    none is nobody.
    """
    names = hypothesis.labels()
    if set(names) <= set(known):
        return {name: name for name in names}
    matched = DiarizationErrorRate().optimal_mapping(reference, hypothesis)
    return {name: matched.get(name, f"nobody: {name}") for name in names}
