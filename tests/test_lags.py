"""Correlations at each lag against numpy's own, and what a lag means."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tact import lags


@example(n=25, share=0.875, seed=18, flat=False)
@example(n=9, share=0.875, seed=0, flat=False)
@given(n=st.integers(2, 60), share=st.floats(0, 0.9), seed=st.integers(0, 1000), flat=st.booleans())
def test_each_lag_has_the_correlation_of_what_overlaps(n, share, seed, flat):
    rng = np.random.default_rng(seed)
    first, second = rng.normal(3, 2, n).round(1), rng.random(n) > 0.5
    second = np.zeros(n) if flat else second.astype(float)
    furthest = int(share * (n - 1))

    found = lags.correlations(first, second, furthest=furthest)

    for lag, value in zip(range(-furthest, furthest + 1), found, strict=True):
        one, other = first[max(0, -lag) : n - max(0, lag)], second[max(0, lag) : n + min(0, lag)]
        if np.ptp(one) == 0 or np.ptp(other) == 0:
            assert value == 0
        else:
            assert value == pytest.approx(np.corrcoef(one, other)[0, 1], abs=1e-6)


@pytest.mark.parametrize("lag", [-40, -1, 0, 7, 40])
def test_a_curve_that_comes_later_is_found_where_it_is(rng, lag):
    whole = rng.normal(0, 1, 1100)
    first, second = whole[50:1050], whole[50 - lag : 1050 - lag]

    found = lags.compare(first, 5 - 2 * -second, furthest=40)

    assert found.lag == lag
    assert found.best == pytest.approx(1)
    assert found.here == pytest.approx(np.corrcoef(first, second)[0, 1])
