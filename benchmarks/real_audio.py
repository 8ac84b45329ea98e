"""Where people speak in real recordings: each detector through TACT beside the detector's own way.

    .venv-diarize/bin/python benchmarks/real_audio.py [DATA]

DATA (``../shared/data``) holds folders of real recordings. Of each the detection error rate
(pyannote.metrics: missed and false time over speech, %) is printed, and once more with a collar of
.25 s, for

- *spans*: what TACT hears, calibrated on made speech, before IPUs are formed;
- *ipus*: the same joined over silences up to ``ipu_silence_ms``, as table ``ipus`` has it;
- *itself*: the peer as it comes, with no padding of ours: frames of webrtcvad, silero's
  get_speech_timestamps, pyannote's VoiceActivityDetection.

The last column says by how many points a row of ours is worse than its own peer (without a collar).
Then the best of ours stands beside the best peer, both chosen after the fact from three, so *spans*
alone: IPUs would give ours a second try; beside them stands what 50 ms at each edge of the
reference are worth. Last, both diarizers (`benchmarks/diarization.py`). The way in which windows of
pyannote vote was chosen on these recordings, so they are no test of it.

References are not alike. ``rttm`` of the AMI recordings come from words that are stretched over the
silences after them, so that who hears a pause is counted as missing speech. ``words`` are those
words, each cut to ``activity.max_word_ms`` and joined as IPUs are: the long stretches are gone, the
short ones are not. No edge of them is true to 50 ms: by its word "I'm" begins at 1.42 s of the
headset's clip, by its sound, whose level leaps by 30 dB there, at 1.465 s. The call has no
reference: what two of three peers say stands in for it, which favours peers, and its rows decide
nothing.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import diarization
import numpy as np
import pandas as pd
import soundfile
import soxr
import webrtcvad
from pyannote.core import Segment, Timeline
from pyannote.metrics.detection import DetectionErrorRate

from tact import activity, calibrating, config, detectors
from tact.clock import IntArray
from tact.detectors import SAMPLE_RATE_HZ, Detector
from tact.errors import InputError
from tact.hearing.bias import Corrections
from tact.networks import runtime
from tact.vocabulary import DETECTORS

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"]).activity
DATA = ROOT.parent / "shared/data"
AMI = ("dev00", "dev01", "trn08")
HEADSET = "ES2011a.Headset-0-40s-46s"
HEADSET_S = (40.0, 46.0)
HEADSET_RTTM = "ami_rttm/only_words/rttms/dev"
HEADSET_WORDS = "ami_nxt/ami_public_manual_1.6.2/words/ES2011a.A.words.xml"
VOTE = "vote of peers"
VOTE_MS = 5
EDGE_S = 0.05
NO_LESS = 0.05
"""Points that the table would print as 0.0."""

Find = Callable[[np.ndarray], list[IntArray]]


@dataclass(frozen=True)
class Recording:
    """Sound at 16 kHz, (n_samples, channels), and by reference the speech on each channel."""

    name: str
    sound: np.ndarray
    references: dict[str, list[Timeline]] = field(default_factory=dict)

    @property
    def whole(self) -> Timeline:
        return Timeline([Segment(0.0, len(self.sound) / SAMPLE_RATE_HZ)])


class Row(NamedTuple):
    recording: str
    reference: str
    detector: str
    way: str
    error: float
    missed: float
    false: float
    collared: float
    grain: float


def recordings(data: Path) -> Iterator[Recording]:
    sample = sample_folder()
    if sample is None:
        print("sample: skipped, pyannote.audio is not installed")
    else:
        truth = diarization.references(sample)["sample"].get_timeline().support()
        yield Recording("sample", sound(sample / "sample.wav"), {"rttm": [truth]})
    told = diarization.references(data / "ami_audio_30s")
    for name in AMI:
        words = pd.read_csv(data / f"ami_audio_30s/{name}.words.csv").query("tag == 'w'")
        references = {
            "rttm": [told[name].get_timeline().support()],
            "words": [from_words(words["global_name"], words["start"], words["end"])],
        }
        yield Recording(name, sound(data / f"ami_audio_30s/{name}.wav"), references)
    yield headset(data)
    yield Recording("call", sound(data / "google_dialogue_audio/two_channel_16k.wav"))
    print("otospeech_example: skipped, its folder holds times and no audio")


def sample_folder() -> Path | None:
    try:
        return Path(runtime.pyannote().__file__).parent / "sample"
    except InputError:
        return None


def headset(data: Path) -> Recording:
    start_s, end_s = HEADSET_S
    told = diarization.references(data / HEADSET_RTTM)["ES2011a"]
    near = told.label_timeline("FEE041").crop(Segment(start_s, end_s))
    tree = ElementTree.parse(data / HEADSET_WORDS)
    words = [word.attrib for word in tree.iter("w") if "starttime" in word.attrib]
    start, end = ([float(word[key]) for word in words] for key in ("starttime", "endtime"))
    spoken = from_words("FEE041", start, end).crop(Segment(start_s, end_s))
    references = {"rttm": [moved(near, -start_s)], "words": [moved(spoken, -start_s)]}
    return Recording("headset", sound(data / f"ami_headset_clip/{HEADSET}.wav"), references)


def sound(path: Path) -> np.ndarray:
    samples, rate_hz = soundfile.read(path, dtype="float32", always_2d=True)
    return samples if rate_hz == SAMPLE_RATE_HZ else soxr.resample(samples, rate_hz, SAMPLE_RATE_HZ)


def from_words(speaker: "pd.Series[str] | str", start_s: object, end_s: object) -> Timeline:
    """Make speech of words as `tact activity` does."""
    words = pd.DataFrame({"start_ms": start_s, "end_ms": end_s}).mul(1000).round().astype("int64")
    words = words.assign(conversation="", speaker=speaker, kind="word", source="manual")
    ipus = activity.ipus_from_words(words, settings=SETTINGS)
    return timeline(ipus[["start_ms", "end_ms"]].to_numpy())


def timeline(edges_ms: np.ndarray) -> Timeline:
    return Timeline([Segment(start / 1000, end / 1000) for start, end in edges_ms]).support()


def moved(speech: Timeline, by_s: float) -> Timeline:
    return Timeline([Segment(part.start + by_s, part.end + by_s) for part in speech])


def ours(name: str) -> dict[str, Find]:
    """Hear through TACT: the spans of a calibrated detector, and the IPUs that they make."""
    detector = detectors.create(name, SETTINGS)
    known = calibrating.on_made_speech(detector, settings=SETTINGS)
    measured = calibrating.measure(name, known, measured_on="made", settings=SETTINGS)
    corrections = Corrections.of(measured, name)

    def spans(heard: np.ndarray) -> list[IntArray]:
        return through_tact(heard, detector, corrections)

    return {"spans": spans, "ipus": lambda heard: [joined(found) for found in spans(heard)]}


def through_tact(heard: np.ndarray, detector: Detector, corrections: Corrections) -> list[IntArray]:
    speakers = [f"speaker {at}" for at in range(heard.shape[1])]
    session = detectors.hear(heard, speakers, detector)
    found = detectors.find(session, detector, corrections, settings=SETTINGS)
    return [one.spans for one in found]


def joined(spans: IntArray) -> IntArray:
    table = pd.DataFrame(spans, columns=["start_ms", "end_ms"]).assign(conversation="", speaker="")
    ipus = activity.join(table, silence_ms=SETTINGS.ipu_silence_ms)
    return ipus[["start_ms", "end_ms"]].to_numpy(np.int64)


def webrtc_itself() -> Find:
    frame_ms = SETTINGS.webrtc.frame_ms
    n_frame = SAMPLE_RATE_HZ * frame_ms // 1000

    def find(heard: np.ndarray) -> list[IntArray]:
        return [frames_of(channel) for channel in heard.T]

    def frames_of(channel: np.ndarray) -> IntArray:
        vad = webrtcvad.Vad(SETTINGS.webrtc.mode)
        whole = np.clip(np.rint(channel * 32768), -32768, 32767).astype("<i2")
        starts = range(0, len(whole) - n_frame + 1, n_frame)
        spoken = [
            vad.is_speech(whole[at : at + n_frame].tobytes(), SAMPLE_RATE_HZ) for at in starts
        ]
        begins = np.flatnonzero(spoken) * frame_ms
        return np.stack((begins, begins + frame_ms), axis=1)

    return find


def silero_itself() -> Find:
    from silero_vad import get_speech_timestamps, load_silero_vad

    torch, model = runtime.torch(), load_silero_vad(onnx=True)

    def find(heard: np.ndarray) -> list[IntArray]:
        found = [
            get_speech_timestamps(torch.from_numpy(np.ascontiguousarray(channel)), model)
            for channel in heard.T
        ]
        return [
            np.array([(one["start"] // 16, one["end"] // 16) for one in spans]).reshape(-1, 2)
            for spans in found
        ]

    return find


def pyannote_itself() -> Find:
    runtime.pyannote()
    from pyannote.audio.pipelines import VoiceActivityDetection

    # By its default every span stays, however short, and so does every silence.
    made = VoiceActivityDetection(runtime.model(SETTINGS.pyannote.weights, "cpu"))
    made.instantiate({"min_duration_on": 0.0, "min_duration_off": 0.0})

    def find(heard: np.ndarray) -> list[IntArray]:
        channels = [runtime.torch().from_numpy(channel[None].copy()) for channel in heard.T]
        asked = [{"waveform": samples, "sample_rate": SAMPLE_RATE_HZ} for samples in channels]
        return [
            np.array([(1000 * part.start, 1000 * part.end) for part in made(one).get_timeline()])
            for one in asked
        ]

    return find


ITSELF = {"webrtc": webrtc_itself, "silero": silero_itself, "pyannote": pyannote_itself}


def hearers() -> dict[tuple[str, str], Find]:
    """Make all that hear, by detector and way; who cannot be made is skipped with the reason."""
    made: dict[tuple[str, str], Find] = {}
    for name in DETECTORS:
        try:
            made |= {(name, way): find for way, find in ours(name).items()}
            made[name, "itself"] = ITSELF[name]()
        except (InputError, ImportError) as error:
            print(f"{name}: skipped, {error}")
    return made


def judge(recording: Recording, finders: dict[tuple[str, str], Find]) -> Iterator[Row]:
    found = {
        who: [timeline(edges) for edges in find(recording.sound)] for who, find in finders.items()
    }
    peers = [speech for (_, way), speech in found.items() if way == "itself"]
    references = recording.references
    if not references and len(peers) == len(ITSELF):
        references = {VOTE: [vote(told) for told in zip(*peers, strict=True)]}
    for reference, truth in references.items():
        for who, speech in found.items():
            yield Row(
                recording.name, reference, *who, *rates(truth, speech, recording.whole, collar=0.0),
                rates(truth, speech, recording.whole, collar=0.25)[0],
                grain(truth, recording.whole),
            )  # fmt: skip


def rates(
    truth: list[Timeline], found: list[Timeline], whole: Timeline, *, collar: float
) -> tuple[float, float, float]:
    """Give error, missed and false time of all channels over their speech, %."""
    metric = DetectionErrorRate(collar=collar)
    for real, heard in zip(truth, found, strict=True):
        metric(real.to_annotation(), heard.to_annotation(), uem=whole)
    total = metric["total"] / 100
    return 100 * abs(metric), metric["miss"] / total, metric["false alarm"] / total


def grain(truth: list[Timeline], whole: Timeline) -> float:
    """Tell what 50 ms at each edge inside the recording are worth, % of speech."""
    ends = (0.0, whole.extent().end)
    spans = [part for one in truth for part in one]
    n_edges = sum(edge not in ends for part in spans for edge in part)
    return 100 * EDGE_S * n_edges / sum(part.duration for part in spans)


def vote(told: tuple[Timeline, ...]) -> Timeline:
    """Give the time for which most are."""
    length_ms = max(int(1000 * one.extent().end) for one in told) + 1
    middle = np.arange(0, length_ms, VOTE_MS) + VOTE_MS / 2
    votes = sum(
        ((middle > 1000 * part.start) & (middle < 1000 * part.end)).astype(int)
        for one in told
        for part in one
    )
    begins = middle[votes > len(told) / 2] - VOTE_MS / 2
    return timeline(np.stack((begins, begins + VOTE_MS), axis=1))


def beside_peers(rows: pd.DataFrame) -> pd.DataFrame:
    """Add by how many points a row of ours is worse than its own peer."""
    key = ["recording", "reference", "detector"]
    peer = rows[rows["way"] == "itself"].set_index(key)["error"]
    over = rows["error"] - peer.reindex(pd.MultiIndex.from_frame(rows[key])).to_numpy()
    return rows.assign(worse=[f"{by:+.1f}" if by >= NO_LESS else "" for by in over])


def best(rows: pd.DataFrame) -> pd.DataFrame:
    """Set the best spans of ours beside the best peer, for each recording and reference."""
    lines = []
    for (recording, reference), own in rows.groupby(["recording", "reference"], sort=False):
        sides = (own[own["way"] == way] for way in ("spans", "itself"))
        us, them = (side.loc[side["error"].idxmin()] for side in sides)
        over = us["error"] - them["error"]
        lines.append(
            {
                "recording": recording,
                "reference": reference,
                "ours": us["detector"],
                "error": us["error"],
                "peer": them["detector"],
                "its error": them["error"],
                "50 ms an edge": us["grain"],
                "not so": f"worse by {over:.1f}" if over >= NO_LESS else "",
            }
        )
    return pd.DataFrame(lines)


def main(data: Path) -> None:
    finders = hearers()
    rows = pd.DataFrame([row for one in recordings(data) for row in judge(one, finders)])
    print(beside_peers(rows.drop(columns="grain")).round(1).to_string(index=False))
    print("\nours no worse than the best peer?")
    print(best(rows).round(1).to_string(index=False))
    sample = sample_folder()
    if sample is not None:
        print()
        diarization.compare([sample, data / "ami_audio_30s"])


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else DATA)
