"""The whole path on a small made world: same bytes on one core, on two, and after a kill."""

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import fullsize
import pandas as pd
import pytest
import yaml

from tact import frames, tables
from tact.rounding import scale
from tact.schemas import CONTRACTS
from tact.vocabulary import SCENARIOS
from tact.why import explain

ROOT = Path(__file__).resolve().parents[2]
TINY = Path(__file__).with_name("tiny.yaml")


OF = {"activity": "ipus", "clips": "clips", "door": "inspections"}
"""The table in the shards of a folder."""


def command(folder, cores, *overlays):
    return [
        str(Path(sys.executable).parent / "snakemake"),
        *("--snakefile", str(ROOT / "Snakefile"), "--directory", str(folder)),
        *("--configfile", str(ROOT / "config.yaml"), str(TINY), *map(str, overlays)),
        *("--cores", str(cores), "--rerun-incomplete", "--show-failed-logs"),
    ]


def run(folder, cores):
    done = subprocess.run(command(folder, cores), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    return done.stdout + done.stderr


def hashes(folder):
    results = folder / "results of tiny"
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(results.rglob("*.parquet"))
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one-core")
    run(folder, 1)
    return folder


@pytest.mark.slow
def test_every_table_of_a_run_passes_its_contract(finished):
    checked = 0
    for path in (finished / "results of tiny").rglob("*.parquet"):
        name = path.stem if path.stem in CONTRACTS else OF.get(path.parents[1].name, "quarantine")
        if path.stem.endswith(".quarantine"):
            name = "quarantine"
        tables.read(path, name)
        checked += 1

    assert checked > 60


@pytest.mark.slow
def test_a_run_makes_episodes_of_every_corpus_and_scores_every_anchor(finished):
    results = finished / "results of tiny"
    episodes = tables.read(results / "episodes/episodes.parquet", "episodes")
    composites = tables.read(results / "scores/composites.parquet", "composites")

    assert set(episodes["corpus"]) == {"candor", "sssd", "otospeech", "seamless", "ami", "probes"}
    assert set(composites["system"]) == {"never", "fixed", "blind", "median", "human"}
    headline = composites.query("scenario == 'all' and slice == 'all' and intent == 'all'")
    assert headline["timing_population"].between(0, 1).all()


@pytest.mark.slow
def test_every_cell_of_the_scaled_table_is_full_and_no_cap_or_split_is_broken(finished):
    results = finished / "results of tiny"
    settings = yaml.safe_load((results / "config.yaml").read_text())
    own = settings["episodes"]

    episodes = tables.read(results / "episodes/episodes.parquet", "episodes")
    proofs = [results / f"profiles/{name}/separation.parquet" for name in settings["build"]]

    got = pd.crosstab(episodes["corpus"], episodes["scenario"]).to_dict("index")
    assert got == scale(own["quota"], own["scale"], SCENARIOS)
    assert len(episodes) == 97
    assert set(fullsize.broken_rules(episodes, own).values()) == {0}
    assert all(tables.read(path, "separation")["n"].iloc[0] > 0 for path in proofs)


@pytest.mark.slow
def test_one_core_and_two_give_the_same_bytes(finished, tmp_path):
    run(tmp_path, 2)

    assert hashes(tmp_path) == hashes(finished)


@pytest.mark.slow
def test_a_second_run_does_nothing(finished):
    assert "Nothing to be done" in run(finished, 1)


def planned(folder, *overlays):
    """Give the rules that a dry run would run."""
    done = subprocess.run(
        [*command(folder, 1, *overlays), "--dry-run", "--quiet", "rules"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = done.stdout + done.stderr
    return set(re.findall(r"^(\w+) +\d+$", said, re.M)) - {"total", "all"}


@pytest.mark.slow
def test_another_axis_of_slices_reruns_the_reference_and_what_follows_and_nothing_else(
    finished, tmp_path
):
    axis = tmp_path / "axis.yaml"
    axis.write_text("reference: {axes: [gender, language]}\n")

    try:
        assert planned(finished, axis) == {
            "fit_laws", "draw_laws", "respond", "score", "score_binary", "write_report",
        }  # fmt: skip
    finally:
        assert planned(finished) == set()


def answered_by(finished, folder, *names):
    """Write the human's responses as those of other systems, and a rating of each episode."""
    human = finished / "results of tiny/responses/human"
    for name in names:
        for table in ("responses", "overlaps"):
            own = tables.read(human / f"{table}.parquet", table).assign(system=name)
            tables.write(own, folder / name / f"{table}.parquet", table)
    episodes = tables.read(human / "responses.parquet", "responses")["episode"]
    ratings = [
        (name, episode, "r", float(1 + (k + place) % 5))
        for place, name in enumerate(names)
        for k, episode in enumerate(episodes)
    ]
    tables.write(frames.frame(ratings, "ratings"), folder / "ratings.parquet", "ratings")
    kind = "kind: table, onset_s: null, runs: 1, detector: null"
    systems = "".join(f"  {name}: {{{kind}, path: {folder / name}}}\n" for name in names)
    (folder / "more.yaml").write_text(
        f"systems:\n{systems}"
        f"analyses: {{swapped: {{mine: other}}, bare: {{mine: other}}, permutations: 20,"
        f" ratings: {folder / 'ratings.parquet'}}}\n"
    )
    return folder / "more.yaml"


@pytest.mark.slow
def test_every_analysis_follows_from_a_finished_run(finished, tmp_path):
    more = answered_by(finished, tmp_path, "mine", "other")
    shutil.copytree(finished, tmp_path / "run")

    done = subprocess.run(
        [*command(tmp_path / "run", 2, more), "analyses"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-6000:]
    at = tmp_path / "run/results of tiny/analyses"
    named = {"ranks": "ranks", "fairness": "fairness", "ablations": "ablations",
             "memory/mine": "memory", "validity": "validity"}  # fmt: skip
    made = {name: tables.read(at / f"{name}.parquet", table) for name, table in named.items()}
    assert all(len(table) for table in made.values())
    # the same answers under either name: no memory was swapped away, none is missed
    bare = made["ablations"].query("ablation == 'no_memory' and system == 'mine'")
    assert len(bare) > 0
    assert bare["difference"].dropna().eq(0).all()


@pytest.mark.slow
def test_a_killed_run_resumes_to_the_same_bytes(finished, tmp_path):
    process = subprocess.Popen(
        command(tmp_path, 2),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    wanted = random.Random(3).randint(10, 40)
    while len(hashes(tmp_path)) < wanted and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert 0 < len(hashes(tmp_path)) < len(hashes(finished))

    subprocess.run([*command(tmp_path, 2), "--unlock"], check=True, capture_output=True)
    run(tmp_path, 2)

    assert hashes(tmp_path) == hashes(finished)


@pytest.mark.slow
def test_why_tells_of_every_part_of_an_episode(finished):
    results = finished / "results of tiny"
    episode = tables.read(results / "episodes/episodes.parquet", "episodes")["episode"].iloc[0]

    said = subprocess.run(
        [sys.executable, "-m", "tact", "why", episode, "--results", str(results)],
        capture_output=True,
        text=True,
        check=True,
        cwd=finished,
    ).stdout

    assert episode in said
    assert "not built" not in said


@pytest.mark.slow
def test_why_ranks_an_episode_among_the_candidates_that_its_weight_counts(finished):
    results = finished / "results of tiny"
    episodes = tables.read(results / "episodes/episodes.parquet", "episodes")

    for row in episodes.groupby("corpus").head(1).itertuples():
        draw = explain(row.episode, results)["draw"]
        assert draw["candidates_of_the_cell"] == draw["cell"]["candidates"]
        assert 1 <= draw["rank_among_candidates"] <= draw["candidates_of_the_cell"]
        assert row.weight == draw["cell"]["candidates"] / draw["cell"]["chosen"]
