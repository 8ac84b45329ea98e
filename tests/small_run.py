"""A small run through every command, and the command line that made each part of it."""

import inspect
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import typer
import yaml

from tact import config, frames, tables
from tact.cli import MODULES, main
from tact.cli.app import app
from tact.schemas import CONTRACTS

WHOLE = Path(__file__).resolve().parents[1] / "config.yaml"
SMALL = """
build: [candor]
episodes: {scale: 0.01, dev_share: 0.25, clip_overlap_ms: 16000}
reference: {axes: [gender, [gender, age]], resamples: 40, ks_resamples: 9}
scores: {resamples: 40}
simulation: {use: true}
"""
SIZE = {"conversations": 5, "minutes": 3.0, "speakers": 6, "interruptions": 0.1}

RUN = Path("results")
RAW = RUN / "corpora/candor"
DOOR = RUN / "door/quarantine/candor.parquet"
ERRORS = RUN / "calibration/webrtc.parquet"
IPUS = RUN / "activity/candor/1.parquet"
TURNS = RUN / "turns/candor"
POINTS = RUN / "points/candor"
CHOSEN = RUN / "episodes/candor/episodes.parquet"
EPISODES = RUN / "episodes/episodes.parquet"
PROFILES = RUN / "profiles/candor"
LABELS = RUN / "labels/candor"
REFERENCE = RUN / "reference"
MARKS = RUN / "marks.parquet"
RATINGS = RUN / "ratings.parquet"
SPOKEN = RUN / "responses/human/spoken.parquet"
TALK = {"recordings": RAW / "recordings.parquet", "words": RAW / "words.parquet"}
FIRST_EPISODE = object()

SOUND = {
    "schema": {"out": RUN / "schema.yaml"},
    "simulate": {"out": Path("raw"), "truth": Path("truth"), "corpus": "candor",
                 "words_only": True},
    "ingest": {"corpus": "candor", "root": Path("raw/candor"), "out": RAW},
    "inspect": {"corpus": "candor", **TALK, "out": RUN / "door/candor/1.parquet",
                "quarantine": DOOR, "shard": "1/1"},
    "repeats": {"inspections": RUN / "door/candor/1.parquet", "out": RUN / "repeats.parquet"},
    "activity": {"corpus": "candor", **TALK, "out": IPUS, "inspected": DOOR,
                 "quarantine": RUN / "quarantine/candor.parquet", "shard": "1/1",
                 "errors": ERRORS, "evidence": RUN / "hearing/candor/1", "source": "words"},
    "concord": {"corpus": "candor", "recordings": RAW / "recordings.parquet", "reference": IPUS,
                "hypothesis": IPUS, "out": RUN / "concord"},
    "gather": {"table": "ipus", "files": IPUS, "out": RUN / "gathered/ipus.parquet"},
    "turns": {"ipus": IPUS, **TALK, "acts": RAW / "acts.parquet", "out": TURNS},
    "points": {"corpus": "candor", **TALK, "turn_tables": TURNS, "ipus": IPUS, "out": POINTS},
    "acts": {"points": POINTS / "points.parquet", "frame": POINTS / "frame.parquet",
             "acts": RAW / "acts.parquet", "out": RUN / "acts/labels.parquet"},
    "episodes": {"corpus": "candor", "points": POINTS / "points.parquet", **TALK,
                 "speakers": RAW / "speakers.parquet", "turns": TURNS,
                 "inspections": RUN / "door/candor/1.parquet", "out": CHOSEN.parent},
    "annotate": {"corpus": "candor", "points": POINTS / "points.parquet",
                 "frame": POINTS / "frame.parquet", "episodes": CHOSEN, "truth": Path("truth"),
                 "out": LABELS},
    "clips": {"corpus": "candor", "episodes": CHOSEN, "recordings": RAW / "recordings.parquet",
              "out": RUN / "clips/candor", "shard": "1/1"},
    "bind": {"episodes": CHOSEN, "clips": RUN / "clips/candor/1.parquet", "out": EPISODES},
    "profiles": {"corpus": "candor", "episodes": CHOSEN, "turns": TURNS, **TALK, "ipus": IPUS,
                 "out": PROFILES},
    "check": {"corpus": "candor", "episodes": CHOSEN, "history": CHOSEN.parent / "history.parquet",
              "evidence": PROFILES / "evidence.parquet", "swap": PROFILES / "swap.parquet",
              "points": POINTS / "points.parquet", "recordings": RAW / "recordings.parquet",
              "out": PROFILES / "separation.parquet"},
    "posteriors": {"points": POINTS / "points.parquet", "episodes": CHOSEN,
                   "labels": LABELS / "labels.parquet", "judge": LABELS / "judge.parquet",
                   "out": RUN / "posteriors"},
    "reference": {"points": POINTS / "points.parquet", "frame": POINTS / "frame.parquet",
                  "point_posteriors": RUN / "posteriors/point_posteriors.parquet",
                  "speakers": RAW / "speakers.parquet",
                  "recordings": RAW / "recordings.parquet", "labels": LABELS / "labels.parquet",
                  "out": REFERENCE},
    "draw": {"laws": REFERENCE / "laws.parquet", "kernels": REFERENCE / "kernels.parquet",
             "onsets": REFERENCE / "onsets.parquet", "out": RUN / "plots"},
    "laws paper": {"out": RUN / "paper/laws.parquet"},
    "completion": {"corpus": "candor", **TALK, "ipus": IPUS, "turns": TURNS / "turns.parquet",
                   "out": RUN / "completion/candor"},
    "respond": {"system": "human", "episodes": EPISODES, "points": POINTS / "points.parquet",
                "posteriors": RUN / "posteriors/posteriors.parquet",
                "laws": REFERENCE / "laws.parquet", "ipus": IPUS,
                "backchannels": TURNS / "backchannels.parquet", "words": TALK["words"],
                "completion": RUN / "completion/candor/completion.parquet", "marks": MARKS,
                "clips": RUN / "clips", "out": RUN / "responses/human"},
    "score": {"laws": REFERENCE / "laws.parquet",
              "posteriors": RUN / "posteriors/posteriors.parquet",
              "responses": RUN / "responses/human/responses.parquet",
              "overlaps": RUN / "responses/human/overlaps.parquet", "episodes": EPISODES,
              "durations": REFERENCE / "durations.parquet", "points": POINTS / "points.parquet",
              "out": RUN / "scores"},
    "binary": {"responses": RUN / "responses/human/responses.parquet", "episodes": EPISODES,
               "posteriors": RUN / "posteriors/posteriors.parquet",
               "laws": REFERENCE / "laws.parquet", "spoken": SPOKEN,
               "out": RUN / "scores/binary.parquet"},
    "fairness": {"laws": REFERENCE / "laws.parquet",
                 "posteriors": RUN / "posteriors/posteriors.parquet", "episodes": EPISODES,
                 "responses": RUN / "responses/human/responses.parquet",
                 "overlaps": RUN / "responses/human/overlaps.parquet",
                 "durations": REFERENCE / "durations.parquet",
                 "out": RUN / "analyses/fairness.parquet"},
    "ranks": {"composites": RUN / "scores/composites.parquet",
              "binary": RUN / "scores/binary.parquet", "out": RUN / "analyses/ranks.parquet"},
    "memory": {"responses": RUN / "responses/human/responses.parquet",
               "swapped": RUN / "responses/human/responses.parquet", "episodes": EPISODES,
               "swap": PROFILES / "swap.parquet",
               "out": RUN / "analyses/memory.parquet"},
    "ablations": {"composites": RUN / "scores/composites.parquet",
                  "no_calibration": RUN / "scores/composites.parquet",
                  "no_prosody": RUN / "scores/composites.parquet",
                  "out": RUN / "analyses/ablations.parquet"},
    "validity": {"ratings": RATINGS, "composites": RUN / "scores/composites.parquet",
                 "episodes": EPISODES, "out": RUN / "analyses/validity.parquet"},
    "report": {"results": RUN, "out": RUN / "report"},
    "compare": {"runs": RUN, "out": RUN / "comparison/page.txt"},
    "why": {"episode": FIRST_EPISODE, "results": RUN},
}  # fmt: skip
"""Sound values of each command's options, in the order of the data: run in turn, they make a world.

A path lies below the world's folder.
"""

PAGE = {
    "episodes/episodes.parquet": "episodes",
    "episodes/candor/shortfalls.parquet": "shortfalls",
    "quarantine/candor.parquet": "quarantine",
    "repeats.parquet": "quarantine",
    "profiles/candor/profiles.parquet": "profiles",
    "profiles/candor/separation.parquet": "separation",
    "episodes/candor/history.parquet": "history",
    "reference/laws.parquet": "laws",
    "reference/changes.parquet": "changes",
    "posteriors/agreement.parquet": "agreement",
    "scores/composites.parquet": "composites",
    "scores/binary.parquet": "binary",
    "completion/candor/completion_check.parquet": "completion_check",
}
COMPARED = ("reference/laws.parquet", "scores/composites.parquet")
FOLDERS = {
    ("points", "turn_tables"): {"turns.parquet": "turns", "backchannels.parquet": "backchannels"},
    ("episodes", "turns"): {"turns.parquet": "turns"},
    ("profiles", "turns"): {
        f"{name}.parquet": name for name in ("pauses", "backchannels", "transfers")
    },
    ("report", "results"): PAGE
    | {"reference/kernels.parquet": "kernels", "reference/onsets.parquet": "onsets"},
    ("compare", "runs"): {name: PAGE[name] for name in COMPARED},
    ("why", "results"): {
        "episodes/episodes.parquet": "episodes",
        "corpora/candor/recordings.parquet": "recordings",
        "quarantine/candor.parquet": "quarantine",
        "points/candor/points.parquet": "points",
        "activity/candor/1.parquet": "ipus",
        "turns/candor/backchannels.parquet": "backchannels",
        "episodes/candor/shortfalls.parquet": "shortfalls",
        "profiles/candor/profiles.parquet": "profiles",
        "profiles/candor/evidence.parquet": "evidence",
        "profiles/candor/swap.parquet": "swap",
        "labels/candor/labels.parquet": "labels",
        "labels/candor/judge.parquet": "judge",
        "posteriors/posteriors.parquet": "posteriors",
        "reference/laws.parquet": "laws",
        "responses/human/responses.parquet": "responses",
        "scores/episode_scores.parquet": "episode_scores",
    },
}
"""The tables that a command reads from a folder."""

OTHER_FOLDERS = {("annotate", "truth"), ("ingest", "root"), ("respond", "clips")}
"""Folders of what is not a table with a contract."""


def commands():
    """Give every command of the app by its words."""
    for module in set(MODULES.values()):
        import_module(f"tact.cli.{module}")
    found, rest = {}, [("", typer.main.get_command(app))]
    while rest:
        words, command = rest.pop()
        if inner := getattr(command, "commands", None):
            rest += [(f"{words} {name}".strip(), inner[name]) for name in inner]
        else:
            found[words] = command
    return found


ELSEWHERE = {"fetch", "doctor", "calibrate", "diarize", "hear", "voices"}
ELSEWHERE |= {"release", "rebuild", "audit"}
"""Commands that ask a server, for which tests/fetch has servers, those that need sound, and
those of tests/cli/test_sharing.py."""

COMMANDS = {name: found for name, found in commands().items() if name not in ELSEWHERE}


def paths_of(command):
    """Name the options that take a path."""
    hints = inspect.get_annotations(inspect.unwrap(COMMANDS[command].callback), eval_str=True)
    return {name for name, hint in hints.items() if "Path" in str(hint)}


def is_output(command, option):
    written = {("simulate", "truth"), ("activity", "evidence")}
    return option in ("out", "quarantine") or (command, option) in written


def inputs():
    """Give every table that a command reads: command, option, file in its folder, table."""
    for command, given in SOUND.items():
        for option in given:
            if (command, option) in FOLDERS:
                for member, table in FOLDERS[command, option].items():
                    yield command, option, member, table
            elif option in paths_of(command) and not (
                is_output(command, option) or (command, option) in OTHER_FOLDERS
            ):
                yield command, option, None, NAMED.get(option, option)


NAMED = {"files": "ipus", "reference": "ipus", "hypothesis": "ipus", "inspected": "quarantine",
         "errors": "detector_errors", "marks": "completion_marks", "swapped": "responses",
         "no_calibration": "composites", "no_prosody": "composites"}  # fmt: skip
"""Options that are not called as their table."""

INPUTS = list(inputs())


def row_of(table):
    """Make a row of a table, by the types of its columns alone."""
    usual = {"string": "x", "int64": 0, "double": 0.0, "bool": False}
    return {
        column.name: column.values[0] if column.values else usual.get(str(column.type))
        for column in CONTRACTS[table].columns
    }


def small_config():
    """Cut the config to one corpus, so that it is read fast."""
    small = config.overlay(yaml.safe_load(WHOLE.read_text()), yaml.safe_load(SMALL))
    small["corpora"] = {"candor": small["corpora"]["candor"]}
    small["episodes"]["quota"] = {"candor": small["episodes"]["quota"]["candor"]}
    small["simulation"]["corpora"] = {"candor": SIZE}
    small["labels"]["acts"] = {"inf": small["labels"]["acts"]["inf"]}
    small["reference"]["pooled"] = ["candor"]
    return small


def make_world(folder):
    """Give every command its sound options once, in the folder."""
    (folder / RUN).mkdir()
    (folder / RUN / "config.yaml").write_text(yaml.safe_dump(small_config()))
    tables.write(frames.empty("detector_errors"), folder / ERRORS, "detector_errors")
    tables.write(frames.empty("spoken"), folder / SPOKEN, "spoken")
    tables.write(frames.empty("completion_marks"), folder / MARKS, "completion_marks")
    for command in SOUND:
        assert main(arguments(command, folder)) == 0, command
        if command == "ingest":
            add_an_act(folder / RAW)
        if command == "score":
            rate_the_human(folder)


def add_an_act(raw):
    who = tables.read(raw / "recordings.parquet", "recordings").iloc[0]
    act = row_of("acts") | {"act": "inf", "end_ms": 900}
    act |= {name: who[name] for name in ("conversation", "speaker")}
    pq.write_table(
        pa.Table.from_pylist([act], schema=CONTRACTS["acts"].schema()), raw / "acts.parquet"
    )


def rate_the_human(folder):
    episodes = tables.read(folder / EPISODES, "episodes")["episode"]
    rows = [("human", episode, "x", float(n)) for n, episode in enumerate(episodes)]
    tables.write(frames.frame(rows, "ratings"), folder / RATINGS, "ratings")


def arguments(command, world, changes=None, config_file=None):
    """Write the command line of a command; ``changes`` replace sound values of its options."""
    given = SOUND[command] | (changes or {})
    line = ["--config", str(config_file or world / RUN / "config.yaml"), *command.split()]
    for parameter in COMMANDS[command].params:
        value = given.get(parameter.name)
        if value is None:
            continue
        if value is FIRST_EPISODE:
            value = tables.read(world / EPISODES, "episodes")["episode"].iloc[0]
        value = str(world / value) if isinstance(value, Path) else value
        if parameter.param_type_name == "argument":
            line.append(value)
        else:
            line += [parameter.opts[0]] if value is True else [parameter.opts[0], value]
    return line
