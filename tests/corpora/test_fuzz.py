"""Whatever is done to its files, a corpus is read: rows of quarantine or one line, no traceback."""

import gzip
import json
import random
import shutil

import pytest

from corpora.layouts import (
    OTO_RAW,
    OTO_WORDS,
    PROBE_PEOPLE,
    ami,
    candor,
    oto_json,
    probe,
    put,
    read,
    seamless,
    sssd,
    tar,
)
from fuzzing import runs
from tact.errors import TactError

VALUES = (None, True, -1, 0, 1.5, 1e308, float("nan"), 10**30, "", "NA", "\ud800", "\0", [], {},
          [None], {"words": 3}, "../../x", "x" * 300, "5", [[]])  # fmt: skip
RUNS = runs(80)


def otospeech(root):
    tar(root / OTO_RAW, {"s1.json": oto_json(redacted_segments=[{"start_sec": 1, "end_sec": 2}]),
                         "s1.words.csv": OTO_WORDS, "s2.json": oto_json()})  # fmt: skip
    return root


def probes(root):
    put(root / "script001.json", probe())
    put(root / "probes.json", PROBE_PEOPLE)
    return root


LAYOUTS = {"candor": candor, "sssd": sssd, "otospeech": otospeech, "seamless": seamless,
           "ami": ami, "probes": probes}  # fmt: skip


def replace(value, dice):
    """Put something else at a random place of a JSON value."""
    if isinstance(value, dict) and value and dice.random() < 0.9:
        key = dice.choice(sorted(value))
        changed = dict(value)
        if dice.random() < 0.15:
            del changed[key]
        else:
            changed[key] = replace(value[key], dice)
        return changed
    if isinstance(value, list) and value and dice.random() < 0.9:
        place = dice.randrange(len(value))
        return [*value[:place], replace(value[place], dice), *value[place + 1 :]]
    return dice.choice(VALUES)


def spoil_json(path, dice):
    data = path.read_bytes()
    zipped = path.suffix == ".gz"
    text = (gzip.decompress(data) if zipped else data).decode()
    rows = [text] if path.suffix == ".json" else text.splitlines()
    place = dice.randrange(len(rows))
    rows[place] = json.dumps(replace(json.loads(rows[place]), dice))
    spoilt = "\n".join(rows).encode()
    path.write_bytes(gzip.compress(spoilt) if zipped else spoilt)


def spoil_bytes(path, dice):
    data = bytearray(path.read_bytes())
    how = dice.randrange(4)
    if how == 0:
        del data[dice.randrange(len(data) + 1) :]
    elif how == 1:
        for _ in range(dice.randint(1, 20)):
            data[dice.randrange(len(data))] = dice.randrange(256)
    elif how == 2:
        start = dice.randrange(len(data))
        del data[start : start + dice.randint(1, 200)]
    else:
        start = dice.randrange(len(data))
        data[start:start] = data[start : start + 300]
    path.write_bytes(bytes(data))


def outcome(root, corpus):
    """Read a corpus: the line of its error, or how many words and faults it has."""
    try:
        made = read(root, corpus)
    except TactError as error:
        return str(error), 0, 0
    return "", len(made.words), len(made.quarantine)


@pytest.mark.parametrize("corpus", LAYOUTS)
def test_spoilt_files_never_end_in_a_traceback(tmp_path, corpus):
    whole = LAYOUTS[corpus](tmp_path / "whole")
    n_whole = len(read(whole, corpus).words)
    dice = random.Random(corpus)
    n_read = n_named = 0
    for run in range(RUNS):
        root = tmp_path / f"run{run}"
        shutil.copytree(whole, root)
        files = sorted(path for path in root.rglob("*") if path.is_file())
        for path in dice.sample(files, k=min(len(files), dice.randint(1, 2))):
            structured = path.suffix in (".json", ".jsonl", ".gz")
            (spoil_json if structured and dice.random() < 0.7 else spoil_bytes)(path, dice)
        message, n_words, n_faults = outcome(root, corpus)
        n_read += n_words == n_whole
        n_named += bool(message) or n_faults > 0
        assert "\n" not in message
        shutil.rmtree(root)

    # Neither is everything refused nor does everything pass.
    assert n_read > 0
    assert n_named > RUNS / 5
