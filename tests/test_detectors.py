"""The detector is measured on speech whose every edge is known, and on real recordings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from tact import activity, audio, config, detectors, frames
from tact.keys import generator
from tact.simulate import speech
from tact.simulate.talk import Talk, Utterance, Word

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "data"
SETTINGS = config.load([ROOT / "config.yaml"]).activity
TEXTS = ("yeah", "so", "holiday", "really", "think", "about", "money", "children", "right", "was")


def conversation(n_utterances: int = 40) -> Talk:
    """Two people in turn; silences of .3 to 2 s, a third of the onsets before the other's end."""
    rng = generator("detector test")
    utterances, now, ends = [], 600, {"A": 0, "B": 0}
    for turn in range(n_utterances):
        speaker = "AB"[turn % 2]
        start = max(now, ends[speaker] + 400)
        words = []
        for _ in range(int(rng.integers(2, 9))):
            length = 10 * int(rng.integers(18, 45))
            words.append(Word(str(rng.choice(TEXTS)), now := max(now, start), now + length))
            now += length
        utterances.append(Utterance(speaker, start, now, tuple(words)))
        ends[speaker] = now
        now += int(rng.choice([-300, 300, 700, 1_200, 2_000]))
    return Talk("toy", ("A", "B"), max(ends.values()) + 1_000, tuple(utterances), ())


@pytest.fixture(scope="module")
def talk():
    return conversation()


@pytest.fixture
def spoken(talk, tmp_path):
    def write(name: str, *, rate_hz: int, snr_db: float, bleed_db: float) -> Path:
        voices = {"A": speech.Voice("en-us+f4", 50, 0.0), "B": speech.Voice("en-us+m3", 50, 0.0)}
        sound = speech.render(
            talk, voices, rate_hz=rate_hz, snr_db=snr_db, bleed_db=bleed_db, seed=1
        )
        soundfile.write(tmp_path / name, sound, rate_hz)
        return tmp_path

    return write


def recordings(*rows: tuple[str, int, str, str | None]) -> pd.DataFrame:
    columns = ["conversation", "channel", "speaker", "path"]
    return pd.DataFrame(rows, columns=columns).assign(corpus="toy", mixed=False)


DYAD = recordings(("toy", 0, "A", "c.flac"), ("toy", 1, "B", "c.flac"))


def edge_errors(talk: Talk, ipus: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    truth = pd.DataFrame(
        [("toy", part.speaker, part.start_ms, part.end_ms) for part in talk.utterances],
        columns=["conversation", "speaker", "start_ms", "end_ms"],
    )
    truth = activity.join(truth, silence_ms=SETTINGS.ipu_silence_ms)
    pairs = truth.merge(ipus, on="speaker", suffixes=("", "_found"))
    met = (pairs["start_ms_found"] < pairs["end_ms"]) & (pairs["end_ms_found"] > pairs["start_ms"])

    assert len(ipus) == len(truth) == met.sum(), "one found IPU for each true one, and no other"

    pairs = pairs[met]
    return (
        (pairs["start_ms_found"] - pairs["start_ms"]).to_numpy(),
        (pairs["end_ms_found"] - pairs["end_ms"]).to_numpy(),
    )


@pytest.mark.parametrize(
    ("rate_hz", "snr_db", "bleed_db"),
    [
        pytest.param(16_000, 60.0, float("-inf"), id="clean"),
        pytest.param(48_000, 25.0, -30.0, id="as-the-made-world"),
        pytest.param(44_100, 25.0, -20.0, id="strong-bleed"),
        pytest.param(16_000, float("inf"), -20.0, id="bleed-over-digital-silence"),
    ],
)
def test_ipus_of_spoken_talk_have_edges_within_calibration(talk, spoken, rate_hz, snr_db, bleed_db):
    root = spoken("c.flac", rate_hz=rate_hz, snr_db=snr_db, bleed_db=bleed_db)

    ipus, left_out = detectors.detect(DYAD, root, settings=SETTINGS)
    starts, ends = edge_errors(talk, ipus)

    assert left_out.empty
    assert set(frames.check(ipus, "ipus")["source"]) == {"webrtc"}
    assert abs(np.median(starts)) <= 10
    assert abs(np.median(ends)) <= 20
    assert abs(starts.mean() - ends.mean()) <= 25, "the bias of the FTO, ms"


def test_without_its_shift_the_detector_holds_on_after_speech(talk, spoken):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    raw = SETTINGS.model_copy(
        update={"webrtc": SETTINGS.webrtc.model_copy(update={"end_shift_ms": 0})}
    )

    ipus, _ = detectors.detect(DYAD, root, settings=raw)
    found = ipus.groupby("speaker")["end_ms"].max()
    last = {part.speaker: part.end_ms for part in talk.utterances}

    assert all(50 <= found[speaker] - last[speaker] <= 120 for speaker in "AB")


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 44_100, 48_000])
def test_frames_do_not_depend_on_the_blocks_they_came_in(rate_hz):
    sound = np.random.default_rng(2).normal(0, 0.1, 2 * rate_hz).astype(np.float32)
    sound[rate_hz // 2 : rate_hz] = 0
    outcomes = []
    for n_piece in (len(sound), 1_001, 37):
        stream = detectors.WebrtcStream(rate_hz, settings=SETTINGS.webrtc)
        for start in range(0, len(sound), n_piece):
            stream.feed(sound[start : start + n_piece])
        outcomes.append(stream.finish())

    assert len(outcomes[0][0]) == len(outcomes[0][1]) == pytest.approx(200, abs=1)
    for speech_frames, power in outcomes[1:]:
        np.testing.assert_array_equal(speech_frames, outcomes[0][0])
        np.testing.assert_allclose(power, outcomes[0][1], atol=1e-6)


def test_power_is_the_mean_square_of_a_frame():
    stream = detectors.WebrtcStream(16_000, settings=SETTINGS.webrtc)
    stream.feed(np.repeat(np.float32([0.5, -0.25, 0.0]), 160))

    np.testing.assert_allclose(stream.finish()[1], [0.25, 0.0625, 0.0])


def test_a_file_is_decoded_once_in_blocks_of_bounded_length(spoken, monkeypatch):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    lengths, decode = [], audio.blocks

    def counted(path):
        for block in decode(path):
            lengths.append(len(block))
            yield block

    monkeypatch.setattr(detectors.audio, "blocks", counted)
    detectors.detect(DYAD, root, settings=SETTINGS)

    assert sum(lengths) == audio.probe(root / "c.flac").n_samples
    assert max(lengths) <= audio.BLOCK_S * 16_000
    assert len(lengths) > 1


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        pytest.param("truncated", "unreadable audio", id="truncated"),
        pytest.param("missing", "unreadable audio", id="missing"),
        pytest.param("silent", "silent channel", id="one-channel-of-zeros"),
        pytest.param("mono", "unreadable audio", id="one-channel-only"),
        pytest.param("words only", "unreadable audio", id="words-only"),
    ],
)
def test_a_bad_conversation_is_named_and_the_rest_goes_on(talk, spoken, damage, reason):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    sound, rate_hz = soundfile.read(root / "c.flac")
    path: str | None = "bad.wav"
    if damage == "silent":
        sound[:, 1] = 0.0
    soundfile.write(root / path, sound[:, 0] if damage == "mono" else sound, rate_hz)
    if damage == "truncated":
        (root / path).write_bytes((root / path).read_bytes()[:100_000])
    path = {"missing": "none.wav", "words only": None}.get(damage, path)
    rows = pd.concat([recordings(("bad", 0, "A", path), ("bad", 1, "B", path)), DYAD])

    ipus, left_out = detectors.detect(rows, root, settings=SETTINGS)

    assert set(ipus["conversation"]) == {"toy"}
    assert left_out[["item", "stage", "reason"]].to_numpy().tolist() == [
        ["bad", "activity", reason]
    ]
    frames.check(left_out, "quarantine")


def test_nothing_to_read_gives_empty_tables():
    ipus, left_out = detectors.detect(DYAD[:0], Path("none"), settings=SETTINGS)

    assert frames.check(ipus, "ipus").empty
    assert frames.check(left_out, "quarantine").empty


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
def test_both_speakers_of_a_real_two_channel_call_are_heard():
    name = "google_dialogue_audio/two_channel_16k.wav"
    rows = recordings(("toy", 0, "A", name), ("toy", 1, "B", name))

    ipus, left_out = detectors.detect(rows, SHARED, settings=SETTINGS)

    assert left_out.empty
    assert set(ipus["speaker"]) == {"A", "B"}
    assert ipus["end_ms"].max() <= 106_641 // 16


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
@pytest.mark.parametrize("name", ["dev00", "dev01", "trn08"])
def test_speech_is_found_in_the_short_words_of_a_real_meeting_and_less_outside(name):
    """Short words only: AMI stretches a word over the silence that follows it."""
    folder = SHARED / "ami_audio_30s"
    words = pd.read_csv(folder / f"{name}.words.csv", keep_default_na=False)
    words = words[(words["tag"] == "w") & (words["punc"] == "")].astype(
        {"start": float, "end": float}
    )
    said, outside = np.zeros(3_000, dtype=bool), np.ones(3_000, dtype=bool)
    for word in words.itertuples():
        span = slice(round(word.start * 100), round(word.end * 100))
        outside[span] = False
        said[span] = word.end - word.start <= 0.6
    (track,) = detectors.tracks_of_file(folder / f"{name}.wav", [0], settings=SETTINGS.webrtc)
    found = track.speech[:3_000]

    assert found[said].mean() > 0.9
    assert found[outside].mean() < 0.4
