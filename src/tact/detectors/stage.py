"""Stage: from the audio of a corpus to the IPUs of each of its speakers.

Tables in: ``recordings`` and their audio, ``detector_errors``. Tables out: ``ipus``, ``heard``,
``leaks``, ``crosstalk``, ``quarantine``.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from tact import activity, frames
from tact.clock import FloatArray, IntArray
from tact.detectors.listening import Session, Track, listen
from tact.detectors.protocol import Detector, Probability
from tact.errors import InputError
from tact.hearing import crosstalk, levels, spans
from tact.hearing.bias import Bias, Corrections
from tact.hearing.crosstalk import Leak, Removed
from tact.hearing.spans import Speech
from tact.settings import Activity


class Activities(NamedTuple):
    """The tables that the stage writes."""

    ipus: pd.DataFrame
    heard: pd.DataFrame
    leaks: pd.DataFrame
    crosstalk: pd.DataFrame
    quarantine: pd.DataFrame


@dataclass(frozen=True)
class Own:
    """The own speech of one channel, its ends as detected, and what it hears of each neighbour."""

    track: Track
    speech: Speech
    leaks: dict[int, Leak | None]
    removed: list[Removed]
    noise_db: float
    snr_db: float


@dataclass(frozen=True)
class Found:
    """The speech of one channel, its ends corrected."""

    own: Own
    spans: IntArray
    bias: Bias


def detect(
    recordings: pd.DataFrame,
    root: Path,
    *,
    detector: Detector,
    corrections: Corrections,
    settings: Activity,
) -> Activities:
    """Find the IPUs of each channel by a detector.

    A conversation is left out whole, with a row that says why, when a channel cannot be read or
    holds no audio, when speakers share a channel, and when fewer than two people speak: a person
    who is not heard looks like one who never answers.

    Parameters
    ----------
    recordings : table ``recordings``
        Paths are relative to ``root``; channels as `tact.audio.file_channels` says.
    root : Path
        Folder of the corpus.
    detector : Detector
    corrections : Corrections
        What the detector is off at each end, by SNR.
    settings : Activity
        How spans and IPUs are formed.
    """
    mixed = activity.share_a_channel(recordings)
    apart = recordings[~recordings["conversation"].isin(mixed["item"])]
    parts: dict[str, Activities] = {}
    conversations = (rows for _, rows in apart.groupby("conversation"))
    for rows, session in listen(conversations, root, detector):
        name = str(rows["conversation"].iloc[0])
        if isinstance(session, InputError):
            parts[name] = _failed(rows, session)
        else:
            found = find(session, detector, corrections, settings=settings)
            parts[name] = _tables(name, found, detector, settings)
    # Conversations end in the order of their lengths; tables are in that of their names.
    whole = [parts[name] for name in sorted(parts)]
    ipus = frames.join([part.ipus for part in whole], "ipus")
    failed = frames.join([mixed, *(part.quarantine for part in whole)], "quarantine")
    silent = activity.unfit(
        apart[~apart["conversation"].isin(failed["item"])], ipus, reason="silent channel"
    )
    return Activities(
        ipus[~ipus["conversation"].isin(silent["item"])].reset_index(drop=True),
        frames.join([part.heard for part in whole], "heard"),
        frames.join([part.leaks for part in whole], "leaks"),
        frames.join([part.crosstalk for part in whole], "crosstalk"),
        pd.concat([failed, silent], ignore_index=True),
    )


def find(
    session: Session, detector: Detector, corrections: Corrections, *, settings: Activity
) -> list[Found]:
    """Turn the frames of one conversation into spans of own speech, channel by channel."""
    return [
        Found(own, *correct(own.speech, own.snr_db, own.track.duration_ms, corrections, settings))
        for own in own_speech(session, detector, settings=settings)
    ]


def own_speech(session: Session, detector: Detector, *, settings: Activity) -> list[Own]:
    """Find the speech of each channel, the voices of its neighbours cut out."""
    raw = [
        spans.from_frames(
            track.probability,
            frame_ms=detector.frame_ms,
            enter=detector.enter,
            leave=detector.leave,
            duration_ms=track.duration_ms,
        )
        for track in session.tracks
    ]
    noise = [
        levels.noise_power(track.power, levels.inside(own, len(track.power)))
        for track, own in zip(session.tracks, raw, strict=True)
    ]
    return [_own(at, session, raw[at], noise, settings) for at in range(len(session.tracks))]


def correct(
    speech: Speech, snr_db: float, duration_ms: int, corrections: Corrections, settings: Activity
) -> tuple[IntArray, Bias]:
    """Move the ends of a channel's speech to where they truly are, as far as was measured.

    Returns
    -------
    int64 array, (n_spans, 2)
        In ms.
    Bias
        What was taken off each end, and what is left.
    """
    bias = corrections.at(snr_db)
    settled = spans.settle(
        spans.sharpen(speech, corrections.reaches),
        start_shift_ms=-bias.start_ms,
        end_shift_ms=-bias.end_ms,
        min_speech_ms=settings.min_speech_ms,
        duration_ms=duration_ms,
    )
    return settled, bias


def _own(
    at: int, session: Session, raw: FloatArray, noises: Sequence[float], settings: Activity
) -> Own:
    track, noise = session.tracks[at], noises[at]
    neighbours = [
        crosstalk.hear(
            track.power,
            other.power,
            session.meter.likeness(index, at),
            channel=index,
            noise=noise,
            other_noise=noises[index],
            settings=settings.crosstalk,
        )
        for index, other in enumerate(session.tracks)
        if index != at
    ]
    left = crosstalk.remove(raw, track.power, neighbours, settings=settings.crosstalk)
    gated = levels.gated_noise(track.power, left.spans, noise)
    noise = gated or noise
    loud = spans.loudness(
        left.spans, track.power, noise=noise, voice=left.voice, settings=settings.edges
    )
    speech = Speech(left.spans, left.cut, loud, gated is not None)
    if speech.gated:
        split, cut = spans.without_silence(speech.spans, speech.cut, loud)
        speech = speech._replace(spans=split, cut=cut)
    return Own(
        track,
        speech,
        leaks={neighbour.channel: neighbour.leak for neighbour in neighbours},
        removed=left.removed,
        noise_db=float(levels.decibel(noise)),
        snr_db=levels.snr_db(track.power, levels.inside(left.spans, len(track.power)), noise),
    )


def _tables(name: str, found: list[Found], detector: Detector, settings: Activity) -> Activities:
    return Activities(
        frames.check(_ipus(name, found, detector, settings), "ipus"),
        frames.frame(_heard(name, found, detector), "heard"),
        frames.frame(_leaks(name, found), "leaks"),
        frames.frame(_cut(name, found), "crosstalk"),
        frames.empty("quarantine"),
    )


def _failed(rows: pd.DataFrame, error: InputError) -> Activities:
    nothing = Activities(*(frames.empty(table) for table in Activities._fields))
    return nothing._replace(
        quarantine=activity.quarantine(rows[:1], "unreadable audio", str(error))
    )


def _ipus(name: str, found: list[Found], detector: Detector, settings: Activity) -> pd.DataFrame:
    together = pd.concat(
        [
            pd.DataFrame(
                {
                    "conversation": name,
                    "speaker": one.own.track.speaker,
                    "start_ms": one.spans[:, 0],
                    "end_ms": one.spans[:, 1],
                }
            )
            for one in found
        ],
        ignore_index=True,
    )
    ipus = activity.join(together, silence_ms=settings.ipu_silence_ms)
    if not detector.gives_probability:
        return ipus.assign(source=detector.name, confidence=None)
    sure = {one.own.track.speaker: one.own.track.probability for one in found}
    means = [
        _mean(sure[row.speaker], row.start_ms, row.end_ms, detector.frame_ms)
        for row in ipus.itertuples()
    ]
    return ipus.assign(source=detector.name, confidence=means)


def _mean(probability: Probability, start_ms: int, end_ms: int, frame_ms: float) -> float:
    """Average the probability over the frames that a span touches."""
    return float(probability[int(start_ms / frame_ms) : int(-(-end_ms // frame_ms))].mean())


def _heard(name: str, found: list[Found], detector: Detector) -> list[dict[str, object]]:
    return [
        {
            "conversation": name,
            "channel": one.own.track.channel,
            "speaker": one.own.track.speaker,
            "detector": detector.name,
            "snr_db": one.own.snr_db,
            "noise_dbfs": one.own.noise_db,
            "start_shift_ms": -one.bias.start_ms,
            "end_shift_ms": -one.bias.end_ms,
            "error_low_ms": one.bias.low_ms,
            "error_high_ms": one.bias.high_ms,
        }
        for one in found
    ]


def _leaks(name: str, found: list[Found]) -> list[dict[str, object]]:
    return [
        {
            "conversation": name,
            "speaker": one.own.track.speaker,
            "neighbour": found[neighbour].own.track.speaker,
            "level_db": leak and leak.level_db,
            "delay_ms": leak and leak.delay_ms,
            "drift_ppm": leak and leak.drift_ppm,
            "n_windows": leak.n_windows if leak else 0,
        }
        for one in found
        for neighbour, leak in one.own.leaks.items()
    ]


def _cut(name: str, found: list[Found]) -> list[dict[str, object]]:
    return [
        asdict(removed)
        | {
            "conversation": name,
            "speaker": one.own.track.speaker,
            "neighbour": found[removed.neighbour].own.track.speaker,
        }
        for one in found
        for removed in one.own.removed
    ]
