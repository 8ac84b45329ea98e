"""Krippendorff's alpha and the cases where it has no value."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden import case, needs_golden
from tact.agreement import alpha


def flatten(units):
    pairs = [(u, np.nan if v is None else v) for u, row in enumerate(units) for v in row]
    return np.array([u for u, _ in pairs]), np.array([v for _, v in pairs], dtype=float)


@needs_golden
def test_alpha_meets_the_golden_value_of_krippendorffs_own_example():
    golden = case("alpha_textbook")

    found = alpha(*flatten(golden["inputs"]["units"]), level="nominal")

    assert found.alpha == pytest.approx(golden["output"], abs=golden["tol"])
    assert found.n_units == 11
    assert found.reason is None


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        pytest.param([[1], [2], [1]], "no unit has two labels", id="one-rater"),
        pytest.param([[1, None], [None, 2]], "no unit has two labels", id="all-pairs-missing"),
        pytest.param([], "no unit has two labels", id="no-label"),
        pytest.param([[2, 2], [2, 2]], "every label is the same", id="constant"),
        pytest.param([[2, 2], [2, 2], [1]], "every label is the same", id="constant-where-paired"),
    ],
)
@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_alpha_is_null_with_a_reason_where_it_is_not_defined(units, reason, level):
    unit, value = flatten(units)

    found = alpha(unit.astype(np.int64), value, level=level)

    assert found.alpha is None
    assert found.reason == reason


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_perfect_agreement_on_more_than_one_value_is_one(level):
    assert alpha(*flatten([[1, 1], [4, 4, 4]]), level=level).alpha == 1.0


@pytest.mark.parametrize("level", ["nominal", "interval"])
@given(
    st.lists(
        st.lists(st.sampled_from([None, 0, 1, 2, 5]), min_size=4, max_size=4),
        min_size=2,
        max_size=12,
    )
)
def test_alpha_is_that_of_the_library_on_the_whole_matrix(level, units):
    unit, value = flatten(units)
    ours = alpha(unit, value, level=level)
    if ours.alpha is None:
        return
    matrix = np.array([[np.nan if v is None else v for v in row] for row in units], dtype=float)

    library = krippendorff.alpha(matrix.T, level_of_measurement=level)

    assert ours.alpha == pytest.approx(library, abs=1e-12)


def test_a_missing_label_is_no_label_and_row_order_does_not_matter():
    units = [[1, 2, 2], [3, 3, None], [1, 1, 1], [2, 3, None]]
    unit, value = flatten(units)
    order = np.random.default_rng(5).permutation(unit.size)
    kept = ~np.isnan(value)

    figures = {
        round(alpha(unit[rows], value[rows], level="interval").alpha, 14)
        for rows in (slice(None), order, kept)
    }

    assert len(figures) == 1


def test_as_many_distinct_times_as_labels_stay_cheap():
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 1000, 100_000)
    unit = np.repeat(np.arange(truth.size), 2)

    found = alpha(unit, truth[unit] + rng.normal(0, 1000, unit.size), level="interval")

    assert found.alpha == pytest.approx(0.5, abs=0.01)


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="2 units for 3 labels"):
        alpha(np.array([0, 1]), [1, 2, 3], level="nominal")
