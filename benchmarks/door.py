"""Ingest and inspect a long recording beside a plain read of it: time and memory.

    python benchmarks/door.py [HOURS]

Makes a 48 kHz stereo FLAC of HOURS (3), reads it once with soundfile alone, then runs
`tact ingest` and `tact inspect` on it, each in a process of its own, and prints for each the
seconds, the peak of resident memory, and its rate against the plain read, by processor time too,
which others on the machine leave alone. Then the same with each channel in a file of its own, whose
clocks are compared.
"""

import resource
import sys
import tempfile
from pathlib import Path

import numpy as np
import soundfile
from stages import measured, one_corpus

RATE = 48_000
PLAIN = """
import sys, soundfile
for path in sys.argv[1:]:
    with soundfile.SoundFile(path) as sound:
        for block in sound.blocks(480_000, dtype="float32", always_2d=True):
            pass
"""


def used():
    """Give the processor time of all that was run so far, s."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def make(root, hours, names):
    """Write two voices that take turns every 3 s, and what the adapter `generic` needs."""
    rng = np.random.default_rng(1)
    minute = rng.normal(0, 0.05, (60 * RATE, 2))
    minute[(np.arange(60 * RATE) // (3 * RATE)) % 2 == 0, 1] *= 0.02
    minute[(np.arange(60 * RATE) // (3 * RATE)) % 2 == 1, 0] *= 0.02
    minute += 0.03 * np.roll(minute[:, ::-1], 200, axis=0)
    for name, own in zip(names, np.hsplit(minute, len(names)), strict=True):
        with soundfile.SoundFile(root / name, "w", RATE, own.shape[1], subtype="PCM_16") as file:
            for _ in range(round(60 * hours)):
                file.write(own)
    (root / "recordings.csv").write_text(
        "conversation,speaker,channel,audio,timing\n"
        f"c,A,0,{names[0]},t.csv\nc,B,1,{names[-1]},t.csv\n"
    )
    spans = [f"{3 * k},{3 * k + 3},so,{'AB'[k % 2]}" for k in range(round(1200 * hours))]
    (root / "t.csv").write_text("start_s,end_s,text,speaker\n" + "\n".join(spans) + "\n")


def compare(hours, names):
    """Print what each run takes on a recording in one file or two."""
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), Path(name) / "long"
        root.mkdir()
        make(root, hours, names)
        config = one_corpus(folder, root, "words")
        tact = (sys.executable, "-m", "tact", "--config", config)
        tables = (
            "--recordings",
            folder / "recordings.parquet",
            "--words",
            folder / "words.parquet",
        )
        runs = {
            "soundfile alone": (sys.executable, "-c", PLAIN, *(root / name for name in names)),
            "tact ingest": (*tact, "ingest", "long", "--root", root, "--out", folder),
            "tact inspect": (*tact, "inspect", "long", *tables, "--out", folder / "i.parquet",
                             "--quarantine", folder / "q.parquet"),
        }  # fmt: skip
        plain = None
        for what, command in runs.items():
            before = used()
            seconds, peak = measured(*map(str, command))
            busy = used() - before
            plain = plain or (seconds, busy)
            print(
                f"{len(names)} file(s)  {what:16} {seconds:7.1f} s"
                f"  {3600 * hours / seconds:6.0f} x real time"
                f"  {peak:5.0f} MB  rate against soundfile {plain[0] / seconds:.2f}"
                f" ({plain[1] / busy:.2f} by processor time)"
            )


if __name__ == "__main__":
    for files in (["c.flac"], ["a.flac", "b.flac"]):
        compare(float(sys.argv[1]) if len(sys.argv) > 1 else 3.0, files)
