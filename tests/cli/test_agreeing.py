"""The command that sets two tables of IPUs side by side."""

import pandas as pd
import pytest

from small_run import IPUS, arguments
from tact import tables
from tact.cli import main


@pytest.fixture
def later(world, to):
    """The IPUs of the small run as a detector hears them: each 50 ms later, four missed."""
    ipus = tables.read(world / IPUS, "ipus").drop(index=range(0, 40, 10))
    moved = ipus.assign(start_ms=ipus["start_ms"] + 50, end_ms=ipus["end_ms"] + 50)
    tables.write(moved.assign(source="silero"), to / "ipus.parquet", "ipus")
    return to / "ipus.parquet"


def test_words_beside_a_detector_become_tables_a_page_and_a_figure(world, to, later, capsys):
    line = arguments("concord", world, {"hypothesis": later, "out": to / "concord"})
    assert main(line) == 0

    row = tables.read(to / "concord/concord.parquet", "concord").iloc[0]
    edges = tables.read(to / "concord/concord_edges.parquet", "concord_edges").set_index("edge")
    misses = tables.read(to / "concord/concord_misses.parquet", "concord_misses")

    assert (row["corpus"], row["reference"], row["hypothesis"]) == ("candor", "words", "silero")
    assert row["n_missed"] == misses["n_missed"].sum() == 4
    assert misses["n"].sum() == row["n_reference"]
    assert edges.loc[["start", "end"], "median_ms"].tolist() == [50, 50]
    assert row["fto_shift_ms"] == 0
    assert "silero beside words" in (to / "concord/concord.txt").read_text()
    assert (to / "concord/concord.svg").read_text().startswith("<?xml")
    said = capsys.readouterr().out
    assert said.startswith(f"concord: {row['conversations']} conversations, ")
    assert "4 missed" in said


def test_a_table_of_two_sources_is_one_line_and_2(world, to, later, capsys):
    both = pd.concat([tables.read(path, "ipus") for path in (world / IPUS, later)])
    tables.write(both, to / "both.parquet", "ipus")

    assert main(arguments("concord", world, {"reference": to / "both.parquet"})) == 2

    error = capsys.readouterr().err
    assert "the reference has IPUs of silero, words; give a table of one source" in error
    assert error.count("\n") == 1
