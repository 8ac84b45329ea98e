"""Clocks that run apart by a known rate, and sound that tells nothing of any clock."""

import numpy as np
import pytest

from tact import audio, drift
from tact.drift import Drift, Echo
from tact.simulate import mixing

RATE = 8_000
SECONDS = 240
FRAME = RATE // 20


def voices(rng, seconds=SECONDS):
    """Two voices that take turns every 3 s, of the slope of speech above 500 Hz."""
    sound = np.stack(
        [
            mixing.noise(seconds * RATE, rate_hz=RATE, level_db=-20.0, key=(rng.random(), k))
            for k in (0, 1)
        ],
        axis=1,
    )
    sound[turns(sound) == 1, 0] = sound[turns(sound) == 0, 1] = 0
    return sound


def room(rng, bleed_db, **length):
    """Let the voices leak, 2 to 12 ms late, over noise at -70 dBFS."""
    sound = voices(rng, **length)
    if bleed_db is not None:
        sound = mixing.bleed(sound, rate_hz=RATE, level_db=bleed_db, key=(rng.random(),))
    return sound + rng.normal(0, 10**-3.5, sound.shape).astype(np.float32)


def by(sound, ppm):
    return audio.stretch(sound, round(len(sound) * (1 + ppm * 1e-6)))


def levels(*channels):
    n_frames = min(map(len, channels)) // FRAME
    power = [np.square(c[: n_frames * FRAME]).reshape(-1, FRAME).mean(axis=1) for c in channels]
    return 10 * np.log10(np.maximum(power, 1e-12))


def echoes(first, second):
    """Do what the door does, on arrays."""
    level = levels(first, second)
    sides, reach = (first, second), drift.reach_s(level.shape[1] / 20)
    found = []
    for talker, start_s in drift.windows(level, frame_s=0.05):
        start, margin = round(start_s * RATE), reach * RATE
        stop = start + drift.WINDOW_S * RATE
        assert margin <= start
        assert stop + margin <= min(map(len, sides))
        delay_s = drift.delay(
            sides[talker][start:stop],
            sides[1 - talker][start - margin : stop + margin],
            talker_hz=RATE,
            listener_hz=RATE,
        )
        found += [] if delay_s is None else [Echo(talker, start_s, delay_s)]
    return found


def measured(first, second):
    return drift.line(echoes(first, second), length_s=levels(first, second).shape[1] / 20)


@pytest.mark.parametrize("ppm", [0, 50, -100, 300])
@pytest.mark.parametrize("bleed_db", [-20.0, -30.0])
def test_a_known_drift_is_found_to_10_ppm(rng, ppm, bleed_db):
    sound = room(rng, bleed_db)

    found = measured(sound[:, 0], by(sound[:, 1], ppm))

    assert found.ppm == pytest.approx(ppm, abs=10)
    assert ppm - 10 < found.low_ppm <= found.ppm <= found.high_ppm < ppm + 10


def test_a_start_at_another_time_is_no_drift(rng):
    sound = room(rng, -30.0)

    found = echoes(sound[RATE // 4 :, 0], sound[:, 1])

    assert drift.line(found, length_s=SECONDS).ppm == pytest.approx(0, abs=1)
    # The leak comes 2 to 12 ms after the voice, and 250 ms are missing from the first file.
    late = [e.delay_s - (0.25, -0.25)[e.talker] for e in found]
    assert 0.002 <= min(late) <= max(late) <= 0.012


def test_a_start_further_apart_than_is_looked_for_is_not_known(rng):
    sound = room(rng, -20.0)

    assert measured(sound[2 * RATE :, 0], sound[:, 1]) is None


def turns(sound):
    """Tell whose turn each sample is, 0 or 1."""
    return np.arange(len(sound)) // (3 * RATE) % 2


def test_an_inverted_leak_is_heard(rng):
    sound = room(rng, -20.0)
    sound[turns(sound) == 0, 1] *= -1

    assert measured(sound[:, 0], by(sound[:, 1], 50)).ppm == pytest.approx(50, abs=10)


def no_bleed(rng):
    return room(rng, None)


def one_way(rng):
    """The second voice is not on the channel of the first."""
    sound = room(rng, -20.0)
    sound[turns(sound) == 1, 0] = 0
    return sound


def noise(rng):
    return rng.normal(0, 0.01, (SECONDS * RATE, 2)).astype(np.float32)


def hum(rng):
    """The same mains on both channels, over voices that do not leak."""
    at = np.arange(SECONDS * RATE) / RATE
    buzz = sum(np.sin(2 * np.pi * 50 * k * at) for k in range(1, 20)) * 1e-3
    return (no_bleed(rng) + buzz[:, None]).astype(np.float32)


TELLS_NOTHING = {
    "no bleed": no_bleed,
    "noise": noise,
    "hum": hum,
    "silence": lambda rng: np.zeros((SECONDS * RATE, 2), np.float32),
    "one silent channel": lambda rng: room(rng, -20.0) * np.float32([1, 0]),
    "the same twice": lambda rng: room(rng, -20.0)[:, [0, 0]],
    "one way": one_way,
    "gated": lambda rng: np.where(np.abs(s := room(rng, -30.0)) < 0.02, 0, s),
    "1 s": lambda rng: room(rng, -20.0, seconds=1),
    "6 s": lambda rng: room(rng, -20.0, seconds=6),
    "12 s": lambda rng: room(rng, -20.0, seconds=12),
}


@pytest.mark.parametrize("ppm", [0, 300])
@pytest.mark.parametrize("kind", TELLS_NOTHING)
def test_sound_that_tells_nothing_gives_nothing(rng, kind, ppm):
    sound = TELLS_NOTHING[kind](rng)

    assert measured(sound[:, 0], by(sound[:, 1], ppm)) is None


@pytest.mark.parametrize("seconds", [0, 1, 13, 14, 52, 3600])
def test_windows_lie_in_the_sound_and_none_are_chosen_in_less_than_13_s(rng, seconds):
    level = rng.uniform(-60, -20, (2, 20 * seconds))

    chosen = drift.windows(level, frame_s=0.05)

    reach = drift.reach_s(seconds)
    assert bool(chosen) == (seconds > 13)
    assert all(reach <= w.start_s <= seconds - reach - drift.WINDOW_S for w in chosen)
    assert chosen == sorted(chosen, key=lambda w: w.start_s)
    if seconds == 3600:
        assert [sum(w.talker == k for w in chosen) for k in (0, 1)] == [24, 24]


def test_a_window_is_where_one_is_loud_and_the_other_is_not():
    level = np.full((2, 20 * 60), -70.0)
    level[0, 200:240] = level[1, 600:640] = -20.0  # 10 to 12 s and 30 to 32 s
    level[:, 900:1000] = -20.0

    chosen = drift.windows(level, frame_s=0.05)

    assert {(0, 10.0), (1, 30.0)} <= set(chosen)
    # What else is chosen, in the parts beside, meets the same speech.
    assert all(abs(start - (10.0, 30.0)[talker]) < 2 for talker, start in chosen)


def test_a_delay_is_told_finer_than_a_sample(rng):
    source = rng.normal(0, 0.1, 4 * 48_000).astype(np.float32)
    late = audio.stretch(np.concatenate((np.zeros(7, np.float32), source))[: len(source)], 32_000)
    talker = audio.stretch(source, 32_000)[8_000:24_000]

    found = drift.delay(talker, late, talker_hz=RATE, listener_hz=RATE)

    assert found == pytest.approx(7 / 48_000, abs=0.2 / RATE)


def track(slope_ppm, *, n=8, ways=(0.003, 0.009), length_s=600.0, jitter=0.0, seed=1):
    """Echoes of both voices by a clock, with the way of each by air."""
    rng = np.random.default_rng(seed)
    return [
        Echo(k, at, ways[k] + sign * slope_ppm * 1e-6 * at + jitter * rng.normal())
        for k, sign in ((0, 1), (1, -1))
        for at in np.linspace(0, length_s, n) + k
    ]


def test_a_line_is_the_slope_that_both_voices_share():
    assert drift.line(track(80), length_s=600) == pytest.approx((80, 80, 80))
    assert drift.line(track(-80), length_s=600) == pytest.approx((-80, -80, -80))


def test_some_false_echoes_move_no_line():
    found = track(80, n=12)
    found[3] = found[3]._replace(delay_s=0.4)
    found[17] = found[17]._replace(delay_s=-0.3)

    assert drift.line(found, length_s=600).ppm == pytest.approx(80, abs=1)


def test_a_path_that_grows_for_both_is_no_clock():
    call = [Echo(k, at, 0.2 + 1e-4 * at) for k in (0, 1) for at in np.linspace(0, 600, 12)]

    assert drift.line(call, length_s=600) is None


@pytest.mark.parametrize(
    "found",
    [
        track(80, n=4),
        [e for e in track(80, n=9) if e.talker == 0],
        track(80, length_s=250.0),
        track(80, jitter=0.01),
        [],
    ],
    ids=["few", "one-voice", "short", "scattered", "none"],
)
def test_thin_evidence_is_none(found):
    assert drift.line(found, length_s=600) is None


def test_the_interval_holds_the_truth_in_99_of_100(rng):
    lines = [drift.line(track(30, jitter=1e-3, seed=k), length_s=600) for k in range(400)]
    held = [found.low_ppm <= 30 <= found.high_ppm for found in lines]

    assert isinstance(lines[0], Drift)
    assert np.mean(held) >= 0.98
    assert np.median([found.high_ppm - found.low_ppm for found in lines]) < 10
