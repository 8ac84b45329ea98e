"""Where the numbers of an episode come from: what is told is what the tables hold."""

import json
import subprocess
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from small_run import RUN, arguments
from tact import frames, tables
from tact.cli import main
from tact.schemas import CONTRACTS
from tact.why import explain
from tact.why.lookup import NOT_BUILT, Results


@pytest.fixture(scope="module")
def told(world):
    name = tables.read(world / RUN / "episodes/episodes.parquet", "episodes")["episode"].iloc[0]
    return explain(name, world / RUN)


def rows_of(world, path, table, **where):
    rows = tables.read(world / RUN / path, table)
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def test_every_section_is_built(told):
    assert {name for name, section in told.items() if section == NOT_BUILT} == set()


def test_the_words_are_those_inside_t(world, told):
    episode = told["episode"]
    words = rows_of(
        world, "corpora/candor/words.parquet", "words", conversation=episode["conversation"]
    )
    near = words[
        (words["end_ms"] >= episode["t0_ms"] - 2000)
        & (words["start_ms"] <= episode["t0_ms"] + 5000)
    ]

    assert len(near) > 5
    assert sorted((w["start_ms"], w["text"]) for w in told["words"]) == sorted(
        zip(near["start_ms"], near["text"], strict=True)
    )


def test_the_history_is_that_of_the_table_in_order(world, told):
    path = "episodes/candor/history.parquet"
    rows = rows_of(world, path, "history", episode=told["episode"]["episode"])

    assert len(rows) > 1
    assert [turn["start_ms"] for turn in told["history"]["turns"]] == rows["start_ms"].tolist()
    assert [turn["text"] for turn in told["history"]["turns"]] == rows["text"].tolist()


def test_the_swap_tells_what_the_profile_given_says(world, told):
    name = told["swap"]["swapped_episode"]
    given_ = rows_of(world, "profiles/candor/profiles.parquet", "profiles", episode=name)

    assert told["swap"]["swapped_speaker"] == given_["speaker"].iloc[0]
    assert told["swap"]["synopsis"] == given_["synopsis"].iloc[0] != told["profile"]["synopsis"]


def test_the_json_of_the_command_is_what_is_told(world, told, capsys):
    assert main([*arguments("why", world), "--json"]) == 0

    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(told, default=str))


def test_the_page_draws_the_speech_and_names_every_section(world, told, capsys):
    assert main(arguments("why", world)) == 0

    page = capsys.readouterr().out
    assert [name for name in told if f"\n{name}\n---" not in "\n" + page] == []
    assert "| t0  (" in page
    # Only the drawing, and what has no place to break, such as a long path, is longer.
    told_in_words = [line for line in page.splitlines() if "#" not in line and "| t0" not in line]
    assert [line for line in told_in_words if len(line) > 110 and " " in line.strip()] == []


def test_pandas_is_not_imported_to_answer(world, told):
    code = (
        "import sys; from tact.cli import main; main(sys.argv[1:]);"
        " print('pandas' in sys.modules, file=sys.stderr)"
    )
    line = [sys.executable, "-c", code, *arguments("why", world)]

    done = subprocess.run(line, capture_output=True, text=True, check=True)

    assert done.stderr.strip() == "False"


@settings(max_examples=25, deadline=None)
@given(
    names=st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 9)), unique=True),
    group=st.integers(1, 4),
    wanted=st.lists(st.sampled_from("abcdefg"), max_size=3),
    from_ms=st.integers(0, 9),
)
def test_rows_are_those_that_a_whole_reading_would_pick(
    tmp_path_factory, names, group, wanted, from_ms
):
    folder = tmp_path_factory.mktemp("groups")
    rows = [
        {"conversation": name, "speaker": "s", "start_ms": start, "end_ms": 9, "n_ipus": 1}
        for name, start in sorted(names)
    ]
    table = pa.Table.from_pylist(rows, schema=CONTRACTS["turns"].schema())
    pq.write_table(table, folder / "turns.parquet", row_group_size=group)

    found = Results(folder).rows(
        "*.parquet", "turns", conversation=wanted, start_ms=[from_ms, from_ms + 1]
    )

    assert found == [
        row
        for row in rows
        if row["conversation"] in wanted and row["start_ms"] in (from_ms, from_ms + 1)
    ]


def test_a_large_table_is_written_in_groups(tmp_path):
    n = 2 * tables.ROWS_IN_A_GROUP + 1
    ipus = pd.DataFrame(
        {"conversation": "c", "speaker": "s", "start_ms": range(n), "end_ms": range(1, n + 1),
         "source": "words"}
    )  # fmt: skip

    tables.write(ipus, tmp_path / "ipus.parquet", "ipus")

    assert pq.ParquetFile(tmp_path / "ipus.parquet").num_row_groups == 3
    assert len(tables.read(tmp_path / "ipus.parquet", "ipus")) == n


def test_a_sound_that_another_conversation_has_is_told(world, told):
    path, own = world / RUN / "repeats.parquet", told["episode"]["conversation"]
    rows = [
        {"corpus": "candor", "item": item, "stage": "door",
         "reason": "sound of another conversation", "detail": f"of {other}"}
        for item, other in ((own, f"{own}0"), (f"{own}0", own))
    ]  # fmt: skip
    whole = path.read_bytes()
    tables.write(frames.frame(rows, "quarantine"), path, "quarantine")
    try:
        found = explain(told["episode"]["episode"], world / RUN)
    finally:
        path.write_bytes(whole)

    before = told["sources"]["quarantined"]
    assert found["sources"]["quarantined"] == [*before, rows[0]]
