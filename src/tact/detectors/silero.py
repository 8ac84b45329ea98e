"""The silero detector: a recurrent network, one probability per 32 ms, many channels at once.

Channels that are open together are stepped together, a batch of chunks (2 s) at a time, which takes
less time than one by one. A channel's answers do not depend on its company, bit for bit::

    channel a  |batch|batch|batch|         step 1: a0 b0 c0
    channel b  |batch|batch|               step 2: a1 b1 c1
    channel c  |batch|batch|batch|batch|   step 3 waits for b, or for b to finish

The network itself is `tact.detectors.silero_network`.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tact.audio import Samples
from tact.detectors.protocol import SAMPLE_RATE_HZ, Probability
from tact.detectors.silero_network import N_CHUNK, N_CONTEXT, N_STATE, Network
from tact.settings import Silero

N_BATCH = 64 * N_CHUNK
"""Samples; so many are heard at once."""


class SileroDetector:
    """The detector as the config sets it.

    Raises
    ------
    InputError
        What the network needs is not installed.
    """

    name = "silero"
    gives_probability = True
    frame_ms = 1000 * N_CHUNK / SAMPLE_RATE_HZ

    def __init__(self, settings: Silero) -> None:
        self.enter, self.leave = settings.enter, settings.leave
        self.channels_at_once = settings.channels_at_once
        self._network = Network()
        self._open: list[SileroStream] = []

    def open(self) -> "SileroStream":
        """Begin a channel, which is stepped with those that are open."""
        stream = SileroStream(self)
        self._open.append(stream)
        return stream

    def advance(self) -> None:
        """Step all open channels while each of them has a whole batch."""
        while self._open and all(stream.ready for stream in self._open):
            self._step(self._open)

    def drain(self, stream: "SileroStream") -> None:
        """Step one channel to its last batch, with the others as far as they go, and close it."""
        while stream.ready:
            self._step([other for other in self._open if other.ready])
        self.close(stream)

    def close(self, stream: "SileroStream") -> None:
        """Step without this channel from now on; once is enough."""
        if stream in self._open:
            self._open.remove(stream)
            self.advance()

    def _step(self, streams: "list[SileroStream]") -> None:
        gates = np.stack([self._network.listen(stream.take()) for stream in streams], axis=1)
        state = np.stack([stream.state for stream in streams], axis=1)
        found, state = self._network.remember(gates, state)
        for index, stream in enumerate(streams):
            stream.state = state[:, index]
            stream.found.append(found[:, index])


class SileroStream:
    """One channel; a last piece shorter than a batch is filled with zeros."""

    def __init__(self, detector: SileroDetector) -> None:
        self._detector = detector
        self._waiting = np.zeros(N_CONTEXT, dtype=np.float32)
        self._n_samples = 0
        self.state = np.zeros((2, N_STATE), dtype=np.float32)
        self.found: list[Probability] = []

    @property
    def ready(self) -> bool:
        """Whether a whole batch is not yet asked about."""
        return len(self._waiting) >= N_CONTEXT + N_BATCH

    def take(self) -> Samples:
        """Hand over the oldest batch, each chunk after its context, (64, 576)."""
        batch, self._waiting = self._waiting[: N_CONTEXT + N_BATCH], self._waiting[N_BATCH:]
        return sliding_window_view(batch, N_CONTEXT + N_CHUNK)[::N_CHUNK]

    def feed(self, samples: Samples) -> None:
        """Take the next samples."""
        self._n_samples += len(samples)
        self._waiting = np.concatenate((self._waiting, samples))
        self._detector.advance()

    def finish(self) -> Probability:
        """Give the probability of speech of each chunk, the last with zeros after it."""
        self._waiting = np.pad(self._waiting, (0, -self._n_samples % N_BATCH))
        self._detector.drain(self)
        found = np.concatenate([np.zeros(0, dtype=np.float32), *self.found])
        return found[: -(-self._n_samples // N_CHUNK)]

    def close(self) -> None:
        """Leave the others to themselves."""
        self._detector.close(self)
