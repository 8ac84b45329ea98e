import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tact import frames
from tact.hearing import bias
from tact.hearing.bias import NO_REACH, Corrections, Sample
from tact.hearing.spans import Reach, Reaches

REACHES = Reaches(start=Reach(-30.0, 10.0, -5.0), end=Reach(-90.0, -30.0, -60.0))


def ipus(*spans):
    return np.array(spans, dtype=np.int64).reshape(-1, 2)


def test_only_ipus_that_meet_one_to_one_have_errors():
    """
    true   |==| |==|   |=====|     |==|
    found   |==|  |==| |==||=|            |=|
    """
    true = ipus((0, 100), (200, 300), (500, 800), (1_000, 1_100))
    found = ipus((10, 120), (230, 340), (500, 600), (610, 800), (1_500, 1_600))

    errors = bias.errors(true, found)

    assert errors.start.tolist() == [10, 30]
    assert errors.end.tolist() == [20, 40]
    assert (errors.n_true, errors.n_found) == (4, 5)


def test_nothing_found_gives_no_error():
    errors = bias.errors(ipus((0, 100)), ipus())

    assert len(errors.start) == len(errors.end) == 0
    nothing = [Sample(ipus((0, 100)), ipus(), 20.0)]
    assert bias.table("none", nothing, REACHES, bands_db=[15]) == []


def moved(start_ms, end_ms, *, snr_db, n=200, seed=0):
    """IPUs of 600 ms every 2 s, found with normal errors about the given biases."""
    rng = np.random.default_rng(seed)
    begin = 2_000 * np.arange(1, n + 1)
    true = np.stack((begin, begin + 600), axis=1)
    off = rng.normal((start_ms, end_ms), (10, 20), (n, 2)).round().astype(np.int64)
    return Sample(true, true + off, snr_db)


def measured():
    samples = [
        moved(20, 90, snr_db=12.0),
        moved(5, 60, snr_db=30.0, seed=1),
        moved(5, 60, snr_db=41.0, seed=2),
    ]
    rows = bias.table("drawn", samples, REACHES, bands_db=[15.0, 25.0])
    return frames.frame([row | {"measured_on": "drawn"} for row in rows], "detector_errors")


def test_biases_are_measured_by_band_with_intervals_and_what_is_left():
    table = measured().set_index(["snr_low_db", "edge"])

    assert len(table) == 6
    assert table.loc[(0, "start"), "bias_ms"] == pytest.approx(20, abs=3)
    assert table.loc[(0, "end"), "bias_ms"] == pytest.approx(90, abs=6)
    assert table.loc[(25, "end"), "n"] == 400
    assert table.loc[(25, "end"), "spread_ms"] == pytest.approx(20, rel=0.15)
    for edge, true in (("start", 5), ("end", 60), ("transfer", -55)):
        row = table.loc[(25, edge)]
        assert row["bias_low_ms"] <= true <= row["bias_high_ms"]
        assert row["bias_low_ms"] <= row["bias_ms"] <= row["bias_high_ms"]
    # Start and end errors are independent: 1.645 times the root of 10^2 + 20^2.
    left = table.loc[(25, "transfer")]
    assert left["high_ms"] == pytest.approx(36.8, rel=0.2)
    assert left["low_ms"] == pytest.approx(-36.8, rel=0.2)


@pytest.mark.parametrize(
    ("snr_db", "band"),
    [(3.0, "noisy"), (14.99, "noisy"), (15.0, "noisy"), (19.9, "noisy"), (20.1, "clean"),
     (25.0, "clean"), (79.9, "clean")],
)  # fmt: skip
def test_a_channel_is_corrected_by_the_nearest_band_that_was_measured(snr_db, band):
    found = Corrections.of(measured(), "drawn").at(snr_db)

    assert found.end_ms == pytest.approx({"noisy": 90, "clean": 60}[band], abs=8)
    assert found.low_ms < 0 < found.high_ms


def test_where_errors_are_skewed_the_median_transfer_is_made_right():
    """Starts late and ends early, by exponentials: their medians alone leave transfers late."""
    rng = np.random.default_rng(3)
    begin = 2_000 * np.arange(1, 2_001)
    true = np.stack((begin, begin + 600), axis=1)
    late = rng.exponential(40, (2_000, 2)).round().astype(np.int64)
    found = true + late * (1, -1)
    rows = bias.table("skewed", [Sample(true, found, 20.0)], REACHES, bands_db=[])
    table = frames.frame([row | {"measured_on": "drawn"} for row in rows], "detector_errors")

    correction = Corrections.of(table, "skewed").at(20.0)
    right = bias.transfers(*(found - true - (correction.start_ms, correction.end_ms)).T)

    assert table.set_index("edge").loc["transfer", "left_ms"] > 5
    assert np.median(right) == pytest.approx(0, abs=1)
    assert np.quantile(right, [0.05, 0.95]) == pytest.approx(
        [correction.low_ms, correction.high_ms], abs=1
    )


def test_without_a_measurement_nothing_is_corrected_and_the_error_is_unknown():
    unmeasured = Corrections.of(measured(), "another")
    assert unmeasured.at(20.0) == bias.UNKNOWN == (0.0, 0.0, None, None)
    assert unmeasured.reaches == NO_REACH
    assert unmeasured == Corrections()


def test_the_reach_of_an_end_holds_95_of_100_true_ends():
    """Found 20 ms late and 90 ms late, give or take 10 and 20 ms, at every SNR."""
    samples = [moved(20, 90, snr_db=snr_db, n=2_000, seed=1) for snr_db in (5.0, 40.0)]
    one = moved(20, 90, snr_db=5.0, n=2_000, seed=1)

    start, end = bias.reaches([bias.errors(one.true, one.found) for one in samples])
    after = one.true - one.found

    assert start == pytest.approx((-20 - 19.6, -20 + 19.6, -20), abs=1.5)
    assert end == pytest.approx((-90 - 39.2, -90 + 39.2, -90), abs=3)
    for at, reach in enumerate((start, end)):
        held = (after[:, at] >= reach.low_ms) & (after[:, at] <= reach.high_ms)
        assert held.mean() == pytest.approx(0.95, abs=0.01)


def test_what_is_left_is_unknown_where_a_gate_may_have_shut():
    found = Corrections.of(measured(), "drawn").at(80.0)

    assert found.end_ms == pytest.approx(60, abs=8)
    assert (found.low_ms, found.high_ms) == (None, None)


def test_a_band_of_few_ipus_corrects_nothing():
    few = [moved(20, 90, snr_db=12.0, n=19), moved(5, 60, snr_db=30.0, n=200)]
    rows = bias.table("drawn", few, REACHES, bands_db=[15.0])
    table = frames.frame([row | {"measured_on": "drawn"} for row in rows], "detector_errors")

    found = Corrections.of(table, "drawn")

    assert [(low, high) for low, high, _ in found.bands] == [(15.0, 1_000.0)]
    assert found.at(3.0).end_ms == pytest.approx(60, abs=8)
    assert Corrections.of(table[table["n"] < 20], "drawn").at(3.0) == bias.UNKNOWN


def test_reaches_are_read_back_from_the_table_of_errors():
    assert Corrections.of(measured(), "drawn").reaches == REACHES
    assert measured().query("edge == 'transfer'")["reach_middle_ms"].isna().all()


@given(st.lists(st.integers(-500, 500), min_size=6, max_size=80))
def test_the_interval_of_a_median_is_the_one_of_the_sign_test(values):
    """Inside the interval a two-sided sign test does not reject at 5 %; just outside it does."""
    low, high = bias.median_interval(np.array(values, dtype=np.float64))

    def p(median):
        above, below = (np.array(values) > median).sum(), (np.array(values) < median).sum()
        return min(
            1.0,
            2
            * min(
                stats.binom.sf(above - 1, len(values), 0.5),
                stats.binom.sf(below - 1, len(values), 0.5),
            ),
        )

    assert low <= np.median(values) <= high
    assert p(low) > 0.05
    assert p(high) > 0.05
    assert p(low - 0.5) <= 0.05
    assert p(high + 0.5) <= 0.05


def test_the_errors_of_transfers_use_each_error_once():
    start, end = np.array([1.0, 2.0, 4.0]), np.array([10.0, 20.0, 40.0])

    assert sorted(bias.transfers(start, end)) == sorted([1 - 40, 2 - 10, 4 - 20])


def test_a_table_of_errors_survives_its_contract():
    pd.testing.assert_frame_equal(frames.check(measured(), "detector_errors"), measured())
