"""Audio files: what they hold, samples in blocks, resampling, FLAC bytes.

Only this package imports soundfile and soxr. A path names a file, or a member of an uncompressed
tar as ``shard-000000.tar::<member>``. Whatever is wrong with a file is an `InputError` of one line.

WAV, FLAC and MP3 are read. A Xing or LAME header lets the MP3 decoder take out the encoder's
delay, so an MP3 that carries one decodes to the very samples that were encoded, aligned and of the
same number. One that has lost it starts late by the delay of encoder and decoder (1,105 samples
with LAME, 23 ms at 48 kHz), on both channels alike: no response time inside the file changes.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
import soundfile
import soxr

from tact.audio.encoding import flac as flac
from tact.audio.encoding import mp3 as mp3
from tact.audio.encoding import wav as wav
from tact.audio.opening import BROKEN, line, opened
from tact.audio.opening import MEMBER as MEMBER
from tact.clock import Interval
from tact.errors import InputError

Samples = npt.NDArray[np.float32]
Whole = npt.NDArray[np.int32]
Kind = Literal["int32", "float32", "float64"]
BLOCK_S = 10
COUNT_MAX = 2**48
DEEP = ("PCM_24", "PCM_32", "FLOAT", "DOUBLE")
FULL_SCALE = 2**31
LEAN = 11_520
"""Ten frames of MP3: a frame may take bits left over in those before it, and overlaps the last."""


class Header(NamedTuple):
    """What a file holds: Hz, samples of one channel as decoded, channels."""

    sample_rate_hz: int
    n_samples: int
    n_channels: int


def probe(path: Path) -> Header:
    """Tell what a file holds, checked against what can be decoded.

    The last sample is decoded, and the size of a WAV's data is compared with the file, so a
    truncated file is found without reading it all. A file whose header gives no length is counted.

    Raises
    ------
    InputError
        The file is missing, not audio, empty, or shorter than its header says; or it is a WAV whose
        header says that there is less sound than there is.
    """
    with opened(path) as sound:
        n_samples = sound.frames
        if not 0 < n_samples < COUNT_MAX:
            n_samples = sum(len(block) for block in _blocks(sound, path))
        elif _last(sound) != 1:
            raise InputError(f"audio: {path} is truncated; its header says {n_samples} samples")
        if n_samples == 0:
            raise InputError(f"audio: {path} holds no sample")
        return Header(sound.samplerate, n_samples, sound.channels)


def blocks(path: Path, *, block_s: float = BLOCK_S) -> Iterator[Samples]:
    """Read a file from start to end in blocks, so that memory does not grow with its length.

    Yields
    ------
    float32 array, (n, channels)
        Full scale is 1; all but the last block last ``block_s``, s.

    Raises
    ------
    InputError
        The file cannot be read, or ends before the length in its header.
    """
    with opened(path) as sound:
        n_read = 0
        for block in _blocks(sound, path, block_s=block_s):
            n_read += len(block)
            yield block
        if n_read < sound.frames < COUNT_MAX:
            raise InputError(
                f"audio: {path} is truncated; {n_read} of {sound.frames} samples decode"
            )


def read(path: Path, start: int, stop: int, *, channels: list[int]) -> Whole:
    """Read samples [start, stop) of some channels as they are stored, in the top bits of int32.

    Floating point samples (Seamless, MP3) are scaled by 2^31; those beyond full scale are clipped.

    Returns
    -------
    int32 array, (stop - start, len(channels))

    Raises
    ------
    InputError
        The file cannot be read, has no such channel, or ends before ``stop``.
    """
    with opened(path) as sound:
        demand_channel(path, sound.channels, max(channels))
        if not 0 <= start <= stop <= sound.frames:
            raise InputError(
                f"audio: {path} holds samples 0 to {sound.frames}, not {start} to {stop}"
            )
        try:
            samples = _whole_numbers(sound, start, stop)
        except BROKEN as error:
            raise InputError(f"audio: {path} cannot be decoded ({line(error)})") from None
    if len(samples) < stop - start:
        raise InputError(f"audio: {path} is truncated; it ends {len(samples)} samples past {start}")
    return samples[:, channels]


def pieces(path: Path, spans: Sequence[Interval], *, channel: int) -> Iterator[Samples]:
    """Read some stretches of one channel, opening the file once and decoding little else.

    Yields
    ------
    float32 array, (stop - start,)
        Full scale is 1; one for each span of samples [start, stop).

    Raises
    ------
    InputError
        The file cannot be read, or a span ends past its end.
    """
    with opened(path) as sound:
        for start, stop in spans:
            try:
                samples = _take(sound, start, stop, dtype="float32")
            except BROKEN as error:
                raise InputError(f"audio: {path} cannot be decoded ({line(error)})") from None
            if len(samples) < stop - start:
                raise InputError(f"audio: {path} ends {len(samples)} samples past {start}")
            yield samples[:, channel]


def demand_channel(path: Path, n_channels: int, channel: int) -> None:
    """Demand that a file has a channel of this number.

    Raises
    ------
    InputError
        It has fewer.
    """
    if channel >= n_channels:
        raise InputError(f"audio: {path} has {n_channels} channels, not {channel + 1}")


def demand_numbers(path: Path, block: Samples, channel: int) -> None:
    """Demand that the samples of a channel, of a block (n, channels), are numbers.

    Raises
    ------
    InputError
        Some are not.
    """
    own = block[:, channel]
    if n_wrong := len(own) - np.count_nonzero(np.isfinite(own)):
        raise InputError(
            f"{path}: channel {channel}: {n_wrong} samples are no number; record or export it anew"
        )


def depth(path: Path) -> Literal["PCM_16", "PCM_24"]:
    """Tell which FLAC depth keeps a file's samples: 24 bit for 24 and 32 bit files, else 16."""
    with opened(path) as sound:
        return "PCM_24" if sound.subtype in DEEP else "PCM_16"


class Resampler:
    """Resample one channel piece by piece, aligned with its input (no delay is left in)."""

    def __init__(self, from_hz: int, to_hz: int) -> None:
        same = from_hz == to_hz
        self._stream = (
            None if same else soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32", quality="MQ")
        )

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples, (n,), and give what is ready, (m,)."""
        if self._stream is None:
            return samples
        ready: Samples = self._stream.resample_chunk(np.ascontiguousarray(samples))
        return ready

    def finish(self) -> Samples:
        """Give what is left once all samples are in, (m,)."""
        nothing = np.zeros(0, dtype=np.float32)
        if self._stream is None:
            return nothing
        left: Samples = self._stream.resample_chunk(nothing, last=True)
        return left


def versions() -> str:
    """Name what decodes, resamples and encodes: another version may give other bytes."""
    return f"libsndfile {soundfile.__libsndfile_version__}, soxr {soxr.__libsoxr_version__}"


def resample(samples: Whole, from_hz: int, to_hz: int) -> Whole:
    """Resample whole samples, (n, channels), at the quality of soxr's VHQ, aligned at the first."""
    return cast(Whole, soxr.resample(samples, from_hz, to_hz, quality="VHQ"))


def stretch(samples: Samples, n_samples: int) -> Samples:
    """Resample one channel, (n,), to ``n_samples``: its length and its pitch change together."""
    stretched = soxr.resample(samples, len(samples), n_samples, quality="MQ")[:n_samples]
    missing = n_samples - len(stretched)
    return np.pad(stretched, (0, missing)).astype(np.float32, copy=False)


def file_channels(recordings: pd.DataFrame) -> "pd.Series[int]":
    """Find which channel of its file each recording is.

    Speakers who share a file sit on the channels that ``channel`` numbers. Where each speaker has
    a file of their own, ``channel`` numbers the file, and its first channel is meant. Where all
    are mixed on one channel, ``channel`` only orders them.
    """
    n_sharing = recordings.groupby(["conversation", "path"])["channel"].transform("size")
    own_channel = (n_sharing > 1) & ~recordings["mixed"]
    return recordings["channel"].where(own_channel, 0).astype(int)


def _last(sound: soundfile.SoundFile) -> int:
    try:
        sound.seek(sound.frames - 1)
        return len(sound.read(1, always_2d=True))
    except BROKEN:
        return 0


def _take(sound: soundfile.SoundFile, start: int, stop: int, *, dtype: Kind) -> npt.NDArray[Any]:
    """Read samples [start, stop), (n, channels).

    Frames of MP3 lean on those before, and soundfile seeks after every read: what follows may then
    differ from a decode in one go for up to a frame. So some samples before are read along.
    """
    early = max(0, start - LEAN) if sound.subtype.startswith("MPEG") else start
    if sound.tell() != early:
        sound.seek(early)
    samples: npt.NDArray[Any] = sound.read(stop - early, dtype=dtype, always_2d=True)
    return samples[start - early :]


def _whole_numbers(sound: soundfile.SoundFile, start: int, stop: int) -> Whole:
    """Read int32, (n, channels); libsndfile would round a float of 0.4 to the whole number 0.

    Floats are rounded here to the 24 or 16 bits of their clips: FLAC would cut them.
    """
    if sound.subtype.startswith("PCM"):
        return _take(sound, start, stop, dtype="int32")
    step = 2**8 if sound.subtype in DEEP else 2**16
    scaled = _take(sound, start, stop, dtype="float64") * (FULL_SCALE / step)
    most = FULL_SCALE // step
    clipped: Whole = (np.clip(np.rint(scaled), -most, most - 1) * step).astype(np.int32)
    return clipped


def _blocks(
    sound: soundfile.SoundFile, path: Path, *, block_s: float = BLOCK_S
) -> Iterator[Samples]:
    n_block = max(1, round(block_s * sound.samplerate))
    for at in count(0, n_block):
        try:
            block = _take(sound, at, at + n_block, dtype="float32")
        except BROKEN as error:
            raise InputError(f"audio: {path} cannot be decoded ({line(error)})") from None
        if len(block):
            yield block
        if len(block) < n_block:
            return
