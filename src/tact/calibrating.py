"""Stage: measure a detector on speech whose edges are known.

Tables in: none, or ``recordings`` with their audio and ``words`` whose times can be trusted. Table
out: ``detector_errors``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tact import activity, detectors, frames
from tact.clock import IntArray
from tact.detectors import SAMPLE_RATE_HZ, Detector, Session
from tact.errors import InputError
from tact.hearing import bias
from tact.hearing.bias import Corrections, Sample
from tact.hearing.spans import Reaches, Speech
from tact.settings import Activity
from tact.simulate import soundcheck

MADE = "made speech"


@dataclass(frozen=True)
class Heard:
    """One channel with known edges.

    Attributes
    ----------
    true : int64 array, (n, 2)
        True IPUs, ms.
    speech : Speech
        As detected.
    snr_db : float
    duration_ms : int
    """

    true: IntArray
    speech: Speech
    snr_db: float
    duration_ms: int


def on_made_speech(detector: Detector, *, settings: Activity) -> Iterator[Heard]:
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
        yield from beside(session, said, detector, settings=settings)


def on_words(
    recordings: pd.DataFrame,
    words: pd.DataFrame,
    root: Path,
    *,
    detector: Detector,
    settings: Activity,
) -> Iterator[Heard]:
    """Hear the conversations of a corpus whose word times can be trusted.

    Raises
    ------
    InputError
        A conversation cannot be heard: a measurement leaves nothing out in silence.
    """
    if recordings["mixed"].any():
        shared = recordings.loc[recordings["mixed"], "conversation"].unique()
        raise InputError(
            f"calibrate: in {len(shared)} conversations speakers share a channel, first"
            f" {shared[0]}; leave them out of --recordings"
        )
    conversations = (rows for _, rows in recordings.groupby("conversation"))
    for rows, session in detectors.listen(conversations, root, detector):
        if isinstance(session, InputError):
            raise session
        said = words[words["conversation"] == rows["conversation"].iloc[0]]
        said = activity.ipus_from_words(said, settings=settings)
        yield from beside(session, said, detector, settings=settings)


def beside(
    session: Session, said: pd.DataFrame, detector: Detector, *, settings: Activity
) -> Iterator[Heard]:
    """Set the speech of each channel beside the true IPUs.

    Parameters
    ----------
    said : DataFrame
        True speech: conversation, speaker, start_ms, end_ms.
    """
    true = activity.join(said, silence_ms=settings.ipu_silence_ms)
    for own in detectors.own_speech(session, detector, settings=settings):
        ipus = true[true["speaker"] == own.track.speaker]
        yield Heard(_times(ipus), own.speech, own.snr_db, own.track.duration_ms)


def measure(
    detector: str, heard: Iterable[Heard], *, measured_on: str, settings: Activity
) -> pd.DataFrame:
    """Make table ``detector_errors``.

    What was heard is gone through twice, so it is kept: .7 MB an hour of each channel.

    Raises
    ------
    InputError
        Too few IPUs were found one to one, or their ends are not those of the sound.
    """
    heard = list(heard)
    reaches = _reaches(
        [_sample(one, Corrections(), settings) for one in heard], detector, measured_on
    )
    sharpened = (_sample(one, Corrections(reaches), settings) for one in heard)
    rows = bias.table(detector, sharpened, reaches, bands_db=settings.calibration.bands_db)
    return frames.frame([row | {"measured_on": measured_on} for row in rows], "detector_errors")


def _reaches(detected: list[Sample], detector: str, measured_on: str) -> Reaches:
    """Measure how far from detected ends the true ones lie, where there is enough to measure."""
    measured = [bias.errors(one.true, one.found) for one in detected]
    n_met = sum(len(one.start) for one in measured)
    if n_met < bias.LEAST_IPUS:
        n_true = sum(one.n_true for one in measured)
        raise InputError(
            f"calibrate: {detector} finds {n_met} of {n_true} IPUs of {measured_on} one to one, and"
            f" {bias.LEAST_IPUS} are needed; calibrate on more talk"
        )
    reaches = bias.reaches(measured)
    if not bias.near(reaches):
        low, high = reaches.start.low_ms, reaches.end.high_ms
        raise InputError(
            f"calibrate: the ends of IPUs of {measured_on} lie {low:.0f} to {high:.0f} ms after"
            f" those that {detector} finds: its words are not, or not all, of its sound"
        )
    return reaches


def _sample(heard: Heard, corrections: Corrections, settings: Activity) -> Sample:
    """Set the IPUs of a channel, as corrected, beside the true ones."""
    spans, _ = detectors.correct(
        heard.speech, heard.snr_db, heard.duration_ms, corrections, settings
    )
    spoken = pd.DataFrame(spans, columns=["start_ms", "end_ms"]).assign(conversation="", speaker="")
    found = activity.join(spoken, silence_ms=settings.ipu_silence_ms)
    return Sample(heard.true, _times(found), heard.snr_db)


def _times(ipus: pd.DataFrame) -> IntArray:
    return np.asarray(ipus[["start_ms", "end_ms"]], dtype=np.int64)
