from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile
import yaml

from calibrated import SETTINGS, detector_errors
from tact import calibrating, frames, tables
from tact.cli import main
from tact.errors import InputError
from tact.hearing.spans import Speech
from tact.simulate import speech
from tact.simulate.talk import Talk, Utterance, Word

CONFIG = Path(__file__).resolve().parents[2] / "config.yaml"
RATE_HZ = 16_000


def say(speaker, start_ms, *texts):
    words = tuple(
        Word(text, start_ms + 300 * place, start_ms + 300 * (place + 1))
        for place, text in enumerate(texts)
    )
    return Utterance(speaker, start_ms, words[-1].end_ms, words)


@pytest.fixture
def corpus(tmp_path):
    """Two conversations of 6 s, the second without a readable file."""
    talk = Talk("good", ("A", "B"), 6_000, (
        say("A", 500, "so", "yesterday", "right"),
        say("B", 1_700, "really"),
        say("A", 2_600, "holiday", "money"),
        say("B", 3_800, "children", "about"),
    ), ())  # fmt: skip
    voices = {"A": speech.Voice("en-us+f1", 50, 0.0), "B": speech.Voice("en-us+m3", 50, 0.0)}
    sound = speech.render(talk, voices, rate_hz=RATE_HZ, snr_db=25.0, bleed_db=-30.0, seed=1)
    soundfile.write(tmp_path / "good.flac", sound, RATE_HZ)
    (tmp_path / "bad.flac").write_bytes(b"fLaC")
    rows = [
        {"corpus": "sssd", "conversation": f"sssd:{name}", "channel": channel,
         "speaker": f"sssd:{speaker}", "path": f"{name}.flac", "sample_rate_hz": RATE_HZ,
         "duration_ms": 6_000, "licence": "CC0", "mixed": False, "language": "en",
         "split_group": name}
        for name in ("good", "bad")
        for channel, speaker in enumerate("AB")
    ]  # fmt: skip
    words = [
        {"conversation": "sssd:good", "speaker": f"sssd:{part.speaker}", "position": 10 * n + m,
         "start_ms": word.start_ms, "end_ms": word.end_ms, "text": word.text, "kind": "word",
         "source": "script"}
        for n, part in enumerate(talk.utterances)
        for m, word in enumerate(part.words)
    ]  # fmt: skip
    episodes = [
        {"episode": f"sssd-{name}", "point": name, "corpus": "sssd", "scenario": "smooth",
         "split": "test", "split_group": name, "conversation": f"sssd:{name}",
         "focal": "sssd:B", "partner": "sssd:A", "t0_ms": 2_000, "context_start_ms": 500,
         "horizon_end_ms": 5_500, "strata": {}, "rights": "audio", "weight": 1.0}
        for name in ("good", "bad")
    ]  # fmt: skip
    for name, table in (("recordings", rows), ("words", words), ("episodes", episodes)):
        tables.write(frames.frame(table, name), tmp_path / f"{name}.parquet", name)
    overlay = {
        "corpora": {"sssd": {"root": str(tmp_path)}},
        "activity": {"calibration": {"snrs_db": [40.0, 20.0], "utterances": 20}},
    }
    (tmp_path / "overlay.yaml").write_text(yaml.safe_dump(overlay))
    return tmp_path


def tact(corpus, *arguments):
    configs = ["--config", str(CONFIG), "--config", str(corpus / "overlay.yaml")]
    return main([*configs, *map(str, arguments)])


def activity(corpus, *more):
    return tact(
        corpus, "activity", "sssd", "--recordings", corpus / "recordings.parquet",
        "--out", corpus / "ipus.parquet", "--quarantine", corpus / "q.parquet", *more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("more", "source", "reason"),
    [
        pytest.param([], "webrtc", "unreadable audio", id="as-the-config-says"),
        pytest.param(["--source", "words"], "words", "empty transcript", id="words-asked-for"),
    ],
)
def test_activity_finds_the_ipus_and_names_what_it_left_out(corpus, capsys, more, source, reason):
    assert activity(corpus, "--words", corpus / "words.parquet", *more) == 0

    ipus = tables.read(corpus / "ipus.parquet", "ipus")
    left_out = tables.read(corpus / "q.parquet", "quarantine")
    starts = ipus.groupby("speaker")["start_ms"].apply(list)

    assert set(ipus["source"]) == {source}
    assert starts["sssd:A"] == pytest.approx([500, 2_600], abs=30)
    assert starts["sssd:B"] == pytest.approx([1_700, 3_800], abs=30)
    assert left_out[["item", "reason"]].to_numpy().tolist() == [["sssd:bad", reason]]
    said = capsys.readouterr().out
    assert said.startswith("activity: 1 conversations, 4 ipus, ")
    assert said.endswith(
        " crosstalk, 1 quarantined\n"
        if source == "words"
        else " crosstalk, 1 quarantined; ends are as the detector has them, off by .1 s: --errors"
        " corrects them\n"
    )


def test_a_detector_is_calibrated_on_made_speech_and_corrects_by_it(corpus, capsys):
    errors = corpus / "errors.parquet"
    assert tact(corpus, "calibrate", "webrtc", "--out", errors) == 0
    assert capsys.readouterr().out.startswith("calibrate: 2 bands, 40 ipus, ")

    measured = tables.read(errors, "detector_errors")
    assert set(measured["measured_on"]) == {"made speech"}
    assert measured.groupby("snr_low_db").size().to_dict() == {15.0: 3, 25.0: 3}
    ends = measured.query("edge != 'transfer'").set_index("edge")
    assert ends["bias_ms"].abs().max() <= 10
    assert (ends["reach_low_ms"] <= ends["reach_middle_ms"]).all()
    assert (ends["reach_middle_ms"] <= ends["reach_high_ms"]).all()
    assert ends.groupby("edge")["reach_middle_ms"].nunique().max() == 1, "one for all SNRs"
    assert ends.loc["end", "reach_middle_ms"].max() < -50, "webrtc holds on after speech"

    assert activity(corpus, "--errors", errors, "--evidence", corpus / "evidence") == 0
    heard = tables.read(corpus / "evidence/heard.parquet", "heard")
    bands = measured.set_index(["snr_low_db", "edge"])
    for row in heard.itertuples():
        low = 15.0 if row.snr_db < 25 else 25.0
        over = bands.loc[(low, "transfer")]
        assert row.start_shift_ms == -bands.loc[(low, "start"), "bias_ms"] - over["left_ms"] / 2
        assert row.error_high_ms == over["high_ms"] - over["left_ms"]
    assert len(tables.read(corpus / "evidence/leaks.parquet", "leaks")) == 2
    assert "0 crosstalk" in capsys.readouterr().out
    assert tables.read(corpus / "evidence/crosstalk.parquet", "crosstalk").empty


def test_errors_of_another_detector_correct_nothing_and_are_refused(corpus, capsys):
    tables.write(detector_errors("webrtc"), corpus / "e.parquet", "detector_errors")

    assert activity(corpus, "--source", "silero", "--errors", corpus / "e.parquet") == 2
    assert capsys.readouterr().err == (
        f"tact: {corpus}/e.parquet: says nothing of silero, but of: webrtc; make it with"
        " `tact calibrate silero`\n"
    )
    assert not (corpus / "ipus.parquet").exists()


def test_a_detector_is_calibrated_on_a_corpus_whose_words_can_be_trusted(corpus):
    recordings = tables.read(corpus / "recordings.parquet", "recordings")
    good = recordings[recordings["conversation"] == "sssd:good"]
    words = tables.read(corpus / "words.parquet", "words")
    told = [f"sssd:good-{at:02}" for at in range(10)]
    for name, table in (("recordings", good), ("words", words)):
        often = pd.concat([table.assign(conversation=other) for other in told], ignore_index=True)
        tables.write(often, corpus / f"{name if name == 'words' else 'good'}.parquet", name)
    arguments = ["--corpus", "sssd", "--words", corpus / "words.parquet", "--out"]

    assert tact(
        corpus, "calibrate", "webrtc", *arguments, corpus / "e.parquet",
        "--recordings", corpus / "good.parquet",
    ) == 0  # fmt: skip
    measured = tables.read(corpus / "e.parquet", "detector_errors")
    assert measured[["measured_on", "n_true"]].drop_duplicates().to_numpy().tolist() == [
        ["sssd", 40]
    ]

    # A measurement leaves nothing out in silence.
    assert tact(
        corpus, "calibrate", "webrtc", *arguments, corpus / "none.parquet",
        "--recordings", corpus / "recordings.parquet",
    ) == 2  # fmt: skip
    assert not (corpus / "none.parquet").exists()


def test_a_measurement_of_a_few_ipus_is_none(corpus, capsys):
    recordings = tables.read(corpus / "recordings.parquet", "recordings")
    good = recordings[recordings["conversation"] == "sssd:good"]
    tables.write(good, corpus / "good.parquet", "recordings")

    for rows, said in (
        ("good", "webrtc finds 4 of 4 IPUs of sssd one to one, and 40 are needed; calibrate on more"
         " talk"),
        ("mixed", "in 1 conversations speakers share a channel, first sssd:good; leave them out of"
         " --recordings"),
    ):  # fmt: skip
        assert tact(
            corpus, "calibrate", "webrtc", "--corpus", "sssd", "--out", corpus / "e.parquet",
            "--recordings", corpus / f"{rows}.parquet", "--words", corpus / "words.parquet",
        ) == 2  # fmt: skip
        assert capsys.readouterr().err == f"tact: calibrate: {said}\n"
        assert not (corpus / "e.parquet").exists()
        tables.write(good.assign(mixed=True), corpus / "mixed.parquet", "recordings")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        pytest.param(
            lambda rows: rows.assign(reach_low_ms=np.nan),
            "there is no reach of starts and ends, as in tables of an older version", id="old",
        ),
        pytest.param(
            lambda rows: rows[rows["edge"] != "end"],
            "rows of start, end and transfer are needed for each band of SNR", id="an-edge-missing",
        ),
        pytest.param(
            lambda rows: rows.assign(bias_ms=np.inf), "an error is no number, or over 2000 ms",
            id="infinite",
        ),
        pytest.param(
            lambda rows: rows.assign(reach_high_ms=rows["reach_low_ms"] - 1),
            "a reach is none, or goes beyond 1000 ms", id="reach-turned-round",
        ),
        pytest.param(
            lambda rows: rows.assign(snr_high_db=rows["snr_low_db"]),
            "a band of SNR ends before it begins", id="band-turned-round",
        ),
    ],
)  # fmt: skip
def test_errors_that_cannot_be_are_one_line(corpus, capsys, damage, said):
    path = corpus / "e.parquet"
    tables.write(damage(detector_errors("webrtc")), path, "detector_errors")

    assert activity(corpus, "--errors", path) == 2
    assert capsys.readouterr().err == (
        f"tact: {path}: {said} (webrtc); make it anew: `tact calibrate webrtc`\n"
    )


@pytest.mark.parametrize("table", ["recordings", "words"])
@pytest.mark.parametrize("damage", ["none", "half", "no audio"])
def test_a_corpus_that_cannot_be_calibrated_on_is_one_line(corpus, capsys, table, damage):
    path = corpus / f"{table}.parquet"
    if damage == "no audio":
        rows = tables.read(corpus / "recordings.parquet", "recordings").assign(path=None)
        tables.write(rows, corpus / "recordings.parquet", "recordings")
    elif damage == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        path.unlink()

    assert tact(
        corpus, "calibrate", "webrtc", "--corpus", "sssd", "--out", corpus / "e.parquet",
        "--recordings", corpus / "recordings.parquet", "--words", corpus / "words.parquet",
    ) == 2  # fmt: skip
    error = capsys.readouterr().err
    assert error.startswith("tact: ")
    assert error.count("\n") == 1
    assert not (corpus / "e.parquet").exists()


def test_a_corpus_to_calibrate_on_needs_its_tables(corpus, capsys):
    assert tact(corpus, "calibrate", "webrtc", "--corpus", "sssd", "--out", corpus / "e") == 2
    assert capsys.readouterr().err == "tact: calibrate: --corpus needs --recordings and --words\n"


def test_tables_to_calibrate_on_need_their_corpus(corpus, capsys):
    recordings = ["--recordings", corpus / "recordings.parquet", "--out", corpus / "e.parquet"]

    assert tact(corpus, "calibrate", "webrtc", *recordings) == 2
    assert capsys.readouterr().err == (
        "tact: calibrate: --recordings and --words need --corpus, whose they are\n"
    )


def test_shards_together_hold_what_one_shard_holds(corpus):
    assert activity(corpus) == 0
    whole = tables.read(corpus / "ipus.parquet", "ipus")
    parts = []
    for shard in ("1/2", "2/2"):
        assert activity(corpus, "--shard", shard) == 0
        parts.append(tables.read(corpus / "ipus.parquet", "ipus"))

    assert sorted(len(part) for part in parts) == [0, len(whole)]
    pd.testing.assert_frame_equal(pd.concat(parts, ignore_index=True), whole)


def test_words_are_asked_for_where_they_are_needed(corpus, capsys):
    assert activity(corpus, "--source", "words") == 2
    assert capsys.readouterr().err == (
        "tact: activity: --words is needed where IPUs come from words\n"
    )
    assert not (corpus / "ipus.parquet").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        pytest.param(["--shard", "3/2"], "--shard: '3/2' is not I/N", id="shard"),
        pytest.param(["--source", "sonar"], "'sonar' is not one of", id="source"),
    ],
)
def test_a_wrong_argument_is_one_line_and_2(corpus, capsys, arguments, line):
    assert activity(corpus, *arguments) == 2
    error = capsys.readouterr().err

    assert line in error
    assert error.count("\n") == 1


def test_speakers_who_share_a_channel_are_for_diarize(corpus, capsys):
    more = {"corpora": {"sssd": {"activity": "diarization", "root": str(corpus)}}}
    (corpus / "overlay.yaml").write_text(yaml.safe_dump(more))

    assert activity(corpus) == 2

    error = capsys.readouterr().err
    assert "corpora.sssd.activity is diarization" in error
    assert "use `tact diarize sssd`" in error
    assert error.count("\n") == 1


def test_clips_are_packed_and_the_same_on_a_second_run(corpus, capsys):
    def clips():
        arguments = [
            "--episodes", corpus / "episodes.parquet", "--recordings",
            corpus / "recordings.parquet", "--out", corpus / "clips", "--shard", "1/1",
        ]  # fmt: skip
        assert tact(corpus, "clips", "sssd", *arguments) == 0
        return [(corpus / "clips" / name).read_bytes() for name in ("1.tar", "1.parquet")]

    first = clips()
    table = tables.read(corpus / "clips" / "1.parquet", "clips").set_index("episode")

    assert capsys.readouterr().out == "clips: 2 episodes, 1 clips\n"
    assert clips() == first
    assert table.loc["sssd-good", "clip"] == "1/sssd-good.flac"
    assert "bad.flac is not audio" in table.loc["sssd-bad", "reason"]
    assert first[0].startswith(b"sssd-good.flac")


def test_words_that_are_not_of_the_sound_measure_nothing():
    """True ends lie 1.2 s after those that are found."""
    start = 4_000 * np.arange(1, 61)
    spans = np.stack((start, start + 1_400), axis=1)
    loud = np.ones(300_000 // 5, dtype=bool)
    speech = Speech(spans.astype(float), np.zeros(spans.shape, dtype=bool), loud, gated=False)
    late = calibrating.Heard(spans + 1_200, speech, 30.0, 300_000)

    with pytest.raises(InputError, match="its words are not, or not all, of its sound"):
        calibrating.measure("webrtc", iter([late]), measured_on="mine", settings=SETTINGS)
