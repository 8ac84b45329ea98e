"""pyannote's segmentation network, window by window over one channel.

The network hears a window of 10 s and says, for every 16.875 ms of it (270 samples), which of its
local speakers talk: none, one of three, or two of them (the powerset). Windows begin where
pyannote's own inference has them, ``step_s`` apart from the first sample on; where a window begins
decides much of what the network says of a doubtful place, so none is moved. An answer is about the
middle of what it hears, the first of a window 31 ms after the window's begin. All windows are laid
on one grid of frames that does not drift, each where its answers are nearest, half a frame off at
most::

    ms         0              31      48      65      81      98
    window 0   |              :       :       :       :       :   ...  : = the middle of what
    window 1                      |              :       :       : ...      an answer hears
    frame                     0       1       2       3       4
    laid here                                 0       1       2        answers to window 1

Frame 0 stands where the caller has it: for the diarizer at the first answer, as drawn and as
pyannote's own inference does it; for the detector half a frame after the channel's begin. The last
window is filled with zeros. Memory does not grow with the length of a channel.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from tact.audio import Samples
from tact.errors import InputError
from tact.networks import runtime
from tact.networks.runtime import SAMPLE_RATE_HZ
from tact.settings import Pyannote

Scores = npt.NDArray[np.float32]


class Segmentation:
    """The network as the config sets it.

    Attributes
    ----------
    n_window : int
        Samples of a window.
    n_hop : int
        Samples from one window to the next.
    n_frame : int
        Samples from one frame to the next.
    answers : int
        What the network says of a window, one after the other, a frame each.
    first_ms : float
        From the begin of a window to the middle of what its first answer hears, ms.
    batch : int
        Windows that are asked about at once.
    members : bool array, (n_classes, n_speakers)
        Which local speakers talk in each class of the powerset; nobody in class 0.

    Raises
    ------
    InputError
        pyannote.audio or the weights are not there, or the model is another kind.
    """

    def __init__(self, settings: Pyannote) -> None:
        self._model = runtime.model(settings.weights, settings.device)
        told: Any = getattr(self._model, "specifications", None)
        if not getattr(told, "powerset_max_classes", None):
            raise InputError(
                f"weights: {settings.weights.path} is no segmentation model that tells speakers"
                " apart by a powerset, such as pyannote/segmentation-3.0"
            )
        self.n_window = int(told.duration * SAMPLE_RATE_HZ)
        self.n_hop = max(1, round(settings.step_s * SAMPLE_RATE_HZ))
        one, two = (int(self._model.receptive_field_size(num_frames=n)) for n in (1, 2))
        self.n_frame = two - one
        self.answers = int(self._model.num_frames(self.n_window))
        self.first_ms = 1000 * one / 2 / SAMPLE_RATE_HZ
        self.batch = settings.batch
        self.members = _members(len(told.classes), told.powerset_max_classes)
        self._place = runtime.device(settings.device)

    @property
    def frame_ms(self) -> float:
        """From one frame to the next, ms."""
        return 1000 * self.n_frame / SAMPLE_RATE_HZ

    def n_frames(self, n_samples: int) -> int:
        """Count the frames of a channel; the last may be short."""
        return -(-n_samples // self.n_frame)

    def start(self, window: int, *, zero_ms: float) -> int:
        """Find the frame nearest to the first answer to a window; frame 0 is at ``zero_ms``."""
        begin_ms = 1000 * window * self.n_hop / SAMPLE_RATE_HZ
        return round((begin_ms + self.first_ms - zero_ms) / self.frame_ms)

    def ask(self, windows: Scores) -> Scores:
        """Give log probabilities, (n, n_answers, n_classes), of windows, (n, n_samples)."""
        torch = runtime.torch()
        with torch.inference_mode():
            heard = torch.from_numpy(windows[:, None, :]).to(self._place)
            answer: Scores = self._model(heard).cpu().numpy()
        return answer


class Windows:
    """Cut one channel into windows, a batch at a time.

    Batches are the same however the samples come in, so answers are too, bit for bit.
    """

    def __init__(self, network: Segmentation) -> None:
        self._n_window, self._n_hop = network.n_window, network.n_hop
        self._batch = network.batch
        self._waiting: list[Samples] = []
        self._n_waiting = self._n_cut = 0
        self.n_samples = 0

    def feed(self, samples: Samples) -> Iterator[Scores]:
        """Take the next samples and give the batches, (batch, n_samples), that they complete."""
        self._waiting.append(samples)
        self._n_waiting += len(samples)
        self.n_samples += len(samples)
        while self._n_waiting >= self._needed(self._batch):
            yield self._cut(self._batch)

    def finish(self) -> Iterator[Scores]:
        """Give the windows that are left; the last, filled with zeros, holds the end."""
        n_all = 1 + max(0, -(-(self.n_samples - self._n_window) // self._n_hop))
        n_left = n_all - self._n_cut
        if not self.n_samples or not n_left:
            return
        missing = self._needed(n_left) - self._n_waiting
        self._waiting.append(np.zeros(max(0, missing), dtype=np.float32))
        self._n_waiting += max(0, missing)
        yield self._cut(n_left)

    def _needed(self, n_windows: int) -> int:
        return (n_windows - 1) * self._n_hop + self._n_window

    def _cut(self, n_windows: int) -> Scores:
        samples = np.concatenate(self._waiting)
        starts = np.arange(n_windows) * self._n_hop
        cut = np.stack([samples[start : start + self._n_window] for start in starts])
        rest = samples[n_windows * self._n_hop :].copy()
        self._waiting, self._n_waiting = [rest], len(rest)
        self._n_cut += n_windows
        return cut.astype(np.float32, copy=False)


def _members(n_speakers: int, most_at_once: int) -> npt.NDArray[np.bool_]:
    powerset: Any = runtime.pyannote().utils.powerset.Powerset(n_speakers, most_at_once)
    members: npt.NDArray[np.bool_] = powerset.mapping.numpy() > 0
    return members
