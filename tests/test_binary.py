"""The field's binary metrics, and what links them to the timing score."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import bench
from tact import binary, frames
from tact.binary import fdb, windowed
from tact.errors import TableError
from tact.scoring import twcrps_of

SCORES = bench.SETTINGS.scores.model_copy(update={"resamples": 50})


@pytest.mark.parametrize(
    ("chunks", "took"),
    [
        pytest.param([], False, id="silence"),
        pytest.param([(3.0, 3.99)], False, id="short"),
        pytest.param([(3.0, 4.0)], True, id="one-second"),
        pytest.param([(3.0, 3.1), (3.2, 3.3), (3.4, 3.9)], False, id="three-words"),
        pytest.param([(3.0, 3.1), (3.2, 3.3), (3.4, 3.5), (3.6, 3.7)], True, id="four-words"),
        pytest.param([(0.0, 0.1), (29.0, 29.1)], True, id="far-apart-anywhere"),
    ],
)
def test_takeover_knows_no_window(chunks, took):
    assert fdb.takeover(chunks) is took


def test_latency_of_the_example_of_its_repository_and_of_early_speech():
    assert fdb.latency([(3.36, 3.6), (3.7, 4.9)], 2.01) == pytest.approx(1.3499999999999983)
    assert fdb.latency([(1.0, 4.0)], 2.01) == 0.0


def test_interruption_is_cut_at_its_end():
    assert fdb.cropped([(-2.0, -1.0), (-0.5, 0.4), (0.9, 2.0)], 0.0) == [(0.0, 0.4), (0.9, 2.0)]


def test_last_segment_decides_and_a_long_one_ends_the_list():
    """Judge segments as its code does, words in the second line.

    short          |--|              |---|  0 words: no takeover, whatever came before
    takes over             |------|
    over 3 s                                        |------------|  |--|
    """
    short, talks, again = (0.0, 0.4), (2.0, 3.5), (6.0, 6.6)
    long, after = (8.0, 11.5), (12.0, 12.4)

    assert fdb.backchannel([short], []) == (False, [short])
    assert fdb.backchannel([talks], []) == (True, [talks])
    assert fdb.backchannel([short, talks, again], []) == (False, [short, talks, again])
    assert fdb.backchannel([short, long, after], []) == (True, [short])
    words = [(0.0, 0.1), (0.1, 0.2), (0.2, 0.3)]
    assert fdb.backchannel([short], words[:2]).takeover is False
    assert fdb.backchannel([short], words).takeover is True
    assert fdb.backchannel([], []) == (False, [])


def test_divergence_of_times_is_a_distance_in_nats_and_one_without_events():
    reference = np.array([0.0, 0.0, 2.0, 1.0, 1.0])
    counts = np.array([1.0, 1.0, 0.0, 1.0, 0.0]) + 1e-10

    got = fdb.timing_divergence([(0.1, 0.3), (0.65, 0.7)], reference, 1.0)

    assert got == pytest.approx(jensenshannon(counts, reference))
    assert fdb.timing_divergence([(0.0, 0.1)], np.array([0, 0, 0, 0, 1.0]), 1.0) == pytest.approx(
        np.sqrt(np.log(2)), abs=1e-4
    )
    assert fdb.timing_divergence([], reference, 1.0) == 1.0
    assert fdb.frequency([(0.1, 0.3), (0.6, 0.7)], 4.0) == 0.5


onset = st.floats(-2, 5) | st.just(np.inf)


@given(st.floats(0.2, 4.0), st.lists(onset, min_size=1, max_size=6), st.booleans())
def test_weight_that_shrinks_to_w_gives_the_binary_score(window, onsets, acted):
    """Proposition 2: the limit is 1[y <= W] where the reference acted by W, else its opposite."""
    width = 1e-6
    onsets = np.array([y for y in onsets if abs(y - window) > 1e-3] or [0.1])
    reference = 0.1 if acted else np.inf

    def weight(t):
        return ((t >= window) & (t < window + width)) / width

    def limit(at):
        breaks = (window, window + width, reference)
        return 1 - twcrps_of(lambda t: (t >= reference) * 1.0, weight, at, breaks=breaks)

    got = [limit(y) for y in onsets]

    posterior, share = np.ones((len(onsets), 1)), np.array([1.0 if acted else 0.0])
    expected = windowed.intent_conditioned(onsets, posterior, share, window_s=window)
    assert got == pytest.approx(expected.tolist(), abs=1e-6)
    if (onsets > 0).all() and acted:
        took = windowed.takeover(onsets, window_s=window)
        assert took.astype(float).tolist() == expected.tolist()


@given(st.floats(0.1, 4.9), st.lists(onset, min_size=1, max_size=8))
def test_takeover_is_the_difference_of_two_thresholds(window, onsets):
    """1[0 < y <= W] = 1[y <= W] - 1[y <= 0], each a limit of Proposition 2."""
    onsets, acted = np.array(onsets), np.ones(1)
    one = np.ones((len(onsets), 1))

    def by(threshold):
        return windowed.intent_conditioned(onsets, one, acted, window_s=threshold)

    took = windowed.takeover(onsets, window_s=window)

    assert took.astype(float).tolist() == (by(window) - by(0.0)).tolist()


def run(of, responses, posteriors, spoken=None):
    found = binary.score(
        responses, of, posteriors, bench.laws(), spoken,
        settings=bench.SETTINGS.binary, scores=SCORES, seed=1,
    )  # fmt: skip
    return frames.check(found, "binary").set_index(["scenario", "metric"])


def test_responses_are_scored_by_scenario():
    of = bench.episodes(8)
    answers = bench.responses(
        of,
        [200, 200, 600, -300, None, 400, 3000, None],
        [2000, 500, 1500, 900, None, 3500, 400, None],
    )

    found = run(of, answers, bench.posteriors(of, "ans"))["value"]

    # one of two episodes of each scenario takes over; pauses and backchannels should not
    assert found["pause", "fdb_takeover"] == 0.5
    assert found["backchannel", "fdb_takeover"] == 0.5
    assert found["smooth", "fdb_takeover"] == 0.5
    assert found["smooth", "fdb_latency_s"] == pytest.approx(0.6)
    assert found["interruption", "fdb_takeover"] == 0.0
    assert np.isnan(found["interruption", "fdb_latency_s"])
    assert found["all", "takeover_right"] == pytest.approx((0.5 + 0.5 + 0.5 + 0.0) / 4)
    # onsets in (0, 1]: 200, 200, 600, 400
    assert found["all", "windowed_takeover"] == 0.5
    # of `ans` most people act within 1 s: so did 200, 200, 600, -300, 400
    assert found["all", "intent_binary"] == pytest.approx(5 / 8)


def test_intent_says_whether_to_act():
    of = bench.episodes(4, ["smooth"])
    posterior = np.array([[1, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0.6, 0, 0, 0.4, 0, 0]] * 2)[:4]

    found = run(
        of, bench.responses(of, [300, 300, 300, None], 900), bench.posteriors(of, posterior)
    )

    assert found["value"]["smooth", "intent_binary"] == pytest.approx((1 + 0 + 0.6 + 0) / 4)


def test_words_and_speech_outside_the_window_count_where_they_are_known():
    of = bench.episodes(1, ["smooth"])
    rows = [("mine", "candor-00", 0, "speech", -9000, -8000, None),
            ("mine", "candor-00", 0, "word", -9000, -8500, "so")]  # fmt: skip

    silent = bench.responses(of, None)
    spoken = frames.frame(rows, "spoken")

    # one short word: no takeover by words, though the stretch lasts a second
    assert (
        run(of, silent, bench.posteriors(of, "ans"), spoken)["value"]["smooth", "fdb_takeover"] == 0
    )
    by_speech = run(of, silent, bench.posteriors(of, "ans"), spoken[:1])["value"]
    assert by_speech["smooth", "fdb_takeover"] == 1
    assert by_speech["smooth", "fdb_latency_s"] == 0.0


def test_faults_and_unknown_lengths_are_left_out_and_counted():
    of = bench.episodes(4, ["smooth"])
    answers = bench.responses(of, [300, 300, None, None], [None, 2000, None, None])
    answers["status"] = ["ok", "ok", "ok", "fault"]

    found = run(of, answers, bench.posteriors(of, "ans")).loc["smooth", "fdb_takeover"]

    assert (found["value"], found["n"], found["n_left_out"]) == (0.5, 2, 1)
    with pytest.raises(TableError, match="no row without a fault"):
        run(of, answers.assign(status="fault"), bench.posteriors(of, "ans"))


def test_intervals_draw_whole_dyads():
    of = bench.episodes(40, ["smooth"])
    onset = [300 if dyad % 2 else None for dyad in range(20) for _ in range(2)]

    found = run(of, bench.responses(of, onset, 1500), bench.posteriors(of, "ans"))

    row = found.loc["smooth", "fdb_takeover"]
    assert row["low"] < 0.5 < row["high"]
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 20), rel=0.35)
