"""The network of silero in matrix products: what it hears in 32 ms, and what it makes of it.

The weights are those of the package ``silero-vad``; neither torch nor onnxruntime is needed. A
chunk is 512 samples, heard after the 64 before it::

    576 samples -> 4 spectra of 256 -> 4 convolutions -> 128 features    a chunk by itself
    128 features, state -> LSTM cell -> state, probability               chunk after chunk

In the package spectra are a convolution too, whose filters are a Fourier transform under a Hann
window; a real FFT gives the same. Over so few frames a convolution is one matrix, so a batch of
chunks goes through it as the rows of one product.

A library rounds a row of a product by where it stands and by how many there are. So a product takes
either one row, or a batch of chunks that follow each other in one channel: an answer does not
depend on what else is asked, bit for bit.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from numpy.lib.stride_tricks import sliding_window_view

from tact.errors import InputError

Floats = npt.NDArray[np.float32]

N_CHUNK = 512
N_CONTEXT = 64
N_STATE = 128
N_FFT, N_HOP = 256, 128
HANN = np.hanning(N_FFT + 1)[:N_FFT].astype(np.float32)
STRIDES = (1, 2, 2, 1)
"""Of the convolutions, in frames."""

WEIGHTS = "data/silero_vad_16k_sequence.onnx"


class Network:
    """The network with the weights of the package.

    Raises
    ------
    InputError
        The package is not installed.
    """

    def __init__(self) -> None:
        weights, (self._input, self._recurrent, self._gate_bias) = _weights()
        self._layers = []
        n_frames = N_CHUNK // N_HOP
        for at, stride in enumerate(STRIDES):
            matrix = _as_matrix(weights[f"encoder.{at}.weight"], n_frames, stride)
            n_frames //= stride
            self._layers.append((matrix, np.tile(weights[f"encoder.{at}.bias"], n_frames)))
        self._output, self._output_bias = weights["output.weight"].ravel(), weights["output.bias"]

    def listen(self, chunks: Floats) -> Floats:
        """Say what each chunk of a batch adds to the gates of the cell.

        Parameters
        ----------
        chunks : float32 array, (n_chunks, 576)
            Samples of one channel at 16 kHz, full scale 1. Batches of other lengths may differ in
            the last bits.

        Returns
        -------
        float32 array, (n_chunks, 512)
        """
        rows = _spectra(chunks)
        for matrix, bias in self._layers:
            rows = np.maximum(rows @ matrix + bias, 0)
        gates: Floats = rows @ self._input + self._gate_bias
        return gates

    def remember(self, gates: Floats, state: Floats) -> tuple[Floats, Floats]:
        """Step the cell of some channels through what they heard.

        Parameters
        ----------
        gates : float32 array, (n_chunks, n_channels, 512)
            For each of 128 units what is let in, let out and kept, and the candidate.
        state : float32 array, (2, n_channels, 128)
            What the cell let out last, and what it holds; zeros at the start.

        Returns
        -------
        probability, state
            Of speech, (n_chunks, n_channels), and the state after the last chunk.
        """
        let_out, held = state
        told = np.empty((*gates.shape[:2], N_STATE), dtype=np.float32)
        for at, heard in enumerate(gates):
            gate = heard + (let_out[:, None] @ self._recurrent)[:, 0]
            let_in, out, keep = np.split(_sigmoid(gate[:, : 3 * N_STATE]), 3, axis=1)
            held = keep * held + let_in * np.tanh(gate[:, 3 * N_STATE :])
            told[at] = let_out = out * np.tanh(held)
        speech = np.vecdot(np.maximum(told, 0), self._output) + self._output_bias
        return _sigmoid(speech), np.stack((let_out, held))


def _spectra(chunks: Floats) -> Floats:
    """Give the magnitudes of the 4 spectra of each chunk, whose end is mirrored, in one row."""
    mirrored = np.pad(chunks, ((0, 0), (0, N_CONTEXT)), mode="reflect")
    frames = sliding_window_view(mirrored, N_FFT, axis=1)[:, ::N_HOP]
    spectra: Floats = np.abs(np.fft.rfft(frames * HANN)).reshape(len(chunks), -1)
    return spectra


def _as_matrix(weight: Floats, n_frames: int, stride: int) -> Floats:
    """Write a convolution over three frames, with zeros before and after them, as a matrix.

    Parameters
    ----------
    weight : float32 array, (n_out, n_in, 3)

    Returns
    -------
    float32 array, (n_frames * n_in, n_frames // stride * n_out)
    """
    n_out, n_in, n_taps = weight.shape
    matrix = np.zeros((n_frames + 2, n_in, n_frames // stride, n_out), dtype=np.float32)
    for at in range(n_frames // stride):
        first = at * stride
        matrix[first : first + n_taps, :, at] = weight.transpose(2, 1, 0)
    return matrix[1:-1].reshape(n_frames * n_in, -1)


def _sigmoid(values: Floats) -> Floats:
    # The same as 1 / (1 + exp(-values)), and nothing overflows.
    half = np.float32(0.5)
    shares: Floats = half + half * np.tanh(half * values)
    return shares


def _weights() -> tuple[dict[str, Floats], tuple[Floats, Floats, Floats]]:
    """Read the weights by their names, and those of the cell: for input, last output, and bias."""
    # The package itself imports torch, which its weights do not need: only its place is looked up.
    package = find_spec("silero_vad")
    path = Path(package.origin).parent / WEIGHTS if package and package.origin else None
    if path is None or not path.is_file():
        raise InputError(
            "silero: the package silero-vad is not installed;"
            " install requirements/silero.txt with pip install --no-deps"
        )
    graph = onnx.load(path).graph
    weights = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    (cell,) = (node for node in graph.node if node.op_type == "LSTM")
    heard, last, bias = (weights[name][0] for name in cell.input[1:4])
    return weights, (heard.T.copy(), last.T.copy(), bias.reshape(2, -1).sum(axis=0))
