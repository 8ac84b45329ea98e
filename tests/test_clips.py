import hashlib
import io
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from tact import clips, frames

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def recordings(*rows: tuple[str, int, str, str | None, int]) -> pd.DataFrame:
    columns = ["conversation", "channel", "speaker", "path", "sample_rate_hz"]
    return pd.DataFrame(rows, columns=columns).assign(mixed=False)


def episodes(*rows: tuple[str, str, str, str, int, int]) -> pd.DataFrame:
    columns = [
        *("episode", "conversation", "focal", "partner"),
        *("context_start_ms", "horizon_end_ms"),
    ]
    return pd.DataFrame(rows, columns=columns)


def pack(chosen, rows, root):
    tar = io.BytesIO()
    table = clips.pack(chosen, rows, root, shard="3", into=tar)
    tar.seek(0)
    with tarfile.open(fileobj=tar) as packed:
        members = {name: packed.extractfile(name).read() for name in packed.getnames()}
    return frames.check(table, "clips"), members, tar.getvalue()


DYAD = recordings(("c", 0, "A", "c.wav", 44_100), ("c", 1, "B", "c.wav", 44_100))


@pytest.fixture
def stereo(tmp_path):
    samples = np.random.default_rng(1).integers(-20_000, 20_000, (44_100 * 3, 2), dtype=np.int16)
    soundfile.write(tmp_path / "c.wav", samples, 44_100)
    return samples


def test_a_clip_is_the_very_samples_with_the_focal_speaker_first(stereo, tmp_path):
    table, members, _ = pack(episodes(("x-1", "c", "B", "A", 101, 2_333)), DYAD, tmp_path)

    decoded, rate_hz = soundfile.read(io.BytesIO(members["x-1.flac"]), dtype="int16")
    start, stop = 101 * 44_100 // 1000, 2_333 * 44_100 // 1000

    assert rate_hz == 44_100
    np.testing.assert_array_equal(decoded, stereo[start:stop, ::-1])
    assert table.loc[0, "clip"] == "3/x-1.flac"
    assert table.loc[0, "clip_sha256"] == hashlib.sha256(members["x-1.flac"]).hexdigest()


def test_the_tar_has_the_same_bytes_whatever_the_order_of_rows(stereo, tmp_path):
    chosen = episodes(*((f"x-{i}", "c", "A", "B", 100 * i, 100 * i + 900) for i in range(5)))

    _, members, first = pack(chosen, DYAD, tmp_path)
    _, _, second = pack(chosen[::-1], DYAD[::-1], tmp_path)

    assert first == second
    assert list(members) == [f"x-{i}.flac" for i in range(5)]


def test_two_files_of_unequal_length_give_a_clip_as_far_as_both_reach(tmp_path):
    long, short = (np.full((n, 1), i + 1, np.int16) for i, n in enumerate((16_000, 12_000)))
    soundfile.write(tmp_path / "a.wav", long, 16_000)
    soundfile.write(tmp_path / "b.wav", short, 16_000)
    rows = recordings(("c", 0, "A", "a.wav", 16_000), ("c", 1, "B", "b.wav", 16_000))
    chosen = episodes(("x-1", "c", "A", "B", 0, 750), ("x-2", "c", "A", "B", 0, 751))

    table, members, _ = pack(chosen, rows, tmp_path)
    decoded, _ = soundfile.read(io.BytesIO(members["x-1.flac"]), dtype="int16")

    assert np.unique(decoded, axis=0).tolist() == [[1, 2]]
    assert list(members) == ["x-1.flac"]
    assert "holds samples 0 to 12000, not 0 to 12016" in table.loc[1, "reason"]


def tone(rate_hz, n_samples, hz=440.0):
    """A tone of which every rate samples the same waveform, 24 bit and quiet."""
    return 0.3 * np.sin(2 * np.pi * hz * np.arange(n_samples) / rate_hz)


@pytest.mark.parametrize("partner_hz", [16_000, 44_100])
def test_of_two_rates_the_lower_is_resampled_to_the_higher_and_stays_aligned(tmp_path, partner_hz):
    soundfile.write(tmp_path / "a.wav", tone(48_000, 4 * 48_000), 48_000)
    soundfile.write(tmp_path / "b.wav", tone(partner_hz, 4 * partner_hz), partner_hz, "PCM_24")
    rows = recordings(("c", 0, "A", "a.wav", 48_000), ("c", 1, "B", "b.wav", partner_hz))

    _, members, _ = pack(episodes(("x-1", "c", "A", "B", 1_501, 3_007)), rows, tmp_path)
    decoded, rate_hz = soundfile.read(io.BytesIO(members["x-1.flac"]))
    stored, _ = soundfile.read(tmp_path / "a.wav")
    start, stop = 1_501 * 48, 3_007 * 48

    assert rate_hz == 48_000
    np.testing.assert_array_equal(decoded[:, 0], stored[start:stop])
    np.testing.assert_allclose(decoded[:, 1], tone(48_000, 4 * 48_000)[start:stop], atol=2e-6)


def test_a_resampled_channel_that_ends_too_soon_gives_no_clip(tmp_path):
    soundfile.write(tmp_path / "a.wav", tone(48_000, 2 * 48_000), 48_000)
    soundfile.write(tmp_path / "b.wav", tone(16_000, 16_000), 16_000)
    rows = recordings(("c", 0, "A", "a.wav", 48_000), ("c", 1, "B", "b.wav", 16_000))
    chosen = episodes(("x-1", "c", "A", "B", 0, 1_000), ("x-2", "c", "A", "B", 0, 1_001))

    table, members, _ = pack(chosen, rows, tmp_path)

    assert list(members) == ["x-1.flac"]
    assert "holds samples 0 to 16000, not to 16016" in table.loc[1, "reason"]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        pytest.param(
            recordings(("c", 0, "A", None, 0), ("c", 1, "B", None, 0)),
            "no audio of A",
            id="words-only",
        ),
        pytest.param(recordings(("c", 0, "A", "c.wav", 44_100)), "no audio of B", id="one-channel"),
        pytest.param(DYAD.assign(path="none.wav"), "No such file", id="file-gone"),
    ],
)
def test_an_episode_without_a_clip_says_why(stereo, tmp_path, rows, reason):
    table, members, _ = pack(episodes(("x-1", "c", "A", "B", 0, 900)), rows, tmp_path)

    assert members == {}
    assert pd.isna(table.loc[0, "clip"])
    assert reason in table.loc[0, "reason"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
def test_a_clip_of_a_real_two_channel_recording_holds_its_samples():
    name = "google_dialogue_audio/two_channel_16k.wav"
    rows = recordings(("c", 0, "A", name, 16_000), ("c", 1, "B", name, 16_000))

    _, members, _ = pack(episodes(("x-1", "c", "A", "B", 1_000, 6_000)), rows, SHARED)
    decoded, _ = soundfile.read(io.BytesIO(members["x-1.flac"]), dtype="int16")
    stored, _ = soundfile.read(SHARED / name, dtype="int16")

    np.testing.assert_array_equal(decoded, stored[16_000:96_000])
