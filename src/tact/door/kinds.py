"""What the door knows of a channel, and the reasons that it gives."""

from dataclasses import dataclass
from enum import StrEnum

from tact.clock import FloatArray

FRAME_MS = 50


class Reason(StrEnum):
    """Why a conversation is turned away at the door, or looked at twice."""

    UNREADABLE = "unreadable audio"
    LENGTH = "length disagrees"
    NOT_FINITE = "samples not finite"
    SHORT = "too short"
    SCALE = "beyond full scale"
    SILENT = "silent channel"
    SAME = "same sound on two channels"
    SWAPPED = "channels swapped"
    LATE = "sound out of step"
    OTHER = "sound of other words"
    DRIFT = "clock drift"
    DISTORTED = "clipped too hard"
    CLIPPED = "clipped"
    BLEED = "loud bleed"
    DOUBT = "words hardly fit"
    COPY = "delayed copy"
    REPEATED = "sound of another conversation"


KEPT = (Reason.CLIPPED, Reason.BLEED, Reason.DOUBT, Reason.COPY, Reason.REPEATED)
"""A row of these is a caution; the conversation of any other is left out."""


@dataclass(frozen=True)
class Heard:
    """One channel as decoded.

    Attributes
    ----------
    n_samples, sample_rate_hz : of the channel
    n_not_finite, n_clipped : samples that are no number, and those at full scale
    peak : the furthest sample from 0 that is a number, full scale 1
    n_flat : samples at the channel's own highest or lowest value, as the sample before is
    power : (n_frames,) mean square of each 50 ms frame about its mean, full scale 1, so that a
        recorder's constant is no sound; the last frame may be short
    """

    n_samples: int
    sample_rate_hz: int
    n_not_finite: int
    n_clipped: int
    peak: float
    n_flat: int
    power: FloatArray


@dataclass(frozen=True)
class Channel:
    """One row of ``inspections``."""

    corpus: str
    conversation: str
    channel: int
    speaker: str
    n_decoded: int
    off_ms: float
    stated_off_ms: float | None
    n_not_finite: int
    clipped_share: float
    level_dbfs: float
    floor_dbfs: float
    word_fit: float | None
    word_best: float | None
    word_lag_ms: int | None
    other_fit: float | None
    bleed_db: float | None
    drift_ppm: float | None
    drift_low_ppm: float | None
    drift_high_ppm: float | None
    sound_sha256: str | None
