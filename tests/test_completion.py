"""How complete a turn is: pitch, pauses, words, and the model that weighs them."""

import numpy as np
import pandas as pd
import pytest
import soundfile
from scipy.special import expit

import bench
from tact import completing, frames
from tact.completing import Estimator, Marks, first_known
from tact.completion import cues, prosody
from tact.completion.model import Model, check, fit
from tact.errors import InputError

RATE_HZ = prosody.RATE_HZ


def glide(start_hz, end_hz, *, seconds=1.5, fall_db=0.0, syllables_per_s=4.0):
    """A voice of five harmonics that glides, swells with each syllable, and fades."""
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    hz = start_hz * (end_hz / start_hz) ** (time / seconds)
    phase = 2 * np.pi * np.cumsum(hz) / RATE_HZ
    voice = sum(np.sin(k * phase) / k for k in range(1, 6))
    swell = 0.6 + 0.4 * np.cos(2 * np.pi * syllables_per_s * time)
    return (0.1 * voice * swell * 10 ** (-fall_db * time / seconds / 20)).astype(np.float32)


def named(samples):
    return dict(zip(prosody.FEATURES, prosody.measure(samples), strict=True))


def test_pitch_of_a_falling_voice_falls_by_as_much():
    # an octave in 1.5 s
    got = named(glide(240.0, 120.0))

    assert got["pitch_slope_st_per_s"] == pytest.approx(-8.0, abs=0.4)
    # the last .3 s lie 4.8 st below the middle of the glide, on average
    assert got["pitch_end_st"] == pytest.approx(-4.8, abs=0.6)
    assert got["voiced_end"] == 1.0


def test_pitch_of_a_rising_voice_rises_and_a_level_one_stays():
    assert named(glide(120.0, 170.0))["pitch_slope_st_per_s"] == pytest.approx(4.0, abs=0.4)
    assert named(glide(150.0, 150.0))["pitch_slope_st_per_s"] == pytest.approx(0.0, abs=0.2)


def test_level_and_pace_of_the_end():
    fading = named(glide(150.0, 150.0, fall_db=18.0, syllables_per_s=4.0))
    slowing = np.concatenate([glide(150, 150, seconds=2.0, syllables_per_s=6.0),
                              glide(150, 150, seconds=1.0, syllables_per_s=2.0)])  # fmt: skip

    assert fading["level_slope_db_per_s"] == pytest.approx(-12.0, abs=4.0)
    assert fading["level_end_db"] < -6
    assert named(slowing)["pace_end"] < -1.5


def test_noise_and_silence_have_no_pitch_and_a_moment_too_soon_has_nothing():
    noise = np.random.default_rng(1).normal(0, 0.05, RATE_HZ).astype(np.float32)

    assert named(noise)["voiced_end"] < 0.1
    assert np.isfinite(prosody.measure(np.zeros(RATE_HZ, np.float32))).all()
    assert np.isnan(prosody.measure(noise[:500])).all()


def said(*words, speaker="a"):
    rows = [("c:1", speaker, n, start, end, text, kind, "manual")
            for n, (start, end, text, kind) in enumerate(words)]  # fmt: skip
    return frames.frame(rows, "words")


def moment(at_ms, speaker="a", **more):
    row = {"place": "", "episode": "e", "onset_ms": 0, "conversation": "c:1", "speaker": speaker,
           "at_ms": at_ms, "turn_start_ms": 1000, "ipu_start_ms": 3000, "heard_from_ms": 0,
           "corpus": "candor"}  # fmt: skip
    return row | more


def test_cues_know_nothing_of_what_comes_after():
    words = said((0, 500, "before", "word"), (1000, 1400, "I", "word"),
                 (1400, 2000, "know", "word"), (2000, 2000, ".", "punctuation"),
                 (3000, 3600, "so?", "word"))  # fmt: skip
    moments = [moment(3500), moment(3600), moment(1200), moment(3500, speaker="b")]

    got = cues.measure(pd.DataFrame(moments), words)

    assert cues.FEATURES[2:] == ("has_words", "log_words", "clause_ended", "log_since_word")
    assert np.expm1(got[:, 0]).round().tolist() == [500, 600, 0, 500]
    assert np.expm1(got[:, 1]).round().tolist() == [2500, 2600, 200, 2500]
    assert got[:, 2].tolist() == [1, 1, 1, 0]
    assert np.expm1(got[:, 3]).round().tolist() == [2, 3, 0, 0]
    assert got[:, 4].tolist() == [1, 1, 0, 0]
    assert np.expm1(got[:, 5]).round().tolist() == [1500, 0, 0, 0]


def test_the_model_finds_the_odds_that_made_its_moments_and_is_calibrated_on_new_ones():
    rng = np.random.default_rng(2)
    values = rng.normal(size=(8000, 2)) * [2.0, 0.5] + [1.0, -3.0]
    odds = -1.0 + 0.8 * values[:, 0] - 1.5 * (values[:, 1] + 3.0)
    done = (rng.random(8000) < expit(odds)).astype(float)

    model = fit(["one", "two"], values[:4000], done[:4000])

    slopes = model.weight / model.scale
    assert slopes == pytest.approx([0.8, -1.5], abs=0.15)
    assert model.psi(np.array([[1.0, -3.0]])) == pytest.approx(expit(-0.2), abs=0.03)
    rows = check(model.psi(values[4000:]), done[4000:], bins=10)
    assert rows[0]["ece"] < 0.03
    assert rows[0]["brier"] < 0.75 * rows[0]["brier_of_share"]
    again = Model.of({row["feature"]: (row["mean"], row["scale"], row["weight"])
                      for row in model.rows()})  # fmt: skip
    assert again.psi(values) == pytest.approx(model.psi(values), abs=1e-15)


def test_calibration_by_hand():
    psi, done = np.array([0.05, 0.15, 0.15, 0.95, 1.0]), np.array([0.0, 0, 1, 1, 1])

    rows = check(psi, done, bins=10)

    assert [(row["bin"], row["n"]) for row in rows] == [(0, 1), (1, 2), (9, 2)]
    assert [row["observed"] for row in rows] == [0.0, 0.5, 1.0]
    assert rows[0]["ece"] == pytest.approx((0.05 + 2 * 0.35 + 2 * 0.025) / 5)
    assert rows[0]["brier"] == pytest.approx((0.05**2 + 0.15**2 + 0.85**2 + 0.05**2) / 5)
    assert rows[0]["brier_of_share"] == pytest.approx(0.24)


def test_with_too_few_moments_psi_is_their_share():
    model = fit(["one"], np.zeros((40, 1)), np.r_[np.ones(10), np.zeros(30)])

    assert model.features == ()
    assert model.psi(np.zeros((2, 0))) == pytest.approx([11 / 42] * 2)


def talk(tmp_path, *, n=16):
    """Recordings of made turns whose pitch falls at the end only; words tell nothing."""
    rng = np.random.default_rng(4)
    recordings, ipus, turns = [], [], []
    for number in range(n):
        name, now, parts = f"candor:c{number}", 0, []
        for _ in range(8):
            length = int(rng.integers(1500, 3500))
            hold, fall = length / 1000 - 0.6, 0.6
            parts += [np.zeros(RATE_HZ // 2, np.float32), glide(180, 185, seconds=hold),
                      glide(180, 110, seconds=fall, fall_db=9.0)]  # fmt: skip
            ipus.append((name, f"{name}a", now + 500, now + 500 + length, "words", None))
            turns.append((name, f"{name}a", now + 500, now + 500 + length, 1))
            now += 500 + length
        sound = np.concatenate(parts)
        soundfile.write(tmp_path / f"{number}.wav", sound, RATE_HZ)
        recordings.append({"corpus": "candor", "conversation": name, "channel": 0,
                           "speaker": f"{name}a", "path": f"{number}.wav", "duration_ms": now,
                           "licence": "CC0", "language": "en", "split_group": name,
                           "mixed": False})  # fmt: skip
    return (frames.check(pd.DataFrame(recordings), "recordings"), frames.frame(ipus, "ipus"),
            frames.frame(turns, "turns"))  # fmt: skip


def train(tables, root):
    own = bench.SETTINGS.completion.model_copy(update={"every_ms": 400})
    splits = bench.SETTINGS.splits.model_copy(update={"train_share": 0.95})
    settings = bench.SETTINGS.model_copy(update={"completion": own, "splits": splits})
    recordings, ipus, turns = tables
    return completing.train(
        "candor", recordings, ipus, turns, frames.empty("words"), root, settings=settings
    )


def test_sound_tells_what_pauses_do_not_and_is_calibrated(tmp_path):
    tables = talk(tmp_path)

    fitted = train(tables, tmp_path)

    found = fitted.completion_check.drop_duplicates("model").set_index("model")
    assert found.loc["prosody", "brier"] < 0.6 * found.loc["words", "brier"]
    assert found.loc["prosody", "ece"] < 0.1
    weight = fitted.completion.set_index(["model", "feature"])["weight"]
    assert weight["prosody", "pitch_slope_st_per_s"] < 0
    turned = tuple(table[::-1] for table in tables)
    pd.testing.assert_frame_equal(train(turned, tmp_path).completion, fitted.completion)


def test_without_sound_there_is_no_model_of_it(tmp_path):
    recordings, ipus, turns = talk(tmp_path, n=3)

    fitted = train((recordings.assign(path=None), ipus, turns), tmp_path)

    assert set(fitted.completion["model"]) == {"words"}


def test_moments_lie_in_the_speech_of_train_turns_evenly(tmp_path):
    recordings, ipus, turns = talk(tmp_path)
    splits = bench.SETTINGS.splits.model_copy(update={"train_share": 0.5})
    settings = bench.SETTINGS.model_copy(update={"splits": splits})

    found = completing.draw("candor", recordings, ipus, turns, settings=settings)

    spoken = turns[turns["conversation"].isin(found["conversation"])]
    total = (spoken["end_ms"] - spoken["start_ms"]).sum()
    assert 0 < found["conversation"].nunique() < 16
    assert len(found) == pytest.approx(total / 2000, rel=0.25)
    late = found["at_ms"] - found["turn_start_ms"]
    assert (late >= 0).all()
    assert found["done"].mean() == pytest.approx(500 * len(spoken) / total, abs=0.1)


def test_marks_go_before_the_model_and_words_where_there_is_no_sound():
    moments = pd.DataFrame([moment(3500, onset_ms=-500, episode="e1"),
                            moment(3500, onset_ms=-500, episode="e2")])  # fmt: skip
    marks = frames.frame(
        [("e1", -450, "x", 0.9), ("e1", -520, "y", 0.5), ("e1", -700, "x", 0.0)],
        "completion_marks",
    )
    models = frames.frame([("candor", "words", "intercept", 0.0, 1.0, -1.0)], "completion")
    empty = frames.empty("words")
    ways = [Marks(marks), Estimator("prosody", models, empty, lambda asks: iter(())),
            Estimator("words", models, empty, lambda asks: iter(()))]  # fmt: skip

    psi = first_known(ways, moments)

    assert psi.tolist() == pytest.approx([0.7, expit(-1.0)])
    with pytest.raises(InputError, match=r"no model for 1 of 2 overlaps \(first: corpus candor\)"):
        first_known(ways[:2], moments)
