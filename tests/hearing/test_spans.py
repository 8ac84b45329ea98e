import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact.hearing import spans
from tact.hearing.bias import NO_REACH
from tact.hearing.levels import ratio
from tact.hearing.spans import Reach, Reaches, Speech
from tact.settings import Edges

EDGES = Edges(over_db=6.0, range_db=30.0)
HELD_ON = Reaches(start=Reach(-20.0, 40.0, 5.0), end=Reach(-40.0, 20.0, -10.0))
"""Of a detector that begins early and holds on."""


def found(probability, *, frame_ms=10.0, enter=0.5, leave=0.5, duration_ms=None):
    answer = spans.from_frames(
        np.array(probability, dtype=np.float32),
        frame_ms=frame_ms,
        enter=enter,
        leave=leave,
        duration_ms=round(len(probability) * frame_ms) if duration_ms is None else duration_ms,
    )
    return answer.round(3).tolist()


def flags(drawn):
    return [float(mark == "#") for mark in drawn]


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        pytest.param("..####..", [[20, 60]], id="the-edges-of-frames"),
        pytest.param("########", [[0, 80]], id="from-end-to-end"),
        pytest.param("#.#....#", [[0, 10], [20, 30], [70, 80]], id="single-frames"),
        pytest.param("........", [], id="silence"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_yes_and_no_become_spans(drawn, expected):
    assert found(flags(drawn)) == expected


def test_a_span_never_ends_after_the_recording():
    assert found(flags("...#####"), duration_ms=77) == [[30, 77]]


@pytest.mark.parametrize(
    ("probability", "expected"),
    [
        # Values stand in the middle of their frames: 5, 15, 25 ms ...
        pytest.param([0, 0, 1, 1, 0, 0], [[20, 40 + 1.5]], id="straight-lines"),
        pytest.param([0, 0.4, 0.6, 1, 1, 0.4, 0.3, 0], [[20, 60]], id="slopes"),
        pytest.param([0, 1, 0.4, 1, 0], [[10, 35 + 6.5]], id="a-dip-above-leave-holds"),
        pytest.param([0, 0.45, 0.45, 0], [], id="never-enters"),
        pytest.param([0.4, 0.6, 0, 0.4, 0], [[10, 15 + 10 * 0.25 / 0.6]], id="low-hill-after"),
    ],
)
def test_speech_enters_at_one_level_and_leaves_at_a_lower_one(probability, expected):
    answer = found(probability, enter=0.5, leave=0.35)

    assert np.allclose(answer, expected, atol=1e-2) if expected else answer == []


@given(st.lists(st.floats(0, 1, width=32), max_size=60), st.floats(0.1, 0.9), st.floats(0, 1))
def test_spans_are_ordered_apart_and_hold_every_frame_above_the_threshold(values, enter, share):
    answer = found(values, enter=enter, leave=enter * share)
    edges = [edge for span in answer for edge in span]

    assert edges == sorted(edges)
    for at, value in enumerate(values):
        middle = 10 * at + 5
        if value > enter + 1e-6:
            assert any(start - 1e-2 <= middle <= end + 1e-2 for start, end in answer)


def settled(*given_spans, start=0.0, end=0.0, least=20, duration_ms=100):
    return spans.settle(
        np.array(given_spans, dtype=np.float64).reshape(-1, 2),
        start_shift_ms=start,
        end_shift_ms=end,
        min_speech_ms=least,
        duration_ms=duration_ms,
    ).tolist()


@pytest.mark.parametrize(
    ("given_spans", "shifts", "expected"),
    [
        pytest.param([(20, 60)], (0, 0), [[20, 60]], id="as-found"),
        pytest.param([(20, 39)], (0, 0), [], id="too-short"),
        pytest.param([(20, 40)], (0, 0), [[20, 40]], id="just-long-enough"),
        pytest.param([(20, 60)], (0, -30), [[20, 30]][:0], id="too-short-once-moved"),
        pytest.param([(20, 60)], (-30, 70), [[0, 100]], id="stays-inside"),
        pytest.param([(10, 30), (40, 60)], (0, 10), [[10, 70]], id="those-that-touch-become-one"),
        pytest.param([(10, 30), (41, 60)], (0, 10), [[10, 40], [41, 70]], id="1-ms-apart"),
        pytest.param([(10, 12), (40, 60)], (5, 0), [[45, 60]][:0], id="turned-inside-out"),
        pytest.param([(10.4, 60.6)], (0.2, 0), [[11, 61]], id="whole-ms"),
        pytest.param([], (0, 0), [], id="none"),
    ],
)
def test_ends_are_corrected_and_what_is_then_short_is_dropped(given_spans, shifts, expected):
    assert settled(*given_spans, start=shifts[0], end=shifts[1]) == expected


def speech(drawn, *given_spans, cut=(), noise_db=-60.0, voice="", gated=False):
    """Draw the level of each 5 ms frame: # speech at -20, + at -56 (under 6 over), . noise."""
    levels_db = {"#": -20.0, "+": -56.0, "=": -45.0, ".": -60.0}
    power = np.array([ratio(levels_db[mark]) for mark in drawn], dtype=np.float32)
    mask = np.array([mark == "v" for mark in voice.ljust(len(drawn))])
    own = np.array(given_spans, dtype=np.float64).reshape(-1, 2)
    loud = spans.loudness(own, power, noise=ratio(noise_db), voice=mask, settings=EDGES)
    return Speech(own, np.isin(own, cut), loud, gated=gated)


def sharpened(drawn, *given_spans, reaches=HELD_ON, **more):
    return spans.sharpen(speech(drawn, *given_spans, **more), reaches).tolist()


@pytest.mark.parametrize(
    ("drawn", "given_span", "expected"),
    [
        pytest.param("....####....", (20, 40), [[20, 40]], id="already-sharp"),
        pytest.param("....####....", (5, 55), [[20, 40]], id="padded"),
        pytest.param("....########....", (30, 50), [[20, 60]], id="cut-into"),
        pytest.param("..############..", (40, 50), [[20, 70]], id="out-by-the-reach-at-most"),
        pytest.param("....####" + "." * 12, (20, 79), [[20, 40]], id="in-by-the-reach-at-most"),
        pytest.param("....####" + "." * 12, (20, 85), [[20, 75]], id="beyond-it-by-its-middle"),
        pytest.param("." * 12 + "####....", (15, 80), [[20, 80]], id="and-so-at-the-start"),
        pytest.param("++++####++++", (5, 55), [[20, 40]], id="soft-beside-loud"),
        pytest.param("....####.#...", (20, 60), [[20, 40]], id="a-frame-alone-is-no-edge"),
        pytest.param("##..####..##", (20, 40), [[0, 60]], id="any-loud-frame-within-reach-counts"),
        pytest.param("....++++....", (20, 40), [], id="nothing-loud-is-no-speech"),
        pytest.param("............", (20, 40), [], id="noise"),
    ],
)
def test_ends_move_to_where_the_level_rises_and_falls_within_their_reach(
    drawn, given_span, expected
):
    assert sharpened(drawn, given_span) == expected


def test_a_reach_that_begins_after_the_detected_start_leaves_out_what_is_loud_before_it():
    """A breath, 20 ms before a start that is known to be told 5 to 30 ms early."""
    early = Reaches(start=Reach(5.0, 30.0, 15.0), end=Reach(-30.0, -5.0, -15.0))

    assert sharpened("##..####..##", (10, 50), reaches=early) == [[20, 40]]
    assert sharpened("##..####..##", (10, 50)) == [[0, 60]]


def test_without_a_reach_ends_are_as_detected():
    assert sharpened("....####....", (7, 52), reaches=NO_REACH) == [[7, 52]]
    assert sharpened("....++++....", (7, 52), reaches=NO_REACH) == []


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        pytest.param((), [[30, 55]], id="detected-ends-move-by-the-middle"),
        pytest.param((25,), [[50, 55]], id="a-cut-start-moves-in"),
        pytest.param((65,), [[30, 60]], id="a-cut-end-keeps-what-is-loud"),
        pytest.param((25, 65), [[50, 60]], id="both"),
    ],
)
def test_where_a_neighbour_was_cut_off_an_end_moves_in_to_what_is_loud(cut, expected):
    """Loud from 50 to 60 ms, which is within no reach of a start at 25 and an end at 65."""
    near = Reaches(start=Reach(-5.0, 10.0, 5.0), end=Reach(-2.0, 5.0, -10.0))

    assert sharpened("." * 10 + "##.......", (25, 65), cut=cut, reaches=near) == expected


@pytest.mark.parametrize(
    ("given_span", "expected"),
    [
        pytest.param((0, 120), [[50, 60]], id="from-far"),
        pytest.param((55, 57), [[50, 60]], id="out-by-the-reach-as-ever"),
        pytest.param((85, 120), [], id="nothing-loud-within"),
    ],
)
def test_in_a_gated_channel_ends_move_in_to_what_is_loud_however_far(given_span, expected):
    """Loud from 50 to 60 ms; the reach of a start ends 40 ms after it, that of an end 40 before."""
    assert sharpened("." * 10 + "##" + "." * 12, given_span, gated=True) == expected
    assert sharpened("." * 10 + "##" + "." * 12, (0, 120)) == [[5, 110]]


def test_what_is_silent_for_200_ms_is_no_speech_behind_a_gate():
    loud = np.concatenate([np.ones(20), np.zeros(40), np.ones(20), np.zeros(39), np.ones(21)]) > 0
    given, cut = np.array([[0.0, 350.0], [400.0, 700.0]]), np.array([[1, 0], [0, 1]]) > 0

    left, still = spans.without_silence(given, cut, loud)

    assert left.tolist() == [[0.0, 100.0], [300.0, 350.0], [400.0, 700.0]]
    assert still.tolist() == [[True, False], [False, False], [False, True]]


def test_a_frame_30_db_below_the_channels_speech_is_not_loud_over_digital_silence():
    assert sharpened("..==####==..", (10, 50), noise_db=-120.0) == [[10, 50]]
    assert sharpened("..++####++..", (10, 50), noise_db=-120.0) == [[20, 40]]


def test_a_neighbours_voice_is_no_edge():
    assert sharpened("..########..", (10, 50), voice="  vvv") == [[25, 50]]


def test_two_spans_do_not_grow_into_each_other():
    sharp = sharpened("..##########..", (10, 30), (35, 60))

    assert sharp == [[10, 35], [35, 60]]


REACH = st.lists(st.floats(-60, 60), min_size=3, max_size=3).map(
    lambda three: Reach(min(three), max(three), sorted(three)[1])
)
REACHES = st.builds(Reaches, start=REACH, end=REACH)


@given(
    st.text("#+=.", min_size=1, max_size=80),
    st.lists(st.integers(0, 400), max_size=8, unique=True),
    st.sets(st.integers(0, 400), max_size=4),
    REACHES,
)
def test_sharpened_spans_stay_ordered_and_apart(drawn, edges, cuts, reaches):
    edges = [edge for edge in sorted(edges) if edge <= 5 * len(drawn)]
    given_spans = list(zip(edges[::2], edges[1::2], strict=False))
    sharp = sharpened(drawn, *given_spans, cut=sorted(cuts), reaches=reaches)
    flat = [edge for span in sharp for edge in span]

    assert flat == sorted(flat)
    assert all(0 <= edge <= 5 * len(drawn) for edge in flat)
    assert len(sharp) <= len(given_spans)
