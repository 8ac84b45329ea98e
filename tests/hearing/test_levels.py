"""Levels of drawn channels."""

import numpy as np
import pytest

from tact.hearing import levels
from tact.hearing.levels import ratio
from tact.keys import generator

SHUT, OPEN, LOUD = -120.0, -48.0, -25.0
SECOND = 200


def channel(n_utterances, *, opens_db=OPEN, shuts_db=SHUT, wanders_db=0.0, fades_ms=0):
    """Draw utterances of 1 s, a second between, noise under them and .2 s on either side of them.

    Frames of a voice are 12 dB under its loudest on average, and rarely much softer; noise flickers
    as that of 80 samples does, wanders from utterance to utterance, and is shut at once or by 60 dB
    in ``fades_ms``.
    """
    rng = generator("levels", opens_db, shuts_db, n_utterances)
    power, spans = [], []
    for wander_db in np.linspace(-wanders_db / 2, wanders_db / 2, n_utterances):
        start_ms = 5 * (sum(map(len, power)) + SECOND)
        silence = np.full(SECOND, -np.inf)
        voice = np.concatenate([silence[:40], LOUD - rng.exponential(12.0, SECOND), silence[:40]])
        fade_db = -60.0 * np.arange(fades_ms // 5) / (fades_ms // 5 or 1)
        noise = opens_db + wander_db + np.concatenate([np.zeros(280), fade_db])
        opened = ratio_of(np.concatenate([voice, silence[: len(fade_db)]])) + ratio_of(noise)
        power += [np.zeros(SECOND), opened]
        spans.append((start_ms, start_ms + 5 * len(opened)))
    drawn = np.concatenate([*power, np.zeros(SECOND)]) + ratio(shuts_db)
    flicker = rng.chisquare(80, len(drawn)) / 80
    return (drawn * flicker).astype(np.float32), np.array(spans, dtype=np.float64)


def held(n_utterances, level_db):
    """Draw a voice over digital silence, of which every utterance ends in one sound for .2 s."""
    power, spans = channel(n_utterances, opens_db=SHUT)
    for _, end_ms in spans.astype(int):
        power[end_ms // 5 - 40 : end_ms // 5] *= ratio(level_db - SHUT)
    return power, spans


def ratio_of(level_db):
    return 10.0 ** (level_db / 10.0)


@pytest.mark.parametrize("shuts_db", [SHUT, -90.0, -65.0])
@pytest.mark.parametrize("opens_db", [-46.0, -50.0, -55.0])
@pytest.mark.parametrize("fades_ms", [0, 400])
def test_the_noise_that_a_gate_lets_through_is_measured(opens_db, shuts_db, fades_ms):
    power, spans = channel(12, opens_db=opens_db, shuts_db=shuts_db, fades_ms=fades_ms)

    found = levels.gated_noise(power, spans, ratio(shuts_db))

    assert levels.decibel(found) == pytest.approx(opens_db, abs=1.2)


def test_noise_that_wanders_by_6_db_is_measured_behind_a_gate():
    power, spans = channel(20, wanders_db=6.0)

    found = levels.gated_noise(power, spans, ratio(SHUT))

    assert levels.decibel(found) == pytest.approx(OPEN, abs=3.0)


@pytest.mark.parametrize(
    "drawn",
    [
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-55.0), id="noise-is-always-there"),
        pytest.param(channel(12, opens_db=-55.0, shuts_db=-56.0), id="noise-goes-up-by-3-dB"),
        pytest.param(channel(12, opens_db=-33.0), id="as-loud-as-soft-speech"),
        pytest.param(channel(4), id="4-seconds-of-speech"),
        pytest.param(channel(12, opens_db=SHUT), id="digital-silence-beside-speech"),
        pytest.param(held(20, -48.0), id="a-sound-held-by-each-word"),
        pytest.param((np.ones(4_000, dtype=np.float32), np.zeros((0, 2))), id="no-speech"),
        pytest.param(
            (np.zeros(4_000, dtype=np.float32), np.array([[0.0, 20_000.0]])), id="silent-speech"
        ),
        pytest.param(
            (np.repeat(np.float32([1e-3, 1e-5]), 3_000), np.array([[15_000.0, 30_000.0]])),
            id="softer-than-what-is-between",
        ),
    ],
)
def test_without_a_gate_or_with_too_little_speech_there_is_none(drawn):
    power, spans = drawn
    noise = levels.noise_power(power, levels.inside(spans, len(power)))

    assert levels.gated_noise(power, spans, noise) is None
