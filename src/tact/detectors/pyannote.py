"""The pyannote detector: a network on overlapping windows of 10 s, a probability per 16.875 ms.

Each window has a vote on a frame, for the class that it finds likeliest, as in pyannote's own
pipelines: speech is whatever is not "nobody talks". Votes are averaged as pyannote's own inference
does it, under a Hamming window, so that the middle of each counts most. Probabilities are not
averaged: in a silence they may be spread over six classes of speakers, each unlikely, that add up
to one half, where the vote says nobody.

A frame's value stands at its middle; windows are laid where their answers are nearest to it. The
frames at the ends of a channel that no answer is about take the nearest one's value.
"""

import numpy as np

from tact.audio import Samples
from tact.detectors.protocol import Probability
from tact.networks.segmentation import Scores, Segmentation, Windows
from tact.settings import Pyannote

NOBODY = 0
"""The class of the powerset in which nobody talks."""


class PyannoteDetector:
    """The detector as the config sets it.

    Raises
    ------
    InputError
        pyannote.audio or its weights are not there.
    """

    name = "pyannote"
    channels_at_once = 1
    gives_probability = True

    def __init__(self, settings: Pyannote) -> None:
        self._network = Segmentation(settings)
        self.frame_ms = self._network.frame_ms
        self.enter, self.leave = settings.enter, settings.leave

    def open(self) -> "PyannoteStream":
        """Begin a channel."""
        return PyannoteStream(self._network)


class PyannoteStream:
    """One channel; of frames that later windows still hear, the sums are kept."""

    def __init__(self, network: Segmentation) -> None:
        self._network = network
        self._windows = Windows(network)
        self._weight = np.hamming(network.answers)
        self._sum = np.zeros((2, network.answers))
        self._told: list[Probability] = []
        self._n_windows, self._n_told = 0, self._start(0)

    def feed(self, samples: Samples) -> None:
        """Take the next samples."""
        for batch in self._windows.feed(samples):
            self._add(batch)

    def finish(self) -> Probability:
        """Give the share of votes for speech of each frame."""
        for batch in self._windows.finish():
            self._add(batch)
        self._tell(self._network.answers)
        told = np.concatenate(self._told)
        frames = np.arange(self._network.n_frames(self._windows.n_samples))
        return told[np.clip(frames - self._start(0), 0, len(told) - 1)]

    def close(self) -> None:
        """Nothing is shared, so nothing is given up."""

    def _add(self, batch: Scores) -> None:
        for likeliest in self._network.ask(batch).argmax(axis=2):
            self._tell(self._start(self._n_windows) - self._n_told)
            self._sum += (self._weight * (likeliest != NOBODY), self._weight)
            self._n_windows += 1

    def _start(self, window: int) -> int:
        return self._network.start(window, zero_ms=self._network.frame_ms / 2)

    def _tell(self, n_frames: int) -> None:
        """Settle the oldest frames, which no later window hears."""
        speech, weight = self._sum[:, :n_frames]
        self._told.append((speech / np.maximum(weight, 1e-12)).astype(np.float32))
        self._n_told += n_frames
        rest = self._sum[:, n_frames:]
        self._sum = np.pad(rest, ((0, 0), (0, self._sum.shape[1] - rest.shape[1])))
