"""Stage: measure a detector on speech whose edges are known.

Tables in: none, or ``recordings`` with their audio and ``words`` whose times can be trusted. Table
out: ``detector_errors``.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from tact import activity, detectors, frames
from tact.clock import IntArray
from tact.detectors import SAMPLE_RATE_HZ, Detector, Session
from tact.errors import InputError
from tact.hearing import bias
from tact.hearing.bias import Corrections, Sample
from tact.settings import Activity
from tact.simulate import soundcheck

MADE = "made speech"


def on_made_speech(detector: Detector, *, settings: Activity) -> Iterator[Sample]:
    """Hear speech made for the purpose, at each of ``calibration.snrs_db``."""
    chosen = settings.calibration
    for check in soundcheck.checks(
        chosen.snrs_db,
        rate_hz=SAMPLE_RATE_HZ,
        bleed_db=chosen.bleed_db,
        n_utterances=chosen.utterances,
        seed=chosen.seed,
    ):
        session = detectors.hear(check.sound, check.talk.speakers, detector)
        said = pd.DataFrame(
            [("", part.speaker, part.start_ms, part.end_ms) for part in check.talk.utterances],
            columns=["conversation", "speaker", "start_ms", "end_ms"],
        )
        yield from compare(session, said, detector, settings=settings)


def on_words(
    recordings: pd.DataFrame,
    words: pd.DataFrame,
    root: Path,
    *,
    detector: Detector,
    settings: Activity,
) -> Iterator[Sample]:
    """Hear the conversations of a corpus whose word times can be trusted.

    Raises
    ------
    InputError
        A conversation cannot be heard: a measurement leaves nothing out in silence.
    """
    conversations = (rows for _, rows in recordings.groupby("conversation"))
    for rows, session in detectors.listen(conversations, root, detector):
        if isinstance(session, InputError):
            raise session
        said = words[words["conversation"] == rows["conversation"].iloc[0]]
        said = activity.ipus_from_words(said, settings=settings)
        yield from compare(session, said, detector, settings=settings)


def compare(
    session: Session, said: pd.DataFrame, detector: Detector, *, settings: Activity
) -> Iterator[Sample]:
    """Set the IPUs of each channel, found without corrections, beside the true ones.

    Parameters
    ----------
    said : DataFrame
        True speech: conversation, speaker, start_ms, end_ms.
    """
    true = activity.join(said, silence_ms=settings.ipu_silence_ms)
    for one in detectors.find(session, detector, Corrections(), settings=settings):
        spoken = pd.DataFrame(one.spans, columns=["start_ms", "end_ms"])
        spoken = spoken.assign(conversation="", speaker=one.track.speaker)
        found = activity.join(spoken, silence_ms=settings.ipu_silence_ms)
        own = true[true["speaker"] == one.track.speaker]
        yield Sample(_times(own), _times(found), one.snr_db)


def measure(
    detector: str, samples: Iterator[Sample], *, measured_on: str, settings: Activity
) -> pd.DataFrame:
    """Make table ``detector_errors``.

    Raises
    ------
    InputError
        No IPU was found one to one, so there is nothing to correct by.
    """
    rows = bias.table(detector, samples, bands_db=settings.calibration.bands_db)
    if not rows:
        raise InputError(f"calibrate: {detector} finds no IPU of {measured_on} one to one")
    return frames.frame([row | {"measured_on": measured_on} for row in rows], "detector_errors")


def _times(ipus: pd.DataFrame) -> IntArray:
    return np.asarray(ipus[["start_ms", "end_ms"]], dtype=np.int64)
