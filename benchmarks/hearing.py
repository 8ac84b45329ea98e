"""What detectors are off by on speech whose edges are known, before and after what TACT does.

    python benchmarks/hearing.py [DETECTOR ...]

Six conditions (clean, 20 dB, 10 dB, with bleed at -15 dB at 20 dB and over digital silence, 20 dB
behind a gate that leaves 150 ms of noise on either side of speech), each detector that is named,
else webrtc and silero: as it comes (its frames as spans), with neighbours cut out and ends
sharpened, and corrected by a calibration that was measured on other speech. Beside them silero's
own function, where torch is installed. Printed for each: median and 90 % of the absolute errors of
floor transfers, how many of them lie in the 90 % interval that is told with them (over digital
silence none is), backchannels of 150 to 400 ms that are found, IPUs where their speaker says
nothing, speech found in one piece.
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import activity, calibrating, config, detectors
from tact.clock import IntArray
from tact.detectors import SAMPLE_RATE_HZ, Detector
from tact.hearing import bias, spans
from tact.hearing.bias import Corrections
from tact.simulate import mixing, soundcheck
from tact.simulate.soundcheck import Check

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"]).activity
INF = float("inf")
CONDITIONS = {
    "clean": (INF, -INF, None),
    "20 dB": (20.0, -INF, None),
    "10 dB": (10.0, -INF, None),
    "20 dB, bleed -15": (20.0, -15.0, None),
    "clean, bleed -15": (INF, -15.0, None),
    "20 dB, gated": (20.0, -INF, 150),
}
"""SNR, level of bleed, ms of noise that a gate leaves on either side of speech."""
N_CONVERSATIONS = 6
N_UTTERANCES = 100
SEED = 20
"""Not the seed of the calibration."""

Interval = tuple[float | None, float | None]
Hear = Callable[[Check], Iterator[tuple[str, IntArray, Interval]]]
UNTOLD = (None, None)


class Row(NamedTuple):
    detector: str
    condition: str
    fto_median_ms: float
    fto_90_ms: float
    told_90: str
    backchannels: str
    false_ipus: str
    one_to_one: str


def as_it_comes(detector: Detector) -> Hear:
    def hear(check: Check) -> Iterator[tuple[str, IntArray, Interval]]:
        for track in detectors.hear(check.sound, check.talk.speakers, detector).tracks:
            raw = spans.from_frames(
                track.probability,
                frame_ms=detector.frame_ms,
                enter=detector.enter,
                leave=detector.leave,
                duration_ms=track.duration_ms,
            )
            yield track.speaker, np.rint(raw).astype(np.int64), UNTOLD

    return hear


def ours(detector: Detector, corrections: Corrections) -> Hear:
    def hear(check: Check) -> Iterator[tuple[str, IntArray, Interval]]:
        session = detectors.hear(check.sound, check.talk.speakers, detector)
        for one in detectors.find(session, detector, corrections, settings=SETTINGS):
            yield one.own.track.speaker, one.spans, (one.bias.low_ms, one.bias.high_ms)

    return hear


def silero_itself() -> Hear | None:
    try:
        import torch
        from silero_vad import get_speech_timestamps, load_silero_vad
    except (ImportError, OSError):
        return None
    torch.set_num_threads(1)
    model = load_silero_vad(onnx=True)

    def hear(check: Check) -> Iterator[tuple[str, IntArray, Interval]]:
        for at, speaker in enumerate(check.talk.speakers):
            samples = torch.from_numpy(np.ascontiguousarray(check.sound[:, at]))
            found = get_speech_timestamps(samples, model, sampling_rate=SAMPLE_RATE_HZ)
            edges = [(one["start"] // 16, one["end"] // 16) for one in found]
            yield speaker, np.array(edges, dtype=np.int64).reshape(-1, 2), UNTOLD

    return hear


def gated(check: Check, margin_ms: int) -> Check:
    channels = [
        mixing.gate(
            check.sound[:, at],
            [(part.start_ms, part.end_ms) for part in check.talk.utterances if part.speaker == who],
            rate_hz=SAMPLE_RATE_HZ,
            margin_ms=margin_ms,
        )
        for at, who in enumerate(check.talk.speakers)
    ]
    return Check(check.talk, np.stack(channels, axis=1))


def judge(name: str, condition: str, hear: Hear, checks: list[Check]) -> Row:
    start, end, told = [], [], []
    n_short = n_heard = n_true = n_found = n_false = 0
    for check in checks:
        for speaker, found, (low, high) in hear(check):
            own = [part for part in check.talk.utterances if part.speaker == speaker]
            true = np.array([(part.start_ms, part.end_ms) for part in own])
            ipus = joined(found)
            errors = bias.errors(true, ipus)
            start.append(errors.start)
            end.append(errors.end)
            if low is not None:
                over = bias.transfers(errors.start, errors.end)
                told.append((low <= over) & (over <= high))
            meets = bias.meet(true, ipus)
            short = np.array([part.backchannel for part in own])
            n_short += int(short.sum())
            n_heard += int(meets.any(axis=0)[short].sum())
            n_false += int((~meets.any(axis=1)).sum())
            n_true, n_found = n_true + len(true), n_found + len(ipus)
    over = bias.transfers(np.concatenate(start), np.concatenate(end))
    return Row(
        name,
        condition,
        float(np.median(over)),
        float(np.quantile(np.abs(over), 0.9)),
        f"{np.concatenate(told).mean():.2f}" if told else "",
        f"{n_heard / n_short:.1%}",
        f"{n_false / n_found:.1%}",
        f"{len(over) / n_true:.1%}",
    )


def joined(found: IntArray) -> IntArray:
    table = pd.DataFrame(found, columns=["start_ms", "end_ms"])
    ipus = activity.join(
        table.assign(conversation="", speaker=""), silence_ms=SETTINGS.ipu_silence_ms
    )
    return ipus[["start_ms", "end_ms"]].to_numpy(np.int64)


def main(names: list[str]) -> None:
    hearers: dict[str, Hear] = {}
    for name in names:
        detector = detectors.create(name, SETTINGS)
        heard = calibrating.on_made_speech(detector, settings=SETTINGS)
        measured = calibrating.measure(name, heard, measured_on="made", settings=SETTINGS)
        hearers[f"{name}, as it comes"] = as_it_comes(detector)
        corrections = Corrections.of(measured, name)
        hearers[f"{name}, sharpened"] = ours(detector, Corrections(corrections.reaches))
        hearers[f"{name}, calibrated"] = ours(detector, corrections)
    peer = silero_itself()
    if peer is None:
        print("silero's own function: skipped, torch is not installed", file=sys.stderr)
    else:
        hearers["silero's own function"] = peer
    rows = []
    for condition, (snr_db, bleed_db, margin_ms) in CONDITIONS.items():
        checks = [
            check if margin_ms is None else gated(check, margin_ms)
            for check in soundcheck.checks(
                [snr_db] * N_CONVERSATIONS,
                rate_hz=SAMPLE_RATE_HZ,
                bleed_db=bleed_db,
                n_utterances=N_UTTERANCES,
                seed=SEED,
            )
        ]
        rows += [judge(name, condition, hear, checks) for name, hear in hearers.items()]
    print(pd.DataFrame(rows).round(1).to_string(index=False))


if __name__ == "__main__":
    main(sys.argv[1:] or ["webrtc", "silero"])
