"""Levels of drawn channels."""

import numpy as np
import pytest

from tact.hearing import levels
from tact.hearing.levels import ratio
from tact.keys import generator

SHUT, OPEN, LOUD = -120.0, -48.0, -25.0


def channel(
    n_utterances, *, opens_db=OPEN, shuts_db=SHUT, held_ms=200, falls_db=20.0, wanders_db=0.0
):
    """Draw utterances of 1 s amid noise held open on either side, a shut second between them.

    Noise flickers as noise of 80 samples does, speech by 20 dB.
    """
    rng = generator("levels", opens_db, shuts_db, n_utterances)
    n_held, power, spans = held_ms // 5, [], []
    for wander_db in np.linspace(-wanders_db / 2, wanders_db / 2, n_utterances):
        start_ms = 5 * sum(map(len, power)) + 1_000
        speech = LOUD - falls_db * rng.random(200)
        held = np.full(n_held, opens_db + wander_db)
        levels_db = (np.full(200, shuts_db), held, speech, held)
        power += [10 ** (level_db / 10) for level_db in levels_db]
        spans.append((start_ms, start_ms + 2 * held_ms + 1_000))
    drawn = np.concatenate([*power, np.full(200, ratio(shuts_db))])
    flicker = rng.chisquare(80, len(drawn)) / 80
    return (drawn * flicker).astype(np.float32), np.array(spans, dtype=np.float64)


@pytest.mark.parametrize("shuts_db", [SHUT, -90.0, -60.0])
@pytest.mark.parametrize("opens_db", [-45.0, -50.0])
def test_the_noise_that_a_gate_lets_through_is_measured(opens_db, shuts_db):
    power, spans = channel(12, opens_db=opens_db, shuts_db=shuts_db)

    found = levels.gated_noise(power, spans, ratio(shuts_db))

    assert levels.decibel(found) == pytest.approx(opens_db, abs=0.7)


def test_noise_that_wanders_by_6_db_is_measured_behind_a_gate():
    power, spans = channel(20, wanders_db=6.0)

    found = levels.gated_noise(power, spans, ratio(SHUT))

    assert levels.decibel(found) == pytest.approx(OPEN, abs=3.0)


def test_spans_too_short_to_hold_80_ms_say_nothing_for_or_against_a_gate():
    power, spans = channel(12)
    clicks = np.arange(0, 1_000, 60, dtype=np.float64)
    short = np.stack([clicks, clicks + 40], axis=1)

    found = levels.gated_noise(power, np.concatenate([short, spans]), ratio(SHUT))

    assert levels.decibel(found) == pytest.approx(OPEN, abs=0.7)


def test_the_softest_80_ms_of_a_long_span_may_lie_anywhere_in_it(monkeypatch):
    """Long spans are looked through in parts, and 80 ms may begin in one and end in the next."""
    rng = generator("levels", "softest")
    power = (rng.chisquare(80, 200) / 80).astype(np.float32)
    power[56:72] *= 0.1

    softest = levels._softest(power, 0.0)
    monkeypatch.setattr(levels, "PART_FRAMES", 60)

    assert softest == pytest.approx(float(power[56:72].mean()))
    assert levels._softest(power, 0.0) == softest


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-55.0), id="noise-is-always-there"),
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-59.0), id="noise-goes-up-by-4-dB"),
        pytest.param(channel(12, opens_db=-33.0), id="as-loud-as-soft-speech"),
        pytest.param(channel(12, opens_db=-52.0, falls_db=40.0), id="a-sound-held-by-each-word"),
        pytest.param(channel(20, wanders_db=16.0), id="beside-half-of-them-8-dB-apart"),
        pytest.param(channel(9), id="too-few-spans"),
        pytest.param(channel(12, held_ms=40), id="opens-for-less-than-80-ms"),
        pytest.param(channel(12, opens_db=SHUT), id="digital-silence-beside-speech"),
        pytest.param((np.ones(4_000, dtype=np.float32), np.zeros((0, 2))), id="no-speech"),
    ],
)
def test_without_a_gate_or_with_too_little_speech_there_is_none(drawn):
    power, spans = drawn
    noise = levels.noise_power(power, levels.inside(spans, len(power)))

    assert levels.gated_noise(power, spans, noise) is None


def test_noise_that_differs_from_span_to_span_is_no_gates():
    parts = [channel(1, opens_db=opens_db) for opens_db in range(-60, -36, 2)]
    starts = 5 * np.cumsum([0, *(len(power) for power, _ in parts[:-1])])
    spans = np.concatenate([own + start for (_, own), start in zip(parts, starts, strict=True)])

    assert levels.gated_noise(np.concatenate([power for power, _ in parts]), spans, 0.0) is None
