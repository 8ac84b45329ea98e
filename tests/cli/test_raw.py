"""The command ingest: five tables, one line, or one line of error."""

import pytest

from corpora.layouts import CONFIG, ami, put
from tact import tables
from tact.cli import main

TABLES = ("recordings", "speakers", "words", "acts", "quarantine")


def ingest(root, out, corpus="ami"):
    return main(["--config", str(CONFIG), "ingest", corpus, "--root", str(root), "--out", str(out)])


def test_ingest_writes_five_tables_and_one_line_of_counts(tmp_path, capsys):
    assert ingest(ami(tmp_path / "raw"), tmp_path / "out") == 0

    assert capsys.readouterr().out == (
        "ingest: 1 conversations, 3 speakers, 4 words, 3 acts, 0 quarantined\n"
    )
    assert sorted(path.stem for path in (tmp_path / "out").iterdir()) == sorted(TABLES)
    for name in TABLES:
        tables.read(tmp_path / f"out/{name}.parquet", name)


def test_the_bytes_do_not_depend_on_where_the_corpus_lies(tmp_path):
    for name in ("one", "another/place"):
        put(tmp_path / name / "raw/x/ES2002a.Headset-1.wav", b"no audio")
        ingest(ami(tmp_path / name / "raw"), tmp_path / name / "out")

    for table in TABLES:
        one, other = (
            (tmp_path / name / f"out/{table}.parquet").read_bytes()
            for name in ("one", "another/place")
        )
        assert one == other


@pytest.mark.parametrize(
    ("corpus", "line"),
    [
        ("ami", "tact: ingest: ami has no files in {root}; tact fetch ami --to data/ami"),
        ("amy", "tact: no corpus 'amy' in corpora; known: candor, sssd,"),
    ],
)
def test_a_missing_root_or_corpus_is_one_line_and_writes_nothing(tmp_path, capsys, corpus, line):
    root = tmp_path / "nowhere"

    assert ingest(root, tmp_path / "out", corpus) == 2

    captured = capsys.readouterr()
    assert captured.err.startswith(line.format(root=root))
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
