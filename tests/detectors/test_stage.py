"""The detector is measured on speech whose every edge is known, and on real recordings."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

import calibrated
from tact import activity, audio, config, detectors, frames
from tact.detectors import Activities
from tact.hearing.bias import Bias, Corrections
from tact.keys import generator
from tact.simulate import speech
from tact.simulate.talk import Talk, Utterance, Word

ROOT = Path(__file__).resolve().parents[2]
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


def detect(rows, root, name="webrtc", corrections=None) -> Activities:
    return detectors.detect(
        rows,
        root,
        detector=detectors.create(name, SETTINGS),
        corrections=calibrated.corrections(name) if corrections is None else corrections,
        settings=SETTINGS,
    )


@pytest.mark.parametrize("name", ["webrtc", "silero"])
@pytest.mark.parametrize(
    ("rate_hz", "snr_db", "bleed_db"),
    [
        pytest.param(16_000, 60.0, float("-inf"), id="clean"),
        pytest.param(48_000, 25.0, -30.0, id="as-the-made-world"),
        pytest.param(44_100, 25.0, -15.0, id="strong-bleed"),
        pytest.param(8_000, 25.0, -30.0, id="telephone"),
        pytest.param(16_000, float("inf"), -20.0, id="bleed-over-digital-silence"),
    ],
)
def test_ipus_of_spoken_talk_have_exact_edges(talk, spoken, name, rate_hz, snr_db, bleed_db):
    root = spoken("c.flac", rate_hz=rate_hz, snr_db=snr_db, bleed_db=bleed_db)

    found = detect(DYAD, root, name)
    starts, ends = edge_errors(talk, found.ipus)

    assert found.quarantine.empty
    assert set(frames.check(found.ipus, "ipus")["source"]) == {name}
    assert abs(np.median(starts)) <= 10
    assert abs(np.median(ends)) <= 10
    assert np.quantile(np.abs(starts), 0.9) <= 40
    assert np.quantile(np.abs(ends), 0.9) <= 40
    assert found.ipus["confidence"].notna().all() == (name == "silero")
    assert found.ipus["confidence"].dropna().between(0.5, 1.0).all()


def test_what_was_heard_of_each_channel_and_pair_is_told(talk, spoken):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-15.0)

    found = detect(DYAD, root)
    heard = frames.check(found.heard, "heard").set_index("speaker")
    leaks = frames.check(found.leaks, "leaks").set_index("speaker")
    cut = frames.check(found.crosstalk, "crosstalk")

    assert heard["snr_db"].to_numpy() == pytest.approx([25, 25], abs=2.5)
    assert set(heard["detector"]) == {"webrtc"}
    assert leaks["neighbour"].to_dict() == {"A": "B", "B": "A"}
    assert leaks["level_db"].to_numpy() == pytest.approx([-15, -15], abs=1.5)
    assert leaks["delay_ms"].between(2, 12).all()
    assert len(cut) > 40
    assert (cut["speaker"] != cut["neighbour"]).all()
    for row in cut.itertuples():
        others = [u for u in talk.utterances if u.speaker == row.neighbour]
        assert any(u.start_ms < row.end_ms and row.start_ms < u.end_ms + 20 for u in others)


def test_corrections_move_every_end_by_the_bias_of_its_band(talk, spoken):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    reaches = calibrated.corrections("webrtc").reaches
    plain = detect(DYAD, root, corrections=Corrections(reaches))
    bias = Bias(start_ms=30.0, end_ms=-50.0, low_ms=-40.0, high_ms=35.0)

    moved = detect(DYAD, root, corrections=Corrections(reaches, ((0.0, 80.0, bias),)))
    row = moved.heard.iloc[0]

    assert (row["start_shift_ms"], row["end_shift_ms"]) == (-30.0, 50.0)
    assert (row["error_low_ms"], row["error_high_ms"]) == (-40.0, 35.0)
    pd.testing.assert_series_equal(moved.ipus["start_ms"], plain.ipus["start_ms"] - 30)
    pd.testing.assert_series_equal(moved.ipus["end_ms"], plain.ipus["end_ms"] + 50)


@pytest.mark.parametrize("name", ["webrtc", "silero"])
def test_conversations_heard_side_by_side_are_as_if_heard_alone(talk, spoken, name):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    sound, rate_hz = soundfile.read(root / "c.flac", dtype="float32")
    for at, length in enumerate((20, 5, 31)):
        soundfile.write(root / f"{at}.wav", sound[: length * rate_hz], rate_hz, subtype="FLOAT")
    rows = pd.concat(
        [
            recordings((f"c{at}", 0, "A", f"{at}.wav"), (f"c{at}", 1, "B", f"{at}.wav"))
            for at in range(3)
        ],
        ignore_index=True,
    )
    together = detect(rows, root, name)
    alone = [detect(own, root, name).ipus for _, own in rows.groupby("conversation")]

    pd.testing.assert_frame_equal(together.ipus, pd.concat(alone, ignore_index=True))


def test_speakers_in_files_of_their_own_and_of_two_rates_and_lengths(talk, spoken):
    """B's file is of 8 kHz and 700 ms shorter than A's."""
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    sound, rate_hz = soundfile.read(root / "c.flac", dtype="float32")
    soundfile.write(root / "a.wav", sound[:, 0], rate_hz)
    soundfile.write(root / "b.wav", audio.stretch(sound[:, 1], len(sound) // 2)[:-5_600], 8_000)
    rows = recordings(("toy", 0, "A", "a.wav"), ("toy", 1, "B", "b.wav"))

    found = detect(rows, root)
    starts, ends = edge_errors(talk, found.ipus)

    assert found.quarantine.empty
    assert abs(np.median(starts)) <= 10
    assert abs(np.median(ends)) <= 10


def test_a_file_is_decoded_once_in_blocks_of_bounded_length(spoken, monkeypatch):
    root = spoken("c.flac", rate_hz=16_000, snr_db=25.0, bleed_db=-30.0)
    lengths, decode = [], audio.blocks

    def counted(path):
        for block in decode(path):
            lengths.append(len(block))
            yield block

    monkeypatch.setattr(audio, "blocks", counted)
    detect(DYAD, root)

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

    found = detect(rows, root)
    ipus, left_out = found.ipus, found.quarantine

    assert set(ipus["conversation"]) == {"toy"}
    assert left_out[["item", "stage", "reason"]].to_numpy().tolist() == [
        ["bad", "activity", reason]
    ]
    frames.check(left_out, "quarantine")


def test_nothing_to_read_gives_empty_tables():
    found = detect(DYAD[:0], Path("none"))

    for name, table in found._asdict().items():
        assert frames.check(table, name).empty


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared recordings are not beside the checkout")
def test_both_speakers_of_a_real_two_channel_call_are_heard():
    name = "google_dialogue_audio/two_channel_16k.wav"
    rows = recordings(("toy", 0, "A", name), ("toy", 1, "B", name))

    found = detect(rows, SHARED)
    ipus, left_out = found.ipus, found.quarantine

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
    sound, rate_hz = soundfile.read(folder / f"{name}.wav", dtype="float32")
    assert rate_hz == detectors.SAMPLE_RATE_HZ
    detector = detectors.create("webrtc", SETTINGS)
    (track,) = detectors.hear(sound[:, None], ["all"], detector).tracks
    found = track.probability[:3_000] >= detector.enter

    assert found[said].mean() > 0.9
    assert found[outside].mean() < 0.4
