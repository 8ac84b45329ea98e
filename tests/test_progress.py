"""The bar's wrapper passes the exit code on, says when there is nothing to do, and clears locks."""

import fcntl
import sys

import pytest

from tact import progress

FAKE = """
import sys, pathlib
args = sys.argv[1:]
pathlib.Path("calls.txt").open("a").write(" ".join(args) + "\\n")
if "--unlock" in args:
    sys.exit(0)
{body}
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(body):
        (tmp_path / "fake.py").write_text(FAKE.format(body=body))
        return [sys.executable, "fake.py"]

    return make


def test_a_run_with_jobs_prints_tenths_and_keeps_the_whole_log(command, capfd, tmp_path):
    run = command("for i in range(1, 11): print(f'rule turns:\\n{i} of 10 steps ({i}0%) done')")

    assert progress.main(run) == 0

    out = capfd.readouterr().out
    assert "10 of 10 jobs" in out
    assert "Nothing to do" not in out
    assert (tmp_path / ".snakemake/run.log").read_text().count("rule turns") == 10


def test_a_run_without_jobs_says_so(command, capfd):
    assert progress.main(command("print('Nothing to be done')")) == 0

    assert "Nothing to do" in capfd.readouterr().out


def test_a_failed_run_repeats_the_trouble_and_keeps_the_exit_code(command, capfd):
    run = command("print('fine'); print('Error in rule ingest: tact: no folder'); sys.exit(1)")

    assert progress.main(run) == 1

    err = capfd.readouterr().err
    assert "tact: no folder" in err
    assert "fine" not in err


def test_a_stale_lock_is_cleared_before_the_run(command, tmp_path):
    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    (tmp_path / ".snakemake/locks/0.input.lock").write_text("")

    progress.main([*command("pass"), "--cores", "1"])

    assert (tmp_path / "calls.txt").read_text().splitlines() == ["--cores 1 --unlock", "--cores 1"]


def test_a_second_run_in_the_same_folder_is_refused(command, tmp_path, capfd):
    (tmp_path / ".snakemake").mkdir()
    with (tmp_path / ".snakemake/tact.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert progress.main(command("pass")) == 2

    assert "another run is at work" in capfd.readouterr().err
    assert not (tmp_path / "calls.txt").exists()
