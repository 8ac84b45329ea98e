"""Whatever is done to the files of a generic corpus: rows of quarantine or one line."""

import random
import resource

import pytest

from corpora.layouts import put
from corpora.test_fuzz import spoil_bytes
from corpora.timing_files import (
    ENTRY,
    dyad,
    eaf,
    long_textgrid,
    read,
    rttm,
    short_textgrid,
    table,
)
from fuzzing import runs
from tact.corpora import raw, sheets, timing
from tact.corpora.ledger import Ledger
from tact.errors import TactError
from tact.settings import Corpus

RUNS, FEWER = runs(500), runs(40)
TIERS = {
    "Ann": [(k, k + 0.5, f"woord{k}") for k in range(8)],
    "Ben - words": [(8.5, 9.0, "één")],
    "Ann - intent": [(0.0, 0.5, "ans"), (1.0, 1.5, "hold")],
}
TOLD = {"Ann": TIERS["Ann"], "Ben": TIERS["Ben - words"]}
ROWS = [(*span, who, "") for who, spans in TOLD.items() for span in spans]
FILES = {
    "long.TextGrid": long_textgrid(TIERS),
    "short.TextGrid": short_textgrid(TIERS),
    "wide.TextGrid": long_textgrid(TIERS).encode("utf-16"),
    "c1.eaf": eaf(TIERS),
    "c1.rttm": rttm(TOLD),
    "c1.csv": table(("start_s", "end_s", "text", "speaker", "intent"), ROWS),
}
PEOPLE = {
    "recordings.csv": "",
    "speakers.csv": "speaker,gender,age,region\nAnn,f,34,north\nBen,m,,\n",
}
VALUES = ("", '"', '""', "-1", "1e308", "9" * 50, "nan", "0", "x" * 300, "\0", "<a>", "../../x",
          ",", "\n", "&x;", "</TIER>", "999999999", "<exists>", "\ud7ff")  # fmt: skip


def spoil_words(path, dice):
    """Put something else in place of a few letters, in the encoding of the file."""
    data = path.read_bytes()
    code = "utf-16" if data.startswith(b"\xff\xfe") else "utf-8"
    text = data.decode(code)
    at = dice.randrange(len(text) + 1)
    end = min(len(text), at + dice.randint(0, 4))
    path.write_bytes((text[:at] + dice.choice(VALUES) + text[end:]).encode(code))


def spoil(path, content, dice):
    put(path, content)
    (spoil_words if dice.random() < 0.7 else spoil_bytes)(path, dice)


def outcome(read_it, *arguments):
    """Give what is read, or the line of its error."""
    try:
        return "", read_it(*arguments)
    except TactError as error:
        return str(error), None


@pytest.mark.parametrize("name", FILES)
def test_a_spoilt_timing_file_is_read_or_is_one_line(tmp_path, name):
    dice = random.Random(name)
    put(tmp_path / name, FILES[name])
    file = raw.File(tmp_path, name)
    n_read = n_named = 0
    for _ in range(RUNS):
        spoil(tmp_path / name, FILES[name], dice)
        message, told = outcome(timing.read, file)
        n_read += told is not None
        n_named += told is None or len(told.faults) > 0
        assert "\n" not in message

    # Neither is everything refused nor does everything pass.
    assert n_read > RUNS / 10
    assert n_named > RUNS / 50
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20


@pytest.mark.parametrize("name", FILES)
def test_a_corpus_with_a_spoilt_timing_file_is_read(tmp_path, name):
    dice = random.Random(name)
    dyad(tmp_path, name, FILES[name])
    n_read = n_named = 0
    for _ in range(FEWER):
        spoil(tmp_path / name, FILES[name], dice)
        tables = read(tmp_path)
        n_read += len(tables.words) > 0
        n_named += len(tables.quarantine) > 0
        assert not tables.quarantine["detail"].str.contains("\n").any()

    assert n_read > 0
    assert n_named > FEWER / 5


def sheets_of(root):
    """Read both sheets of a corpus alone: conversations and the people in them."""
    ledger = Ledger("nl", Corpus.model_validate(ENTRY))
    listed = sheets.conversations(root, ledger)
    sheets.describe(root, {"Ann", "Ben"}, ledger)
    return listed


@pytest.mark.parametrize("name", PEOPLE)
def test_a_spoilt_sheet_is_rows_or_is_one_line(tmp_path, name):
    dice = random.Random(name)
    dyad(tmp_path, "c1.rttm", FILES["c1.rttm"])
    put(tmp_path / "speakers.csv", PEOPLE["speakers.csv"])
    whole = (tmp_path / name).read_bytes()
    sound, n_same, n_refused = sheets_of(tmp_path), 0, 0
    for _ in range(RUNS):
        spoil(tmp_path / name, whole, dice)
        message, listed = outcome(sheets_of, tmp_path)
        n_same += listed == sound
        n_refused += bool(message)
        assert "\n" not in message
        assert listed is None or all(
            isinstance(row, sheets.Row | sheets.Unfit) for rows in listed.values() for row in rows
        )

    if name == "speakers.csv":  # who is who changes no conversation
        assert (n_refused, n_same) == (0, RUNS)
    else:  # neither is everything refused nor does everything pass
        assert RUNS / 50 < n_refused < RUNS / 2
        assert RUNS / 50 < n_same < RUNS - n_refused
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20


@pytest.mark.parametrize("name", PEOPLE)
def test_a_corpus_with_a_spoilt_sheet_is_read_or_is_one_line(tmp_path, name):
    dice = random.Random(name)
    dyad(tmp_path, "c1.rttm", FILES["c1.rttm"])
    put(tmp_path / "speakers.csv", PEOPLE["speakers.csv"])
    whole = (tmp_path / name).read_bytes()
    n_named = 0
    for _ in range(2 * FEWER):
        spoil(tmp_path / name, whole, dice)
        message, tables = outcome(read, tmp_path)
        n_named += tables is None or len(tables.quarantine) > 0
        assert "\n" not in message

    assert FEWER / 5 < n_named < 2 * FEWER
