"""Commands laws paper, respond and score, by files."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bench
from tact import frames, tables
from tact.cli import main

ANCHORS = {"never", "fixed", "blind", "median", "human"}
CONFIG = str(Path(__file__).resolve().parents[2] / "config.yaml")


def tact(*arguments):
    return main(["--config", CONFIG, *map(str, arguments)])


@pytest.fixture
def made(tmp_path):
    """Tables of 12 episodes as files; the fixture is their folder."""
    quick = tmp_path / "quick.yaml"
    quick.write_text("scores: {resamples: 50}\n")
    of = bench.episodes(12)
    _, onset = bench.draws(np.random.default_rng(1), 12)
    tables.write(of, tmp_path / "episodes.parquet", "episodes")
    tables.write(bench.points(of, onset, 700), tmp_path / "points.parquet", "points")
    tables.write(bench.posteriors(of, "ans"), tmp_path / "posteriors.parquet", "posteriors")
    assert tact("laws", "paper", "--out", tmp_path / "laws.parquet") == 0
    return tmp_path


def respond(made, system):
    given = [
        f"--{name}={made / name}.parquet" for name in ("episodes", "points", "posteriors", "laws")
    ]
    return tact("respond", system, *given, "--out", made / system)


def score(made, *systems, extra=()):
    given = [f"--{name}={made / name}.parquet" for name in ("laws", "posteriors", "episodes")]
    for name in ("responses", "overlaps"):
        given += [f"--{name}={made / system / name}.parquet" for system in systems]
    overlay = ["--config", CONFIG, "--config", str(made / "quick.yaml")]
    return main([*overlay, "score", *given, *extra, "--out", str(made / "scores")])


def test_anchors_are_answered_and_scored(made, capsys):
    assert [respond(made, system) for system in ("never", "fixed", "median", "human")] == [0] * 4
    assert score(made, "never", "fixed", "median", "human") == 0

    by_run = tables.read(made / "scores/episode_scores.parquet", "episode_scores")
    composites = tables.read(made / "scores/composites.parquet", "composites")
    assert len(by_run) == 60
    assert set(composites["system"]) == ANCHORS
    last = capsys.readouterr().out.splitlines()[-1]
    counts = f"5 systems, 60 runs, {len(composites)} composites"
    assert last == f"score: {counts}; as given, not made: fixed, human, median, never"


def score_mine(made, *more):
    of = tables.read(made / "episodes.parquet", "episodes")
    tables.write(bench.responses(of, 250), made / "mine.parquet", "responses")
    given = [f"--{name}={made / name}.parquet" for name in ("laws", "posteriors")]
    overlay = ["--config", CONFIG, "--config", str(made / "quick.yaml")]
    own = ["--responses", str(made / "mine.parquet"), "--out", str(made / "scores")]
    assert main([*overlay, "score", *given, *own, *more]) == 0
    composites = tables.read(made / "scores/composites.parquet", "composites")
    return composites.query("scenario == 'all' and slice == 'all' and intent == 'all'")


def test_anchors_stand_beside_a_system_that_comes_alone(made):
    more = [f"--{name}={made / name}.parquet" for name in ("episodes", "points")]

    bare, full = score_mine(made), score_mine(made, *more)

    assert set(bare["system"]) == set(full["system"]) == {"mine", *ANCHORS}
    assert bare.set_index("system")["flags"]["human"].split(",")[0] == "drawn"
    assert not full["flags"].str.contains("drawn").any()


def test_onsets_after_the_focal_speaker_went_on_are_told(made, capsys):
    of = tables.read(made / "episodes.parquet", "episodes")
    points = bench.points(of, focal_next_ms=[200] * 3 + [900] * 9)
    tables.write(points, made / "points.parquet", "points")

    score_mine(
        made, f"--episodes={made / 'episodes.parquet'}", f"--points={made / 'points.parquet'}"
    )

    said = capsys.readouterr().out.splitlines()[-1]
    assert said.endswith("0 onsets before the focal turn, 3 after h: no response")


def test_a_system_of_the_config_answers_from_its_folder(made, capsys):
    of = tables.read(made / "episodes.parquet", "episodes")
    folder = made / "moshi"
    tables.write(
        bench.responses(of, 250, system="moshi"), folder / "responses.parquet", "responses"
    )
    tables.write(frames.empty("overlaps"), folder / "overlaps.parquet", "overlaps")
    named = made / "named.yaml"
    row = f"{{kind: table, onset_s: null, runs: 1, detector: null, path: {folder}}}"
    named.write_text(f"systems: {{moshi: {row}, other: {row}}}\n")
    given = [
        f"--{name}={made / name}.parquet" for name in ("episodes", "points", "posteriors", "laws")
    ]
    line = ["--config", CONFIG, "--config", str(named), "respond"]

    assert main([*line, "moshi", *given, f"--out={made / 'out'}"]) == 0
    assert main([*line, "other", *given, f"--out={made / 'other'}"]) == 2

    answered = tables.read(made / "out/responses.parquet", "responses")
    assert answered["onset_ms"].eq(250).all()
    assert "12 of 12 rows are of another system (first: moshi)" in capsys.readouterr().err


def test_a_system_of_the_config_needs_its_folder(made, capsys):
    named = made / "named.yaml"
    named.write_text(
        "systems: {moshi: {kind: table, onset_s: null, runs: 3, detector: null, path: null}}\n"
    )

    overlay = ["--config", CONFIG, "--config", str(named)]

    assert main([*overlay, "laws", "paper", f"--out={made / 'l.parquet'}"]) == 2
    assert "systems.moshi: kind table needs path, a folder" in capsys.readouterr().err


def test_the_same_command_writes_the_same_bytes(made):
    respond(made, "human")
    score(made, "human")
    first = (made / "scores/composites.parquet").read_bytes()

    score(made, "human")

    assert (made / "scores/composites.parquet").read_bytes() == first


def test_the_paper_s_laws_are_a_table(made):
    laws = tables.read(made / "laws.parquet", "laws")

    assert len(laws) == 6
    assert laws["source"].eq("paper").all()


def test_an_unknown_system_is_named_with_those_that_are_known(made, capsys):
    assert respond(made, "moshi") == 2

    assert (
        "no system 'moshi' in systems; known: never, fixed, blind, median, human"
        in capsys.readouterr().err
    )


def test_the_same_answers_twice_are_refused(made, capsys):
    respond(made, "fixed")

    assert score(made, "fixed", "fixed") == 2
    assert "repeat the key (system, episode, run)" in capsys.readouterr().err
    assert not (made / "scores").exists()


def test_a_missing_table_says_which_stage_writes_it(made, capsys):
    assert score(made, "fixed") == 2

    err = capsys.readouterr().err
    assert "run the stage that writes it" in err
    assert err.count("\n") == 1


def test_threads_of_the_machine_leave_no_trace(made):
    respond(made, "human")
    given = [f"--{name}={made / name}.parquet" for name in ("laws", "posteriors", "episodes")]
    given += [f"--responses={made / 'human/responses.parquet'}"]
    files = []
    for threads in ("1", "4"):
        out = made / f"scores-{threads}"
        subprocess.run(
            [sys.executable, "-m", "tact", "--config", CONFIG, "--config", made / "quick.yaml",
             "score", *given, "--out", out],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads}, check=True, capture_output=True,
        )  # fmt: skip
        files.append((out / "composites.parquet").read_bytes())

    assert files[0] == files[1]
