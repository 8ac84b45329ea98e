"""Where a command writes: never over what it reads, and named where the disk is full."""

import inspect
import os
import resource
from typing import get_type_hints

import pytest

from small_run import INPUTS, SOUND, arguments, commands, is_output
from spoil import left, outputs, the_line
from tact.cli import main

READ = [(command, option) for command, option, member, _ in INPUTS if member is None]
WRITING = [c for c in SOUND if any(is_output(c, option) for option in SOUND[c])]


@pytest.fixture
def full():
    """Let no file grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def first_output(command):
    return next((option for option in SOUND[command] if is_output(command, option)), None)


def taken(command, path, to):
    """Let the first output of a command be a path, and the others go below a folder."""
    return outputs(command, to) | {first_output(command): path}


@pytest.mark.parametrize("command", sorted(commands()))
def test_each_output_is_marked_so_that_it_is_told_from_inputs(command):
    hints = get_type_hints(inspect.unwrap(commands()[command].callback), include_extras=True)
    marked = {
        name
        for name, hint in hints.items()
        if any(getattr(option, "writable", False) for option in getattr(hint, "__metadata__", ()))
    }

    assert marked >= {name for name in hints if name in ("out", "to", "quarantine", "people")}
    assert (marked == set()) is (command in ("doctor", "why"))


@pytest.mark.parametrize(("command", "option"), [each for each in READ if first_output(each[0])])
def test_no_output_goes_over_an_input(world, tmp_path, to, capsys, command, option):
    sound = (world / SOUND[command][option]).read_bytes()
    own = tmp_path / "own.parquet"
    own.write_bytes(sound)

    code = main(arguments(command, world, taken(command, own, to) | {option: own}))

    assert f"{own} would be written over the input {own}; give another" in the_line(
        code, capsys, to
    )
    assert own.read_bytes() == sound


def a_symbolic_link(own, beside):
    beside.symlink_to(own)
    return beside


def a_hard_link(own, beside):
    os.link(own, beside)
    return beside


def a_way_round(own, beside):
    return own.parent / "to" / ".." / own.name


@pytest.mark.parametrize("way", [a_symbolic_link, a_hard_link, a_way_round])
@pytest.mark.parametrize("of_input", [True, False])
def test_an_input_is_known_by_any_name(world, tmp_path, to, capsys, way, of_input):
    own = tmp_path / "own.parquet"
    own.write_bytes((world / SOUND["acts"]["acts"]).read_bytes())
    other = way(own, tmp_path / "other.parquet")
    given, out = (other, own) if of_input else (own, other)

    code = main(arguments("acts", world, {"acts": given, "out": out}))

    assert "would be written over" in the_line(code, capsys, to)


def test_a_table_in_an_output_folder_is_no_input(world, tmp_path, to, capsys):
    given = to / "frame.parquet"
    given.write_bytes((world / SOUND["points"]["words"]).read_bytes())

    code = main(arguments("points", world, {"words": given, "out": to}))

    assert f"{given} would be written over" in capsys.readouterr().err
    assert code == 2
    assert left(to) == ["frame.parquet"]


def test_an_input_may_lie_in_the_folder_that_is_written_to(world, to):
    given = to / "words.parquet"
    given.write_bytes((world / SOUND["points"]["words"]).read_bytes())

    assert main(arguments("points", world, {"words": given, "out": to})) == 0
    assert left(to) == ["frame.parquet", "points.parquet", "words.parquet"]


def test_the_config_is_no_output(world, tmp_path, to, capsys):
    own = tmp_path / "config.yaml"
    own.write_bytes((world / "results/config.yaml").read_bytes())

    code = main(arguments("schema", world, {"out": own}, config_file=own))

    assert "would be written over" in the_line(code, capsys, to)


@pytest.mark.parametrize("command", WRITING)
def test_a_full_disk_is_named_by_the_place(world, to, capsys, full, command):
    code = main(arguments(command, world, outputs(command, to)))

    said = capsys.readouterr().err
    assert code == 2
    assert said.startswith(f"tact: {to}/")
    assert said.endswith("; mend or free the place\n")
    assert said.count("\n") == 1
    assert not [path for path in to.rglob("*") if path.is_file() and "raw" not in path.parts]
