"""Speech detectors on the channels of a corpus, and the stage that makes IPUs of what they say."""

from tact.detectors.listening import Session, Track, hear, listen
from tact.detectors.protocol import SAMPLE_RATE_HZ, Detector, Stream
from tact.detectors.stage import Activities, correct, detect, find, own_speech
from tact.errors import InputError
from tact.settings import Activity
from tact.vocabulary import DETECTORS


def create(name: str, settings: Activity) -> Detector:
    """Make a detector by its name, as the config sets it.

    Raises
    ------
    InputError
        There is no such detector, or what it needs is not installed.
    """
    # Each is imported only when asked for: what one needs must not stop another.
    if name == "webrtc":
        from tact.detectors.webrtc import WebrtcDetector

        return WebrtcDetector(settings.webrtc)
    if name == "silero":
        from tact.detectors.silero import SileroDetector

        return SileroDetector(settings.silero)
    if name == "pyannote":
        from tact.detectors.pyannote import PyannoteDetector

        return PyannoteDetector(settings.pyannote)
    raise InputError(f"detectors: there is no {name!r}; there are {', '.join(DETECTORS)}")


__all__ = [
    "SAMPLE_RATE_HZ",
    "Activities",
    "Detector",
    "Session",
    "Stream",
    "Track",
    "correct",
    "create",
    "detect",
    "find",
    "hear",
    "listen",
    "own_speech",
]
