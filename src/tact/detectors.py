"""Speech detectors on audio: each channel on its own, in blocks, at 16 kHz.

Tables in: ``recordings`` and their audio. Tables out: ``ipus`` and ``quarantine``. The WebRTC
detector holds on after speech ends (its hangover) and needs a frame or two to be sure of an onset,
so its raw edges are late by different amounts; ``start_shift_ms`` and ``end_shift_ms`` undo that.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import webrtcvad

from tact import activity, audio
from tact.audio import Samples
from tact.clock import IntArray
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
        self._n_bytes = 2 * DETECTION_HZ * settings.frame_ms // 1000
        self._rest = b""
        self._speech = bytearray()

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 (n,)."""
        self._ask(self._resampler.feed(samples))

    def finish(self) -> npt.NDArray[np.bool_]:
        """Give one value per whole frame; a last piece shorter than a frame is not asked about."""
        self._ask(self._resampler.finish())
        return np.frombuffer(bytes(self._speech), dtype=np.bool_)

    def _ask(self, samples: Samples) -> None:
        scaled = np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
        pcm = self._rest + scaled.astype("<i2").tobytes()
        whole = len(pcm) - len(pcm) % self._n_bytes
        for start in range(0, whole, self._n_bytes):
            frame = pcm[start : start + self._n_bytes]
            self._speech.append(self._detector.is_speech(frame, DETECTION_HZ))
        self._rest = pcm[whole:]


def _spans(rows: pd.DataFrame, root: Path, *, settings: Webrtc) -> Iterator[pd.DataFrame]:
    """Detect speech in the channels of one conversation, each file decoded once."""
    if rows["path"].isna().any():
        raise InputError("a channel has no audio; use words for this corpus")
    for path, sharing in rows.assign(index=audio.file_channels(rows)).groupby("path"):
        channels = [int(index) for index in sharing["index"]]
        found = speech_of_file(root / str(path), channels, settings=settings)
        for speaker, spans in zip(sharing["speaker"], found, strict=True):
            yield pd.DataFrame(
                {
                    "conversation": sharing["conversation"].iloc[0],
                    "speaker": speaker,
                    "start_ms": spans[:, 0],
                    "end_ms": spans[:, 1],
                }
            )


def speech_of_file(path: Path, channels: list[int], *, settings: Webrtc) -> list[IntArray]:
    """Detect speech in some channels of a file, which is decoded once, block by block.

    Returns
    -------
    list of int64 arrays, (n_spans, 2)
        Start and end in ms, for each of ``channels``.

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
    return [
        activity.spans_from_frames(stream.finish(), duration_ms=duration_ms, settings=settings)
        for stream in streams
    ]


def _ipus(spans: list[pd.DataFrame], *, settings: Activity) -> pd.DataFrame:
    columns = ["conversation", "speaker", "start_ms", "end_ms"]
    together = pd.concat(spans, ignore_index=True) if spans else pd.DataFrame(columns=columns)
    return activity.join(together, silence_ms=settings.ipu_silence_ms).assign(
        source=SOURCE, confidence=None
    )
