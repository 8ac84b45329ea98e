"""The silero detector: a recurrent network, one probability per 32 ms, many channels at once.

The weights are the ONNX file of the package ``silero-vad``, run by onnxruntime on one thread; torch
is not needed. A step of the network on 32 channels takes hardly longer than on four, so channels
that are open together are stepped together. A channel's answers do not depend on its company, bit
for bit::

    channel a  |chunk|chunk|chunk|         step 1: a0 b0 c0
    channel b  |chunk|chunk|               step 2: a1 b1 c1
    channel c  |chunk|chunk|chunk|chunk|   step 3 waits for b, or for b to finish
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tact.audio import Samples
from tact.detectors.protocol import SAMPLE_RATE_HZ, Probability
from tact.errors import InputError
from tact.settings import Silero

N_CHUNK = 512
N_CONTEXT = 64
STATE = (2, 128)
WEIGHTS = "data/silero_vad.onnx"
CURE = "install requirements/silero.txt with pip install --no-deps"


class SileroDetector:
    """The detector as the config sets it.

    Raises
    ------
    InputError
        The package with the weights is not installed.
    """

    name = "silero"
    gives_probability = True
    frame_ms = 1000 * N_CHUNK / SAMPLE_RATE_HZ

    def __init__(self, settings: Silero) -> None:
        self.enter, self.leave = settings.enter, settings.leave
        self.channels_at_once = settings.channels_at_once
        self._session = _session()
        self._open: list[SileroStream] = []

    def open(self) -> "SileroStream":
        """Begin a channel, which is stepped with those that are open."""
        stream = SileroStream(self)
        self._open.append(stream)
        return stream

    def advance(self) -> None:
        """Step all open channels while each of them has a whole chunk."""
        while self._open and (n_steps := min(stream.n_waiting for stream in self._open)):
            self._step(self._open, n_steps)

    def drain(self, stream: "SileroStream") -> None:
        """Step one channel to its last chunk, with the others as far as they go, and close it."""
        while stream.n_waiting:
            ready = [other for other in self._open if other.n_waiting]
            self._step(ready, min(other.n_waiting for other in ready))
        self.close(stream)

    def close(self, stream: "SileroStream") -> None:
        """Step without this channel from now on; once is enough."""
        if stream in self._open:
            self._open.remove(stream)
            self.advance()

    def _step(self, streams: "list[SileroStream]", n_steps: int) -> None:
        chunks = np.stack([stream.take(n_steps) for stream in streams], axis=1)
        context = np.stack([stream.context for stream in streams])
        state = np.stack([stream.state for stream in streams], axis=1)
        found = np.empty((n_steps, len(streams)), dtype=np.float32)
        rate = np.array(SAMPLE_RATE_HZ, dtype=np.int64)
        for step, chunk in enumerate(chunks):
            heard = np.concatenate((context, chunk), axis=1)
            answer, state = self._session.run(None, {"input": heard, "state": state, "sr": rate})
            found[step] = answer[:, 0]
            context = heard[:, -N_CONTEXT:]
        for index, stream in enumerate(streams):
            stream.context, stream.state = context[index], state[:, index]
            stream.found.append(found[:, index])


class SileroStream:
    """One channel; a last piece shorter than a chunk is filled with zeros."""

    def __init__(self, detector: SileroDetector) -> None:
        self._detector = detector
        self._waiting = np.zeros(0, dtype=np.float32)
        self.context = np.zeros(N_CONTEXT, dtype=np.float32)
        self.state = np.zeros(STATE, dtype=np.float32)
        self.found: list[Probability] = []

    @property
    def n_waiting(self) -> int:
        """Whole chunks that are not yet asked about."""
        return len(self._waiting) // N_CHUNK

    def take(self, n_chunks: int) -> npt.NDArray[np.float32]:
        """Hand over the oldest waiting chunks, (n_chunks, 512)."""
        n_taken = n_chunks * N_CHUNK
        taken, self._waiting = self._waiting[:n_taken], self._waiting[n_taken:]
        return taken.reshape(n_chunks, N_CHUNK)

    def feed(self, samples: Samples) -> None:
        """Take the next samples."""
        self._waiting = np.concatenate((self._waiting, samples))
        self._detector.advance()

    def finish(self) -> Probability:
        """Give the probability of speech of each chunk."""
        short = -len(self._waiting) % N_CHUNK
        self._waiting = np.pad(self._waiting, (0, short))
        self._detector.drain(self)
        return np.concatenate(self.found) if self.found else np.zeros(0, dtype=np.float32)

    def close(self) -> None:
        """Leave the others to themselves."""
        self._detector.close(self)


def _session() -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise InputError(f"silero: onnxruntime is not installed; {CURE}") from None
    # The package itself imports torch, which its weights do not need: only its place is looked up.
    package = find_spec("silero_vad")
    if package is None or package.origin is None:
        raise InputError(f"silero: the package silero-vad is not installed; {CURE}")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    weights = Path(package.origin).parent / WEIGHTS
    return onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
