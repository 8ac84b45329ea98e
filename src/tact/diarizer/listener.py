"""Listen to one channel: who of each window talks when, and with what voice.

The channel comes in blocks. Of each window are kept the class of every frame and one vector for
each speaker that talks long enough to have a voice; samples and features are let go. An hour comes
to about 6 MB (`tact.diarization.Heard`).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tact import audio
from tact.audio import Samples
from tact.clock import Flags
from tact.diarization import Classes, Heard, Vectors
from tact.networks.embedding import LEAST_MS, Embedder, embedder
from tact.networks.runtime import SAMPLE_RATE_HZ
from tact.networks.segmentation import Scores, Segmentation, Windows
from tact.settings import Embedding, Pyannote

SILENCE = 1e-6
"""Samples all softer than this are digital silence, whatever a network hears in it."""


class Ears(NamedTuple):
    """The two networks, loaded once per process."""

    segmentation: Segmentation
    embedder: Embedder


class Voice(NamedTuple):
    """One local speaker of one window: frames in which it talks alone, and its vector."""

    window: int
    local: int
    alone: int
    vector: Vectors


def ears(segmentation: Pyannote, embedding: Embedding) -> Ears:
    """Load the networks.

    Raises
    ------
    InputError
        A package or weights are not there, or not what they should be.
    """
    return Ears(Segmentation(segmentation), embedder(embedding, segmentation.device))


def listen(
    path: Path, ears: Ears, *, channel: int | None, most_s: float = float("inf")
) -> tuple[Heard, int]:
    """Listen to a file, or to its begin.

    Parameters
    ----------
    path : Path
    ears : Ears
    channel : int or None
        Which channel; None = the mean of all.
    most_s : float
        Listen until about this much speech of single speakers was heard, s.

    Returns
    -------
    Heard, and the length of what was heard in ms

    Raises
    ------
    InputError
        The file cannot be read to its end, has no such channel, or some samples are no number.
    """
    header = audio.probe(path)
    if channel is not None:
        audio.demand_channel(path, header.n_channels, channel)
    listener, n_read = Listener(ears), 0
    resampler = audio.Resampler(header.sample_rate_hz, SAMPLE_RATE_HZ)
    heard = range(header.n_channels) if channel is None else [channel]
    for block in audio.blocks(path):
        for each in heard:
            audio.demand_numbers(path, block, each)
        own = block.mean(axis=1) if channel is None else block[:, channel]
        listener.feed(resampler.feed(own))
        n_read += len(block)
        if listener.alone_s >= most_s:
            break
    listener.feed(resampler.finish())
    return listener.finish(), n_read * 1000 // header.sample_rate_hz


class Listener:
    """One channel at 16 kHz, fed piece by piece."""

    def __init__(self, ears: Ears) -> None:
        self._ears = ears
        self._windows = Windows(ears.segmentation)
        self._least = int(np.ceil(LEAST_MS / ears.segmentation.frame_ms))
        self._classes: list[Classes] = []
        self._voices: list[Voice] = []
        self._n_alone = 0

    @property
    def alone_s(self) -> float:
        """About how much speech of single speakers was heard, s."""
        network = self._ears.segmentation
        return self._n_alone * network.frame_ms / 1000 * network.n_hop / network.n_window

    def feed(self, samples: Samples) -> None:
        """Take the next samples."""
        self._hear(self._windows.feed(samples))

    def finish(self) -> Heard:
        """Give what was heard, once all samples are in."""
        self._hear(self._windows.finish())
        network, voices = self._ears.segmentation, self._voices
        none_heard = np.zeros((0, network.answers), dtype=np.uint8)
        return Heard(
            classes=np.stack(self._classes) if self._classes else none_heard,
            members=network.members,
            start=np.array(
                [network.start(k, zero_ms=network.first_ms) for k in range(len(self._classes))],
                dtype=np.int64,
            ),
            n_frames=network.n_frames(self._windows.n_samples),
            vectors=np.stack([voice.vector for voice in voices])
            if voices
            else np.zeros((0, 1), dtype=np.float32),
            window=np.array([voice.window for voice in voices], dtype=np.int64),
            local=np.array([voice.local for voice in voices], dtype=np.int64),
            alone=np.array([voice.alone for voice in voices], dtype=np.int64),
        )

    def _hear(self, batches: Iterable[Scores]) -> None:
        for batch in batches:
            for window, scores in zip(batch, self._ears.segmentation.ask(batch), strict=True):
                classes = scores.argmax(axis=1).astype(np.uint8)
                if np.abs(window).max() < SILENCE:
                    classes[:] = 0
                self._tell_voices(window, classes)
                self._classes.append(classes)

    def _tell_voices(self, window: Samples, classes: Classes) -> None:
        """Find the voice of each local speaker, from where it is alone if that is enough."""
        talks: Flags = self._ears.segmentation.members[classes].T
        alone = talks & (talks.sum(axis=0) == 1)
        n_alone = alone.sum(axis=1)
        self._n_alone += int(n_alone.sum())
        heard = np.where((n_alone >= self._least)[:, None], alone, talks)
        told = np.flatnonzero(heard.sum(axis=1) >= self._least)
        if len(told):
            vectors = self._ears.embedder.embed(window, heard[told])
            for local, vector in zip(told, vectors, strict=True):
                number = len(self._classes)
                self._voices.append(Voice(number, int(local), int(n_alone[local]), vector))
