"""How the floor passes in the real AMI meetings, under both definitions of a turn."""

import tarfile
from pathlib import Path

import ami_timing
import pytest
import yaml

from tact import config, tables
from tact.turns import take_turns

ROOT = Path(__file__).resolve().parents[1]
FULL = ROOT.parent / "shared/data/ami_nxt_full"
ARCHIVE = FULL / "ami_public_manual_1.6.2_words_segments_dialogueActs.tar.xz"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not ARCHIVE.is_file(), reason="no AMI annotations beside the checkout"),
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The tables of the stages up to points, by name."""
    folder = tmp_path_factory.mktemp("ami")
    with tarfile.open(ARCHIVE) as archive:
        # Python 3.11.3 and older know no filter.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder / "raw", **safely)
    ami_timing.stages(next(iter((folder / "raw").iterdir())), folder, True)
    names = ("ipus", "words", "acts", "recordings", "transfers", "points", "frame")
    return {name: tables.read(folder / f"{name}.parquet", name) for name in names}


def timings(ipus, transfers):
    spans = ami_timing.stretches(ipus)
    pair = transfers["fto_ms"][ami_timing.within(transfers, spans)]
    return ami_timing.Timing.of(transfers["fto_ms"]), ami_timing.Timing.of(pair), spans


def test_floor_transfers_of_all_speakers_and_of_two_are_as_surveyed(found):
    everyone, two, spans = timings(found["ipus"], found["transfers"])

    assert everyone.median == pytest.approx(0.13, abs=0.03)
    assert everyone.overlapped == pytest.approx(0.44, abs=0.02)
    assert 0.20 <= two.mode <= 0.35
    assert 0.25 <= two.median <= 0.40
    assert 0.32 <= two.overlapped <= 0.40
    assert sum(high - low for _, low, high in spans) / 3.6e6 == pytest.approx(61.5, rel=0.05)


def test_with_backchannels_among_the_turns_the_floor_passes_as_often_as_surveyed(found):
    settings = config.parse(yaml.safe_load((ROOT / "config.yaml").read_text())).turns
    among = settings.model_copy(
        update={"backchannel": settings.backchannel.model_copy(update={"exclude": False})}
    )
    languages = dict.fromkeys(found["recordings"]["conversation"], "en")

    tables_in = take_turns(found["ipus"], found["words"], found["acts"], languages, settings=among)
    everyone, two, _ = timings(found["ipus"], tables_in.transfers)

    assert everyone.n == pytest.approx(41_963, rel=0.06)
    assert everyone.median == pytest.approx(0.13, abs=0.03)
    assert everyone.overlapped == pytest.approx(0.44, abs=0.02)
    assert two.median == pytest.approx(0.36, abs=0.02)


def test_most_pauses_are_ended_by_the_speaker_who_made_them(found):
    """The window opens 2 s before t0, so the shares with and without it enclose the survey's."""
    n, window, after = ami_timing.pauses_without_response(found["points"])

    assert n > 3000
    assert 0.80 < window < 0.84
    assert 0.91 < after < 0.94
