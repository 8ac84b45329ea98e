"""Controlled rounding keeps both margins, whatever the table and the factor."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact.rounding import controlled, scale
from tact.vocabulary import SCENARIOS

QUOTA = {
    "candor": {"pause": 899, "backchannel": 804, "smooth": 857, "interruption": 0},
    "sssd": {"pause": 809, "backchannel": 724, "smooth": 771, "interruption": 0},
    "otospeech": {"pause": 540, "backchannel": 482, "smooth": 514, "interruption": 256},
    "seamless": {"pause": 0, "backchannel": 0, "smooth": 0, "interruption": 1536},
    "ami": {"pause": 270, "backchannel": 241, "smooth": 257, "interruption": 0},
    "probes": {"pause": 202, "backchannel": 181, "smooth": 193, "interruption": 192},
}


def is_floor_or_ceiling(value, exact):
    return value in (math.floor(exact), math.ceil(exact))


def rounds_each_cell(rounded, exact):
    return all(
        is_floor_or_ceiling(got, want)
        for rows in zip(rounded, exact, strict=True)
        for got, want in zip(*rows, strict=True)
    )


def keeps_margins(rounded, exact):
    rows = all(
        is_floor_or_ceiling(sum(got), sum(want)) for got, want in zip(rounded, exact, strict=True)
    )
    columns = all(
        is_floor_or_ceiling(sum(got), sum(want))
        for got, want in zip(zip(*rounded, strict=True), zip(*exact, strict=True), strict=True)
    )
    total = is_floor_or_ceiling(sum(map(sum, rounded)), sum(map(sum, exact)))
    return rows and columns and total


def test_the_whole_table_comes_back_at_factor_one():
    assert scale(QUOTA, 1.0, SCENARIOS) == QUOTA


def test_a_table_whose_margins_are_whole_keeps_them_exactly():
    third = Fraction(1, 3)

    rounded = controlled([[third, third, third], [third, third, third], [third, third, third]])

    columns = zip(*rounded, strict=True)
    assert [1, 1, 1] == [sum(row) for row in rounded] == [sum(column) for column in columns]


def test_simple_rounding_would_lose_a_margin_that_this_keeps():
    # Each cell of .4 alone rounds to 0, and so would the total of 4.
    rounded = controlled([[Fraction(2, 5)] * 5] * 2)

    assert [sum(row) for row in rounded] == [2, 2]


@given(factor=st.floats(min_value=1e-4, max_value=3.0, allow_nan=False))
def test_any_factor_keeps_both_margins_of_the_quota_table(factor):
    exact = [[QUOTA[row][column] * Fraction(str(factor)) for column in SCENARIOS] for row in QUOTA]

    scaled = scale(QUOTA, factor, SCENARIOS)
    rounded = [[scaled[row][column] for column in SCENARIOS] for row in QUOTA]

    assert keeps_margins(rounded, exact)
    assert rounds_each_cell(rounded, exact)


@given(data=st.data(), rows=st.integers(0, 6), columns=st.integers(0, 6))
def test_any_table_keeps_its_margins(data, rows, columns):
    cell = st.fractions(min_value=0, max_value=5, max_denominator=12)
    row = st.lists(cell, min_size=columns, max_size=columns)
    exact = data.draw(st.lists(row, min_size=rows, max_size=rows))

    rounded = controlled(exact)

    assert keeps_margins(rounded, exact)
    assert rounds_each_cell(rounded, exact)


@given(order=st.permutations(sorted(QUOTA)), factor=st.sampled_from([0.01, 0.037, 0.1, 0.333]))
def test_the_order_of_the_rows_changes_nothing(order, factor):
    assert scale(QUOTA, factor, SCENARIOS) == scale(
        {row: QUOTA[row] for row in order}, factor, SCENARIOS
    )


@pytest.mark.parametrize("factor", [0.01, 0.1, 0.125])
def test_a_cell_of_nothing_stays_empty(factor):
    scaled = scale(QUOTA, factor, SCENARIOS)

    assert 0 == scaled["candor"]["interruption"] == scaled["seamless"]["pause"]
