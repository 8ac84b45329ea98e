import numpy as np
import pytest

from tact.simulate import mixing


@pytest.mark.parametrize("rate_hz", [16_000, 48_000])
def test_noise_has_the_level_asked_for_and_lies_low(rate_hz):
    sound = mixing.noise(20 * rate_hz, rate_hz=rate_hz, level_db=-40.0, key=("k",))
    power = np.abs(np.fft.rfft(sound)) ** 2
    low = np.fft.rfftfreq(len(sound), 1 / rate_hz) < 4_000

    assert sound.dtype == np.float32
    assert 20 * np.log10(np.std(sound)) == pytest.approx(-40.0, abs=0.2)
    assert power[low].sum() > 0.8 * power.sum()


def test_bleed_leaves_the_own_voice_as_it_was():
    clean = np.zeros((16_000, 3), dtype=np.float32)
    clean[1_000, 0] = 0.5

    heard = mixing.bleed(clean, rate_hz=16_000, level_db=-20.0, key=("k",))

    np.testing.assert_array_equal(heard[:, 0], clean[:, 0])
    for other in (1, 2):
        (place,) = np.flatnonzero(heard[:, other])
        assert 1_000 + 32 <= place <= 1_000 + 192
        assert heard[place, other] == pytest.approx(0.05)


def test_a_gate_leaves_digital_zeros_outside_speech_and_its_margin():
    gated = mixing.gate(np.ones(1_000, np.float32), [(10, 20)], rate_hz=16_000, margin_ms=5)

    assert np.flatnonzero(gated).tolist() == list(range(80, 400))


def test_a_clock_that_is_fast_by_100_ppm_makes_the_channel_longer_by_as_much():
    ramp = np.arange(100_000, dtype=np.float32)

    drifted = mixing.drift(ramp, parts_per_million=100.0)

    assert len(drifted) == 100_010
    assert drifted[50_000] == pytest.approx(50_000 / 1.0001, abs=0.01)
