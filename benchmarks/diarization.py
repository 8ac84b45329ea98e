"""Who spoke when: our diarizer beside the pipeline of pyannote.audio that it is made after.

    .venv-diarize/bin/python benchmarks/diarization.py [FOLDER ...]
    .venv-diarize/bin/python benchmarks/diarization.py --hours 3

Of the sample inside pyannote.audio, and of each WAV in a FOLDER with RTTM files, it prints the
diarization error rate of both (no collar, overlap counts) with the same two networks, when the
number of people is found and when it is told, and their times real time. With --hours, the peak of
resident memory on a channel of that length instead: the networks are then stood in for (four
voices, turns of 3 s), since their own memory does not depend on it.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import soundfile

from tact import config
from tact.detectors.pyannote import PyannoteDetector
from tact.diarization import spans
from tact.diarizer.listener import Ears, ears, listen
from tact.diarizer.mixed import find
from tact.networks import runtime

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"])
RATE_HZ = 16_000
METHOD = {"method": "centroid", "threshold": 0.7046, "min_cluster_size": 12}
"""The clustering of pyannote's own pipeline 3.1."""


class Embedding:
    """Our embedder as the pipeline wants one."""

    sample_rate, dimension, metric, min_num_samples = RATE_HZ, 192, "cosine", 6_400

    def __init__(self, embedder):
        self._embed = embedder.embed

    def __call__(self, waveforms, masks):
        found = np.full((len(waveforms), self.dimension), np.nan, dtype=np.float32)
        heard = zip(waveforms[:, 0].numpy(), masks.numpy() > 0.5, strict=True)
        for vector, (window, mask) in zip(found, heard, strict=True):
            if mask.sum() >= 24:
                vector[:] = self._embed(window, mask[None])[0]
        return found


def pipeline(both):
    """Make pyannote's pipeline of our two networks."""
    runtime.pyannote()
    from pyannote.audio.pipelines import speaker_diarization as parts

    parts.PretrainedSpeakerEmbedding = lambda *_, **__: Embedding(both.embedder)
    parts.get_plda = lambda *_, **__: None
    made = parts.SpeakerDiarization(
        segmentation=both.segmentation._model,
        segmentation_step=both.segmentation.n_hop / both.segmentation.n_window,
        embedding="ours",
        clustering="AgglomerativeClustering",
        embedding_exclude_overlap=True,
        embedding_batch_size=8,
        segmentation_batch_size=8,
    )
    made.instantiate({"segmentation": {"min_duration_off": 0.0}, "clustering": METHOD})
    return made


def references(folder):
    """Read the RTTM files of a folder: who speaks when, by recording."""
    from pyannote.core import Annotation, Segment

    told = {}
    for path in sorted(folder.glob("*.rttm")):
        for track, line in enumerate(path.read_text().splitlines()):
            field = line.split()
            start, length = float(field[3]), float(field[4])
            made = told.setdefault(field[1], Annotation(uri=field[1]))
            made[Segment(start, start + length), track] = field[7]
    return told


def ours(path, both, n_people):
    """Diarize by `tact.diarizer`."""
    from pyannote.core import Annotation, Segment

    heard, duration_ms = listen(path, both, channel=None)
    network = both.segmentation
    people = find(heard, network.frame_ms, settings=SETTINGS.diarization, n_people=n_people)
    made = Annotation()
    for person, speech in enumerate(people.speech):
        grid = {"frame_ms": network.frame_ms, "first_ms": network.first_ms}
        for start, end in spans(speech, **grid, duration_ms=duration_ms):
            made[Segment(start / 1000, end / 1000), person] = person
    return made


def theirs(path, made, n_people):
    """Diarize by pyannote's pipeline."""
    samples = soundfile.read(path, dtype="float32", always_2d=True)[0].mean(axis=1)
    whole = {"waveform": runtime.torch().from_numpy(samples)[None], "sample_rate": RATE_HZ}
    return made({**whole, "uri": path.stem}, num_speakers=n_people).speaker_diarization


def compare(folders):
    """Print the error of both on every recording that has a reference."""
    both = ears(SETTINGS.activity.pyannote, SETTINGS.diarization.embedding)
    made = pipeline(both)
    from pyannote.core import Segment, Timeline
    from pyannote.metrics.diarization import DiarizationErrorRate

    print(
        f"{'recording':12}{'people':>7}  {'':10}{'found':>6}{'DER':>7}{'told DER':>9}{'x real':>8}"
    )
    for folder in folders:
        for name, truth in references(folder).items():
            path = folder / f"{name}.wav"
            if not path.is_file():
                continue
            length_s, n_people = soundfile.info(path).duration, len(truth.labels())
            whole = Timeline([Segment(0.0, length_s)])
            for who, run in (
                ("ours", lambda n, path=path: ours(path, both, n)),
                ("pyannote", lambda n, path=path: theirs(path, made, n)),
            ):
                started = time.perf_counter()
                found = run(None)
                rate = (time.perf_counter() - started) / length_s
                error = DiarizationErrorRate()(truth, found, uem=whole)
                told = DiarizationErrorRate()(truth, run(n_people), uem=whole)
                n_found = len(found.labels())
                print(
                    f"{name:12}{n_people:7}  {who:10}{n_found:6}{error:7.3f}{told:9.3f}{rate:8.2f}"
                )


def stand_in(both):
    """Put turns of four voices in the place of both networks."""
    rng = np.random.default_rng(1)
    voices = rng.normal(size=(4, 192)).astype(np.float32)
    turn = round(3_000 / both.segmentation.frame_ms)
    classes = 1 + np.arange(both.segmentation.answers) // turn % 3
    scores = np.eye(7, dtype=np.float32)[classes]

    def ask(windows):
        return np.repeat(scores[None], len(windows), axis=0)

    def embed(_, speakers):
        near = voices[rng.integers(4, size=len(speakers))]
        near = near + rng.normal(scale=0.7, size=near.shape)
        return (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)

    both.segmentation.ask, both.embedder.embed = ask, embed
    return scores @ both.segmentation.members.astype(np.float32)


def memory(what, path):
    """Run one of the programs on a long channel and print the peak of resident memory."""
    import resource

    both = ears(SETTINGS.activity.pyannote, SETTINGS.diarization.embedding)
    started = time.perf_counter()
    if what == "detector":
        detector = PyannoteDetector(SETTINGS.activity.pyannote)
        stand_in(Ears(detector._network, both.embedder))
        stream = detector.open()
        for block in soundfile.blocks(path, 10 * RATE_HZ, dtype="float32"):
            stream.feed(block)
        stream.finish()
    elif what == "ours":
        stand_in(both)
        ours(path, both, None)
    elif what == "pyannote":
        from pyannote.audio import Inference

        talks = stand_in(both)
        Inference.infer = lambda _, chunks: np.repeat(talks[None], len(chunks), axis=0)
        theirs(path, pipeline(both), None)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:10}{peak:8.0f} MB{seconds:8.0f} s", flush=True)


def lengths(hours):
    """Print the memory of each program on a short and on a long channel."""
    with tempfile.TemporaryDirectory() as folder:
        for length in (hours / 12, hours):
            path = Path(folder) / "long.wav"
            minute = np.random.default_rng(1).normal(0, 0.05, 60 * RATE_HZ)
            with soundfile.SoundFile(path, "w", RATE_HZ, 1, subtype="PCM_16") as file:
                for _ in range(round(60 * length)):
                    file.write(minute)
            print(f"{length:g} h")
            for what in ("networks", "ours", "pyannote", "detector"):
                command = [sys.executable, "-W", "ignore", __file__, "--one", what, str(path)]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--one", what, path]:
            memory(what, Path(path))
        case ["--hours", hours]:
            lengths(float(hours))
        case folders:
            sample = Path(runtime.pyannote().__file__).parent / "sample"
            compare([sample, *map(Path, folders)])
