"""Commands release, rebuild and audit on the small run, which has words and no sound."""

import shutil

import pytest
import yaml

from small_run import RUN
from tact import tables
from tact.cli import main


@pytest.fixture
def released(world, to, monkeypatch, capsys):
    monkeypatch.setenv("TACT_RELEASE_KEY", "0123456789abcdef" * 2)
    assert main(["release", "--results", str(world / RUN), "--to", str(to / "release")]) == 0
    assert capsys.readouterr().out.startswith("release: ")
    return to / "release"


def test_a_run_of_words_becomes_a_release_without_a_word_of_a_recipe_corpus(released):
    assert len(tables.read(released / "tables/history.parquet", "history")) == 0
    assert len(tables.read(released / "tables/episodes.parquet", "episodes")) > 0
    assert len(tables.read(released / "recipes/candor.parquet", "recipes")) > 0


def test_what_cannot_be_rebuilt_is_one_line_and_2(world, to, released, capsys):
    line = ["--config", str(world / RUN / "config.yaml"), "rebuild", str(released)]
    line += ["--corpus", "candor", "--root", str(world / "raw/candor"), "--to", str(to / "clips")]

    assert main(line) == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "clips are not those of the release (first: candor-" in error
    recipes = tables.read(released / "recipes/candor.parquet", "recipes")
    assert len(tables.read(to / "clips/quarantine.parquet", "quarantine")) == len(recipes)


def test_points_become_a_page_and_verdicts_a_table(world, to, capsys):
    page, run = to / "audit.html", to / "results"
    shutil.copytree(world / RUN, run)
    told = yaml.safe_load((run / "config.yaml").read_text())
    told["corpora"]["candor"]["shards"] = 1
    (run / "config.yaml").write_text(yaml.safe_dump(told))
    assert main(["audit", "--results", str(run), "--sample", "1", "--out", str(page)]) == 0
    assert page.read_text().count("<section") >= 3

    (to / "v.csv").write_text("point,scenario,verdict,note\nx,pause,right,\n")
    config = str(world / RUN / "config.yaml")
    assert main(["--config", config, "audit", "--verdicts", str(to / "v.csv")]) == 0
    assert (
        "pause               1      0       0      1.000  0.025 to 1.000" in capsys.readouterr().out
    )
    assert main(["audit", "--results", str(world / RUN), "--corpus", "ami"]) == 2
    assert "has no corpus 'ami'; it has candor" in capsys.readouterr().err
