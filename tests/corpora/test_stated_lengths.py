"""A length that a corpus states of its audio reaches the door, which holds the audio to it."""

import io

import numpy as np
import pytest
import soundfile

from corpora.layouts import OTO_RAW, PROBE_PEOPLE, oto_json, probe, put, read, sssd, tar
from corpora.timing_files import listed, timing_csv
from corpora.timing_files import read as read_generic
from made_world import SETTINGS, studio
from tact import corpora, inspection
from tact.corpora.told import Length
from tact.simulate.world import LAYOUTS

RATE = 48_000
SECONDS = 10
WORDS = {"Ann": [(1.0, 1.25, "so")], "Ben": [(2.0, 2.4, "yes")]}


def noise(form, *, seconds=SECONDS, channels=2):
    samples = np.random.default_rng(3).normal(0, 0.05, (round(seconds * RATE), channels))
    page = io.BytesIO()
    soundfile.write(page, samples, RATE, format=form)
    return page.getvalue()


def recording(**stated):
    source = {"type": "file", "channels": [0, 1], "source": "/far/s1_mixed.flac"}
    return {"id": "s1", "sources": [source], **stated}


def of_sssd(root, **stated):
    put(root / "original/s1_mixed.flac", noise("FLAC"))
    return read(sssd(root, recordings=[recording(**stated)]), "sssd")


def of_otospeech(root, **stated):
    tar(root / OTO_RAW, {"a1.flac": noise("FLAC"), "a1.json": oto_json(**stated)})
    return read(root, "otospeech")


def of_probes(root, **stated):
    put(root / "script001.wav", noise("WAV"))
    put(root / "script001.json", probe(audio="script001.wav", **stated))
    put(root / "probes.json", PROBE_PEOPLE)
    return read(root, "probes")


def of_generic(root, *, duration_s):
    put(root / "c1.wav", noise("WAV"))
    put(root / "c1.csv", timing_csv(WORDS))
    return read_generic(
        listed(
            root,
            ("c1", "Ann", 0, "c1.wav", "c1.csv", duration_s),
            ("c1", "Ben", 1, "c1.wav", "c1.csv", duration_s),
        )
    )


def turned_away(root, tables, **settings):
    """Details of what the door says of lengths."""
    door = SETTINGS.door.model_copy(update=settings)
    _, rows = inspection.inspect(tables.recordings, tables.words, root, settings=door)
    assert set(rows["reason"]) <= {"length disagrees"}
    return rows["detail"].tolist()


SAID = [
    (of_sssd, {"num_samples": 480_000, "sampling_rate": RATE, "duration": 10.0}, None),
    (of_sssd, {"num_samples": 480_960, "sampling_rate": RATE}, None),
    (of_sssd, {"num_samples": 480_961, "sampling_rate": RATE, "duration": 10.0}, -20),
    (of_sssd, {"num_samples": 478_000, "sampling_rate": RATE, "duration": 10.0}, 42),
    (of_sssd, {"num_samples": 480_000, "sampling_rate": RATE, "duration": 9.971}, 29),
    (of_sssd, {"num_samples": 480_000, "sampling_rate": 2 * RATE}, 5000),
    (of_sssd, {"num_samples": 160_000, "sampling_rate": 16_000}, None),
    (of_sssd, {"num_samples": "many", "sampling_rate": 0, "duration": -1}, None),
    (of_otospeech, {"duration": 10.0}, None),
    (of_otospeech, {"duration": 11.0}, None),
    (of_otospeech, {"duration": 9}, None),
    (of_otospeech, {"duration": 10.1}, None),
    (of_otospeech, {"duration": 10.2}, -200),
    (of_otospeech, {"duration": 12.0}, -2000),
    (of_otospeech, {"duration": 9.97}, None),
    (of_otospeech, {"duration": 9.96}, 40),
    (of_otospeech, {"duration": None}, None),
    (of_otospeech, {"duration": "soon"}, None),
    (of_probes, {"duration_ms": 10_000}, None),
    (of_probes, {"duration_ms": 10_021}, None),
    (of_probes, {"duration_ms": 10_022}, -22),
    (of_generic, {"duration_s": "10"}, None),
    (of_generic, {"duration_s": ""}, None),
    (of_generic, {"duration_s": "10.025"}, -25),
    (of_generic, {"duration_s": "7"}, 3000),
]


@pytest.mark.parametrize(
    ("write", "stated", "off_ms"), SAID, ids=[f"{w.__name__}-{s}" for w, s, _ in SAID]
)
def test_audio_is_held_to_what_its_metadata_state(tmp_path, write, stated, off_ms):
    tables = write(tmp_path, **stated)

    found = turned_away(tmp_path, tables)

    assert len(tables.recordings) == 2
    shown = [] if off_ms is None else [f"channel {k} is {off_ms:+.0f} ms off" for k in (0, 1)]
    assert [detail.partition(" its metadata (")[0] for detail in found] == shown
    names = tables.recordings["conversation"].unique().tolist()
    assert turned_away(tmp_path, tables, trusted=names) == []


def test_a_row_of_recordings_states_the_length_of_its_own_file(tmp_path):
    put(tmp_path / "a.wav", noise("WAV", channels=1))
    put(tmp_path / "b.wav", noise("WAV", seconds=8.5, channels=1))
    put(tmp_path / "c1.csv", timing_csv(WORDS))
    rows = [
        ("c1", "Ann", 0, "a.wav", "c1.csv", "10.000"),
        ("c1", "Ben", 1, "b.wav", "c1.csv", "8.5"),
    ]
    tables = read_generic(listed(tmp_path, *rows))

    lengths = tables.recordings.set_index("channel")[["stated_ms", "stated_unit_ms"]]
    assert lengths.loc[0].tolist() == [10_000, 1000]
    assert lengths.loc[1].tolist() == [8500, 100]
    assert set(tables.quarantine["reason"]) == {"lengths differ"}


@pytest.mark.parametrize(
    ("value", "ms", "unit_ms"),
    [
        (1080.0, 1_080_000, 1000),
        (1080, 1_080_000, 1000),
        ("1080.50", 1_080_500, 100),
        (1080.53, 1_080_530, 10),
        (1080.533, 1_080_533, 1),
        (0.1 + 0.2, 300, 100),
        (1080.0123125, 1_080_012.3125, 0),
    ],
)
def test_a_length_is_known_to_its_last_digit(value, ms, unit_ms):
    ((stated_ms, stated_to),) = Length.of_seconds(value)

    assert (stated_ms, stated_to) == (pytest.approx(ms, abs=1e-6), unit_ms)


@pytest.mark.parametrize("value", [None, "", "nan", 0, -3.0, True, [10], "1e9"])
def test_what_is_no_length_states_nothing(value):
    assert Length.of_seconds(value) == ()


@pytest.mark.parametrize(
    "counts", [(None, 8000), (8000, None), (0, 8000), (8000, 0), (True, 8000), (8000.0, 8000),
               (10**400, 8000)]
)  # fmt: skip
def test_what_is_no_count_states_nothing(counts):
    assert Length.of_samples(*counts) == ()


def test_a_corpus_without_audio_states_no_length_of_it(tmp_path):
    tar(tmp_path / OTO_RAW, {"a1.json": oto_json()})

    assert read(tmp_path, "otospeech").recordings["stated_ms"].isna().all()


@pytest.mark.parametrize("corpus", LAYOUTS)
def test_what_is_made_states_its_true_length(tmp_path, corpus):
    made = studio(corpus, words_only=False, conversations=1, minutes=0.05, speakers=4)
    list(LAYOUTS[corpus](tmp_path, made))

    tables = corpora.read(tmp_path, corpus=corpus, settings=SETTINGS.corpora[corpus])
    rows = tables.recordings
    stated = rows[rows["stated_ms"].notna()]
    true_ms = 1000 * stated["n_samples"] / stated["sample_rate_hz"]
    assert len(stated) == (len(rows) if corpus in {"sssd", "otospeech", "probes"} else 0)
    assert all(abs(stated["stated_ms"] - true_ms) < 1)
    assert turned_away(tmp_path, tables) == []
