"""Sound that is not what its tables say, made so in one way at a time, and real recordings."""

import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from made_world import SETTINGS
from tact import frames
from tact.audio import stretch
from tact.door import Heard, turned_away
from tact.door import inspect as judge
from tact.drift import Drift
from tact.inspection import Meter, inspect

DOOR = SETTINGS.door
RATE = 8_000
SECONDS = 60
TURNS = {"A": [(k, k + 3) for k in range(0, 60, 6)], "B": [(k, k + 3) for k in range(3, 60, 6)]}
REAL = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def words(turns=TURNS):
    rows = [
        {
            "conversation": "t:c", "speaker": who, "position": k, "start_ms": 1000 * start,
            "end_ms": 1000 * end, "text": "so", "kind": "word", "source": "manual",
        }
        for who, spans in turns.items()
        for k, (start, end) in enumerate(spans)
    ]  # fmt: skip
    return frames.frame(rows, "words")


def talk(bleed_db=-30.0, level=0.1, floor=1e-4):
    """Two voices that take turns, each on its channel, and softer on the other's."""
    rng = np.random.default_rng(2)
    voices = rng.normal(0, level, (SECONDS * RATE, 2))
    for k, spans in enumerate(TURNS.values()):
        silent = np.ones(SECONDS * RATE, bool)
        for start, end in spans:
            silent[start * RATE : end * RATE] = False
        voices[silent, k] = 0
    bled = voices + 10 ** (bleed_db / 20) * voices[:, ::-1]
    return bled + rng.normal(0, floor, bled.shape)


def recordings(n_samples=SECONDS * RATE, paths=("c.wav", "c.wav"), stated=(None, None)):
    rows = [
        {
            "corpus": "t", "conversation": "t:c", "channel": k, "speaker": who, "path": paths[k],
            "sample_rate_hz": RATE, "n_samples": n_samples, "duration_ms": 1000 * SECONDS,
            "licence": "", "mixed": False, "language": "en", "split_group": "g",
            "stated_ms": stated[0], "stated_unit_ms": stated[1],
        }
        for k, who in enumerate("AB")
    ]  # fmt: skip
    return frames.frame(rows, "recordings")


def judged(root, samples, said=None, settings=DOOR, **rows):
    soundfile.write(root / "c.wav", samples, RATE, subtype="FLOAT")
    spoken = words() if said is None else said
    return inspect(recordings(**rows), spoken, root, settings=settings)


def reasons(quarantine):
    return quarantine["reason"].tolist()


def test_sound_that_is_as_the_tables_say_is_measured_and_let_in(tmp_path):
    found, left_out = judged(tmp_path, talk())

    assert left_out.empty
    assert found["n_decoded"].tolist() == [SECONDS * RATE] * 2
    assert found["off_ms"].tolist() == [0, 0]
    # Half of the frames are speech: their 90 % quantile, each of 400 squares, a chi-square.
    loud = -20 + 10 * np.log10(1 + 1.2816 * np.sqrt(2 / 400))
    assert found["level_dbfs"].to_numpy() == pytest.approx(loud, abs=0.05)
    assert found["bleed_db"].to_numpy() == pytest.approx(-30, abs=0.5)
    assert found["contrast_db"].to_numpy() == pytest.approx(30, abs=0.5)


def test_a_channel_that_speakers_share_is_inspected_once(tmp_path):
    mixed = recordings().assign(mixed=True)
    soundfile.write(tmp_path / "c.wav", talk().sum(axis=1), RATE, subtype="FLOAT")

    found, left_out = inspect(mixed, words(), tmp_path, settings=DOOR)

    assert left_out.empty
    assert found["channel"].tolist() == [0]
    assert found[["contrast_db", "bleed_db", "drift_ppm"]].isna().all(axis=None)


def doubled(sound):
    return sound[:, [0, 0]]


def holed(sound):
    sound[1234, 0] = np.nan
    sound[99, 1] = np.inf
    return sound


SPOILT = {
    "channels swapped": lambda sound: sound[:, ::-1],
    "same sound on two channels": doubled,
    "silent channel": lambda sound: sound * np.array([1.0, 1e-5]),
    "clipped": lambda sound: np.clip(sound * 20, -1, 1),
    "samples not finite": holed,
}


@pytest.mark.parametrize("reason", SPOILT)
def test_each_fault_is_named(tmp_path, reason):
    _, left_out = judged(tmp_path, SPOILT[reason](talk()))

    assert set(reasons(left_out)) == {reason}
    assert set(turned_away(left_out)) == (set() if reason == "clipped" else {"t:c"})


def test_an_inverted_copy_is_the_same_sound(tmp_path):
    _, left_out = judged(tmp_path, doubled(talk()) * np.array([1.0, -1.0]))

    assert reasons(left_out) == ["same sound on two channels"]


@pytest.mark.parametrize(("bleed_db", "said"), [(-12.0, []), (-3.0, ["loud bleed", "loud bleed"])])
def test_loud_bleed_is_said_and_kept(tmp_path, bleed_db, said):
    found, left_out = judged(tmp_path, talk(bleed_db))

    assert reasons(left_out) == said
    assert turned_away(left_out).empty
    assert found["bleed_db"].to_numpy() == pytest.approx(bleed_db, abs=0.5)


@pytest.mark.parametrize(("off_ms", "said"), [(20, []), (21, ["length disagrees"] * 2)])
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_length_more_than_20_ms_off_the_header_is_turned_away(tmp_path, off_ms, said, sign):
    stated = SECONDS * RATE + sign * off_ms * RATE // 1000
    _, left_out = judged(tmp_path, talk(), n_samples=stated)

    assert reasons(left_out) == said


@pytest.mark.parametrize(
    ("off_ms", "unit_ms", "said"),
    [(20, 0, 0), (20.25, 0, 2), (21, 1, 0), (22, 1, 2), (1020, 1000, 0), (1021, 1000, 2)],
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_length_off_the_metadata_is_turned_away_beyond_its_rounding(
    tmp_path, off_ms, unit_ms, said, sign
):
    stated_ms = 1000.0 * SECONDS - sign * off_ms
    found, left_out = judged(tmp_path, talk(), stated=(stated_ms, unit_ms))

    assert found["stated_off_ms"].tolist() == pytest.approx([sign * off_ms] * 2)
    assert reasons(left_out) == ["length disagrees"] * said
    if said:
        assert left_out["detail"].iloc[0] == (
            f"channel 0 is {sign * off_ms:+.0f} ms off its metadata"
            f" ({stated_ms / 1000:.3f} s, stated to {unit_ms} ms)"
        )


def test_a_detail_says_which_length_is_off(tmp_path):
    _, left_out = judged(tmp_path, talk(), n_samples=SECONDS * RATE - RATE, stated=(59_000.0, 100))

    assert left_out["detail"].tolist() == [
        "channel 0 is +1000 ms off its header",
        "channel 0 is +1000 ms off its metadata (59.000 s, stated to 100 ms)",
        "channel 1 is +1000 ms off its header",
        "channel 1 is +1000 ms off its metadata (59.000 s, stated to 100 ms)",
    ]


APART = ("a.wav", "b.wav")


def apart(root, first, second, *, rates=(RATE, RATE), paths=APART, settings=DOOR):
    """Inspect two channels of a file each, without words."""
    for path, samples, rate in zip(paths, (first, second), rates, strict=True):
        soundfile.write(root / path, samples, rate, subtype="PCM_16")
    rows = recordings(n_samples=None, paths=paths).assign(sample_rate_hz=list(rates))
    return inspect(rows, frames.empty("words"), root, settings=settings)


def run_by(sound, ppm):
    """Record a channel by a clock that is fast."""
    return stretch(sound.astype(np.float32), round(len(sound) * (1 + ppm * 1e-6)))


@pytest.mark.parametrize("paths", [APART, ("a.flac", "b.flac")])
@pytest.mark.parametrize(("ppm", "said"), [(0, []), (300, []), (400, ["clock drift"])])
def test_clocks_that_run_apart_by_over_20_ms_are_turned_away(tmp_path, ppm, said, paths):
    sound = talk()  # 60 s: 300 ppm are 18 ms, 400 ppm are 24 ms
    found, left_out = apart(tmp_path, sound[:, 0], run_by(sound[:, 1], ppm), paths=paths)

    assert found["drift_ppm"].isna().tolist() == [True, False]
    assert found["drift_ppm"].iloc[1] == pytest.approx(ppm, abs=10)
    assert found["drift_low_ppm"].iloc[1] <= found["drift_ppm"].iloc[1]
    assert found["drift_ppm"].iloc[1] <= found["drift_high_ppm"].iloc[1]
    assert reasons(left_out) == said
    assert set(turned_away(left_out)) == ({"t:c"} if said else set())


def test_a_slow_clock_is_turned_away_and_named(tmp_path):
    sound = talk()
    _, left_out = apart(tmp_path, run_by(sound[:, 0], 400), sound[:, 1])

    assert reasons(left_out) == ["clock drift"]
    assert left_out["detail"].iloc[0].startswith("channel 1 runs -")
    assert left_out["detail"].iloc[0].endswith(" against channel 0: -24 ms in all")


def test_files_of_two_rates_are_compared_too(tmp_path):
    sound = talk()
    doubled_rate = stretch(sound[:, 1].astype(np.float32), 2 * len(sound))
    found, left_out = apart(tmp_path, sound[:, 0], doubled_rate, rates=(RATE, 2 * RATE))

    assert left_out.empty
    assert found["drift_ppm"].iloc[1] == pytest.approx(0, abs=10)


def test_an_interval_that_holds_the_bound_turns_nobody_away():
    rows = recordings().head(2)
    heard = [Heard(SECONDS * RATE, RATE, 0, 0, np.full(SECONDS * 20, 0.01)) for _ in rows.index]
    said = {}
    for low, high in ((300.0, 500.0), (340.0, 500.0), (-500.0, -300.0), (-500.0, -340.0)):
        drifts = [None, Drift((low + high) / 2, low, high)]
        _, faults = judge(rows, heard, drifts, frames.empty("words"), settings=DOOR)
        said[low, high] = "clock drift" in [row["reason"] for row in faults]

    # 20 ms in 60 s are 333 ppm.
    assert list(said.values()) == [False, True, False, True]


def test_clocks_are_not_compared_within_a_file(tmp_path):
    found, _ = judged(tmp_path, talk())

    assert found["drift_ppm"].isna().all()


def test_a_trusted_conversation_may_drift(tmp_path):
    sound = talk()
    trusting = DOOR.model_copy(update={"trusted": ["t:c"]})
    found, left_out = apart(tmp_path, sound[:, 0], run_by(sound[:, 1], 400), settings=trusting)

    assert found["drift_ppm"].iloc[1] == pytest.approx(400, abs=10)
    assert left_out.empty


def test_samples_that_are_no_number_leave_the_clock_unknown(tmp_path):
    sound = holed(talk()).astype(np.float32)
    for k, path in enumerate(APART):
        soundfile.write(tmp_path / path, sound[:, k], RATE, subtype="FLOAT")
    found, left_out = inspect(
        recordings(paths=APART), frames.empty("words"), tmp_path, settings=DOOR
    )

    assert found["drift_ppm"].isna().all()
    assert set(reasons(left_out)) == {"samples not finite"}


def test_a_trusted_conversation_is_let_in(tmp_path):
    trusting = DOOR.model_copy(update={"trusted": ["t:c"]})
    found, left_out = judged(tmp_path, doubled(talk()), settings=trusting)

    assert len(found) == 2
    assert left_out.empty


def test_without_words_channels_are_not_said_to_be_swapped(tmp_path):
    found, left_out = judged(tmp_path, talk()[:, ::-1], said=frames.empty("words"))

    assert left_out.empty
    assert found[["contrast_db", "bleed_db"]].isna().all(axis=None)


def test_too_little_speech_tells_nothing_of_bleed(tmp_path):
    little = {who: spans[:3] for who, spans in TURNS.items()}
    found, _ = judged(tmp_path, talk()[:, ::-1], said=words(little))

    assert found["contrast_db"].isna().all()


def test_a_conversation_without_audio_has_no_row(tmp_path):
    silent = recordings().assign(path=None, n_samples=None)

    found, left_out = inspect(silent, words(), tmp_path, settings=DOOR)
    assert found.empty
    assert left_out.empty


def test_a_file_that_cannot_be_decoded_is_turned_away(tmp_path):
    soundfile.write(tmp_path / "c.flac", talk(), RATE)
    whole = (tmp_path / "c.flac").read_bytes()
    at = len(whole) // 2
    (tmp_path / "c.flac").write_bytes(whole[:at] + bytes(2000) + whole[at + 2000 :])
    rows = recordings(paths=("c.flac", "c.flac"))
    _, left_out = inspect(rows, words(), tmp_path, settings=DOOR)

    assert reasons(left_out) == ["unreadable audio"]
    assert str(tmp_path) not in left_out["detail"].iloc[0]
    assert turned_away(left_out).tolist() == ["t:c"]


@given(
    cuts=st.lists(st.integers(0, 5000), max_size=6), rate=st.sampled_from([8000, 11_025, 22_050])
)
def test_a_meter_does_not_see_how_its_samples_come(cuts, rate):
    samples = np.random.default_rng(1).normal(0, 0.6, 5000).astype(np.float32)
    whole, pieces = Meter(rate), Meter(rate)
    whole.feed(samples)
    edges = [0, *sorted(cuts), 5000]
    for a, b in pairwise(edges):
        pieces.feed(samples[a:b])
    one, other = whole.finish(), pieces.finish()

    np.testing.assert_array_equal(one.power, other.power)
    assert (one.n_samples, one.n_clipped) == (other.n_samples, other.n_clipped) == (
        5000, int((np.abs(samples) >= 0.999).sum())
    )  # fmt: skip
    squares = samples.astype(float) ** 2
    frames = pairwise([*(k * rate // 20 for k in range(5000 * 20 // rate + 1)), 5000])
    assert one.power == pytest.approx([squares[a:b].mean() for a, b in frames if a < b])


def test_a_frame_is_50_ms_however_late_and_at_any_rate():
    """At 22,050 Hz it is 1102.5 samples: by an hour, frames of 1102 would be 1.6 s early."""
    rate, hour = 22_050, 3600
    meter = Meter(rate)
    for second in range(hour):
        meter.feed(np.full(rate, 0.5 if second == hour - 2 else 0.0, np.float32))
    power = meter.finish().power

    assert len(power) == 20 * hour
    assert np.flatnonzero(power).tolist() == list(range(20 * (hour - 2), 20 * (hour - 1)))


@pytest.mark.skipif(not REAL.is_dir(), reason="the real recordings are not beside this checkout")
@pytest.mark.parametrize("name", ["two_channel_16k.wav", "multi.wav"])
def test_real_two_channel_recordings_are_let_in(tmp_path, name):
    shutil.copy(REAL / "google_dialogue_audio" / name, tmp_path / "c.wav")
    info = soundfile.info(tmp_path / "c.wav")
    rows = recordings(n_samples=info.frames).assign(sample_rate_hz=info.samplerate)
    found, left_out = inspect(rows, frames.empty("words"), tmp_path, settings=DOOR)

    assert left_out.empty
    assert found["n_decoded"].tolist() == [info.frames] * 2
