"""Two channels are drawn with a known leak; what is found is held against what was drawn."""

from pathlib import Path

import numpy as np
import pytest
import soxr
from hypothesis import given
from hypothesis import strategies as st
from scipy.ndimage import uniform_filter1d
from scipy.signal import lfilter

from tact import config
from tact.hearing import crosstalk, levels
from tact.hearing.likeness import Meter
from tact.keys import generator

RATE_HZ = 16_000
ROOT = Path(__file__).resolve().parents[2]
SETTINGS = config.load([ROOT / "config.yaml"]).activity.crosstalk


def voice(key, *stretches_s, n_s=20.0):
    """Noise like speech: four syllables a second, in the stretches alone."""
    n = round(n_s * RATE_HZ)
    rng = generator("crosstalk", key)
    time_s = np.arange(n) / RATE_HZ
    sound = rng.standard_normal(n) * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * time_s))
    spoken = np.zeros(n, dtype=bool)
    for start, end in stretches_s:
        spoken |= (time_s >= start) & (time_s < end)
    return (0.1 * sound * spoken).astype(np.float32)


def leaked(sound, *, level_db, delay_ms):
    """Delay by a whole number of half-samples, exactly."""
    lag = round(2 * delay_ms * RATE_HZ / 1000)
    twice = np.fft.irfft(np.fft.rfft(sound), 2 * len(sound)) * 2.0
    late = np.concatenate((np.zeros(lag), twice[: len(twice) - lag]))[::2]
    return (10 ** (level_db / 20) * late).astype(np.float32)


def room(level_db, key="room"):
    noise = generator("noise", key).standard_normal(20 * RATE_HZ)
    return (10 ** (level_db / 20) * noise).astype(np.float32)


def metered(*channels, piece=None):
    meter = Meter(len(channels), RATE_HZ)
    for start in range(0, len(channels[0]), piece or len(channels[0])):
        for at, channel in enumerate(channels):
            meter.feed(at, channel[start : start + (piece or len(channel))])
    return meter


def leak(meter, first=0, second=1, *, settings=SETTINGS):
    """Measure it in all windows: the neighbour has no noise."""
    likeness = meter.likeness(first, second)
    return crosstalk.leak(likeness, np.ones(len(likeness.peak), dtype=bool), settings=settings)


def judged(other, own, spans, *, other_noise=0.0, **changes):
    """Cut the voice on channel 0 (``other``) out of channel 1 (``own``)."""
    settings = SETTINGS.model_copy(update=changes)
    meter = metered(other, own)
    power = [meter.power(at) for at in (0, 1)]
    spans = np.array(spans, dtype=np.float64)
    noise = levels.noise_power(power[1], levels.inside(spans, len(power[1])))
    neighbour = crosstalk.hear(
        power[1],
        power[0],
        meter.likeness(0, 1),
        channel=0,
        noise=noise,
        other_noise=other_noise,
        settings=settings,
    )
    return crosstalk.remove(spans, power[1], [neighbour], settings=settings)


@pytest.mark.parametrize("delay_ms", [0.0, 3.0, 11.5, 7.03125, 32.0])
@pytest.mark.parametrize("level_db", [-10.0, -20.0, -30.0])
def test_the_leak_of_a_pair_is_measured_in_either_direction(level_db, delay_ms):
    first = voice("a", (1, 6), (11, 15))
    second = voice("b", (7, 10), (16, 19))
    heard = second + leaked(first, level_db=level_db, delay_ms=delay_ms) + room(-65)
    meter = metered(first + room(-65, "other"), heard)

    there = leak(meter)
    back = leak(meter, 1, 0)

    assert there.level_db == pytest.approx(level_db, abs=1.0)
    assert there.delay_ms == pytest.approx(delay_ms, abs=0.07)
    assert there.n_windows > 60
    assert back is None


@pytest.mark.parametrize("total_ms", [-4.0, 3.0])
def test_a_leak_is_followed_where_the_clocks_run_apart(total_ms):
    """The listener's clock runs fast or slow, by 3 or 4 ms in 20 s."""
    first = voice("a", (1, 9), (11, 18))
    heard = leaked(first, level_db=-18, delay_ms=16)
    n_heard = len(heard) + round(total_ms * RATE_HZ / 1000)
    stretched = np.resize(soxr.resample(heard, len(heard), n_heard, quality="HQ"), len(heard))
    own = stretched + voice("b", (9.3, 10.7)) + room(-60)
    meter = metered(first + room(-60, "x"), own)

    found = leak(meter)
    left, _, _, _ = judged(first + room(-60, "x"), own, [(1_000, 9_000), (9_300, 18_000)])

    assert found.delay_ms == pytest.approx(16, abs=0.5)
    assert found.drift_ppm == pytest.approx(total_ms / 20e3 * 1e6, rel=0.05)
    # At 200 ppm the delay moves within a window, by half a sample: white noise loses 2 dB by it.
    assert found.level_db == pytest.approx(-19, abs=1.5)
    kept = levels.inside(left, 4_000)
    assert kept[1_865:2_135].mean() > 0.95
    assert kept[210:1_790].mean() < 0.05
    assert kept[2_210:3_590].mean() < 0.05


def test_channels_without_a_leak_have_none():
    meter = metered(voice("a", (0, 10)) + room(-60, "x"), voice("b", (5, 15)) + room(-60, "y"))

    assert leak(meter) is None


def hum(level_db):
    return 10 ** (level_db / 20) * np.sin(2 * np.pi * 50 * np.arange(20 * RATE_HZ) / RATE_HZ)


@pytest.mark.parametrize("common", [hum(-35), room(-45, "both")], ids=["mains", "room"])
def test_a_noise_that_both_channels_hear_is_no_leak(common):
    """It sounded alike while nobody spoke, and softer speech was cut as a leak of 0 dB."""
    both = common.astype(np.float32)
    first = voice("a", (1, 9)) + both + room(-65, "x")
    second = np.float32(0.3) * voice("b", (8, 15)) + both + room(-65, "y")
    powers = [metered(sound).power(0) for sound in (first, second)]
    noise = levels.noise_power(powers[0], levels.inside(np.array([[1_000, 9_000]]), 4_000))

    left = judged(first, second, [(8_000, 15_000)], other_noise=noise)

    assert left.spans.tolist() == [[8_000, 15_000]]
    assert left.removed == []


def test_power_is_averaged_over_the_windows_of_likeness():
    likeness = metered(voice("a", (1, 9)), voice("b", (1, 9))).likeness(0, 1)
    power = np.arange(4_000, dtype=np.float32)

    windows = likeness.power(power)

    assert len(windows) == len(likeness.peak)
    middle = likeness.time_ms() / 5 - 0.5
    assert windows == pytest.approx(middle, abs=0.6)


def test_a_leak_heard_in_too_few_windows_is_not_believed():
    first = voice("a", (1, 2))
    meter = metered(first, leaked(first, level_db=-20, delay_ms=5))

    assert leak(meter) is None
    few = SETTINGS.model_copy(update={"least_windows": 5})
    assert leak(meter, settings=few).level_db == pytest.approx(-20, abs=1)


def test_likeness_does_not_depend_on_the_pieces_it_was_fed_in():
    first, second = voice("a", (1, 9)), voice("b", (5, 12))
    whole, parts = metered(first, second), metered(first, second, piece=1_237)

    assert whole.likeness(0, 1).hop_ms == 64.0
    np.testing.assert_allclose(whole.likeness(0, 1).peak, parts.likeness(0, 1).peak, atol=1e-6)
    np.testing.assert_allclose(whole.power(1), parts.power(1), rtol=1e-6)
    assert len(whole.power(0)) == 4_000


def test_a_neighbours_voice_is_cut_out_between_stretches_of_digital_silence():
    """Silence is no part of the stretch that has to sound alike."""
    first = voice("a", (8, 9), (18, 19))
    whole = np.rint(32_768 * (leaked(first, level_db=-18, delay_ms=6) + voice("b", (10, 11))))
    own = (whole / 32_768).astype(np.float32)

    left, _, mask, _ = judged(first, own, [(8_000, 9_020), (10_000, 11_000), (18_000, 19_020)])
    kept = levels.inside(left, 4_000)

    assert [10_000, 11_000] in left.tolist()
    assert kept[:2_000].sum() + kept[2_200:].sum() < 30
    assert not mask[2_000:2_200].any()


@pytest.mark.parametrize("frames_at_once", [1, 7, 640])
def test_what_is_cut_out_does_not_depend_on_how_many_frames_are_judged_at_once(
    monkeypatch, frames_at_once
):
    first = voice("a", (1, 6), (11, 15))
    heard = leaked(first, level_db=-18, delay_ms=6)
    sound = first + room(-60, "x"), voice("b", (3, 4), (7, 10)) + heard + room(-60)
    spans = [(1_000, 6_010), (7_000, 10_000), (11_000, 15_010)]
    whole = judged(*sound, spans)

    monkeypatch.setattr(crosstalk, "FRAMES_AT_ONCE", frames_at_once)
    parts = judged(*sound, spans)

    np.testing.assert_array_equal(parts.voice, whole.voice)
    assert parts.spans.tolist() == whole.spans.tolist()
    assert parts.removed == whole.removed
    assert len(whole.removed) >= 3


def test_a_channel_that_goes_on_after_its_neighbours_end_hears_nobody_there():
    """The last second of what was compared is the neighbour's voice; after it nothing is known."""
    first = voice("a", (1, 10), n_s=10.0)
    own = leaked(voice("a", (1, 10)), level_db=-18, delay_ms=6) + voice("b", (11, 14)) + room(-60)
    meter = Meter(2, RATE_HZ)
    meter.feed(0, first + room(-60, "x")[: len(first)])
    meter.feed(1, own)

    there, here, alike = meter.power(0), meter.power(1), meter.likeness(0, 1)
    found = crosstalk.hear(
        here, there, alike, channel=0, noise=1e-6, other_noise=0.0, settings=SETTINGS
    )

    assert (len(there), len(here)) == (2_000, 4_000)
    assert found.voice[220:1_960].mean() > 0.95
    assert not found.voice[2_010:].any()


@given(
    st.lists(st.floats(0, 1, width=32), min_size=1, max_size=40),
    st.integers(0, 50),
    st.integers(0, 50),
)
def test_smoothing_some_frames_is_smoothing_all_of_them(values, first, n):
    power = np.array(values, dtype=np.float32)
    all_of_them = uniform_filter1d(np.pad(power, (0, 120)).astype(float), 5, mode="constant")

    some = levels.smooth(power, slice(first, first + n + 1))

    np.testing.assert_allclose(some, all_of_them[first : first + n + 1], atol=1e-7)


def test_a_neighbours_voice_is_cut_out_with_its_evidence():
    first = voice("a", (1, 6))
    own = voice("b", (8, 10)) + leaked(first, level_db=-18, delay_ms=6) + room(-60)

    left, cut, mask, removed = judged(
        first + room(-60, "x"), own, [(1_000, 6_010), (8_000, 10_000)]
    )

    assert left.tolist()[-1] == [8_000, 10_000]
    assert cut.tolist()[-1] == [False, False]
    assert sum(end - start for start, end in left[:-1]) < 100
    assert mask[220:1_180].mean() > 0.95
    assert sum(one.end_ms - one.start_ms for one in removed) > 4_800
    for one in removed:
        assert one.neighbour == 0
        assert one.level_db == pytest.approx(-18, abs=1.5)
        assert one.leak_db == pytest.approx(-18, abs=1)
        assert one.likeness > 0.9


@pytest.mark.parametrize("own_db", [0.0, -8.0])
def test_ones_own_voice_over_a_neighbours_leak_stays(own_db):
    """From 3 s to 5 s both speak, the own voice 18 or 10 dB above the leak."""
    first = voice("a", (1, 9))
    mine = np.float32(10 ** (own_db / 20)) * voice("b", (3, 5))
    own = mine + leaked(first, level_db=-18, delay_ms=6) + room(-60)

    left, cut, _, _ = judged(first + room(-60, "x"), own, [(1_000, 9_010)])
    kept = levels.inside(left, 4_000)

    assert cut.all(), "a neighbour was cut off before and after"
    assert kept[600:1_000].mean() > 0.97
    assert kept[200:590].mean() < 0.03
    assert kept[1_010:1_800].mean() < 0.03


def test_the_leak_of_a_dull_voice_is_measured_in_hiss():
    """It is 5 dB over white noise, and far below it in most of the spectrum."""
    first = lfilter([0.03], [1.0, -0.97], 4.0 * voice("a", (1, 9))).astype(np.float32)
    level_db = 10 * np.log10(np.mean(first[RATE_HZ : 9 * RATE_HZ] ** 2))
    own = leaked(first, level_db=-15, delay_ms=6) + room(level_db - 20)
    meter = metered(first + room(level_db - 40, "x"), own)

    found = leak(meter)

    assert found.level_db == pytest.approx(-15, abs=1)
    assert found.delay_ms == pytest.approx(6, abs=0.1)
    assert found.n_windows > 40


def test_a_soft_voice_under_a_loud_neighbour_without_a_leak_stays():
    """15 dB softer than the other and no copy of it: someone speaks there."""
    first = voice("a", (1, 9))
    own = np.float32(10 ** (-15 / 20)) * voice("b", (1, 9)) + room(-70)

    left, cut, _, removed = judged(first, own, [(1_000, 9_000)])

    assert removed == []
    assert left.tolist() == [[1_000, 9_000]]
    assert not cut.any()


def test_a_channel_30_db_softer_than_its_neighbour_only_hears_it_even_without_a_leak():
    first = voice("a", (1, 9))
    own = np.float32(10 ** (-30 / 20)) * voice("b", (1, 9)) + room(-90)

    left, _, _, removed = judged(first, own, [(1_000, 9_000)])

    assert sum(end - start for start, end in left) < 400
    assert all(one.leak_db is None and one.likeness is None for one in removed)
    assert removed[0].level_db < -20


def test_digital_silence_on_both_sides_is_nobodys_voice():
    nothing = np.zeros(20 * RATE_HZ, dtype=np.float32)

    left, cut, mask, removed = judged(nothing, nothing, [(1_000, 2_000)])

    assert left.tolist() == [[1_000, 2_000]]
    assert not cut.any()
    assert not mask.any()
    assert removed == []


def test_one_channel_alone_has_no_pairs():
    meter = metered(voice("a", (1, 2)))

    assert len(meter.power(0)) == 4_000
