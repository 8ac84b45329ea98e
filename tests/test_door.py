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
from tact.door import Heard, repeated, turned_away
from tact.door import inspect as judge
from tact.drift import Drift
from tact.inspection import Meter, inspect

DOOR = SETTINGS.door
RATE = 8_000
SECONDS = 60
CHANGES = (0, 2, 3, 5, 7, 11, 15, 19, 22, 25, 29, 31, 36, 37, 40, 42, 43, 47, 52, 58, 60)
"""Where the floor passes, s: at no lag does the talk look like itself; each speaks for 30 s."""
TURNS = {who: list(pairwise(CHANGES))[k::2] for k, who in enumerate("AB")}
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
    # Two levels, told apart without a fault; the other's words are all that one's own are not.
    assert found["word_fit"].to_numpy() == pytest.approx(1, abs=0.005)
    assert found["word_best"].tolist() == found["word_fit"].tolist()
    assert found["word_lag_ms"].tolist() == [0, 0]
    assert found["other_fit"].to_numpy() == pytest.approx(-found["word_fit"].to_numpy())


def test_a_channel_that_speakers_share_is_inspected_once(tmp_path):
    mixed = recordings().assign(mixed=True)
    soundfile.write(tmp_path / "c.wav", talk().sum(axis=1), RATE, subtype="FLOAT")

    found, left_out = inspect(mixed, words(), tmp_path, settings=DOOR)

    assert left_out.empty
    assert found["channel"].tolist() == [0]
    assert found[["other_fit", "bleed_db", "drift_ppm"]].isna().all(axis=None)


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
    "clipped": lambda sound: np.clip(sound * 5, -1, 1),
    "clipped too hard": lambda sound: np.clip(sound * 20, -1, 1),
    "beyond full scale": lambda sound: sound * 2**15,
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


@pytest.mark.parametrize("constant", [0.4, -0.02])
def test_a_constant_below_the_sound_is_not_heard(tmp_path, constant):
    quiet = talk(level=5e-3, floor=2e-5)
    as_is, _ = judged(tmp_path, quiet)

    found, left_out = judged(tmp_path, quiet + constant * np.array([1.0, -1.0]))

    assert left_out.empty
    heard = ["level_dbfs", "floor_dbfs", "word_fit", "bleed_db"]
    assert found[heard].to_numpy() == pytest.approx(as_is[heard].to_numpy(), abs=1e-3)


def test_a_channel_of_nothing_but_a_constant_is_silent(tmp_path):
    _, left_out = judged(tmp_path, talk() * np.array([1.0, 0.0]) + np.array([0.0, 0.4]))

    assert reasons(left_out) == ["silent channel"]


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
    heard = [
        Heard(SECONDS * RATE, RATE, 0, 0, 0.5, 0, np.full(SECONDS * 20, 0.01)) for _ in rows.index
    ]
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


OF_WORDS = ["word_fit", "word_best", "word_lag_ms", "other_fit"]


def test_without_words_channels_are_not_said_to_be_swapped(tmp_path):
    found, left_out = judged(tmp_path, talk()[:, ::-1], said=frames.empty("words"))

    assert left_out.empty
    assert found[[*OF_WORDS, "bleed_db"]].isna().all(axis=None)


def test_too_few_words_tell_nothing(tmp_path):
    little = {who: spans[:3] for who, spans in TURNS.items()}
    found, left_out = judged(tmp_path, talk()[:, ::-1], said=words(little))

    assert left_out.empty
    assert found[[*OF_WORDS, "bleed_db"]].isna().all(axis=None)


def late(sound, by_ms):
    return np.roll(sound, by_ms * RATE // 1000, axis=0)


@pytest.mark.parametrize(
    ("by_ms", "said"),
    [
        (300, None),
        (-300, None),
        (350, "0.35 s late"),
        (2000, "2.00 s late"),
        (-350, "0.35 s early"),
    ],
)
def test_sound_over_300_ms_off_its_words_is_turned_away(tmp_path, by_ms, said):
    found, left_out = judged(tmp_path, late(talk(), by_ms))

    assert found["word_lag_ms"].tolist() == [by_ms] * 2
    assert found["word_best"].to_numpy() == pytest.approx(1, abs=0.02)
    assert reasons(left_out) == ([] if said is None else ["sound out of step"] * 2)
    assert set(turned_away(left_out)) == (set() if said is None else {"t:c"})
    for number, detail in enumerate(left_out["detail"]):
        assert detail.startswith(f"channel {number} is {said} (correlation ")


def test_one_late_channel_is_named_alone(tmp_path):
    sound = talk()
    sound[:, 1] = late(sound[:, 1], 1500)
    _, left_out = judged(tmp_path, sound)

    assert reasons(left_out) == ["sound out of step"]
    assert left_out["detail"].iloc[0].startswith("channel 1 is 1.50 s late")


def test_the_words_of_another_talk_are_not_those_of_the_sound(tmp_path):
    other = {who: [(60 - b, 60 - a) for a, b in TURNS[who][::-1]] for who in "BA"}
    _, left_out = judged(tmp_path, talk(), said=words(dict(zip("AB", other.values(), strict=True))))

    assert reasons(left_out) == ["sound of other words"] * 2
    assert turned_away(left_out).tolist() == ["t:c"] * 2


def leveled(*wrong, n_frames=20 * SECONDS):
    """Draw channels that are loud in their words, but for some frames of speech and of silence.

    Half of the frames are speech, so with ``wrong`` of the 600 on either side the correlation of
    level and words is 1 - 2 wrong / 600.
    """
    channels = []
    for spans, n_wrong in zip(TURNS.values(), wrong, strict=True):
        loud = np.zeros(20 * SECONDS, bool)
        for start, end in spans:
            loud[20 * start : 20 * end] = True
        order = np.random.default_rng(len(channels)).permutation(20 * SECONDS)
        flipped = [order[loud[order] == side][:n_wrong] for side in (True, False)]
        loud[np.concatenate(flipped)] ^= True
        power = np.where(loud, 1e-2, 1e-5)[:n_frames]
        channels.append(Heard(n_frames * RATE // 20, RATE, 0, 0, 0.5, 0, power))
    return channels


DOUBT, OTHER, SWAPPED = "words hardly fit", "sound of other words", "channels swapped"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ((209, 209), []),  # .303
        ((211, 209), [DOUBT]),  # .297 on the first
        ((269, 269), [DOUBT, DOUBT]),  # .103
        ((271, 269), [DOUBT, DOUBT]),  # .097 on the first alone
        ((271, 271), [OTHER, OTHER]),
        ((449, 449), [OTHER, OTHER]),  # .497 with the other's words
        ((451, 451), [SWAPPED]),  # .503
        ((451, 449), [OTHER, OTHER]),
    ],
)
def test_the_correlation_of_level_and_words_decides(wrong, said):
    rows = recordings()
    found, faults = judge(rows, leveled(*wrong), [None, None], words(), settings=DOOR)

    assert [row["word_fit"] for row in found] == pytest.approx([1 - w / 300 for w in wrong])
    assert [row["other_fit"] for row in found] == pytest.approx([w / 300 - 1 for w in wrong])
    assert [row["reason"] for row in faults if row["reason"] != "loud bleed"] == said


def test_what_is_swapped_is_named_with_both_correlations():
    _, faults = judge(recordings(), leveled(600, 480), [None, None], words(), settings=DOOR)

    assert [row["detail"] for row in faults] == [
        "channels 0 and 1 go with each other's words (correlation 1.00 against -1.00 and 0.60"
        " against -0.60); mend the file or the times of the words, or name the conversation in"
        " door.trusted"
    ]


def test_under_a_minute_words_tell_nothing():
    short = leveled(451, 451, n_frames=20 * SECONDS - 1)
    found, faults = judge(recordings(), short, [None, None], words(), settings=DOOR)

    assert [row["word_fit"] for row in found] == [None, None]
    assert SWAPPED not in [row["reason"] for row in faults]


def test_a_channel_that_speakers_share_is_held_against_the_words_of_all():
    talking = {"A": TURNS["A"][:5], "B": TURNS["A"][5:]}  # together what the first channel holds
    mixed = recordings().assign(mixed=True).head(1)
    found, faults = judge(mixed, leveled(0, 0)[:1], [None], words(talking), settings=DOOR)

    assert faults == []
    assert found[0]["word_fit"] == pytest.approx(1)
    assert found[0]["other_fit"] is None


def test_floats_a_little_beyond_full_scale_are_let_in(tmp_path):
    _, left_out = judged(tmp_path, 3.0 / np.abs(talk()).max() * talk())

    assert turned_away(left_out).empty


def test_one_sample_that_no_sound_reaches_turns_the_conversation_away(tmp_path):
    sound = talk()
    sound[1234, 1] = 1e30
    _, left_out = judged(tmp_path, sound)

    assert reasons(left_out) == ["beyond full scale"]
    assert left_out["detail"][0].startswith("channel 1 reaches +600 dBFS, 1 samples at full scale")
    assert turned_away(left_out).tolist() == ["t:c"]


@pytest.mark.parametrize(("gain", "reason"), [(3, None), (5, "clipped"), (10, "clipped too hard")])
def test_the_share_at_full_scale_decides_what_clipping_is(tmp_path, gain, reason):
    found, left_out = judged(tmp_path, np.clip(talk() * gain, -1, 1))

    bounds = (DOOR.clipped_share, DOOR.clipped_most)
    n_over = sum(found["clipped_share"].max() > bound for bound in bounds)
    assert set(reasons(left_out)) == ({reason} if reason else set())
    assert n_over == [None, "clipped", "clipped too hard"].index(reason)
    assert turned_away(left_out).empty is bool(n_over < 2)


@pytest.mark.parametrize("n_samples", [3, 100, RATE - 1, RATE])
def test_under_a_second_a_channel_is_too_short_to_be_silent(tmp_path, n_samples):
    _, left_out = judged(tmp_path, talk()[:n_samples], n_samples=n_samples)

    assert set(reasons(left_out)) == ({"too short"} if n_samples < RATE else set())
    if n_samples == 3:
        assert left_out["detail"][0] == "channel 0 lasts 0 ms (3 samples); name a whole file"


def test_a_ceiling_below_full_scale_is_clipping(tmp_path):
    sound = np.clip(talk(level=0.4), -0.5, 0.3)
    found, left_out = judged(tmp_path, sound)

    flat = [(sound[1:] == level) & (sound[:-1] == level) for level in (-0.5, 0.3)]
    assert found["clipped_share"].tolist() == (sum(flat).sum(axis=0) / len(sound)).tolist()
    assert set(reasons(left_out)) == {"clipped"}
    assert turned_away(left_out).empty


def test_coarse_steps_of_a_soft_channel_are_not_clipping(tmp_path):
    soft = np.round(talk(level=3e-4) * 2**12) / 2**12  # -1, 0 and 1 of 12 bits
    found, left_out = judged(tmp_path, soft)

    assert found["clipped_share"].tolist() == [0, 0]
    assert "clipped" not in reasons(left_out)


def copied(by_s, noise):
    """Give the first channel again on the second, later."""
    sound = talk(bleed_db=-100.0)
    shifted = np.roll(sound[:, 0], round(by_s * RATE))
    return np.stack(
        [sound[:, 0], shifted + np.random.default_rng(9).normal(0, noise, len(sound))], 1
    )


@pytest.mark.parametrize("by_s", [0.11, 1.2345, -7.02])
def test_a_delayed_copy_is_said_and_kept(tmp_path, by_s):
    _, left_out = judged(tmp_path, 0.5 * copied(by_s, noise=1e-3), said=frames.empty("words"))

    assert reasons(left_out) == ["delayed copy"]
    assert turned_away(left_out).empty
    first, second = ("1", "0") if by_s > 0 else ("0", "1")
    detail, at_s = left_out["detail"].iloc[0], round(abs(by_s) * 20) / 20
    assert detail.startswith(
        f"channel {first} goes as channel {second} does, {at_s:.2f} s later (correlation "
    )


def test_a_copy_that_is_the_same_sound_later_is_turned_away(tmp_path):
    _, left_out = judged(tmp_path, copied(2.0, noise=0.0), said=frames.empty("words"))

    assert reasons(left_out) == ["same sound on two channels"]
    assert left_out["detail"].iloc[0] == (
        "channel 1 differs from channel 0 by under 0.1 dB, 2.00 s later"
    )


@pytest.mark.parametrize("bleed_db", [-20.0, -6.0, -3.0])
def test_bleed_is_no_copy(tmp_path, bleed_db):
    _, left_out = judged(tmp_path, talk(bleed_db), said=frames.empty("words"))

    assert left_out.empty


def test_conversations_with_one_sound_are_told_whatever_holds_it(tmp_path):
    sound = (2**15 * talk()).astype(np.int16)
    soundfile.write(tmp_path / "c.wav", sound, RATE)
    soundfile.write(tmp_path / "d.flac", sound[:, ::-1], RATE)
    soundfile.write(tmp_path / "e.wav", sound // 2, RATE)
    tables = [
        inspect(
            recordings(paths=(path, path)).assign(corpus=name[0], conversation=name),
            frames.empty("words"),
            tmp_path,
            settings=DOOR,
        )[0]
        for name, path in (("t:c", "c.wav"), ("u:d", "d.flac"), ("u:e", "e.wav"))
    ]

    told = repeated(frames.join(tables, "inspections"))

    assert told.to_dict("records") == [
        {
            "corpus": corpus, "item": name, "stage": "door",
            "reason": "sound of another conversation",
            "detail": f"channel 0 sounds as channel 1 of {other}; both are kept",
        }
        for corpus, name, other in (("t", "t:c", "u:d"), ("u", "u:d", "t:c"))
    ]  # fmt: skip
    assert turned_away(told).empty


def test_the_first_of_several_with_one_sound_is_named():
    rows, _ = judge(recordings(), leveled(0, 0), [None, None], words(), settings=DOOR)
    table = frames.frame(
        [row | {"conversation": f"t:{name}"} for name in "cab" for row in rows], "inspections"
    )

    assert repeated(table)["detail"].tolist() == [
        "channel 0 sounds as channel 0 of t:b and of 1 more; both are kept",
        "channel 0 sounds as channel 0 of t:a and of 1 more; both are kept",
        "channel 0 sounds as channel 0 of t:a and of 1 more; both are kept",
    ]


def test_silence_has_no_name(tmp_path):
    found, _ = judged(tmp_path, talk() * np.array([1.0, 1e-5]))

    assert found["sound_sha256"].isna().tolist() == [False, True]


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
    samples = np.random.default_rng(1).normal(0, 0.6, 5000).clip(-0.4, 1.1).astype(np.float32)
    whole, pieces = Meter(rate), Meter(rate)
    whole.feed(samples)
    edges = [0, *sorted(cuts), 5000]
    for a, b in pairwise(edges):
        pieces.feed(samples[a:b])
    one, other = whole.finish(), pieces.finish()

    np.testing.assert_array_equal(one.power, other.power)
    counts = [(heard.n_samples, heard.n_clipped, heard.n_flat) for heard in (one, other)]
    flat = sum((samples[1:] == at) & (samples[:-1] == at) for at in np.float32([-0.4, 1.1]))
    assert counts == [(5000, (np.abs(samples) >= 0.999).sum(), flat.sum())] * 2
    exact = samples.astype(float)
    frames = pairwise([*(k * rate // 20 for k in range(5000 * 20 // rate + 1)), 5000])
    assert one.power == pytest.approx([exact[a:b].var() for a, b in frames if a < b])


def test_a_frame_is_50_ms_however_late_and_at_any_rate():
    """At 22,050 Hz it is 1102.5 samples: by an hour, frames of 1102 would be 1.6 s early."""
    rate, hour = 22_050, 3600
    meter = Meter(rate)
    silence = np.zeros(rate, np.float32)
    wave = np.where(np.arange(rate) % 2, 0.5, -0.5).astype(np.float32)
    for second in range(hour):
        meter.feed(wave if second == hour - 2 else silence)
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
