"""What every detector owes: the same answer however its samples come, and alone or in company."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import soundfile
import webrtcvad
from hypothesis import given, settings
from hypothesis import strategies as st

from tact import config, detectors
from tact.errors import InputError
from tact.keys import generator
from tact.simulate import soundcheck

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = config.load([ROOT / "config.yaml"]).activity
RATE_HZ = detectors.SAMPLE_RATE_HZ
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="module", params=["webrtc", "silero"])
def detector(request):
    return detectors.create(request.param, SETTINGS)


@pytest.fixture(scope="module")
def sound():
    (check,) = soundcheck.checks([20.0], rate_hz=RATE_HZ, bleed_db=-30.0, n_utterances=8, seed=3)
    return check.sound


def answer(detector, samples, n_piece=None):
    stream = detector.open()
    for start in range(0, len(samples), n_piece or max(1, len(samples))):
        stream.feed(samples[start : start + (n_piece or len(samples))])
    return stream.finish()


def test_speech_is_found_where_it_is(detector):
    (check,) = soundcheck.checks(
        [30.0], rate_hz=RATE_HZ, bleed_db=float("-inf"), n_utterances=12, seed=4
    )
    for at, speaker in enumerate(check.talk.speakers):
        probability = answer(detector, check.sound[:, at])
        time_ms = (np.arange(len(probability)) + 0.5) * detector.frame_ms
        said = np.zeros(len(probability), dtype=bool)
        near = said.copy()
        for part in check.talk.utterances:
            if part.speaker == speaker:
                said |= (time_ms >= part.start_ms + 60) & (time_ms < part.end_ms - 30)
                near |= (time_ms >= part.start_ms - 60) & (time_ms < part.end_ms + 200)

        assert probability.dtype == np.float32
        assert len(probability) == pytest.approx(len(check.sound) / 16 / detector.frame_ms, abs=1)
        assert (probability[said] >= detector.enter).mean() > 0.85
        assert (probability[~near] >= detector.enter).mean() < 0.05


@pytest.mark.parametrize("n_piece", [37, 512, 1_001, 16_000])
def test_frames_do_not_depend_on_the_pieces_they_came_in(detector, sound, n_piece):
    samples = sound[: 3 * RATE_HZ, 0]

    np.testing.assert_array_equal(answer(detector, samples, n_piece), answer(detector, samples))


def test_a_channel_has_the_same_bits_alone_and_in_any_company(detector, sound):
    rng = generator("company")
    channels = [
        np.roll(sound[:, at % 2], int(rng.integers(RATE_HZ)))[: int(rng.integers(1, 4 * RATE_HZ))]
        for at in range(9)
    ]
    alone = [answer(detector, channel) for channel in channels]

    streams = [detector.open() for _ in channels]
    for start in range(0, 4 * RATE_HZ, 5_000):
        for stream, channel in zip(streams, channels, strict=True):
            stream.feed(channel[start : start + 5_000])
    together = {at: streams[at].finish() for at in rng.permutation(9).tolist()}

    for at, expected in enumerate(alone):
        np.testing.assert_array_equal(together[at], expected)


@settings(max_examples=8, deadline=None)
@given(
    channels=st.lists(
        st.tuples(
            st.integers(0, RATE_HZ), st.integers(0, 5 * RATE_HZ), st.sampled_from([0.0, 1e-3, 1.0])
        ),
        min_size=1,
        max_size=70,
    ),
    n_piece=st.integers(700, 90_000),
    last=st.randoms(use_true_random=False),
)
def test_silero_gives_the_same_bits_in_companies_of_any_size(sound, channels, n_piece, last):
    detector = detectors.create("silero", SETTINGS)
    samples = [
        np.float32(gain) * sound[start : start + length, at % 2]
        for at, (start, length, gain) in enumerate(channels)
    ]
    streams = [detector.open() for _ in channels]
    for start in range(0, 5 * RATE_HZ, n_piece):
        for at, stream in enumerate(streams):
            stream.feed(samples[at][start : start + n_piece])
    order = list(range(len(channels)))
    last.shuffle(order)
    together = {at: streams[at].finish() for at in order}

    for at, expected in together.items():
        np.testing.assert_array_equal(answer(detector, samples[at]), expected)


def test_a_channel_that_is_given_up_does_not_stop_the_others(detector, sound):
    first, second = detector.open(), detector.open()
    first.feed(sound[:RATE_HZ, 0])
    first.close()
    first.close()
    second.feed(sound[:, 1])

    np.testing.assert_array_equal(second.finish(), answer(detector, sound[:, 1]))


def test_no_sample_gives_no_frame(detector):
    assert len(detector.open().finish()) == 0


@pytest.mark.parametrize(
    "samples",
    [
        pytest.param(np.zeros(RATE_HZ, np.float32), id="digital-zeros"),
        pytest.param(np.full(RATE_HZ, 0.3, np.float32), id="direct-current"),
    ],
)
def test_no_speech_is_heard_in_what_holds_none(detector, samples):
    probability = answer(detector, samples)

    assert np.isfinite(probability).all()
    assert (probability >= detector.enter).mean() < 0.12


def test_webrtc_answers_as_the_library_does(sound):
    samples = sound[: 5 * RATE_HZ, 0]
    library = webrtcvad.Vad(SETTINGS.webrtc.mode)
    whole = np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2")
    frames = whole[: len(whole) // 160 * 160].reshape(-1, 160)
    expected = [library.is_speech(frame.tobytes(), RATE_HZ) for frame in frames]

    found = answer(detectors.create("webrtc", SETTINGS), samples)

    np.testing.assert_array_equal(found, expected)


def own_session(samples):
    """Ask the package's own network chunk by chunk, as its own function does."""
    runtime = pytest.importorskip("onnxruntime", reason="requirements/dev.txt is not installed")
    package = Path(find_spec("silero_vad").origin).parent
    network = runtime.InferenceSession(package / "data" / "silero_vad.onnx")
    context, state = np.zeros((1, 64), np.float32), np.zeros((2, 1, 128), np.float32)
    found = []
    for chunk in np.pad(samples, (0, -len(samples) % 512)).reshape(-1, 1, 512):
        heard = np.concatenate((context, chunk), axis=1)
        told, state = network.run(None, {"input": heard, "state": state, "sr": np.array(RATE_HZ)})
        context = heard[:, -64:]
        found.append(told[0, 0])
    return np.array(found)


@pytest.mark.parametrize("gain", [1e-4, 1.0, 30.0])
def test_silero_answers_as_its_own_network_does(sound, gain):
    samples = np.float32(gain) * sound[: 7 * RATE_HZ + 100, 0]

    found = answer(detectors.create("silero", SETTINGS), samples)

    np.testing.assert_allclose(found, own_session(samples), rtol=0, atol=2e-5)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
def test_silero_answers_as_its_own_network_does_on_a_meeting():
    samples, rate_hz = soundfile.read(SHARED / "ami_audio_30s" / "dev01.wav", dtype="float32")
    expected = own_session(samples)

    found = answer(detectors.create("silero", SETTINGS), samples)

    assert rate_hz == RATE_HZ
    assert 0.2 < (expected >= 0.5).mean() < 0.98, "speech and silence"
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


def test_an_unknown_detector_is_named():
    with pytest.raises(InputError, match="there is no 'sonar'; there are webrtc, silero, pyannote"):
        detectors.create("sonar", SETTINGS)


def test_silero_without_its_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr("tact.detectors.silero_network.find_spec", lambda name: None)

    with pytest.raises(InputError, match=r"silero-vad is not installed; install requirements/"):
        detectors.create("silero", SETTINGS)
