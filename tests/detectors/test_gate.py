"""A gate that shuts between utterances and leaves noise beside them shifts no transfer."""

import numpy as np
import pytest

import calibrated
from tact import detectors
from tact.hearing import bias
from tact.simulate import mixing, soundcheck

RATE_HZ = 16_000


def gated(check, margin_ms):
    channels = [
        mixing.gate(
            check.sound[:, at],
            [(part.start_ms, part.end_ms) for part in check.talk.utterances if part.speaker == who],
            rate_hz=RATE_HZ,
            margin_ms=margin_ms,
        )
        for at, who in enumerate(check.talk.speakers)
    ]
    return np.stack(channels, axis=1)


@pytest.mark.parametrize("margin_ms", [100, 250])
@pytest.mark.parametrize("name", ["webrtc", "silero"])
def test_the_noise_that_a_gate_leaves_beside_speech_is_no_speech(name, margin_ms):
    """It was, to the limit of the reach: transfers were 130 to 350 ms early."""
    (check,) = soundcheck.checks([20.0], rate_hz=RATE_HZ, bleed_db=-30.0, n_utterances=60, seed=51)
    detector = detectors.create(name, calibrated.SETTINGS)
    session = detectors.hear(gated(check, margin_ms), check.talk.speakers, detector)

    found = detectors.find(
        session, detector, calibrated.corrections(name), settings=calibrated.SETTINGS
    )

    start, end = [], []
    for one in found:
        own = [part for part in check.talk.utterances if part.speaker == one.own.track.speaker]
        errors = bias.errors(np.array([(part.start_ms, part.end_ms) for part in own]), one.spans)
        start += errors.start.tolist()
        end += errors.end.tolist()
        assert one.own.speech.gated
        assert one.own.snr_db == pytest.approx(20, abs=2.5)
    assert len(start) >= 40
    assert abs(np.median(start)) <= 12
    assert abs(np.median(end)) <= 12
