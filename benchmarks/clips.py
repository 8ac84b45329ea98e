"""Check every clip of a run sample by sample against the file that it was cut from.

    python benchmarks/clips.py RESULTS

RESULTS is a results folder with audio (`make clips` makes one of over 300 episodes). Each file is
decoded whole by soundfile, from its start and without seeking, and cut here; TACT's own reader,
which seeks, has no part in it. A clip of whole numbers must be the very samples; one of floats or
of MP3 may be off by half a step of the clip. Exits with 1 where a clip fails or is missing.
"""

import argparse
import hashlib
import io
import sys
import tarfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import soundfile
import yaml

from tact import tables

HALF_STEP = {"PCM_16": 2**15, "PCM_24": 2**7}
WHOLE = ("PCM_16", "PCM_24", "PCM_S8", "PCM_32")
Samples = npt.NDArray[np.float64]


def decode(source: str | Path | io.BytesIO) -> tuple[Samples, int, str]:
    """Decode a file whole: samples (n, channels) in units of int32, its rate and its subtype."""
    with soundfile.SoundFile(source) as sound:
        samples = sound.read(dtype="float64", always_2d=True) * 2.0**31
        return samples, sound.samplerate, sound.subtype


def decode_raw(root: Path, path: str) -> tuple[Samples, int, str]:
    """Decode a file of a corpus, or a member of a tar of it."""
    file, _, member = str(path).partition("::")
    if not member:
        return decode(root / file)
    with tarfile.open(root / file) as tar:
        found = tar.extractfile(member)
        if found is None:
            raise FileNotFoundError(path)
        return decode(io.BytesIO(found.read()))


def channel_of(recordings: pd.DataFrame, row: pd.Series) -> int:
    """Say which channel of its file a speaker is on: its rank among those of the same file."""
    same = recordings[recordings["path"] == row["path"]]
    return int((same["channel"] < row["channel"]).sum())


def off_by(clip: bytes, parts: list[tuple[Samples, int, str]], start_ms: int, end_ms: int) -> float:
    """Give the largest difference of a clip from its source, in half steps; 0 = the very one."""
    heard, rate_hz, subtype = decode(io.BytesIO(clip))
    worst = 0.0
    for channel, (source, source_hz, source_subtype) in enumerate(parts):
        cut = source[start_ms * source_hz // 1000 : end_ms * source_hz // 1000, 0]
        if rate_hz != source_hz or len(heard) != len(cut) or heard.shape[1] != len(parts):
            return np.inf
        cut = np.clip(cut, -(2.0**31), 2.0**31 - 1)
        differs = float(np.abs(heard[:, channel] - cut).max())
        if differs and source_subtype in WHOLE:
            return np.inf
        worst = max(worst, differs / HALF_STEP[subtype])
    return worst


def check_corpus(results: Path, corpus: str, root: Path) -> pd.DataFrame:
    """Check all clips of a corpus: one row per episode."""
    recordings = tables.read(results / f"corpora/{corpus}/recordings.parquet", "recordings")
    heard = recordings[recordings["path"].notna() & ~recordings["mixed"]]
    episodes = tables.read(results / "episodes/episodes.parquet", "episodes")
    rows = []
    for conversation, own in episodes[episodes["corpus"] == corpus].groupby("conversation"):
        channels = heard[heard["conversation"] == conversation]
        files = {path: decode_raw(root, path) for path in channels["path"].unique()}
        voices = {}
        for _, row in channels.iterrows():
            samples, rate_hz, subtype = files[row["path"]]
            at = channel_of(channels, row)
            voices[row["speaker"]] = (samples[:, at : at + 1], rate_hz, subtype)
        for episode in own.itertuples():
            if episode.clip is None or episode.focal not in voices:
                rows.append((episode.episode, False, np.inf))
                continue
            shard, _, member = episode.clip.partition("/")
            with tarfile.open(results / f"clips/{corpus}/{shard}.tar") as tar:
                found = tar.extractfile(member)
                content = found.read() if found else b""
            same = hashlib.sha256(content).hexdigest() == episode.clip_sha256
            parts = [voices[episode.focal], voices[episode.partner]]
            off = off_by(content, parts, episode.context_start_ms, episode.horizon_end_ms)
            rows.append((episode.episode, same, off))
    return pd.DataFrame(rows, columns=["episode", "sha256", "off"])


def main() -> int:
    """Print one row per corpus, and fail where a clip does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    results = parser.parse_args().results
    settings = yaml.safe_load((results / "config.yaml").read_text(encoding="utf-8"))
    lines, failed = [], 0
    for corpus in settings["build"]:
        checked = check_corpus(results, corpus, Path(settings["corpora"][corpus]["root"]))
        # Rounding of the decoder's own float is far below a thousandth of a step.
        good = checked["sha256"] & (checked["off"] <= 1.001)
        failed += int((~good).sum())
        lines.append(
            {
                "corpus": corpus,
                "episodes": len(checked),
                "clips right": int(good.sum()),
                "the very samples": int((checked["off"] == 0).sum()),
                "most off, half steps": checked["off"].max(),
            }
        )
    table = pd.DataFrame(lines)
    print(table.to_string(index=False))
    print(f"{table['episodes'].sum()} episodes, {failed} clips missing or wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
