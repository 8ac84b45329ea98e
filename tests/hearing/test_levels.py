"""Levels of drawn channels."""

import numpy as np
import pytest

from tact.hearing import levels
from tact.hearing.levels import ratio
from tact.keys import generator

SHUT, OPEN, LOUD = -120.0, -48.0, -25.0


def channel(n_utterances, *, opens_db=OPEN, shuts_db=SHUT, held_ms=200):
    """Draw utterances of 1 s amid noise held open on either side, a shut second between them.

    Noise flickers as noise of 80 samples does, speech by 20 dB.
    """
    rng = generator("levels", opens_db, shuts_db, n_utterances)
    n_held, power, spans = held_ms // 5, [], []
    for _ in range(n_utterances):
        start_ms = 5 * sum(map(len, power)) + 1_000
        speech = LOUD - 20.0 * rng.random(200)
        held = np.full(n_held, opens_db)
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


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-55.0), id="noise-is-always-there"),
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-59.0), id="noise-goes-up-by-4-dB"),
        pytest.param(channel(12, opens_db=-33.0), id="as-loud-as-soft-speech"),
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
