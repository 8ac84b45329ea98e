"""Items are placed on the clock, mended where that is safe, or left out by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact.corpora.places import Item, Placed, place, seconds
from tact.corpora.reasons import Reason


def outcome(*items, limit_ms=None):
    placed, faults = place(items, limit_ms=limit_ms)
    return [tuple(row) for row in placed], [(fault.item, fault.reason) for fault in faults]


def test_times_are_rounded_to_whole_milliseconds_and_order_is_kept():
    placed, faults = outcome(Item("b", 2.0004, 2.5, "b"), Item("a", 0.9996, 1.0, "a"))

    assert placed == [(2000, 2500, "b", "word"), (1000, 1000, "a", "word")][:1]
    assert faults == [("a", Reason.NO_LENGTH)]


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        pytest.param(None, None, Reason.UNTIMED, id="no-times"),
        pytest.param(1.0, None, Reason.UNTIMED, id="no-end"),
        pytest.param(None, 1.0, Reason.UNTIMED, id="no-start"),
        pytest.param(2.0, 1.0, Reason.BACKWARDS, id="end-before-start"),
        pytest.param(-0.5, 1.0, Reason.BEFORE_START, id="before-the-recording"),
        pytest.param(1.0, 1.0, Reason.NO_LENGTH, id="no-length"),
        pytest.param(10.0, 10.5, Reason.PAST_END, id="starts-at-the-end"),
        pytest.param(11.0, 12.0, Reason.PAST_END, id="starts-after-the-end"),
    ],
)
def test_a_word_that_cannot_stand_is_left_out_by_name(start, end, reason):
    placed, faults = outcome(Item("w7", start, end, "hi"), limit_ms=10_000)

    assert placed == []
    assert faults == [("w7", reason)]


def test_what_runs_past_the_recording_is_cut_at_its_end():
    placed, faults = outcome(Item("w", 9.0, 12.0, "long"), limit_ms=10_000)

    assert placed == [(9000, 10_000, "long", "word")]
    assert faults == [("w", Reason.CUT)]


def test_punctuation_without_time_follows_what_came_before_it():
    placed, faults = outcome(
        Item("w", 1.0, 1.5, "hi"), Item("p", None, None, ".", "punctuation"), Item("q", 3, 4, "so")
    )

    assert placed[1] == (1500, 1500, ".", "punctuation")
    assert faults == []


def test_a_sound_without_end_has_no_length_and_one_without_start_is_left_out():
    placed, faults = outcome(
        Item("laugh", 1.0, None, "laugh", "vocalsound"), Item("gap", None, 2.0, "gap", "other")
    )

    assert placed == [(1000, 1000, "laugh", "vocalsound")]
    assert faults == [("gap", Reason.UNTIMED)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("4.34", 4.34), (3, 3.0), (0.5, 0.5), (None, None), ("", None), (True, None), ("inf", None),
     (float("nan"), None), ([1], None), ("1e99", None), (10**400, None), ("12:30", None)],
)  # fmt: skip
def test_only_a_finite_number_of_seconds_is_a_time(value, expected):
    assert seconds(value) == expected


TIMES = st.none() | st.floats(-5, 20)
ITEMS = st.lists(
    st.builds(
        Item,
        st.text(max_size=3),
        TIMES,
        TIMES,
        st.text(max_size=5),
        st.sampled_from(["word", "punctuation", "vocalsound", "other"]),
    )
)


@given(ITEMS, st.none() | st.integers(0, 15_000))
def test_each_item_is_placed_inside_the_recording_or_has_a_fault(items, limit_ms):
    placed, faults = place(items, limit_ms=limit_ms)
    left_out = [fault for fault in faults if fault.reason is not Reason.CUT]

    assert len(placed) + len(left_out) == len(items)
    for row in placed:
        assert isinstance(row, Placed)
        assert 0 <= row.start_ms <= row.end_ms
        assert limit_ms is None or row.end_ms <= limit_ms
        assert row.kind != "word" or row.start_ms < row.end_ms
