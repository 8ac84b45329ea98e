"""Real recordings, each ingested to its very number of samples or to its reason of quarantine."""

import shutil
from pathlib import Path

import pytest
import soundfile

from corpora.timing_files import read
from tact import audio

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not REAL.is_dir(), reason="the real recordings are not beside this checkout"
)

HEAD = "conversation,speaker,channel,audio,timing\n"
TIMING = "start_s,end_s,text,speaker\n0.5,1.0,yes,A\n1.5,2.0,no,B\n"


def corpus(root, *audio, **changes):
    """Two speakers of one conversation: both in one file, or each in a file of their own."""
    for name in dict.fromkeys(audio):
        shutil.copy(REAL / name, root / Path(name).name)
    own = [Path(name).name for name in audio] * (2 // len(audio))
    rows = [f"c,{who},{k},{own[k]},t.csv\n" for k, who in enumerate("AB")]
    (root / "recordings.csv").write_text(HEAD + "".join(rows))
    (root / "t.csv").write_text(TIMING)
    return read(root, **changes)


@pytest.mark.parametrize(
    ("audio", "rate", "n_samples"),
    [
        (["google_dialogue_audio/two_channel_16k.wav"], 16_000, [106_641, 106_641]),
        (["google_dialogue_audio/multi.wav"], 44_100, [227_328, 227_328]),
        (["ami_audio_30s/dev00.wav", "ami_audio_30s/dev01.wav"], 16_000, [480_001, 480_001]),
        (["ami_headset_clip/ES2011a.Headset-0-40s-46s.wav", "ami_audio_30s/trn08.wav"], 16_000,
         [96_000, 480_001]),
    ],
    ids=["two channels", "two channels that bleed", "float, a file each", "16 bit and float"],
)  # fmt: skip
def test_each_channel_has_its_very_number_of_samples(tmp_path, audio, rate, n_samples):
    tables = corpus(tmp_path, *audio)
    decoded = [len(soundfile.read(REAL / name)[0]) for name in audio] * (2 // len(audio))

    assert tables.recordings["n_samples"].tolist() == n_samples == decoded
    assert set(tables.recordings["sample_rate_hz"]) == {rate}
    assert len(tables.words) == 2


def test_two_speakers_on_one_mono_channel_are_left_out_with_the_reason(tmp_path):
    tables = corpus(tmp_path, "google_dialogue_audio/commercial_mono.wav")

    assert tables.recordings.empty
    assert tables.quarantine["reason"].tolist() == ["channels disagree"]


def test_two_speakers_on_one_mono_channel_are_kept_where_voices_tell_them_apart(tmp_path):
    tables = corpus(tmp_path, "google_dialogue_audio/commercial_mono.wav", activity="diarization")

    assert tables.quarantine.empty
    assert tables.recordings["mixed"].all()
    assert tables.recordings["channel"].tolist() == [0, 1]
    assert tables.recordings["n_samples"].tolist() == [362_400, 362_400]
    assert audio.file_channels(tables.recordings).tolist() == [0, 0]


@pytest.mark.parametrize(
    "files",
    [["google_dialogue_audio/two_channel_16k.wav"],
     ["ami_audio_30s/dev00.wav", "ami_audio_30s/dev01.wav"]],
    ids=["two channels", "two files"],
)  # fmt: skip
def test_speakers_apart_are_no_shared_channel(tmp_path, files):
    tables = corpus(tmp_path, *files, activity="diarization")

    assert tables.recordings.empty
    assert tables.quarantine["reason"].tolist() == ["channels disagree"]


def test_files_of_two_rates_keep_each_their_own(tmp_path):
    tables = corpus(
        tmp_path, "google_dialogue_audio/commercial_mono.wav", "ami_audio_30s/dev00.wav"
    )

    assert tables.recordings["sample_rate_hz"].tolist() == [8_000, 16_000]
    assert tables.recordings["n_samples"].tolist() == [362_400, 480_001]
