"""Milliseconds are exact; interval algebra agrees with sets of milliseconds."""

import itertools

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from tact import clock

intervals = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda p: (p[0], p[0] + p[1])), max_size=8
)


def as_set(spans):
    return {t for start, end in spans for t in range(start, end)}


@given(intervals)
def test_merging_keeps_every_millisecond_and_leaves_no_two_that_touch(spans):
    merged = clock.merge(spans)

    assert as_set(merged) == as_set(spans)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(merged))


@given(intervals, intervals)
def test_subtracting_is_the_difference_of_sets(spans, holes):
    assert as_set(clock.subtract(spans, holes)) == as_set(spans) - as_set(holes)


@given(intervals)
def test_length_counts_each_millisecond_once(spans):
    assert clock.length(spans) == len(as_set(spans))


def test_a_silence_joins_up_to_the_limit_and_no_further():
    assert clock.merge([(0, 100), (300, 400)], max_silence=200) == [(0, 400)]
    assert clock.merge([(0, 100), (301, 400)], max_silence=200) == [(0, 100), (301, 400)]


def test_intervals_that_share_an_edge_do_not_overlap():
    assert not clock.overlaps((0, 5), (5, 9))
    assert clock.overlaps((0, 6), (5, 9))


def test_seconds_round_to_the_nearest_millisecond_halves_away_from_zero():
    assert [clock.to_ms(s) for s in (5.1, 4.5, 0.0005, -0.0005, 77.456)] == [
        5100,
        4500,
        1,
        -1,
        77456,
    ]


def test_no_response_becomes_infinite_seconds():
    seconds = clock.to_seconds(pd.Series([250, None, -1500], dtype="Int64"))

    assert np.array_equal(seconds, [0.25, np.inf, -1.5])
