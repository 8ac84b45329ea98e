"""A table is written whole or not at all, and a broken row is named."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact import files, frames, tables
from tact.errors import InputError, TableError
from tact.schemas import CONTRACTS

IPUS = [
    {"conversation": "c:1", "speaker": "c:b", "start_ms": 700, "end_ms": 900, "source": "words"},
    {"conversation": "c:1", "speaker": "c:a", "start_ms": 0, "end_ms": 400, "source": "words"},
]


def test_a_table_comes_back_as_it_went_in_sorted_by_its_key(tmp_path):
    path = tmp_path / "ipus.parquet"

    tables.write(frames.frame(IPUS, "ipus"), path, "ipus")

    back = tables.read(path, "ipus")
    assert list(back["start_ms"]) == [0, 700]
    assert list(back["speaker"]) == ["c:a", "c:b"]


def test_row_order_leaves_no_trace_in_the_bytes(tmp_path):
    tables.write(frames.frame(IPUS, "ipus"), tmp_path / "a.parquet", "ipus")
    tables.write(frames.frame(IPUS[::-1], "ipus"), tmp_path / "b.parquet", "ipus")

    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_units_and_meaning_travel_in_the_file(tmp_path):
    tables.write(frames.frame(IPUS, "ipus"), tmp_path / "a.parquet", "ipus")

    field = pq.read_schema(tmp_path / "a.parquet").field("start_ms")
    assert field.metadata[b"unit"] == b"ms"
    assert field.metadata[b"meaning"].startswith(b"start, on the conversation's clock")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param({"end_ms": -5}, "1 of 2 rows have start_ms after end_ms", id="end-first"),
        pytest.param({"speaker": None}, "1 of 2 rows have no speaker", id="missing"),
        pytest.param({"start_ms": 0, "speaker": "c:a"}, "repeat the key", id="twice"),
    ],
)
def test_a_broken_row_is_counted_and_the_first_one_named(change, complaint):
    rows = [{**IPUS[0], **change}, IPUS[1]]

    with pytest.raises(TableError, match=complaint) as error:
        frames.frame(rows, "ipus")

    assert "first: conversation c:1" in str(error.value)


def test_a_value_outside_its_vocabulary_is_refused():
    row = {"conversation": "c:1", "giver": "a", "taker": "b", "turn_end_ms": 1, "fto_ms": 2}

    with pytest.raises(TableError, match="kind outside gap, overlap"):
        frames.frame([{**row, "kind": "pause"}], "transfers")


def test_unknown_and_missing_columns_are_named():
    with pytest.raises(TableError, match="unknown column 'colour'"):
        frames.check(pd.DataFrame([{**IPUS[0], "colour": 1}]), "ipus")
    with pytest.raises(TableError, match="no column 'source'"):
        frames.check(pd.DataFrame(IPUS).drop(columns="source"), "ipus")


def test_fractions_of_a_millisecond_are_refused():
    with pytest.raises(TableError, match="ipus"):
        frames.check(pd.DataFrame([{**IPUS[0], "start_ms": 700.5}]), "ipus")
    with pytest.raises(TableError, match="too large"):
        frames.check(pd.DataFrame([{**IPUS[0], "start_ms": 10**30}], dtype=object), "ipus")


def test_a_missing_file_and_a_file_that_is_no_table_each_give_one_line(tmp_path):
    with pytest.raises(InputError, match=r"no file .*; run the stage that writes it"):
        tables.read(tmp_path / "no.parquet", "ipus")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(InputError, match="not a Parquet file"):
        tables.read(tmp_path / "bad.parquet", "ipus")


def test_every_contract_has_an_empty_table_that_passes_it(tmp_path):
    for name in CONTRACTS:
        tables.write(frames.empty(name), tmp_path / name, name)

        assert tables.read(tmp_path / name, name).empty


def test_each_text_of_the_words_is_held_once_and_checking_makes_no_second_copy():
    rows = [(f"c{n % 3}", "s", n, n, n + 1, f"w{n % 5}", "word", "aws") for n in range(300)]

    words = frames.frame(rows, "words")
    again = frames.check(words, "words")

    assert len({id(text) for text in words["text"]}) == 5
    assert len({id(text) for text in words["conversation"]}) == 3
    assert np.shares_memory(again["start_ms"].to_numpy(), words["start_ms"].to_numpy())
    assert [row[5] for row in rows] == again["text"].tolist()


def test_a_missing_onset_stays_missing(tmp_path):
    rows = [{"system": "s", "episode": "e", "run": 0, "onset_ms": None, "duration_ms": None,
             "status": "ok", "primed": False, "floor_held": None}]  # fmt: skip

    tables.write(frames.frame(rows, "responses"), tmp_path / "r", "responses")

    assert tables.read(tmp_path / "r", "responses")["onset_ms"].isna().all()
    assert tables.read(tmp_path / "r", "responses")["onset_ms"].dtype == "Int64"
    assert np.issubdtype(frames.empty("ipus")["start_ms"].dtype, np.int64)


RESPONSE = {
    "system": "mine", "episode": "ami-0", "run": 0, "onset_ms": 300, "duration_ms": 900,
    "status": "ok", "primed": False,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"duration_ms": -5}, "1 of 1 rows have duration_ms below 0"),
        ({"run": -1}, "1 of 1 rows have run below 0"),
        ({"onset_ms": float("inf")}, "responses: "),
        ({"onset_ms": 0.3}, "responses: "),
        ({"status": "well"}, "have status outside ok, fault, incomplete"),
    ],
)
def test_a_response_that_cannot_be_is_refused_in_one_line(change, complaint):
    with pytest.raises(TableError) as error:
        frames.frame([RESPONSE | change], "responses")

    assert complaint in str(error.value)
    assert str(error.value).endswith("mend or rebuild the table")
    assert "\n" not in str(error.value)


def test_a_window_that_ends_before_it_starts_is_refused_and_an_open_one_is_not():
    label = {
        "unit": "p", "annotator": "a", "kind": "human", "intent": "ans", "probability": 1.0,
        "saw_continuation": False, "window_start_ms": 2000,
    }  # fmt: skip

    assert len(frames.frame([label], "labels")) == 1
    with pytest.raises(TableError, match="have window_start_ms after window_end_ms"):
        frames.frame([label | {"window_end_ms": 900}], "labels")


@given(
    said=st.lists(
        st.tuples(st.sampled_from(["c:1", "c:2", "c:3"]), st.text(max_size=3)), max_size=30
    ),
    wanted=st.sets(st.sampled_from(["c:1", "c:2", "c:3", "c:4"])),
)
def test_the_rows_of_some_conversations_are_those_of_the_whole(tmp_path_factory, said, wanted):
    path = tmp_path_factory.mktemp("words") / "words.parquet"
    rows = frames.frame(
        [
            (conversation, "c:a", position, 0, 1, text, "word", "manual")
            for position, (conversation, text) in enumerate(said)
        ],
        "words",
    )
    tables.write(rows, path, "words")

    whole = tables.read(path, "words")
    part = tables.read(path, "words", conversations=wanted)

    kept = whole[whole["conversation"].isin(wanted)].reset_index(drop=True)
    pd.testing.assert_frame_equal(part, kept, check_dtype=bool(len(kept)))
    pd.testing.assert_frame_equal(
        whole, rows.sort_values(["conversation", "position"], ignore_index=True), check_dtype=False
    )


def test_a_folder_for_a_file_and_a_file_for_a_folder_are_called_what_they_are(tmp_path):
    file = tmp_path / "file"
    file.write_text("x")
    lines = {
        tmp_path: f"ipus: {tmp_path} is a folder; give a Parquet file",
        file / "a/ipus.parquet": f"ipus: no file {file}/a/ipus.parquet; {file} is a file; give a"
        " folder",
        tmp_path / "ipus": f"ipus: no file {tmp_path}/ipus; run the stage that writes it",
    }
    for path, line in lines.items():
        with pytest.raises(InputError) as error:
            tables.read(path, "ipus")
        assert str(error.value) == line
    assert files.no_folder(file, cure="make it") == f"no folder {file}; {file} is a file; give a" \
        " folder"  # fmt: skip
    assert files.no_folder(tmp_path / "b", cure="make it") == f"no folder {tmp_path}/b; make it"
