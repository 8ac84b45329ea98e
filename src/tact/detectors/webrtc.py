"""The WebRTC detector: Gaussian mixtures on six bands, one answer per 10, 20 or 30 ms."""

import numpy as np
import webrtcvad

from tact.audio import Samples
from tact.detectors.protocol import SAMPLE_RATE_HZ, Probability
from tact.settings import Webrtc

FULL_SCALE = 32768
N_PIECE = 2 * SAMPLE_RATE_HZ
"""Samples changed to integers at a time: for longer arrays memory is asked of the system anew."""


class WebrtcDetector:
    """The detector as the config sets it."""

    name = "webrtc"
    gives_probability = False
    enter = leave = 0.5
    channels_at_once = 1

    def __init__(self, settings: Webrtc) -> None:
        self._mode = settings.mode
        self.frame_ms = float(settings.frame_ms)

    def open(self) -> "WebrtcStream":
        """Begin a channel."""
        return WebrtcStream(self._mode, round(self.frame_ms))


class WebrtcStream:
    """One channel; a last piece shorter than a frame is not asked about."""

    def __init__(self, mode: int, frame_ms: int) -> None:
        self._detector = webrtcvad.Vad(mode)
        self._n_bytes = 2 * SAMPLE_RATE_HZ * frame_ms // 1000
        self._rest = b""
        self._speech = bytearray()

    def feed(self, samples: Samples) -> None:
        """Take the next samples."""
        for start in range(0, len(samples), N_PIECE):
            self._take(samples[start : start + N_PIECE])

    def _take(self, samples: Samples) -> None:
        scaled = np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
        pending = self._rest + scaled.astype("<i2").tobytes()
        ask, n_bytes = self._detector.is_speech, self._n_bytes
        whole = len(pending) - len(pending) % n_bytes
        self._speech += bytes(
            [ask(pending[at : at + n_bytes], SAMPLE_RATE_HZ) for at in range(0, whole, n_bytes)]
        )
        self._rest = pending[whole:]

    def finish(self) -> Probability:
        """Give 1 for a frame of speech and 0 for another."""
        return np.frombuffer(self._speech, dtype=np.uint8).astype(np.float32)

    def close(self) -> None:
        """Nothing is shared, so nothing is given up."""
