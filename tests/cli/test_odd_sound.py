"""The same talk in odd files, heard by `tact activity`: the same spans, or a row that says why not.

Each file is made of one recording of 16 kHz, whose own reading the others are held against.
"""

from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
import yaml

from calibrated import detector_errors
from tact import frames, tables
from tact.cli import main
from tact.simulate import soundcheck, speech

CONFIG = Path(__file__).resolve().parents[2] / "config.yaml"
RATE_HZ = 16_000
SPEAKERS = {"sssd:A": 0, "sssd:B": 1}


@pytest.fixture(scope="module")
def talk():
    return soundcheck.converse("odd", n_utterances=10, seed=3)


@pytest.fixture(scope="module")
def sound(talk):
    voices = {"A": speech.Voice("en-us+f1", 50, 0.0), "B": speech.Voice("en-us+m3", 50, 0.0)}
    return speech.render(talk, voices, rate_hz=RATE_HZ, snr_db=30.0, bleed_db=-40.0, seed=1)


@pytest.fixture(params=["webrtc", "silero"])
def hear(request, tmp_path, talk):
    """Write the sound to a file, run the command on it, and give ipus and quarantine."""
    overlay = {"corpora": {"sssd": {"root": str(tmp_path)}}}
    (tmp_path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    tables.write(detector_errors(request.param), tmp_path / "e.parquet", "detector_errors")

    def run(sound, *, rate_hz=RATE_HZ, subtype="FLOAT", channels=(0, 1)):
        soundfile.write(tmp_path / "c.wav", sound, rate_hz, subtype=subtype)
        rows = [
            {"corpus": "sssd", "conversation": "sssd:c", "channel": channel, "speaker": speaker,
             "path": "c.wav", "sample_rate_hz": rate_hz, "duration_ms": talk.duration_ms,
             "licence": "CC0", "mixed": False, "language": "en", "split_group": "c"}
            for speaker, channel in zip(SPEAKERS, channels, strict=True)
        ]  # fmt: skip
        tables.write(frames.frame(rows, "recordings"), tmp_path / "r.parquet", "recordings")
        code = main([
            "--config", str(CONFIG), "--config", str(tmp_path / "overlay.yaml"), "activity",
            "sssd", "--recordings", str(tmp_path / "r.parquet"), "--source", request.param,
            "--out", str(tmp_path / "i.parquet"), "--quarantine", str(tmp_path / "q.parquet"),
            "--errors", str(tmp_path / "e.parquet"),
        ])  # fmt: skip
        assert code == 0
        return (
            tables.read(tmp_path / "i.parquet", "ipus"),
            tables.read(tmp_path / "q.parquet", "quarantine"),
        )

    return run


def spans(ipus, speaker):
    own = ipus[ipus["speaker"] == speaker]
    return own[["start_ms", "end_ms"]].to_numpy()


def same(found, plain, *, within_ms):
    """Hold the spans of both to be the same, but for one edge of the 20.

    Where a detector's own answer moves, the true edge may fall out of its reach, which holds 95 of
    100; the edge then stops at the reach's end or takes its middle.
    """
    ipus, left_out = found
    assert left_out.empty
    moved = []
    for speaker in SPEAKERS:
        mine, expected = spans(ipus, speaker), spans(plain[0], speaker)
        assert mine.shape == expected.shape
        moved += np.abs(mine - expected).ravel().tolist()
    *most, last = sorted(moved)
    assert most[-1] <= within_ms
    assert last <= 100


def test_every_utterance_of_the_plain_file_is_heard(hear, sound, talk):
    ipus, left_out = hear(sound)

    assert left_out.empty
    for speaker in SPEAKERS:
        true = [(u.start_ms, u.end_ms) for u in talk.utterances if f"sssd:{u.speaker}" == speaker]
        assert spans(ipus, speaker).shape == (len(true), 2)
        assert np.median(np.abs(spans(ipus, speaker) - true)) <= 10


@pytest.mark.parametrize(
    ("rate_hz", "within_ms"),
    [
        # A telephone lets no fricative through.
        pytest.param(8_000, 40, id="8-khz"),
        pytest.param(44_100, 10, id="44.1-khz"),
        pytest.param(48_000, 10, id="48-khz"),
    ],
)
def test_the_sample_rate_moves_no_edge(hear, sound, rate_hz, within_ms):
    other = np.stack([soxr.resample(one, RATE_HZ, rate_hz) for one in sound.T], axis=1)

    same(hear(other, rate_hz=rate_hz), hear(sound), within_ms=within_ms)


def test_a_constant_under_the_sound_moves_no_edge(hear, sound):
    same(hear(sound + 0.1, subtype="PCM_16"), hear(sound), within_ms=5)


def test_a_constant_that_drifts_moves_no_edge(hear, sound):
    """Two recorders whose offsets move apart by .3 of full scale."""
    drift = np.linspace(0.0, 1.0, len(sound), dtype=np.float32)[:, None]

    same(hear(sound + np.float32([0.2, -0.1]) * drift), hear(sound), within_ms=10)


def test_clipping_moves_no_edge(hear, sound):
    loud = np.clip(12.0 * sound, -1.0, 1.0)
    assert (np.abs(loud) == 1.0).mean() > 0.005

    same(hear(loud), hear(12.0 * sound), within_ms=20)


def test_digital_zeros_between_utterances_move_no_edge(hear, sound, talk):
    gated = np.zeros_like(sound)
    for part in talk.utterances:
        own = slice(part.start_ms * 16, part.end_ms * 16)
        gated[own, "AB".index(part.speaker)] = sound[own, "AB".index(part.speaker)]

    same(hear(gated), hear(sound), within_ms=20)


def test_seconds_of_digital_zeros_inside_a_file_move_no_edge(hear, sound):
    """A recorder that drops out for three seconds in which nobody speaks."""
    hole = np.zeros((3 * RATE_HZ, 2), dtype=np.float32)
    ipus, left_out = hear(np.concatenate((hole, sound)))
    plain, _ = hear(sound)

    assert left_out.empty
    for speaker in SPEAKERS:
        assert spans(ipus, speaker).shape == spans(plain, speaker).shape
        np.testing.assert_allclose(spans(ipus, speaker), spans(plain, speaker) + 3_000, atol=20)


@pytest.mark.parametrize("silent", [(0, 1), (1,)])
@pytest.mark.parametrize("level", [0.0, 1e-5, 0.1])
def test_a_channel_without_speech_leaves_the_conversation_out(hear, sound, silent, level):
    """Digital zeros, the noise of the last bit, or a constant and nothing else."""
    rng = np.random.default_rng(1)
    quiet = sound.copy()
    quiet[:, silent] = level if level == 0.1 else level * rng.normal(size=(len(sound), len(silent)))

    ipus, left_out = hear(quiet)

    assert ipus.empty
    assert left_out[["item", "stage", "reason"]].to_numpy().tolist() == [
        ["sssd:c", "activity", "silent channel"]
    ]


def test_speakers_sit_on_the_channels_that_recordings_names(hear, sound):
    """Two of five are the speakers'; the others hold a third voice, noise and zeros."""
    rng = np.random.default_rng(1)
    others = [
        np.roll(sound[:, 0], 7 * RATE_HZ),
        0.01 * rng.normal(size=len(sound)),
        0 * sound[:, 0],
    ]
    five = np.stack([others[0], sound[:, 1], others[1], others[2], sound[:, 0]], axis=1)

    same(hear(five, channels=(4, 1)), hear(sound), within_ms=0)


def test_a_channel_that_five_do_not_have_is_told(hear, sound):
    five = np.repeat(sound[:, :1], 5, axis=1)

    ipus, left_out = hear(five, channels=(0, 5))

    assert ipus.empty
    assert left_out["reason"].tolist() == ["unreadable audio"]
    assert "has 5 channels, not 6" in left_out["detail"].iloc[0]
