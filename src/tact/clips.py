"""Clips: two channels of an episode, cut to the sample and packed in one tar per shard.

The focal speaker is channel 0 and the partner channel 1, at the recording's own rate and level; of
two rates the lower is resampled to the higher, once::

    context_start            t0        t0 + 5 s
    |------------------------|---------|          -> <episode>.flac

A tar of the same episodes has the same bytes: members stand in the order of their names, with no
time and no owner. Tables in: ``episodes``, ``recordings``. Table out: ``clips``.
"""

import hashlib
import io
import tarfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
import pandas as pd

from tact import audio
from tact.errors import InputError

MARGIN_S = 1
"""What is resampled on either side of a clip, so that its ends do not ring."""


class Source(NamedTuple):
    """Where a speaker's voice is: file, channel of it, and Hz."""

    path: Path
    channel: int
    sample_rate_hz: int


def pack(
    episodes: pd.DataFrame, recordings: pd.DataFrame, root: Path, *, shard: str, into: BinaryIO
) -> pd.DataFrame:
    """Cut the clips of some episodes and write them as a tar.

    Parameters
    ----------
    episodes : table ``episodes``
        Times in ms; a clip runs from ``context_start_ms`` to ``horizon_end_ms``.
    recordings : table ``recordings``
        All recordings of these conversations; paths are relative to ``root``.
    root : Path
        Folder of the corpus.
    shard : str
        Name of the tar, the first part of ``clip``.
    into : binary file
        Where the tar goes; one clip at a time is in memory.

    Returns
    -------
    table ``clips``
        One row per episode: the member and its SHA-256, or the reason why there is none.
    """
    sources = find_sources(recordings, root)
    rows: list[dict[str, str | None]] = []
    with tarfile.open(fileobj=into, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for episode in episodes.sort_values("episode").itertuples():
            row: dict[str, str | None] = dict.fromkeys(("clip", "clip_sha256", "reason"))
            try:
                focal = _find(sources, episode.conversation, episode.focal)
                partner = _find(sources, episode.conversation, episode.partner)
                encoded = cut(
                    focal, partner, start_ms=episode.context_start_ms, end_ms=episode.horizon_end_ms
                )
            except InputError as error:
                row["reason"] = str(error)
            else:
                member = f"{episode.episode}.flac"
                _add(tar, member, encoded)
                row["clip"] = f"{shard}/{member}"
                row["clip_sha256"] = hashlib.sha256(encoded).hexdigest()
            rows.append({"episode": episode.episode, **row})
    return pd.DataFrame(rows, columns=["episode", "clip", "clip_sha256", "reason"])


def cut(focal: Source, partner: Source, *, start_ms: int, end_ms: int) -> bytes:
    """Cut one clip: two-channel FLAC of the samples from ``start_ms`` to ``end_ms``.

    A time between two samples takes the earlier one. 16 bit files give 16 bit clips with the very
    same samples; files of 24 or 32 bits, of floats and of two rates give 24 bit clips.

    Raises
    ------
    InputError
        One of the two channels does not cover the whole clip.
    """
    both, rate_hz = samples(focal, partner, start_ms=start_ms, end_ms=end_ms)
    depth = max(audio.depth(focal.path), audio.depth(partner.path))
    if focal.sample_rate_hz != partner.sample_rate_hz:
        depth = "PCM_24"
    return audio.flac(both, rate_hz, depth=depth)


def samples(
    focal: Source, partner: Source, *, start_ms: int, end_ms: int
) -> tuple[audio.Whole, int]:
    """Read the samples of both from ``start_ms`` to ``end_ms``, (n, 2), and say at what rate, Hz.

    Raises
    ------
    InputError
        One of the two channels does not cover the whole stretch.
    """
    rate_hz = max(focal.sample_rate_hz, partner.sample_rate_hz)
    start, stop = start_ms * rate_hz // 1000, end_ms * rate_hz // 1000
    if focal.path == partner.path:
        channels = [focal.channel, partner.channel]
        return audio.read(focal.path, start, stop, channels=channels), rate_hz
    both = [_one_channel(one, start, stop, rate_hz) for one in (focal, partner)]
    return np.hstack(both), rate_hz


def _one_channel(source: Source, start: int, stop: int, rate_hz: int) -> audio.Whole:
    """Read samples [start, stop) at ``rate_hz``, (n, 1), resampled where the file has another rate.

    What is resampled begins at a whole second, which is a sample of either rate.
    """
    own_hz = source.sample_rate_hz
    if own_hz == rate_hz:
        return audio.read(source.path, start, stop, channels=[source.channel])
    n_samples = audio.probe(source.path).n_samples
    needed = -(-stop * own_hz // rate_hz)
    if needed > n_samples:
        raise InputError(f"audio: {source.path} holds samples 0 to {n_samples}, not to {needed}")
    from_s = max(0, start // rate_hz - MARGIN_S)
    own_stop = min(n_samples, needed + MARGIN_S * own_hz)
    read = audio.read(source.path, from_s * own_hz, own_stop, channels=[source.channel])
    at = from_s * rate_hz
    return audio.resample(read, own_hz, rate_hz)[start - at : stop - at]


def find_sources(recordings: pd.DataFrame, root: Path) -> dict[tuple[str, str], Source]:
    """Give where each speaker's voice is, by conversation and speaker, where it is alone."""
    heard = recordings[recordings["path"].notna() & ~recordings["mixed"]]
    return {
        (row.conversation, row.speaker): Source(root / row.path, row.index, row.sample_rate_hz)
        for row in heard.assign(index=audio.file_channels(heard)).itertuples(index=False)
    }


def _find(sources: dict[tuple[str, str], Source], conversation: str, speaker: str) -> Source:
    if (conversation, speaker) not in sources:
        raise InputError(f"no audio of {speaker}")
    return sources[conversation, speaker]


def _add(tar: tarfile.TarFile, member: str, content: bytes) -> None:
    entry = tarfile.TarInfo(member)
    entry.size = len(content)
    entry.mode = 0o644
    tar.addfile(entry, io.BytesIO(content))
