"""Files are made in the test; what they hold is known to the sample."""

import io
import struct
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.signal import correlate

from tact import audio
from tact.errors import InputError

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"


def noise(n_samples: int, n_channels: int = 1) -> np.ndarray:
    return np.random.default_rng(5).uniform(-0.5, 0.5, (n_samples, n_channels))


@pytest.fixture
def make(tmp_path):
    def write(name, samples, rate_hz=16_000, subtype=None):
        soundfile.write(tmp_path / name, samples, rate_hz, subtype=subtype)
        return tmp_path / name

    return write


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000])
@pytest.mark.parametrize("n_channels", [1, 2, 5])
@pytest.mark.parametrize("name", ["a.wav", "a.flac"])
def test_a_file_says_its_rate_samples_and_channels(make, name, n_channels, rate_hz):
    path = make(name, noise(12_345, n_channels), rate_hz)

    assert audio.probe(path) == (rate_hz, 12_345, n_channels)


@pytest.mark.parametrize("rate_hz", [16_000, 44_100, 48_000])
def test_an_mp3_decodes_aligned_with_what_was_encoded(make, rate_hz):
    clean = np.zeros((rate_hz, 2))
    clean[rate_hz // 3 :, 0] = 0.4 * np.sin(np.arange(rate_hz - rate_hz // 3) * 0.1)
    path = make("a.mp3", clean, rate_hz)

    decoded = np.concatenate(list(audio.blocks(path)))
    fit = correlate(decoded[:, 0].astype(float), clean[:, 0], method="fft")

    assert audio.probe(path) == (rate_hz, rate_hz, 2)
    assert int(np.argmax(fit)) - (rate_hz - 1) == 0, "samples by which the MP3 is late"


def test_an_mp3_read_anywhere_gives_the_samples_of_the_whole_to_half_a_step(make):
    # Loud and quiet by turns, so that frames take bits left over in those before them.
    rng = np.random.default_rng(2)
    loud = np.repeat(rng.choice([0.001, 0.05, 0.5], 400), 480)[:, None]
    path = make("a.mp3", loud * noise(192_000, 2), 48_000)
    whole, _ = soundfile.read(path, dtype="float32")

    np.testing.assert_array_equal(np.concatenate(list(audio.blocks(path, block_s=0.3))), whole)
    for start in rng.integers(0, 190_000, 80):
        part = audio.read(path, start, start + 1_500, channels=[1])[:, 0]
        (piece,) = audio.pieces(path, [(start, start + 1_500)], channel=1)

        assert not (part % 2**16).any()
        assert np.abs(part / 2**31 - whole[start : start + 1_500, 1]).max() <= 2**-16 + 1e-7
        np.testing.assert_array_equal(piece, whole[start : start + 1_500, 1])


@given(block_s=st.floats(0.001, 3.0))
@settings(max_examples=20)
def test_blocks_hold_every_sample_once_and_never_more_than_asked(tmp_path_factory, block_s):
    path = tmp_path_factory.mktemp("blocks") / "a.wav"
    whole = noise(20_000, 2).astype(np.float32)
    soundfile.write(path, whole, 16_000, subtype="FLOAT")

    parts = list(audio.blocks(path, block_s=block_s))

    assert max(len(part) for part in parts) <= max(1, round(block_s * 16_000))
    np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3"])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.98])
def test_a_truncated_file_is_one_clear_line(make, name, share):
    path = make(name, noise(48_000, 2), 48_000)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])

    with pytest.raises(InputError, match=r"^audio: .*(truncated|not audio)") as probed:
        audio.probe(path)
    with pytest.raises(InputError):
        list(audio.blocks(path))

    assert "\n" not in str(probed.value)


def test_a_hole_in_a_flac_is_found_when_it_is_decoded(make):
    path = make("a.flac", noise(48_000))
    content = bytearray(path.read_bytes())
    content[30_000:31_000] = bytes(1000)
    path.write_bytes(content)

    with pytest.raises(InputError, match="cannot be decoded"):
        list(audio.blocks(path))


@pytest.mark.parametrize("declared", [0, 0xFFFFFFFF])
def test_a_wav_written_to_a_pipe_does_not_know_its_size_and_is_read_whole(make, declared):
    path = make("a.wav", noise(1_000))
    content = bytearray(path.read_bytes())
    place = content.index(b"data") + 4
    content[place : place + 4] = struct.pack("<I", declared)
    path.write_bytes(content)

    if declared == 0:
        with pytest.raises(InputError, match="holds 2000 bytes after a header that says none"):
            audio.probe(path)
    else:
        assert audio.probe(path).n_samples == 1_000


def test_a_missing_file_and_a_text_file_are_named(tmp_path):
    (tmp_path / "a.wav").write_text("no sound at all")

    with pytest.raises(InputError, match=r"b\.wav \(No such file"):
        audio.probe(tmp_path / "b.wav")
    with pytest.raises(InputError, match=r"a\.wav is not audio"):
        audio.probe(tmp_path / "a.wav")


def test_a_member_of_a_tar_reads_like_a_file(make, tmp_path):
    path = make("a.flac", noise(9_000, 2))
    with tarfile.open(tmp_path / "shard.tar", "w") as tar:
        tar.add(path, "first.json")
        tar.add(path, "deep/session.flac")
    member = tmp_path / "shard.tar::deep/session.flac"

    assert audio.probe(member) == audio.probe(path)
    np.testing.assert_array_equal(
        audio.read(member, 10, 20, channels=[0, 1]), audio.read(path, 10, 20, channels=[0, 1])
    )
    with pytest.raises(InputError, match="no member other"):
        audio.probe(tmp_path / "shard.tar::other")
    with pytest.raises(InputError, match="not a tar"):
        audio.probe(tmp_path / "a.flac::x")


@pytest.mark.parametrize(
    ("subtype", "tolerance"), [("PCM_16", 0), ("PCM_24", 0), ("FLOAT", 2**-23)]
)
def test_flac_of_what_was_read_has_the_samples_of_the_file(make, subtype, tolerance):
    path = make("a.wav", noise(5_000, 2), 48_000, subtype=subtype)
    stored, _ = soundfile.read(path, dtype="float64")

    encoded = audio.flac(
        audio.read(path, 100, 4_000, channels=[1, 0]), 48_000, depth=audio.depth(path)
    )
    decoded, rate_hz = soundfile.read(io.BytesIO(encoded), dtype="float64")

    assert rate_hz == 48_000
    assert np.abs(decoded - stored[100:4_000, ::-1]).max() <= tolerance


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3"])
def test_pieces_are_the_samples_of_the_whole(make, name):
    path = make(name, noise(48_000, 2))
    whole = np.concatenate(list(audio.blocks(path)))[:, 1]
    spans = [(100, 400), (30_000, 40_000), (0, 1), (47_000, 48_000), (7, 7)]

    found = list(audio.pieces(path, spans, channel=1))

    for piece, (start, stop) in zip(found, spans, strict=True):
        assert piece.dtype == np.float32
        assert piece == pytest.approx(whole[start:stop], abs=1e-6)


@pytest.mark.parametrize("span", [(11_000, 12_346), (12_346, 12_347)])
def test_a_piece_past_the_end_is_refused(make, span):
    path = make("a.wav", noise(12_345))

    with pytest.raises(InputError, match=r"a\.wav"):
        list(audio.pieces(path, [span], channel=0))


def test_reading_past_the_end_or_a_missing_channel_is_refused(make):
    path = make("a.wav", noise(1_000))

    with pytest.raises(InputError, match="holds samples 0 to 1000, not 500 to 1001"):
        audio.read(path, 500, 1_001, channels=[0])
    with pytest.raises(InputError, match="1 channels, not 2"):
        audio.read(path, 0, 10, channels=[1])


@pytest.mark.parametrize("from_hz", [8_000, 16_000, 44_100, 48_000])
def test_resampling_keeps_time_and_does_not_depend_on_the_pieces(from_hz):
    time_s = np.arange(from_hz) / from_hz
    tone = np.sin(2 * np.pi * 440 * time_s).astype(np.float32)
    outcomes = []
    for n_piece in (from_hz, 777):
        resampler = audio.Resampler(from_hz, 16_000)
        pieces = [resampler.feed(tone[at : at + n_piece]) for at in range(0, from_hz, n_piece)]
        outcomes.append(np.concatenate([*pieces, resampler.finish()]))
    expected = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)

    assert abs(len(outcomes[0]) - 16_000) <= 1
    np.testing.assert_allclose(outcomes[0], outcomes[1], atol=1e-6)
    np.testing.assert_allclose(outcomes[0][800:15_000], expected[800:15_000], atol=2e-3)


@given(st.integers(100, 3_000), st.integers(1, 9_000))
@settings(max_examples=30)
def test_stretching_gives_exactly_the_samples_asked_for(n_before, n_after):
    stretched = audio.stretch(np.ones(n_before, dtype=np.float32), n_after)

    assert stretched.shape == (n_after,)
    assert stretched.dtype == np.float32


def test_speakers_who_share_a_file_sit_on_its_channels_and_others_on_the_first():
    rows = pd.DataFrame(
        [("c", 0, "c.flac"), ("c", 1, "c.flac"), ("d", 0, "d-0.wav"), ("d", 3, "d-3.wav"),
         ("e", 0, "e.wav"), ("e", 1, "e.wav")],
        columns=["conversation", "channel", "path"],
    ).assign(mixed=[False] * 4 + [True] * 2)  # fmt: skip

    assert audio.file_channels(rows).tolist() == [0, 1, 0, 0, 0, 0]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
def test_real_recordings_are_what_their_notes_say():
    google = SHARED / "google_dialogue_audio"

    assert audio.probe(google / "two_channel_16k.wav") == (16_000, 106_641, 2)
    assert audio.probe(google / "multi.wav") == (44_100, 227_328, 2)
    assert audio.probe(google / "commercial_mono.wav") == (8_000, 362_400, 1)
    assert audio.probe(SHARED / "ami_audio_30s" / "dev00.wav") == (16_000, 480_001, 1)


@pytest.mark.parametrize("depth", ["FLOAT", "PCM_16", "PCM_24"])
def test_a_wav_holds_its_samples_and_nothing_of_the_day_it_was_made(depth):
    samples = np.random.default_rng(4).uniform(-0.9, 0.9, (4_800, 2)).astype(np.float32)

    encoded = audio.wav(samples, 48_000, depth=depth)
    with soundfile.SoundFile(io.BytesIO(encoded)) as sound:
        assert (sound.samplerate, sound.subtype) == (48_000, depth)
        decoded = sound.read(dtype="float32")

    np.testing.assert_allclose(decoded, samples, atol=0 if depth == "FLOAT" else 2**-15)
    assert b"PEAK" not in encoded[:100], "the chunk that states when it was written"


def halved(path):
    """Let the header of a WAV say half of what it holds; give its bytes and that number."""
    content = bytearray(path.read_bytes())
    place = content.index(b"data") + 4
    half = struct.unpack("<I", content[place : place + 4])[0] // 2
    content[place : place + 4] = struct.pack("<I", half)
    return bytes(content), half


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT"])
def test_a_wav_that_holds_more_than_its_header_says_is_one_clear_line(make, subtype):
    path = make("a.wav", noise(48_000), subtype=subtype)
    content, half = halved(path)
    path.write_bytes(content)

    with pytest.raises(InputError, match=f"more than its header says; after {half} bytes") as found:
        audio.probe(path)
    assert "\n" not in str(found.value)


LIST = b"LIST" + struct.pack("<I", 4) + b"INFO"
ODD = b"note" + struct.pack("<I", 3) + b"abc"


@pytest.mark.parametrize(
    "after",
    [LIST, LIST + LIST, ODD + b"\0" + LIST, ODD + LIST, b"x", b"\xff" * 639],
    ids=["a chunk", "two", "padded", "not padded", "a byte", "under 20 ms"],
)
def test_chunks_and_stray_bytes_after_the_sound_are_let_pass(make, after):
    path = make("a.wav", noise(1_000))
    path.write_bytes(path.read_bytes() + after)

    assert audio.probe(path).n_samples == 1_000


@pytest.mark.parametrize("before", [b"", LIST], ids=["at once", "after a chunk"])
def test_20_ms_of_bytes_that_are_no_chunk_are_too_many(make, before):
    path = make("a.wav", noise(1_000))
    path.write_bytes(path.read_bytes() + before + b"\xff" * 640)

    with pytest.raises(InputError, match="come 640 that are no chunk"):
        audio.probe(path)


@pytest.mark.parametrize("before", [b"", LIST], ids=["at once", "after a chunk"])
def test_a_second_chunk_of_samples_which_no_reader_plays_is_one_clear_line(make, before):
    path = make("a.wav", noise(1_000))
    path.write_bytes(path.read_bytes() + before + b"data" + struct.pack("<I", 800) + bytes(800))

    with pytest.raises(InputError, match="holds 2 chunks of samples, of which readers play the fi"):
        audio.probe(path)


@pytest.mark.parametrize("pad", [b"\0", b""], ids=["padded", "not padded"])
def test_an_odd_number_of_bytes_of_sound_may_have_its_pad_byte(make, pad):
    path = make("a.wav", noise(1_001), subtype="PCM_U8")
    content = path.read_bytes()
    sound = content[: content.index(b"data") + 8 + 1_001]
    path.write_bytes(sound + pad + LIST)

    assert audio.probe(path).n_samples == 1_001
