"""A system's recordings: heard, measured as people are, and refused where they cannot be right."""

import numpy as np
import pandas as pd
import pytest
import soundfile

import bench
from ears import LOW_HZ, tone
from tact import detectors, frames
from tact.errors import InputError
from tact.hearing.bias import Corrections
from tact.simulate import soundcheck
from tact.systems import overlap, recordings
from tact.systems.heard import hear

T0_MS, CLIP_MS = 8_000, 13_000
RATE_HZ = 16_000


class Loud:
    """A detector of any sound at all."""

    name, frame_ms, enter, leave = "loud", 10.0, 0.5, 0.5
    channels_at_once, gives_probability = 4, False

    def open(self):
        return LoudStream()


class LoudStream:
    def __init__(self):
        self.pieces = []

    def feed(self, samples):
        self.pieces.append(samples)

    def finish(self):
        samples = np.concatenate(self.pieces)
        frames_of = np.pad(np.abs(samples), (0, -len(samples) % 160)).reshape(-1, 160)
        return (frames_of.max(axis=1) > 1e-3).astype(np.float32)

    def close(self):
        pass


def episodes(n=1, scenario="smooth", **columns):
    """Episodes of 8 s of context, each in a conversation of its own, t0 at 100 s."""
    given = {"t0_ms": 100_000, "context_start_ms": 92_000, "horizon_end_ms": 105_000}
    return bench.episodes(
        n, [scenario], conversation=[f"candor:c{i}" for i in range(n)], **(given | columns)
    )


def spoken(of, *spans, speaker="candor:a"):
    """IPUs of the focal speaker, ms from t0, the same in every conversation."""
    rows = [(name, speaker, 100_000 + a, 100_000 + b, "words", None)
            for name in of["conversation"] for a, b in spans]  # fmt: skip
    return frames.frame(rows, "ipus")


def record(folder, of, *spans, run=0, length_ms=CLIP_MS, suffix="wav", channels=1):
    """Write a file for each episode with a tone in the spans, ms from t0."""
    folder.mkdir(exist_ok=True)
    seconds = [((a + T0_MS) / 1000, (b + T0_MS) / 1000) for a, b in spans]
    sound = tone(LOW_HZ, seconds, length_ms / 1000)
    if channels > 1:
        sound = np.column_stack([np.zeros_like(sound)] * (channels - 1) + [sound])
    for name in of["episode"]:
        soundfile.write(folder / f"{name}.{run}.{suffix}", sound, RATE_HZ, subtype="PCM_16")


def listened(folder, of, points, ipus):
    return hear(
        "mine", folder, recordings.find(folder, of), of, points, ipus,
        detector=Loud(), corrections=Corrections(), settings=bench.SETTINGS,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("said", "onset", "length"),
    [
        pytest.param([(300, 1500)], 300, 1200, id="one-turn"),
        pytest.param([], None, None, id="silence"),
        pytest.param([(-400, 900)], -400, 1300, id="overlap"),
        pytest.param([(-4000, -3000), (400, 1400)], 400, 1000, id="speech-before-the-window"),
        pytest.param([(-3000, -1500), (600, 1600)], 600, 1000, id="carry-over-is-no-onset"),
        pytest.param([(2600, 3600)], None, None, id="after-the-focal-speaker-went-on"),
        pytest.param([(300, 900), (1300, 2000)], 300, 1700, id="turn-over-a-pause"),
        pytest.param(
            [(300, 1200), (4000, 4800)], 300, 900, id="turn-ends-where-the-focal-is-alone"
        ),
    ],
)
def test_a_recording_is_measured_as_people_are(tmp_path, said, onset, length):
    """Focal speech: from 2.5 s before t0 to t0, and again from 2.5 s on.

    focal    #############                 ######
             -2500       t0             2500
    """
    of = episodes()
    points = bench.points(of, turn_start_ms=97_500, focal_next_ms=2500)
    record(tmp_path / "mine", of, *said)

    found = listened(tmp_path / "mine", of, points, spoken(of, (-2500, 0), (2500, 3500)))

    row = frames.check(found.responses, "responses").iloc[0]
    assert row["status"] == "ok"
    if onset is None:
        assert row[["onset_ms", "duration_ms"]].isna().all()
    else:
        assert row["onset_ms"] == pytest.approx(onset, abs=6)
        assert row["duration_ms"] == pytest.approx(length, abs=12)
    assert len(found.spoken) == len(said)


def test_speech_that_goes_on_for_30_s_is_cut_and_speech_cut_by_the_file_is_incomplete(tmp_path):
    of = episodes(2)
    points = bench.points(of, turn_start_ms=97_500)
    record(tmp_path / "mine", of[:1], (300, 31_000), length_ms=CLIP_MS + 27_000)
    record(tmp_path / "mine", of[1:], (300, 5_000), length_ms=CLIP_MS)

    found = listened(tmp_path / "mine", of, points, spoken(of, (-2500, 0))).responses

    assert found["status"].tolist() == ["ok", "incomplete"]
    assert found["duration_ms"].tolist()[0] == 30_000
    assert pd.isna(found["duration_ms"].iloc[1])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_recording_with_a_sample_that_is_no_number_is_refused(tmp_path, value):
    of = episodes()
    record(tmp_path, of, (300, 1500))
    path = tmp_path / f"{of['episode'].iloc[0]}.0.wav"
    sound, rate_hz = soundfile.read(path)
    sound[5:8] = value
    soundfile.write(path, sound, rate_hz, subtype="FLOAT")

    with pytest.raises(InputError, match="channel 0: 3 samples are no number; record or export"):
        listened(tmp_path, of, bench.points(of), spoken(of, (-2500, 0)))


def test_a_fault_is_no_silence(tmp_path):
    of = episodes(2)
    folder = tmp_path / "mine"
    record(folder, of[:1])
    name = of["episode"].iloc[1]
    (folder / "runs.csv").write_text(f"episode,run,status,primed\n{name},0,fault,\n")

    found = listened(folder, of, bench.points(of), spoken(of, (-2500, 0)))

    assert found.responses["status"].tolist() == ["ok", "fault"]
    assert found.responses["onset_ms"].isna().all()
    assert found.silent == 1


def test_the_floor_of_an_interruption_and_its_overlaps(tmp_path):
    """The system talks through the focal onset, and starts again over the focal turn.

    focal         ##############t0
    system   ########   ##           .7 s over the focal onset; .3 s later on
                  -2500
    """
    of = episodes(2, "interruption")
    points = bench.points(of, turn_start_ms=97_500)
    record(tmp_path / "mine", of[:1], (-4000, -1800), (-1000, -700))
    record(tmp_path / "mine", of[1:], (400, 1600))
    (tmp_path / "mine/runs.csv").write_text(f"episode,run,primed\n{of['episode'].iloc[0]},0,true\n")

    heard = listened(tmp_path / "mine", of, points, spoken(of, (-2500, 0)))
    found = overlap.overlaps(heard.runs, heard.talk)

    assert heard.responses["floor_held"].tolist() == [True, False]
    assert heard.responses["primed"].tolist() == [True, False]
    assert heard.responses["onset_ms"].tolist() == pytest.approx([-1000, 400], abs=6)
    assert found["settled"].tolist() == [True, False]
    assert found["onset_ms"].tolist() == pytest.approx([-2500, -1000], abs=6)
    assert found["duration_ms"].tolist() == pytest.approx([700, 300], abs=12)


def test_overlaps_begin_in_focal_speech_inside_the_window_and_backchannels_are_told(tmp_path):
    """Three starts of the system over the focal turn, and one in silence.

    focal    ##############################t0            ####
    system      ##   .2 s alone      ####     ####
               -2500                -600     300
    """
    of = episodes()
    points = bench.points(of, turn_start_ms=94_000, focal_next_ms=4000)
    record(tmp_path / "mine", of, (-3500, -3300), (-1900, -1700), (-600, 900), (4500, 4700))

    heard = listened(tmp_path / "mine", of, points, spoken(of, (-6000, 0), (4000, 5000)))
    found = overlap.overlaps(heard.runs, heard.talk).sort_values("onset_ms")

    assert found["onset_ms"].tolist() == pytest.approx([-1900, -600], abs=6)
    assert found["duration_ms"].tolist() == pytest.approx([200, 600], abs=12)
    assert found["backchannel"].tolist() == [True, False]


def test_made_speech_is_heard_by_a_real_detector_where_it_was_made(tmp_path):
    check = next(soundcheck.checks([40.0], rate_hz=RATE_HZ, bleed_db=-60, n_utterances=8, seed=3))
    said = check.talk.utterances
    asked, answer = said[2], said[3]
    assert (asked.speaker, answer.speaker) == ("A", "B")
    of = episodes(
        t0_ms=asked.end_ms, context_start_ms=0, horizon_end_ms=asked.end_ms + 5000,
    )  # fmt: skip
    later = [part for part in said if part.speaker == "A" and part.start_ms > asked.end_ms]
    points = bench.points(
        of, turn_start_ms=asked.start_ms, focal_next_ms=later[0].start_ms - asked.end_ms
    )
    ipus = frames.frame(
        [("candor:c0", "candor:a", part.start_ms, part.end_ms, "words", None)
         for part in said if part.speaker == "A"],
        "ipus",
    )  # fmt: skip
    (tmp_path / "mine").mkdir()
    soundfile.write(tmp_path / "mine/candor-00.0.wav", check.sound[:, 1], RATE_HZ)

    found = hear(
        "mine", tmp_path / "mine", recordings.find(tmp_path / "mine", of), of, points, ipus,
        detector=detectors.create("webrtc", bench.SETTINGS.activity),
        corrections=Corrections(), settings=bench.SETTINGS,
    )  # fmt: skip

    row = found.responses.iloc[0]
    assert row["onset_ms"] == pytest.approx(answer.start_ms - asked.end_ms, abs=100)
    assert row["duration_ms"] == pytest.approx(answer.end_ms - answer.start_ms, abs=200)


def test_two_channels_whose_input_comes_late_are_refused(tmp_path):
    of = episodes()
    folder = tmp_path / "mine"
    folder.mkdir()
    spans = [(1.0, 2.2), (3.0, 3.4), (5.5, 8.0)]
    heard = [(start + 0.7, end + 0.7) for start, end in spans]
    both = [tone(LOW_HZ, heard, CLIP_MS / 1000), tone(900.0, [(9.3, 9.9)], CLIP_MS / 1000)]
    soundfile.write(folder / "candor-00.0.wav", np.column_stack(both), RATE_HZ)
    ipus = spoken(of, *[(round(1000 * a) - T0_MS, round(1000 * b) - T0_MS) for a, b in spans])

    with pytest.raises(InputError, match=r"1 of 1 runs hold the input \+700 ms off their clip"):
        listened(folder, of, bench.points(of, turn_start_ms=97_500), ipus)


FAULTS = {
    "no folder": (lambda folder, of: None, "no folder"),
    "nothing": (lambda folder, of: folder.mkdir(), r"holds no <episode>\.<run>\.wav"),
    "unknown episode": (
        lambda folder, of: record(folder, of.assign(episode="candor-99")),
        r"1 of 1 runs are of an unknown episode \(first: episode candor-99, run 0\)",
    ),
    "missing episode": (
        lambda folder, of: record(folder, of[:1]),
        r"1 of 2 episodes lack a run of 1 \(first: candor-01, run 0\)",
    ),
    "missing run": (
        lambda folder, of: (record(folder, of), record(folder, of[:1], run=1)),
        r"1 of 2 episodes lack a run of 2 \(first: candor-01, run 1\)",
    ),
    "twice": (
        lambda folder, of: (record(folder, of), record(folder, of[:1], suffix="flac")),
        r"1 of 3 runs are there twice \(first: episode candor-00, run 0\)",
    ),
    "strange name": (
        lambda folder, of: (record(folder, of), (folder / "take one.wav").write_bytes(b"")),
        r"1 of 3 files are not called <episode>\.<run>\.wav \(first: take one\.wav\)",
    ),
    "shorter": (
        lambda folder, of: record(folder, of, length_ms=12_900),
        r"2 of 2 runs are shorter than their clip.*12900 ms, the clip 13000 ms",
    ),
    "longer": (
        lambda folder, of: record(folder, of, length_ms=43_100),
        r"2 of 2 runs are over 30 s longer than their clip.*43100 ms, the clip 13000 ms",
    ),
    "starts elsewhere": (
        lambda folder, of: (record(folder, of), told(folder, "start_ms", "250")),
        r"1 of 2 runs start elsewhere than their clip",
    ),
    "no file for a run that is told of": (
        lambda folder, of: (record(folder, of[:1]), told(folder, "status", "ok", "candor-01")),
        r"1 of 2 runs are in runs\.csv but have no file",
    ),
    "three channels": (
        lambda folder, of: record(folder, of, channels=3),
        r"2 of 2 runs have over two channels",
    ),
    "not sound": (
        lambda folder, of: (record(folder, of), (folder / "candor-01.0.wav").write_bytes(b"no")),
        r"candor-01\.0\.wav is not audio",
    ),
    "a status that is none": (
        lambda folder, of: (record(folder, of), told(folder, "status", "silent")),
        r"1 of 1 runs have status outside ok, fault",
    ),
    "an unknown column": (
        lambda folder, of: (record(folder, of), told(folder, "speed", "1")),
        r"runs\.csv: unknown column 'speed'",
    ),
}  # fmt: skip


def told(folder, column, value, episode="candor-00"):
    (folder / "runs.csv").write_text(f"episode,run,{column}\n{episode},0,{value}\n")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_folder_that_is_not_whole_is_refused_with_one_line(tmp_path, fault):
    make, message = FAULTS[fault]
    of = episodes(2)
    make(tmp_path / "mine", of)

    with pytest.raises(InputError, match=message) as caught:
        recordings.find(tmp_path / "mine", of)

    assert "\n" not in str(caught.value)


def test_a_system_may_leave_out_all_probes(tmp_path):
    of = episodes(2, corpus=["candor", "probes"])
    record(tmp_path / "mine", of[:1])

    assert recordings.find(tmp_path / "mine", of)["episode"].tolist() == ["candor-00"]


def test_the_input_of_a_two_channel_file_is_no_answer(tmp_path):
    of = episodes()
    folder = tmp_path / "mine"
    folder.mkdir()
    both = np.column_stack([
        tone(LOW_HZ, [(5.5, 8.0)], CLIP_MS / 1000), tone(900.0, [(8.3, 9.5)], CLIP_MS / 1000),
    ])  # fmt: skip
    soundfile.write(folder / "candor-00.0.wav", both, RATE_HZ)

    found = listened(folder, of, bench.points(of, turn_start_ms=97_500), spoken(of, (-2500, 0)))

    assert found.responses["onset_ms"].tolist() == pytest.approx([300], abs=6)
