"""What a speech detector is: 16 kHz samples of one channel in, a speech probability per frame out.

A detector that answers yes or no gives 1 and 0. Frame k is about the samples from k to k + 1 times
``frame_ms``; what lies between a detector's answer and the true edge is not known here, but
measured (`tact.hearing.bias`).
"""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from tact.audio import Samples

SAMPLE_RATE_HZ = 16_000

Probability = npt.NDArray[np.float32]


class Stream(Protocol):
    """One channel, fed piece by piece."""

    def feed(self, samples: Samples) -> None:
        """Take the next samples, float32 (n,), full scale 1."""

    def finish(self) -> Probability:
        """Give the probability of speech of each frame, (n_frames,), once all samples are in."""

    def close(self) -> None:
        """Give up a channel that cannot be read to its end."""


class Detector(Protocol):
    """A way to tell speech from silence.

    Attributes
    ----------
    name : str
        As in ``ipus.source``.
    frame_ms : float
        Length of a frame, ms.
    enter, leave : float
        Speech begins where the probability reaches ``enter`` and lasts until it is below ``leave``.
    channels_at_once : int
        How many open channels pay; 1 where they do not share their work.
    gives_probability : bool
        False where the answer is yes or no.
    """

    name: str
    frame_ms: float
    enter: float
    leave: float
    channels_at_once: int
    gives_probability: bool

    def open(self) -> Stream:
        """Begin a channel."""
