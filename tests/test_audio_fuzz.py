"""Spoilt sound files: read, or one line; never a traceback, a hang, or memory by a lying header."""

import random
import struct
import subprocess
import sys

import numpy as np
import pytest
import soundfile

from fuzzing import runs
from tact import audio
from tact.errors import InputError

SOUNDS = {
    "a.wav": ("PCM_16", 2), "float.wav": ("FLOAT", 1), "a.flac": ("PCM_16", 2), "a.mp3": (None, 2)
}  # fmt: skip


def sound(path, subtype, n_channels):
    samples = np.random.default_rng(3).uniform(-0.5, 0.5, (4000, n_channels))
    soundfile.write(path, samples, 16_000, subtype=subtype)
    return path.read_bytes()


def spoil(data, dice):
    """Change bytes, most of them in the header; cut; or put a stretch in twice."""
    data = bytearray(data)
    for _ in range(dice.randint(0, 8)):
        at = dice.randrange(min(len(data), 64) if dice.random() < 0.8 else len(data))
        data[at] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
    if dice.random() < 0.3:
        del data[dice.randrange(len(data)) :]
    if dice.random() < 0.2:
        at = dice.randrange(len(data) + 1)
        data[at:at] = data[at : at + 200]
    return bytes(data)


def outcome(path):
    """Read a file to its end: the line of its error, or nothing."""
    try:
        header = audio.probe(path)
        longest = max((len(block) for block in audio.blocks(path)), default=0)
    except InputError as error:
        return str(error)
    assert longest <= 10 * header.sample_rate_hz
    return ""


@pytest.mark.parametrize("name", SOUNDS)
def test_a_spoilt_sound_is_read_or_is_one_line(tmp_path, name):
    whole = sound(tmp_path / name, *SOUNDS[name])
    dice = random.Random(name)
    n_read = n_named = 0
    for _ in range(runs(300)):
        (tmp_path / name).write_bytes(spoil(whole, dice))
        message = outcome(tmp_path / name)
        n_read += not message
        n_named += bool(message)
        assert "\n" not in message

    assert n_read > 0
    assert n_named > 0


@pytest.mark.parametrize("rate_hz", [16_000, 4_000_000_000])
def test_a_header_that_promises_hours_allocates_nothing(tmp_path, rate_hz):
    """Its own process, since what a process has once used it keeps."""
    path = tmp_path / "liar.wav"
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 0xFFFFFFF0, b"WAVE", b"fmt ", 16, 1, 2,
                       rate_hz, 0, 4, 16, b"data", 0xFFFFFFFF)  # fmt: skip
    path.write_bytes(head + bytes(4000))
    code = (
        "import resource, sys; from pathlib import Path; from tact import audio\n"
        "from tact.errors import InputError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try: print(audio.probe(Path(sys.argv[1])).n_samples)\n"
        "except InputError as error: print(error)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert "1000" in said[0] or "audio:" in said[0]
    assert int(said[1]) < 100, "MB more than before"


def test_blocks_of_an_hour_use_no_more_memory_than_those_of_a_minute(tmp_path):
    peaks = []
    for minutes in (1, 60):
        path = tmp_path / f"{minutes}.flac"
        with soundfile.SoundFile(path, "w", 8_000, 2, subtype="PCM_16") as file:
            minute = np.zeros((480_000, 2), dtype="int16")
            for _ in range(minutes):
                file.write(minute)
        code = (
            "import resource, sys; from pathlib import Path; from tact import audio\n"
            "n = sum(len(block) for block in audio.blocks(Path(sys.argv[1])))\n"
            "print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)\n"
        )
        n, peak = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
        ).stdout.split()
        assert int(n) == minutes * 480_000
        peaks.append(int(peak))

    assert peaks[1] < peaks[0] + 20, "MB"
