"""From what share of samples at full scale on detectors lose speech: `door.clipped_most`.

    python benchmarks/door_clipping.py ERRORS.parquet...

Made speech of two people at 3 levels of noise, played louder and clipped at full scale, heard by
each detector that a table of `tact calibrate` tells of and corrected by it. Printed: the share of
samples at full scale on either channel as the door counts it, and how many of the true IPUs meet no
IPU that is found and is not another's, clipped and as floats beyond full scale.
"""

import sys
from pathlib import Path

import numpy as np

from hearing import joined
from tact import config, detectors, tables
from tact.detectors import SAMPLE_RATE_HZ
from tact.hearing.bias import Corrections
from tact.inspection import Meter
from tact.simulate import soundcheck

SETTINGS = config.load([Path(__file__).resolve().parents[1] / "config.yaml"]).activity
SNRS_DB = (20.0, 30.0, 60.0)
GAINS_DB = (0, 6, 10, 12, 15, 18, 20, 22, 24, 26, 28, 30, 34, 40)
"""Of the loudest sample, over full scale."""


def n_lost(true, found):
    """Count the true IPUs that have no IPU of their own, each given the one it overlaps most."""
    taken = set()
    for start, end in true:
        common = [min(end, b) - max(start, a) for a, b in found]
        if common and max(common) > 0:
            taken.add(int(np.argmax(common)))
    return len(true) - len(taken)


def lost(check, sound, detector, corrections):
    """Count the IPUs that a detector loses of both speakers."""
    session = detectors.hear(sound, check.talk.speakers, detector)
    n = 0
    for one in detectors.find(session, detector, corrections, settings=SETTINGS):
        said = [part for part in check.talk.utterances if part.speaker == one.own.track.speaker]
        n += n_lost(joined([(part.start_ms, part.end_ms) for part in said]), joined(one.spans))
    return n


def share(samples):
    """Give the share of samples at full scale, as the door counts it."""
    meter = Meter(SAMPLE_RATE_HZ)
    meter.feed(samples)
    heard = meter.finish()
    return max(heard.n_clipped, heard.n_flat) / heard.n_samples


def main():
    """Print one line for each level of noise and each gain."""
    measured = tables.read([Path(path) for path in sys.argv[1:]], "detector_errors")
    ears = [
        (detectors.create(name, SETTINGS), Corrections.of(measured, name))
        for name in sorted(measured["detector"].unique())
    ]
    print("snr_db gain_db shares lost(clipped floats):", *sorted(measured["detector"].unique()))
    for check in soundcheck.checks(
        SNRS_DB, rate_hz=SAMPLE_RATE_HZ, bleed_db=-40.0, n_utterances=60, seed=7
    ):
        snr_db = SNRS_DB[int(check.talk.conversation.rpartition("-")[2])]
        for gain_db in GAINS_DB:
            loud = check.sound / np.abs(check.sound).max() * np.float32(10 ** (gain_db / 20))
            clipped = np.clip(loud, -1, 1)
            shares = " ".join(f"{share(samples):.3f}" for samples in clipped.T)
            told = [f"{lost(check, clipped, *ear)} {lost(check, loud, *ear)}" for ear in ears]
            print(f"{snr_db:.0f} {gain_db:+d} {shares} ", " | ".join(told), flush=True)


if __name__ == "__main__":
    main()
