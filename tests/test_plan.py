"""The plan lists the files that the rules make, for the main run and for each variant."""

from pathlib import Path

import pytest
import yaml

from tact import config, plan

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def raw():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def test_a_variant_is_the_main_run_but_for_its_change_and_its_folder(raw):
    runs = plan.variants(raw)

    main = runs["results"]
    changed = runs["results/sensitivity/ipu-20ms"]
    assert changed.activity.ipu_silence_ms == 20
    assert changed.activity.webrtc == main.activity.webrtc
    assert changed.model_copy(update={"activity": main.activity, "results": "results"}) == main


def test_files_of_a_corpus_follow_its_shards(raw):
    settings = config.parse(config.overlay(raw, {"corpora": {"ami": {"shards": 2}}}))

    assert plan.activity(settings, "ami") == [
        "results/activity/ami/1.parquet",
        "results/activity/ami/2.parquet",
    ]


def test_what_every_stage_leaves_out_is_gathered(raw):
    changes = {"shards": 2, "activity": "diarization"}
    settings = config.parse(config.overlay(raw, {"corpora": {"ami": changes}, "results": "r/x"}))

    assert plan.left_out(settings, "ami", "r") == [
        "r/corpora/ami/quarantine.parquet",
        "r/door/ami/1.quarantine.parquet",
        "r/door/ami/2.quarantine.parquet",
        "r/voices/ami/1.quarantine.parquet",
        "r/voices/ami/2.quarantine.parquet",
        "r/x/diarization/ami/1.quarantine.parquet",
        "r/x/diarization/ami/2.quarantine.parquet",
    ]
    assert "voices" not in " ".join(plan.left_out(settings, "sssd", "r"))


def test_each_source_stands_beside_each_before_it_in_every_corpus_that_is_built(raw):
    raw["build"] = ["sssd", "ami"]
    raw["concord"] = {**raw["concord"], "corpora": ["ami", "candor"]}
    settings = config.parse(raw)

    folder = "results/concord/ami"
    assert plan.concords(settings) == [
        f"{folder}/webrtc-beside-words/concord.parquet",
        f"{folder}/silero-beside-words/concord.parquet",
        f"{folder}/silero-beside-webrtc/concord.parquet",
    ]
    assert plan.sourced(settings, "ami", "words") == plan.activity(settings, "ami")
    assert plan.sourced(settings, "ami", "silero")[0] == f"{folder}/silero/1.parquet"
    assert plan.errors_of(settings, "silero") == ["results/calibration/silero.parquet"]
    assert plan.errors_of(settings, "words") == []


def test_labels_come_from_acts_scripts_or_the_users_files(raw):
    raw["corpora"]["candor"]["labels"] = "mine/candor.csv"

    assert plan.labels(config.parse(raw)) == [
        "mine/candor.csv",
        "results/labels/ami/labels.parquet",
        "results/labels/probes/labels.parquet",
    ]
    assert plan.judges(config.parse(raw)) == []


def test_a_made_world_is_labelled_by_made_annotators(raw):
    raw["simulation"]["use"] = True

    assert len(plan.labels(config.parse(raw))) == len(raw["build"])
    assert len(plan.judges(config.parse(raw))) == len(raw["build"]) - 1


def test_the_resolved_config_is_written_once_and_reads_back(raw, tmp_path):
    raw["results"] = str(tmp_path / "r")
    settings = config.parse(raw)

    plan.write_resolved(settings)
    stamp = (tmp_path / "r/config.yaml").stat().st_mtime_ns
    plan.write_resolved(settings)

    assert config.load([tmp_path / "r/config.yaml"]) == settings
    assert (tmp_path / "r/config.yaml").stat().st_mtime_ns == stamp
