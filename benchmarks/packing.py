"""Clips in a tar with an index beside clips in Parquet: size, streaming, one episode at random.

::

    python benchmarks/packing.py [--clips 96] [--folder DIR]

Made clips (two channels of 16 kHz, 28 s, speech-like noise) are packed four ways and read with the
packer's own means and by the builders of `datasets` without decoding (that for tars wants torch and
torchcodec all the same: nan where they are not). Times are medians, files in the page cache.
"""

import argparse
import hashlib
import io
import json
import statistics
import tarfile
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tact import audio

RATE_HZ, LENGTH_S = 16_000, 28
GROUPS = (1, 4, 16)


def made_clips(n):
    """Noise under a slow envelope, so that FLAC has something to do."""
    for i in range(n):
        rng = np.random.default_rng(i)
        time_s = np.arange(RATE_HZ * LENGTH_S) / RATE_HZ
        envelope = 10 ** (-1.5 + np.sin(2 * np.pi * 0.3 * time_s + i))[:, None]
        noise = np.cumsum(rng.normal(0, 1, (len(time_s), 2)), axis=0)
        noise -= np.apply_along_axis(np.convolve, 0, noise, np.ones(64) / 64, "same")
        samples = np.clip(noise * envelope * 300, -32_768, 32_767).astype(np.int16)
        yield f"x-{i:05}", audio.flac(samples, RATE_HZ, depth="PCM_16")


def write_tar(clips, folder):
    rows = []
    with tarfile.open(folder / "clips.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, encoded in clips:
            entry = tarfile.TarInfo(f"{name}.flac")
            entry.size = len(encoded)
            rows.append({"episode": name, "at": tar.offset + 512, "n_bytes": len(encoded)})
            tar.addfile(entry, io.BytesIO(encoded))
            row = json.dumps({"episode": name}).encode()
            entry = tarfile.TarInfo(f"{name}.json")
            entry.size = len(row)
            tar.addfile(entry, io.BytesIO(row))
    pq.write_table(pa.Table.from_pylist(rows), folder / "index.parquet")


def write_parquet(clips, folder, rows):
    kind = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema([("episode", pa.string()), ("audio", kind)])
    with pq.ParquetWriter(folder / "clips.parquet", schema, compression="zstd") as file:
        for start in range(0, len(clips), rows):
            file.write_table(
                pa.Table.from_pylist(
                    [
                        {"episode": name, "audio": {"bytes": encoded, "path": f"{name}.flac"}}
                        for name, encoded in clips[start : start + rows]
                    ],
                    schema=schema,
                )
            )


def one_of_tar(folder, name):
    index = pq.read_table(folder / "index.parquet", filters=[("episode", "=", name)]).to_pylist()
    with (folder / "clips.tar").open("rb") as tar:
        tar.seek(index[0]["at"])
        return tar.read(index[0]["n_bytes"])


def one_of_parquet(folder, name):
    found = pq.read_table(folder / "clips.parquet", filters=[("episode", "=", name)])
    return found["audio"][0]["bytes"].as_py()


def all_of_tar(folder):
    with tarfile.open(folder / "clips.tar") as tar:
        return [tar.extractfile(m).read() for m in tar if m.name.endswith(".flac")]


def all_of_parquet(folder):
    file = pq.ParquetFile(folder / "clips.parquet")
    return [
        row["bytes"] for batch in file.iter_batches(4) for row in batch.column("audio").to_pylist()
    ]


def by_builder(folder, builder):
    """Read by `datasets`, streaming, nothing decoded."""
    import datasets

    suffix = "tar" if builder == "webdataset" else "parquet"
    rows = datasets.load_dataset(
        builder, data_files=str(folder / f"clips.{suffix}"), split="train", streaming=True
    )
    if suffix == "parquet":
        return [row["audio"]["bytes"] for row in rows]
    rows = rows.cast_column("flac", datasets.Audio(decode=False))
    return [row["flac"]["bytes"] for row in rows]


def timed(run, repeats):
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = run()
        took.append(time.perf_counter() - start)
    return statistics.median(took), result


def measure(folder, kind, clips, repeats):
    names = [clips[i][0] for i in np.random.default_rng(1).integers(0, len(clips), 20)]
    one, every, builder = (
        (one_of_tar, all_of_tar, "webdataset")
        if kind == "tar"
        else (one_of_parquet, all_of_parquet, "parquet")
    )
    wanted = hashlib.sha256(b"".join(encoded for _, encoded in clips)).hexdigest()
    known = dict(clips)
    row = {"size": sum(path.stat().st_size for path in folder.iterdir())}
    row["all"], got = timed(lambda: every(folder), repeats)
    assert hashlib.sha256(b"".join(got)).hexdigest() == wanted
    try:
        row["builder"], got = timed(lambda: by_builder(folder, builder), repeats)
        assert hashlib.sha256(b"".join(got)).hexdigest() == wanted
    except ImportError as error:
        print(f"{builder}: {error}")
        row["builder"] = float("nan")
    took, got = timed(lambda: [one(folder, name) for name in names], repeats)
    assert got == [known[name] for name in names]
    return row | {"one": took / len(names)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clips", type=int, default=96)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folder", type=Path, default=None)
    given = parser.parse_args()
    clips = list(made_clips(given.clips))
    raw = sum(len(encoded) for _, encoded in clips)
    print(
        f"{len(clips)} clips, {raw / 1e6:.1f} MB of FLAC; MB/s and ms, medians of {given.repeats}"
    )
    print(f"{'':24}{'size':>9}{'stream':>10}{'datasets':>10}{'one':>9}")
    rows = {}
    with tempfile.TemporaryDirectory(dir=given.folder) as top:
        for kind, group in (("tar", 0), *(("parquet", rows) for rows in GROUPS)):
            label = kind if kind == "tar" else f"parquet, {group} a group"
            folder = Path(top) / label.replace(" ", "-")
            folder.mkdir()
            write_tar(clips, folder) if kind == "tar" else write_parquet(clips, folder, group)
            rows[label] = row = measure(folder, kind, clips, given.repeats)
            print(
                f"{label:24}{row['size'] / raw:9.4f}{raw / 1e6 / row['all']:10.0f}"
                f"{raw / 1e6 / row['builder']:10.0f}{1000 * row['one']:9.1f}"
            )
    tar, parquet = rows["tar"], rows["parquet, 4 a group"]
    print(
        "parquet (4) over tar: "
        + ", ".join(
            f"{name} {parquet[name] / tar[name]:.2f}" for name in ("size", "all", "builder", "one")
        )
    )


if __name__ == "__main__":
    main()
