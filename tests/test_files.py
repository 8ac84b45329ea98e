"""Files of one command are put in place together, whenever it is killed."""

import os
import signal
import subprocess
import sys

import pytest

from tact.errors import InputError
from tact.files import Output, text, write_together

PLACES = ("ipus", "deep/er/heard", "quarantine")

RUN = """
import os, signal, sys
from pathlib import Path
from tact.files import text, write_together

to, run, last = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
STEPS = ("open", "tempfile.mkstemp", "os.mkdir", "os.chmod", "os.remove", "os.rename")
taken = 0

def kill(step, _):
    global taken
    if step in STEPS:
        taken += 1
        if taken == last:
            os.kill(os.getpid(), signal.SIGKILL)

outputs = [text(to / place, f"{place} of {run}") for place in sys.argv[4:]]
sys.addaudithook(kill)
write_together(*outputs)
"""
"""Writes three files, and is killed before it takes its n-th step on the disk; 0 = never."""


def write(to, run, *, kill_at=0):
    """Tell whether a run was killed."""
    line = [sys.executable, "-c", RUN, str(to), run, str(kill_at), *PLACES]
    code = subprocess.run(line, check=False).returncode
    assert code in (0, -signal.SIGKILL)
    return code != 0


def files(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def whole(run):
    return {place: f"{place} of {run}" for place in PLACES}


@pytest.mark.parametrize("before", [True, False], ids=["over-old-files", "where-nothing-was"])
def test_a_run_killed_at_any_step_leaves_files_of_one_run_which_the_next_makes_whole(
    tmp_path, before
):
    met, kill_at, killed = [], 0, True
    while killed:
        kill_at += 1
        to = tmp_path / str(kill_at)
        to.mkdir()
        if before:
            write_together(*(text(to / place, said) for place, said in whole("old").items()))

        killed = write(to, "new", kill_at=kill_at)

        stand = {place: said for place, said in files(to).items() if place in PLACES}
        assert stand.items() <= whole("old").items() or stand.items() <= whole("new").items()
        assert "ipus" in stand or not before
        met.append(tuple(said.split()[-1] for said in stand.values()))
        assert write(to, "later") is False
        assert files(to) == whole("later")

    assert kill_at > 12
    assert {("new",), ("new", "new", "new")} < set(met)
    assert (("old",) if before else ()) in met


@pytest.mark.parametrize("at", range(3))
def test_a_file_that_cannot_be_filled_leaves_the_old_ones_and_nothing_beside(tmp_path, at):
    def fail(partial):
        partial.write_text("half")
        raise RuntimeError("disk full")

    old = [text(tmp_path / place, said) for place, said in whole("old").items()]
    write_together(*old)
    new = [text(tmp_path / place, said) for place, said in whole("new").items()]
    new[at] = Output(new[at].path, fail)

    with pytest.raises(RuntimeError):
        write_together(*new)

    assert files(tmp_path) == whole("old")


def test_one_file_alone_is_replaced_and_never_missing(tmp_path, monkeypatch):
    removed, remove = [], os.unlink
    monkeypatch.setattr(os, "unlink", lambda path, **of: removed.append(path) or remove(path, **of))
    write_together(text(tmp_path / "a", "old"))
    write_together(text(tmp_path / "a", "new"))

    assert files(tmp_path) == {"a": "new"}
    assert tmp_path / "a" not in removed


def test_what_a_living_run_or_a_file_of_another_name_left_beside_stays(tmp_path):
    (tmp_path / ".a.b.x1.partial").write_text("of a.b")
    (tmp_path / ".a.x2.partial").write_text("of a killed run")

    def meet_another(partial):
        partial.write_text("of this run")
        write_together(text(tmp_path / "a", "of the other run"))

    write_together(Output(tmp_path / "a", meet_another))

    assert files(tmp_path) == {"a": "of this run", ".a.b.x1.partial": "of a.b"}


def test_two_outputs_of_one_place_are_refused(tmp_path):
    twice = [text(tmp_path / "x/a", "one"), text(tmp_path / "x/../x/a", "other")]

    with pytest.raises(InputError, match="x/a is given for two outputs; give each its own"):
        write_together(*twice)

    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_where_a_folder_stands_or_below_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    (tmp_path / "folder").mkdir()
    lines = {
        tmp_path / "folder": "folder is a folder; give a file",
        tmp_path / "file/a/b": "b cannot be written; .*/file is a file; give a folder",
    }
    for path, line in lines.items():
        with pytest.raises(InputError, match=line):
            write_together(text(tmp_path / "new/c", "y"), text(path, "y"))
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "folder"]
