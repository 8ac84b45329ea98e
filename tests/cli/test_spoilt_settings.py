"""A wrong name, config, folder, label file or place given to any command: one clear line."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from small_run import COMMANDS, FOLDERS, OTHER_FOLDERS, RUN, SOUND, arguments, is_output
from spoil import (
    half_of_the_bytes,
    left,
    no_file,
    outputs,
    rewrite,
    spoilt,
    text_for_parquet,
    the_line,
)
from tact import config
from tact.cli import main

WITHOUT_CONFIG = {"ablations", "bind", "draw", "gather", "schema", "repeats", "report", "compare",
                  "why"}  # fmt: skip
"""Commands that do not ask for the config of the command line."""


NAMES = ("corpus", "system", "table", "episode", "shard", "source")
NAMED = [
    (command, option)
    for command, given in SOUND.items()
    for option in given
    if option in NAMES and not isinstance(given[option], Path)
]


@pytest.mark.parametrize(("command", "option"), NAMED)
def test_an_unknown_name_is_met_with_one_line_that_repeats_it(world, to, capsys, command, option):
    code = main(arguments(command, world, {option: "thingummy"} | outputs(command, to)))

    assert "thingummy" in the_line(code, capsys, to)


CONFIGS = {
    "a typo in a key": ("points: {pause_mn_ms: 600}", "did you mean 'pause_min_ms'?"),
    "text for ms": ("activity: {ipu_silence_ms: 0.2 s}", "activity.ipu_silence_ms"),
    "a level that no sound has": ("activity: {edges: {over_db: 200}}", "activity.edges.over_db"),
    "a share above 1": ("splits: {train_share: 40}", "splits.train_share"),
    "a section that is a number": ("episodes: 3", "episodes"),
    "no YAML": ("points: {", "not YAML"),
    "a doubled key": ("seed: 1\nseed: 1", "'seed' stands in line 1 already"),
    "a list": ("[1, 2]", "a config is a mapping"),
    "nothing": ("", "a config is a mapping"),
    "an unknown corpus to build": ("build: [candour]", "candour"),
}


def spoilt_config(world, path, fault):
    text = CONFIGS[fault][0]
    top = None if fault in ("no YAML", "a doubled key") else yaml.safe_load(text)
    if isinstance(top, dict):
        whole = yaml.safe_load((world / RUN / "config.yaml").read_text())
        text = yaml.safe_dump(config.overlay(whole, top))
    path.write_text(text)
    return path


@pytest.mark.parametrize("fault", CONFIGS)
@pytest.mark.parametrize("command", [c for c in SOUND if c not in WITHOUT_CONFIG])
def test_a_wrong_config_is_met_with_one_line_that_names_the_key(
    world, tmp_path, to, capsys, command, fault
):
    bad = spoilt_config(world, tmp_path / "bad.yaml", fault)

    code = main(arguments(command, world, outputs(command, to), config_file=bad))

    assert CONFIGS[fault][1] in the_line(code, capsys, to)


@pytest.mark.parametrize("fault", CONFIGS)
@pytest.mark.parametrize(("command", "option"), [("report", "results"), ("why", "results")])
def test_a_wrong_config_in_a_run_is_met_with_one_line(
    world, tmp_path, to, capsys, command, option, fault
):
    def spoil(path, table):
        path.unlink()
        spoilt_config(world, path, fault)

    bad = spoilt(tmp_path, world, command, option, "config.yaml", None, spoil)

    code = main(arguments(command, world, bad | outputs(command, to)))

    assert CONFIGS[fault][1] in the_line(code, capsys, to)


@pytest.mark.parametrize("command", [c for c in SOUND if c not in WITHOUT_CONFIG])
def test_a_config_that_is_not_there_is_met_with_one_line(world, tmp_path, to, capsys, command):
    absent = tmp_path / "absent.yaml"

    code = main(arguments(command, world, outputs(command, to), config_file=absent))

    assert str(absent) in the_line(code, capsys, to)


@pytest.mark.parametrize(
    ("command", "option"),
    [(command, option) for command in SOUND for option in SOUND[command]
     if (command, option) in {*FOLDERS, *OTHER_FOLDERS}],
)  # fmt: skip
def test_a_folder_that_is_not_there_is_met_with_one_line(world, to, capsys, command, option):
    absent = to.parent / "absent"

    code = main(arguments(command, world, {option: absent} | outputs(command, to)))

    assert str(absent) in the_line(code, capsys, to)


@pytest.mark.parametrize(("command", "option"), sorted({*FOLDERS, *OTHER_FOLDERS}))
def test_a_file_given_for_a_folder_is_called_a_file(world, to, capsys, command, option):
    file = world / RUN / "config.yaml"

    code = main(arguments(command, world, {option: file} | outputs(command, to)))

    line = the_line(code, capsys, to)
    assert f"; {file} is a file; give a folder" in line


OUTPUTS = [
    (command, option)
    for command in SOUND
    for option in SOUND[command]
    if is_output(command, option)
]


def written(to):
    """Name the files that were left but for a raw corpus, which is made before its truth."""
    return [path for path in left(to) if (to / path).is_file() and "out/raw/" not in path]


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_an_output_folder_that_is_a_file_is_met_with_one_line(world, to, capsys, command, option):
    taken = to / "taken"
    taken.write_text("a file\n")
    name = SOUND[command][option].name
    out = taken / name if "." in name else taken

    code = main(arguments(command, world, outputs(command, to) | {option: out}))

    said = capsys.readouterr().err
    assert code == 2
    assert said.startswith("tact: ")
    assert said.count("\n") == 1
    assert "taken" in said
    assert written(to) == ["taken"]


@pytest.mark.parametrize(("command", "option"), OUTPUTS)
def test_an_output_folder_that_may_not_be_written_is_met_with_one_line(
    world, to, capsys, monkeypatch, command, option
):
    """Refused by hand, since a test may be run by root."""
    made = Path.mkdir

    def refuse(path, *rest, **named):
        if path.is_relative_to(to / option):
            raise PermissionError(13, "Permission denied", str(path))
        made(path, *rest, **named)

    monkeypatch.setattr(Path, "mkdir", refuse)

    code = main(arguments(command, world, outputs(command, to)))

    said = capsys.readouterr().err
    assert code == 2
    assert said.startswith("tact: ")
    assert said.count("\n") == 1
    assert str(to / option) in said
    assert written(to) == []


CSV = {
    "no file": (None, "no file"),
    "nothing": (b"", "is not a CSV file"),
    "bytes that are no text": (b"\xff\xfe\x00\x81PAR1", "is not a CSV file"),
    "no column unit": (b"annotator,kind,intent\na,human,ans\n", "no column"),
    "text for a number": (
        b"unit,annotator,kind,intent,probability\nu,a,human,ans,often\n", "probability"),
    "an unknown column": (b"unit,annotator,kind,intent,mood\nu,a,human,ans,good\n", "mood"),
    "an unknown intent": (b"unit,annotator,kind,intent\nu,a,human,maybe\n", "outside"),
    "a row too long": (b"unit,annotator,kind,intent\nu,a,human,ans,1,2,3\nu\n", ""),
}  # fmt: skip


@pytest.mark.parametrize("fault", CSV)
@pytest.mark.parametrize(("command", "option"), [("posteriors", "labels"), ("posteriors", "judge"),
                                                 ("reference", "labels")])  # fmt: skip
def test_a_spoilt_csv_is_met_with_one_line(world, tmp_path, to, capsys, command, option, fault):
    content, what = CSV[fault]
    bad = tmp_path / "bad.csv"
    if content is not None:
        bad.write_bytes(content)

    code = main(arguments(command, world, {option: bad} | outputs(command, to)))

    line = the_line(code, capsys, to)
    assert option in line or str(bad) in line
    if option == "labels":
        assert what in line


def no_moment(path, table):
    rewrite(path, pq.read_table(path).drop_columns("t0_ms"))


@pytest.mark.parametrize(
    "spoil",
    [
        no_file,
        text_for_parquet,
        half_of_the_bytes,
        no_moment,
    ],
    ids=lambda spoil: spoil.__name__,
)
def test_a_spoilt_truth_is_met_with_one_line(world, tmp_path, to, capsys, spoil):
    member = "candor/candidates.parquet"
    bad = spoilt(tmp_path, world, "annotate", "truth", member, None, spoil)

    code = main(arguments("annotate", world, bad | outputs("annotate", to)))

    assert "truth" in the_line(code, capsys, to)


@pytest.mark.parametrize("command", [c for c in SOUND if len(SOUND[c]) > 1])
def test_an_option_that_is_needed_and_absent_is_named_in_one_line(world, to, capsys, command):
    needed = next(p for p in COMMANDS[command].params if p.required)

    code = main(arguments(command, world, outputs(command, to) | {needed.name: None}))

    assert the_line(code, capsys, to)


NO_PATH = "tables.read joins the files before it checks them, so the line names the table alone"
