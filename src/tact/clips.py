"""Clips: two channels of an episode, cut to the sample and packed in one tar per shard.

The focal speaker is channel 0 and the partner channel 1, at the recording's own rate and level::

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

CLIP_CHANNELS = 2


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
    sources = _sources(recordings, root)
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
    same samples; files of 24 or 32 bits and of floats give 24 bit clips.

    Raises
    ------
    InputError
        The two channels have different rates, or one does not cover the whole clip.
    """
    rate_hz = focal.sample_rate_hz
    if partner.sample_rate_hz != rate_hz:
        raise InputError(f"sample rates differ ({rate_hz} and {partner.sample_rate_hz} Hz)")
    start, stop = start_ms * rate_hz // 1000, end_ms * rate_hz // 1000
    if focal.path == partner.path:
        both = audio.read(focal.path, start, stop, channels=[focal.channel, partner.channel])
    else:
        both = np.hstack(
            [audio.read(one.path, start, stop, channels=[one.channel]) for one in (focal, partner)]
        )
    depth = max(audio.depth(focal.path), audio.depth(partner.path))
    return audio.flac(both, rate_hz, depth=depth)


def _sources(recordings: pd.DataFrame, root: Path) -> dict[tuple[str, str], Source]:
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
