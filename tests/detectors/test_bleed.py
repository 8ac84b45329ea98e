"""With bleed of -15 dB over noise of -20 dB a neighbour makes few spans, whatever the noise is."""

import numpy as np
import pytest

import calibrated
from tact import detectors
from tact.hearing import bias
from tact.keys import generator
from tact.simulate import mixing, soundcheck

RATE_HZ = 16_000


def white(n_samples, *, rate_hz, level_db, key):
    hiss = generator("noise", *key).standard_normal(n_samples, dtype=np.float32)
    return mixing.amplitude(level_db) * hiss


@pytest.mark.parametrize("noise", [mixing.noise, white], ids=["room", "white"])
def test_a_neighbours_voice_makes_few_spans(monkeypatch, noise):
    """Frames judged alone, by first differences, left 12 and 56 % of spans to the neighbour."""
    monkeypatch.setattr(mixing, "noise", noise)
    (check,) = soundcheck.checks([20.0], rate_hz=RATE_HZ, bleed_db=-15.0, n_utterances=60, seed=50)
    detector = detectors.create("webrtc", calibrated.SETTINGS)
    session = detectors.hear(check.sound, check.talk.speakers, detector)
    found = detectors.find(
        session, detector, calibrated.corrections("webrtc"), settings=calibrated.SETTINGS
    )
    n_false = n_found = n_missed = 0
    for one in found:
        own = [part for part in check.talk.utterances if part.speaker == one.own.track.speaker]
        true = np.array([(part.start_ms, part.end_ms) for part in own])
        meets = bias.meet(true, one.spans)
        n_false += int((~meets.any(axis=1)).sum())
        n_found += len(one.spans)
        n_missed += int((~meets.any(axis=0)).sum())

    assert n_found >= 60
    assert n_false <= 0.05 * n_found
    assert n_missed == 0
