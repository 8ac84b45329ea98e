"""The rules keep the house rules, and the full benchmark is a small graph of jobs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SNAKEMAKE = [str(Path(sys.executable).parent / "snakemake")]
RULES = {
    match[1]: match[2]
    for path in sorted((ROOT / "rules").glob("*.smk"))
    for match in re.finditer(
        r"^ *rule (\w+):\n(.*?)(?=^ *rule |\Z)", path.read_text(), flags=re.MULTILINE | re.DOTALL
    )
}
WORK = {name: body for name, body in RULES.items() if "shell:" in body}


def test_there_are_rules():
    assert {"ingest", "activity", "take_turns", "find_points", "score"} <= set(WORK)


@pytest.mark.parametrize("part", ["log:", "benchmark:", "conda:", "source_digest("])
def test_every_rule_that_works_declares(part):
    assert [name for name, body in WORK.items() if part not in body] == []


def test_every_rule_has_a_docstring():
    assert [name for name, body in RULES.items() if '"""' not in body] == []


def test_every_rule_calls_a_command_that_exists():
    help_text = subprocess.run(
        [sys.executable, "-m", "tact", "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout
    commands = {
        match[1] for body in WORK.values() for match in re.finditer(r"\" ([a-z]+) [-{q]", body)
    }

    assert len(commands) >= 12
    assert [name for name in commands if not re.search(rf"^ +{name}\b", help_text, re.M)] == []


def dry_run(*arguments):
    run = subprocess.run(
        [*SNAKEMAKE, "-n", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return run.returncode, run.stdout + run.stderr


def test_the_full_benchmark_plans_a_few_hundred_jobs_at_most():
    code, said = dry_run("--forceall")

    assert code == 0
    assert 100 < int(re.search(r"^total +(\d+)", said, re.M)[1]) < 400


def test_a_typo_in_the_config_stops_the_plan_with_one_line(tmp_path):
    typo = tmp_path / "typo.yaml"
    typo.write_text("points: {pause_mn_ms: 600}\n")

    code, said = dry_run("--configfile", "config.yaml", str(typo))

    assert code != 0
    assert "unknown key 'points.pause_mn_ms'; did you mean 'pause_min_ms'?" in said
    assert "Traceback" not in said


def test_a_doubled_key_in_the_config_stops_the_plan_with_one_line(tmp_path):
    doubled = tmp_path / "doubled.yaml"
    doubled.write_text("seed: 1\nresults: r\nseed: 2\n")

    code, said = dry_run("--configfile", "config.yaml", str(doubled))

    assert code != 0
    assert f"{doubled}, line 3: key 'seed' stands in line 1 already" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    "target", ["episodes", "profiles", "kernels", "scores", "report", "ami", "analyses", "concord"]
)
def test_each_target_of_the_readme_can_be_planned(target):
    assert dry_run(target)[0] == 0


def test_episodes_and_profiles_of_a_corpus_need_nothing_of_another():
    """So a corpus that is added to a build, or taken from it, changes no choice of the others."""
    made = [f"results/{part}" for part in ("episodes/ami/episodes", "profiles/ami/separation")]
    code, said = dry_run(*(f"{name}.parquet" for name in made), "--forceall")

    named = re.findall(r"\b(candor|sssd|otospeech|seamless|ami|probes)\b", said)
    assert code == 0
    assert set(named) == {"ami"}


def test_the_concord_of_sources_is_no_part_of_all():
    _, said = dry_run("--forceall")

    assert "set_side_by_side" not in said
    assert "hear_by" not in said


def test_kernels_need_no_clip_and_no_score():
    _, said = dry_run("kernels", "--forceall")

    assert "cut_clips" not in said
    assert "rule score" not in said
