"""A spoilt table given to any command: one clear line, exit code 2, and nothing written."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from small_run import COMMANDS, COMPARED, INPUTS, IPUS, PAGE, RUN, SOUND, arguments, paths_of
from spoil import FAULTS, applies, left, outputs, rewrite, spoilt, the_line
from tact import tables
from tact.cli import main
from tact.schemas import CONTRACTS

FEW = ("no file", "half of the bytes", "no key column", "text for a whole number or null")
"""Enough for the many tables of a whole run."""


def cases():
    for command, option, member, table in INPUTS:
        for fault in FAULTS:
            if command == "why" or not applies(fault, table):
                continue
            if member in PAGE and fault not in FEW:
                continue
            case = (command, option, member, table, fault)
            name = f"{command}:{f'{option}/{member}' if member else option}:{fault}"
            yield pytest.param(*case, id=name)


TABLE_OF = {"activity": "ipus", "clips": "clips", "inspect": "inspections",
            "repeats": "quarantine"}  # fmt: skip


def check_outputs(command, to):
    """Check every table that a command has written, by its contract."""
    for path in to.rglob("*"):
        assert not path.name.startswith(".")
        if path.suffix == ".parquet" and path.parts[len(to.parts)] != "truth":
            name = path.stem if path.stem in CONTRACTS else TABLE_OF.get(command)
            tables.read(path, "quarantine" if path.stem == "candor" else name)


def sound_or_one_line(code, command, to, capsys):
    """Check that a command has written sound tables, or nothing and its line."""
    if code:
        the_line(code, capsys, to)
    else:
        assert capsys.readouterr().err == ""
        check_outputs(command, to)


def test_every_command_and_every_path_that_it_takes_is_tested_here():
    given = {
        command: {option for option, value in options.items() if isinstance(value, Path)}
        for command, options in SOUND.items()
    }

    assert given == {command: paths_of(command) for command in COMMANDS}
    assert {table for *_, table in INPUTS} <= set(CONTRACTS)


@pytest.mark.parametrize(("command", "option", "member", "table", "fault"), list(cases()))
def test_a_spoilt_table_is_met_with_one_line_that_names_it(
    world, tmp_path, to, capsys, command, option, member, table, fault
):
    spoil, what = FAULTS[fault]
    bad = spoilt(tmp_path, world, command, option, member, table, spoil)

    code = main(arguments(command, world, bad | outputs(command, to)))

    line = the_line(code, capsys, to)
    assert what in line
    assert table in line or str(bad[option]) in line


EACH_ONCE = {option: command for command, option, member, _ in INPUTS if member is None}
"""Options that take a table, each with one command that has it."""


@pytest.mark.parametrize(("option", "command"), EACH_ONCE.items())
def test_a_folder_given_for_a_file_is_called_a_folder(world, tmp_path, to, capsys, command, option):
    code = main(arguments(command, world, {option: tmp_path} | outputs(command, to)))

    line = the_line(code, capsys, to)
    assert f": {tmp_path} is a folder; give a" in line


def tracebacks_of_why(world, tmp_path, capsys, fault):
    """Spoil each table that `why` reads in turn; say where it neither ends well nor says a line."""
    found = {}
    inputs = [case for case in INPUTS if case[0] == "why" and applies(fault, case[3])]
    for number, (command, option, member, table) in enumerate(inputs):
        place = tmp_path / str(number)
        place.mkdir()
        bad = spoilt(place, world, command, option, member, table, FAULTS[fault][0])
        try:
            code = main(arguments(command, world, bad))
        except Exception as error:
            found[member] = repr(error)
            continue
        err = capsys.readouterr().err
        optional = member != "episodes/episodes.parquet" if fault == "no file" else True
        if (code, err.count("\n")) not in [(2, 1), *([(0, 0)] if optional else [])]:
            found[member] = err
    return found


@pytest.mark.parametrize("fault", FAULTS)
def test_why_meets_a_spoilt_table_with_one_line_or_tells_what_it_can(
    world, tmp_path, capsys, fault
):
    assert tracebacks_of_why(world, tmp_path, capsys, fault) == {}


@pytest.mark.parametrize(("command", "option", "member", "table"), INPUTS)
def test_a_table_with_no_row_gives_sound_tables_or_one_line(
    world, tmp_path, to, capsys, command, option, member, table
):
    def no_row(path, table):
        rewrite(path, pq.read_table(path).slice(0, 0))

    bad = spoilt(tmp_path, world, command, option, member, table, no_row)

    code = main(arguments(command, world, bad | outputs(command, to)))

    sound_or_one_line(code, command, to, capsys)


@pytest.mark.parametrize("command", dict.fromkeys(case[0] for case in INPUTS))
def test_no_row_in_any_table_gives_sound_tables_or_one_line(world, tmp_path, to, capsys, command):
    bad = {}
    for number, (_, option, member, table) in enumerate(i for i in INPUTS if i[0] == command):
        folder = bad.get(option)
        if folder is None:
            place = tmp_path / str(number)
            place.mkdir()
            bad |= spoilt(place, world, command, option, member, table, lambda path, table: None)
        path = bad[option] / member if member else bad[option]
        rewrite(path, pq.read_table(path).slice(0, 0))

    code = main(arguments(command, world, bad | outputs(command, to)))

    sound_or_one_line(code, command, to, capsys)


@pytest.mark.parametrize(
    "fault",
    [
        "no file",
        "no key column",
        "null in a key",
        "a word outside the list",
        "text for Parquet",
        "half of the bytes",
        "text for a number",
        "a number for text",
    ],
)
def test_the_line_of_a_spoilt_table_ends_with_a_cure(world, tmp_path, to, capsys, fault):
    bad = spoilt(tmp_path, world, "turns", "words", None, "words", FAULTS[fault][0])

    code = main(arguments("turns", world, bad | outputs("turns", to)))

    assert re.search(r"; .*(run|rebuild) the \w+", the_line(code, capsys, to))


@pytest.mark.parametrize(
    "fault",
    [
        "no file",
        "text for Parquet",
        "no key column",
        "null in a key",
        "text for a number",
    ],
)
def test_a_spoilt_file_among_several_of_one_table_is_named_by_its_path(
    world, tmp_path, to, capsys, fault
):
    bad = spoilt(tmp_path, world, "gather", "files", None, "ipus", FAULTS[fault][0])["files"]
    out = to / "ipus.parquet"

    code = main(["gather", "ipus", str(world / IPUS), str(bad), "--out", str(out)])

    assert str(bad) in the_line(code, capsys, to)


@pytest.mark.parametrize("fault", ["no file", "half of the bytes", "no key column"])
def test_the_program_itself_says_one_line_and_exits_with_2(world, tmp_path, to, fault):
    spoil, what = FAULTS[fault]
    bad = spoilt(tmp_path, world, "turns", "ipus", None, "ipus", spoil)

    run = subprocess.run(
        [sys.executable, "-m", "tact", *arguments("turns", world, bad | outputs("turns", to))],
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 2
    assert run.stdout == ""
    assert run.stderr.startswith("tact: ")
    assert "ipus" in run.stderr
    assert what in run.stderr
    assert run.stderr.count("\n") == 1
    assert left(to) == []


def test_compare_reads_nothing_but_laws_and_composites(world, tmp_path, to):
    for name in COMPARED:
        (tmp_path / "bare" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(world / RUN / name, tmp_path / "bare" / name)

    assert main(["compare", str(tmp_path / "bare"), "--out", str(to / "page.txt")]) == 0
    assert "human" in (to / "page.txt").read_text()
