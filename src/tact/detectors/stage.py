"""Speech detectors on audio: each channel on its own, in blocks, at 16 kHz.

Tables in: ``recordings`` and their audio. Tables out: ``ipus`` and ``quarantine``. The WebRTC
detector holds on after speech ends (its hangover) and needs a frame or two to be sure of an onset,
so its raw edges are late by different amounts; ``start_shift_ms`` and ``end_shift_ms`` undo that.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import webrtcvad

from tact import activity, audio
from tact.activity import Flags
from tact.audio import Samples
from tact.clock import FloatArray
from tact.errors import InputError
from tact.settings import Activity, Webrtc

DETECTION_HZ = 16_000
SOURCE = "webrtc"
FULL_SCALE = 32768


def detect(
    recordings: pd.DataFrame, root: Path, *, settings: Activity
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find the IPUs of each channel by the WebRTC detector.

    A conversation is left out whole, with a row that says why, when a channel cannot be read or
    holds no audio, when speakers share a channel, and when fewer than two people speak: a person
    who is not heard looks like one who never answers.

    Parameters
    ----------
    recordings : table ``recordings``
        Paths are relative to ``root``; channels as `tact.audio.file_channels` says.
    root : Path
        Folder of the corpus.
    settings : Activity
        ``webrtc`` and ``ipu_silence_ms``.

    Returns
    -------
    tables ``ipus`` and ``quarantine``
    """
    mixed = activity.share_a_channel(recordings)
    apart = recordings[~recordings["conversation"].isin(mixed["item"])]
    spans: list[pd.DataFrame] = []
    failed: list[pd.DataFrame] = []
    for _, rows in apart.groupby("conversation"):
        try:
            spans.extend(_spans(rows, root, settings=settings.webrtc))
        except InputError as error:
            failed.append(activity.quarantine(rows[:1], "unreadable audio", str(error)))
    left_out = pd.concat([mixed, *failed], ignore_index=True)
    ipus = _ipus(spans, settings=settings)
    heard = apart[~apart["conversation"].isin(left_out["item"])]
    silent = activity.unfit(heard, ipus, reason="silent channel")
    kept = ipus[~ipus["conversation"].isin(silent["item"])].reset_index(drop=True)
    return kept, pd.concat([left_out, silent], ignore_index=True)


class Track(NamedTuple):
    """One channel as detected: speech and power of each frame, and how long it lasts, ms."""

    speech: Flags
    power: FloatArray
    duration_ms: int


class WebrtcStream:
    """The WebRTC detector on one channel, fed piece by piece.

    Parameters
    ----------
    sample_rate_hz : int
        Rate of the channel; it is resampled to 16 kHz on the way.
    settings : Webrtc
        ``mode`` and ``frame_ms``.
    """

    def __init__(self, sample_rate_hz: int, *, settings: Webrtc) -> None:
        self._detector = webrtcvad.Vad(settings.mode)
        self._resampler = audio.Resampler(sample_rate_hz, DETECTION_HZ)
        self._n_frame = DETECTION_HZ * settings.frame_ms // 1000
        self._rest = np.zeros(0, dtype="<i2")
        self._speech = bytearray()
        self._power: list[FloatArray] = []

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 (n,)."""
        self._ask(self._resampler.feed(samples))

    def finish(self) -> tuple[Flags, FloatArray]:
        """Give speech and power (full scale 1) of each whole frame, both (n_frames,).

        A last piece shorter than a frame is not asked about.
        """
        self._ask(self._resampler.finish())
        power = np.concatenate(self._power) if self._power else np.zeros(0)
        return np.frombuffer(bytes(self._speech), dtype=np.bool_), power

    def _ask(self, samples: Samples) -> None:
        scaled = np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
        pending = np.concatenate((self._rest, scaled.astype("<i2")))
        whole = len(pending) - len(pending) % self._n_frame
        frames = pending[:whole].reshape(-1, self._n_frame)
        for frame in frames:
            self._speech.append(self._detector.is_speech(frame.tobytes(), DETECTION_HZ))
        self._power.append(np.mean((frames / FULL_SCALE) ** 2, axis=1))
        self._rest = pending[whole:]


def tracks_of_file(path: Path, channels: list[int], *, settings: Webrtc) -> list[Track]:
    """Detect speech in some channels of a file, which is decoded once, block by block.

    Returns
    -------
    list of Track
        One for each of ``channels``.

    Raises
    ------
    InputError
        The file cannot be read to its end or lacks one of the channels.
    """
    header = audio.probe(path)
    if max(channels) >= header.n_channels:
        raise InputError(f"audio: {path} has {header.n_channels} channels, not {max(channels) + 1}")
    streams = [WebrtcStream(header.sample_rate_hz, settings=settings) for _ in channels]
    for block in audio.blocks(path):
        for channel, stream in zip(channels, streams, strict=True):
            stream.feed(block[:, channel])
    duration_ms = header.n_samples * 1000 // header.sample_rate_hz
    return [Track(*stream.finish(), duration_ms) for stream in streams]


def _spans(rows: pd.DataFrame, root: Path, *, settings: Webrtc) -> Iterator[pd.DataFrame]:
    """Detect the speech of one conversation, channel by channel, then take out the bleed."""
    if rows["path"].isna().any():
        raise InputError("a channel has no audio; use words for this corpus")
    speakers: list[str] = []
    tracks: list[Track] = []
    for path, sharing in rows.assign(index=audio.file_channels(rows)).groupby("path"):
        channels = [int(index) for index in sharing["index"]]
        tracks += tracks_of_file(root / str(path), channels, settings=settings)
        speakers += list(sharing["speaker"])
    others = activity.hears_a_neighbour([track.power for track in tracks], settings=settings)
    for speaker, track, neighbour in zip(speakers, tracks, others, strict=True):
        spans = activity.spans_from_frames(
            track.speech, neighbour=neighbour, duration_ms=track.duration_ms, settings=settings
        )
        yield pd.DataFrame(
            {
                "conversation": rows["conversation"].iloc[0],
                "speaker": speaker,
                "start_ms": spans[:, 0],
                "end_ms": spans[:, 1],
            }
        )


def _ipus(spans: list[pd.DataFrame], *, settings: Activity) -> pd.DataFrame:
    columns = ["conversation", "speaker", "start_ms", "end_ms"]
    together = pd.concat(spans, ignore_index=True) if spans else pd.DataFrame(columns=columns)
    return activity.join(together, silence_ms=settings.ipu_silence_ms).assign(
        source=SOURCE, confidence=None
    )
