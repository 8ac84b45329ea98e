"""From recordings and sound to IPUs and voices; the networks tell tones apart (`ears`)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from ears import HIGH_HZ, LOW_HZ, ears, recordings, tone
from tact import config, frames, tables
from tact.diarizer.listener import Listener, listen
from tact.diarizer.mixed import diarize
from tact.diarizer.own import voices
from tact.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"])
LOW = [(0.5, 4.0), (9.0, 14.0), (20.0, 23.0)]
HIGH = [(4.5, 8.5), (13.5, 19.0)]
EARS = ears()


MIXED = recordings(("t:1", 0, "t:a", "mix.wav", True), ("t:1", 1, "t:b", "mix.wav", True))
NOBODY = frames.empty("voices")


@pytest.fixture
def root(tmp_path):
    low, high = tone(LOW_HZ, LOW, 25.0), tone(HIGH_HZ, HIGH, 25.0)
    soundfile.write(tmp_path / "mix.wav", low + high, 16_000)
    soundfile.write(tmp_path / "low.wav", low, 16_000)
    soundfile.write(tmp_path / "high.wav", high, 16_000)
    soundfile.write(tmp_path / "two.wav", np.stack((low, high), axis=1), 16_000)
    broken = np.stack((low, high), axis=1)
    broken[160_000:160_003, 1] = np.nan, np.inf, -np.inf
    soundfile.write(tmp_path / "broken.wav", broken, 16_000, subtype="FLOAT")
    soundfile.write(tmp_path / "silent.wav", np.zeros(160_000), 16_000)
    return tmp_path


def run(rows, root, known=NOBODY, **changes):
    settings = SETTINGS.diarization.model_copy(update=changes)
    return diarize(rows, root, known, ears=EARS, settings=settings, ipu=SETTINGS.activity)


def of(ipus, speaker):
    own = ipus[ipus["speaker"] == speaker]
    return own[["start_ms", "end_ms"]].to_numpy() / 1000


def test_ipus_of_a_shared_channel_are_those_of_its_speakers(root):
    found = run(MIXED, root)

    assert of(found.ipus, "t:a") == pytest.approx(np.array(LOW), abs=0.011)
    assert of(found.ipus, "t:b") == pytest.approx(np.array(HIGH), abs=0.011)
    assert set(frames.check(found.ipus, "ipus")["source"]) == {"diarization"}
    assert found.people["named_by"].tolist() == ["order", "order"], "a guess, and marked as one"
    assert found.quarantine.empty


def test_known_voices_name_the_speakers_whatever_their_order(root):
    apart = recordings(("t:2", 0, "t:b", "low.wav", False), ("t:2", 1, "t:a", "high.wav", False))
    known = voices(apart, root, ears=EARS, settings=SETTINGS.diarization).voices

    found = run(MIXED, root, known)

    assert of(found.ipus, "t:b") == pytest.approx(np.array(LOW), abs=0.011)
    assert of(found.ipus, "t:a") == pytest.approx(np.array(HIGH), abs=0.011)
    assert found.people["named_by"].tolist() == ["voice", "voice"]
    assert (found.people["likeness"] > 0.99).all()


@pytest.mark.parametrize("people", ["found", "told"])
def test_a_conversation_with_another_number_of_speakers_is_left_out_and_says_so(root, people):
    three = pd.concat([MIXED, recordings(("t:1", 2, "t:c", "mix.wav", True))], ignore_index=True)
    found = run(three, root, people=people)

    if people == "found":
        row = found.quarantine.iloc[0]
        assert (row["item"], row["reason"]) == ("t:1", "number of speakers")
        assert row["detail"] == "2 voices found, 3 speakers in recordings"
        assert found.ipus.empty
        assert found.people["speaker"].isna().all()
    assert len(found.people) >= 2


@pytest.mark.parametrize(
    ("rows", "detail"),
    [
        pytest.param(
            recordings(("t:1", 0, "t:a", "no.wav", True), ("t:1", 1, "t:b", "no.wav", True)),
            "cannot read",
            id="no-file",
        ),
        pytest.param(
            recordings(("t:1", 0, "t:a", None, True), ("t:1", 1, "t:b", None, True)),
            "no audio",
            id="words-only",
        ),
        pytest.param(
            recordings(("t:1", 0, "t:a", "low.wav", False), ("t:1", 1, "t:b", "mix.wav", True)),
            "not all of them",
            id="one-has-a-channel",
        ),
        pytest.param(
            recordings(
                ("t:1", 0, "t:a", "silent.wav", True), ("t:1", 1, "t:b", "silent.wav", True)
            ),
            "0 voices found",
            id="silence",
        ),
        pytest.param(
            recordings(
                ("t:1", 0, "t:a", "broken.wav", True), ("t:1", 1, "t:b", "broken.wav", True)
            ),
            "broken.wav: channel 1: 3 samples are no number",
            id="no-numbers",
        ),
    ],
)
def test_what_cannot_be_told_apart_is_left_out_whole(root, rows, detail):
    found = run(rows, root)

    assert found.ipus.empty
    assert len(found.quarantine) == 1
    assert detail in found.quarantine["detail"].iloc[0]


def test_conversations_with_channels_of_their_own_are_passed_over(root):
    apart = recordings(("t:1", 0, "t:a", "low.wav", False), ("t:1", 1, "t:b", "high.wav", False))
    found = run(apart, root)

    assert found.ipus.empty
    assert found.people.empty
    assert found.quarantine.empty


def test_what_is_heard_does_not_depend_on_blocks_or_batches():
    sound = tone(LOW_HZ, LOW, 25.0) + tone(HIGH_HZ, HIGH, 25.0)
    outcomes = []
    for n_piece, batch in ((len(sound), 1), (16_000, 4), (777, 3)):
        listener = Listener(ears(batch=batch))
        for start in range(0, len(sound), n_piece):
            listener.feed(sound[start : start + n_piece])
        outcomes.append(listener.finish())

    for outcome in outcomes[1:]:
        for ours, theirs in zip(outcome, outcomes[0], strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_channel_of_ones_own_may_hold_another_voice(root):
    swapped = tone(LOW_HZ, [(0.0, 15.0)], 25.0) + tone(HIGH_HZ, [(15.0, 20.0)], 25.0)
    soundfile.write(root / "guest.wav", swapped, 16_000)
    rows = recordings(("t:1", 0, "t:a", "guest.wav", False), ("t:1", 1, "t:b", "high.wav", False))

    found = voices(rows, root, ears=EARS, settings=SETTINGS.diarization).voices

    assert found["other_share"].tolist() == pytest.approx([0.25, 0.0], abs=0.01)
    assert found["speech_ms"].tolist() == pytest.approx([15_000, 9_500], abs=30)


def test_each_channel_of_a_file_has_its_voice(root):
    rows = recordings(("t:1", 0, "t:a", "two.wav", False), ("t:1", 1, "t:b", "two.wav", False))
    found = voices(rows, root, ears=EARS, settings=SETTINGS.diarization).voices
    a, b = found["embedding"]

    assert a @ b == pytest.approx(0.0, abs=0.05)


def test_a_voice_is_taken_from_the_begin_of_a_long_channel(root):
    soundfile.write(root / "long.wav", tone(LOW_HZ, [(0.0, 300.0)], 300.0), 16_000)

    heard, duration_ms = listen(root / "long.wav", EARS, channel=0, most_s=30.0)

    assert 30_000 <= duration_ms <= 60_000
    assert len(heard.classes) < 60


def test_a_silent_channel_has_no_voice_and_says_so(root):
    rows = recordings(("t:1", 0, "t:a", "silent.wav", False), ("t:1", 1, "t:b", "low.wav", False))
    found = voices(rows, root, ears=EARS, settings=SETTINGS.diarization)

    assert found.voices["speaker"].tolist() == ["t:b"]
    assert found.quarantine["item"].tolist() == ["t:1, channel 0"]


def test_a_channel_that_the_file_lacks_is_an_error_of_one_line(root):
    with pytest.raises(InputError, match="has 1 channels, not 2"):
        listen(root / "low.wav", EARS, channel=1)


def test_voices_are_written_and_read_with_their_vectors(root, tmp_path):
    rows = recordings(("t:1", 0, "t:a", "low.wav", False))
    found = voices(rows, root, ears=EARS, settings=SETTINGS.diarization).voices
    tables.write(found, tmp_path / "v.parquet", "voices")

    again = tables.read(tmp_path / "v.parquet", "voices")

    np.testing.assert_array_equal(again["embedding"].iloc[0], found["embedding"].iloc[0])


def test_what_is_kept_of_a_channel_is_a_few_mb_an_hour():
    listener, minutes = Listener(ears(batch=16)), 5
    for _ in range(minutes):
        listener.feed(tone(LOW_HZ, [(0.0, 40.0)], 60.0))
    kept = sum(part.nbytes for part in listener.finish() if isinstance(part, np.ndarray))

    assert kept < minutes / 60 * 8e6
