"""A command that writes several files never leaves new ones beside those of an earlier run."""

import os

import pytest

from small_run import SOUND, arguments, is_output
from spoil import outputs
from tact.cli import main

WRITING = [c for c in SOUND if c != "simulate" and any(is_output(c, option) for option in SOUND[c])]
"""Commands with files to write; `tact simulate` writes a raw corpus."""
SEVERAL = {
    "activity", "annotate", "clips", "completion", "concord", "draw", "episodes", "ingest",
    "inspect", "points", "posteriors", "profiles", "reference", "report", "respond", "score",
    "turns",
}  # fmt: skip


def contents(to):
    return {path: path.read_bytes() for path in to.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", WRITING)
def test_a_command_that_fails_between_two_files_leaves_none_of_an_earlier_run(
    world, to, monkeypatch, capsys, command
):
    line, placed, replace = arguments(command, world, outputs(command, to)), [], os.replace
    assert main(line) == 0
    written = contents(to)
    for path in written:
        path.write_bytes(b"old")

    def fail_at_the_second(old, new):
        placed.append(new)
        if len(placed) == 2:
            raise OSError(5, "Input/output error", str(new))
        replace(old, new)

    monkeypatch.setattr(os, "replace", fail_at_the_second)
    code = main(line)

    left = contents(to)
    assert b"old" not in left.values()
    assert left.items() <= written.items()
    assert (len(written) > 1) is (command in SEVERAL) is (code == 2)
    assert len(left) == 1
    assert capsys.readouterr().err.count("\n") == (code == 2)
