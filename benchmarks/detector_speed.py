"""How fast detectors and the activity stage are, beside their peers, on one thread in one run.

    python benchmarks/detector_speed.py

- silero, 64 channels of a minute stepped together, spans included, beside its own
  ``get_speech_timestamps(onnx=True)`` on each (where torch is installed);
- webrtc, spans not included, beside the bare calls of the library in a loop;
- the whole stage (decode, resample, detect, crosstalk, spans, IPUs, tables) with webrtc on 48 kHz
  stereo FLAC of 20 minutes and of three hours: times real time, and peak memory.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import webrtcvad
from stages import measured, one_corpus
from threadpoolctl import threadpool_limits

from tact import config, detectors
from tact.audio import Samples
from tact.detectors import SAMPLE_RATE_HZ
from tact.hearing import spans
from tact.simulate import soundcheck

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"]).activity
N_CHANNELS = 64
N_SECONDS = 60
REPEATS = 3
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def speech(rate_hz: int, seconds: int) -> Samples:
    """Make two channels of talk, (n, 2)."""
    (check,) = soundcheck.checks([25.0], rate_hz=rate_hz, bleed_db=-25.0, n_utterances=60, seed=2)
    return np.resize(check.sound, (seconds * rate_hz, 2))


def best(run: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def silero() -> None:
    sound = speech(SAMPLE_RATE_HZ, N_SECONDS)
    channels = [np.roll(sound[:, at % 2], 7_919 * at) for at in range(N_CHANNELS)]
    audio_s = N_CHANNELS * N_SECONDS

    def together() -> None:
        detector = detectors.create("silero", SETTINGS)
        streams = [detector.open() for _ in channels]
        for start in range(0, N_SECONDS * SAMPLE_RATE_HZ, 10 * SAMPLE_RATE_HZ):
            for stream, channel in zip(streams, channels, strict=True):
                stream.feed(channel[start : start + 10 * SAMPLE_RATE_HZ])
        for stream in streams:
            spans.from_frames(
                stream.finish(),
                frame_ms=detector.frame_ms,
                enter=detector.enter,
                leave=detector.leave,
                duration_ms=1000 * N_SECONDS,
            )

    ours = best(together)
    print(f"silero, {N_CHANNELS} channels together: {audio_s / ours:.0f} times real time")
    try:
        import torch
        from silero_vad import get_speech_timestamps, load_silero_vad
    except (ImportError, OSError):
        print("silero's own function: skipped, torch is not installed")
        return
    torch.set_num_threads(1)
    model = load_silero_vad(onnx=True)
    tensors = [torch.from_numpy(np.ascontiguousarray(channel)) for channel in channels]
    theirs = best(
        lambda: [get_speech_timestamps(one, model, sampling_rate=SAMPLE_RATE_HZ) for one in tensors]
    )
    print(f"silero's own function, onnx: {audio_s / theirs:.0f} times; ratio {theirs / ours:.2f}")


def webrtc() -> None:
    samples = speech(SAMPLE_RATE_HZ, 600)[:, 0].copy()
    whole = np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2")
    frames = [frame.tobytes() for frame in whole.reshape(-1, 160)]

    def bare() -> None:
        library = webrtcvad.Vad(SETTINGS.webrtc.mode)
        for frame in frames:
            library.is_speech(frame, SAMPLE_RATE_HZ)

    def ours() -> None:
        stream = detectors.create("webrtc", SETTINGS).open()
        for start in range(0, len(samples), 10 * SAMPLE_RATE_HZ):
            stream.feed(samples[start : start + 10 * SAMPLE_RATE_HZ])
        stream.finish()

    theirs, own = best(bare), best(ours)
    print(f"webrtc: {600 / own:.0f} times real time; bare calls {600 / theirs:.0f} times")
    print(f"webrtc takes {own / theirs:.2f} of the bare calls' time")


def stage(hours: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, root = Path(name), Path(name) / "long"
        root.mkdir()
        minute = speech(48_000, 60)
        with soundfile.SoundFile(root / "c.flac", "w", 48_000, 2, subtype="PCM_16") as file:
            for _ in range(round(60 * hours)):
                file.write(minute)
        (root / "recordings.csv").write_text(
            "conversation,speaker,channel,audio,timing\nc,A,0,c.flac,\nc,B,1,c.flac,\n"
        )
        settings = one_corpus(folder, root, "webrtc")
        tact = (sys.executable, "-m", "tact", "--config", str(settings))
        measured(*tact, "ingest", "long", "--root", str(root), "--out", str(folder))
        measured(*tact, "calibrate", "webrtc", "--out", str(folder / "errors.parquet"))
        seconds, megabytes = measured(
            *tact, "activity", "long", "--recordings", str(folder / "recordings.parquet"),
            "--out", str(folder / "ipus.parquet"), "--quarantine", str(folder / "q.parquet"),
            "--errors", str(folder / "errors.parquet"), **ONE_THREAD,
        )  # fmt: skip
        rate = 3600 * hours / seconds
        print(f"stage, {hours:g} h of 48 kHz stereo FLAC: {rate:.0f} times, {megabytes:.0f} MB")


if __name__ == "__main__":
    with threadpool_limits(1):
        silero()
        webrtc()
    stage(1 / 3)
    stage(3.0)
