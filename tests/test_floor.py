"""Floor states of drawn conversations, and of any, beside a count millisecond by millisecond."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawing import draw
from tact.floor import NOBODY, STATES, sweep


def floor_of(picture):
    ipus = draw(picture)
    _, speaker = np.unique(ipus["speaker"], return_inverse=True)
    return sweep(ipus["start_ms"].to_numpy(), ipus["end_ms"].to_numpy(), speaker)


def totals(floor):
    return {name: (n, ms) for name, n, ms in floor.totals() if n}


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        pytest.param(
            """
            A  #####   ###
            B                ####
            """,
            {"solo": (3, 1200), "pause": (1, 300), "gap": (1, 300)},
            id="a silence is a pause before the same speaker and a gap before another",
        ),
        pytest.param(
            """
            A  ########
            B    ###
            """,
            {"solo": (2, 500), "within_overlap": (1, 300)},
            id="speech inside another's takes no floor",
        ),
        pytest.param(
            """
            A  ########
            B       #######
            """,
            {"solo": (2, 900), "between_overlap": (1, 300)},
            id="an overlap from one speaker to the next",
        ),
        pytest.param(
            """
            A  ####   ####
            B    ######
            """,
            {"solo": (3, 800), "between_overlap": (2, 300)},
            id="taken and given back in overlap",
        ),
        pytest.param(
            """
            A  ####
            B  ####
            """,
            {"within_overlap": (1, 400)},
            id="nobody is ever alone",
        ),
    ],
)
def test_drawn_conversations_have_the_states_of_heldner_and_edlund(picture, expected):
    assert totals(floor_of(picture)) == expected


def test_a_silence_between_an_overlap_and_its_heir_counts_by_the_sole_speakers_around_it():
    floor = floor_of(
        """
        A  #####       ##
        B     ##
        """
    )

    assert [STATES[k] for k in floor.state] == ["solo", "within_overlap", "pause", "solo"]


def test_the_holder_is_the_last_who_was_alone():
    floor = floor_of(
        """
        A  #####
        B     ######   ##
        """
    )

    before = floor.holder_before(np.array([0, 100, 500, 501, 900, 1100, 9999]))
    assert before.tolist() == [NOBODY, 0, 0, 1, 1, 1, 1]


def test_who_is_next_alone_and_when():
    floor = floor_of(
        """
        A  #####      ###
        B     ######
        """
    )

    never = np.iinfo(np.int64).max
    assert floor.next_sole(1, np.array([0, 500, 501])).tolist() == [500, 500, never]
    assert floor.next_sole(0, np.array([0, 1, 1101])).tolist() == [0, 1100, never]


@st.composite
def talk(draw_):
    """IPUs of up to three speakers within 40 ms, none overlapping another of the same speaker."""
    rows = []
    for speaker in range(draw_(st.integers(1, 3))):
        edges = sorted(draw_(st.sets(st.integers(0, 40), max_size=8)))
        rows += [(start, end, speaker) for start, end in zip(edges[::2], edges[1::2], strict=False)]
    return sorted(rows)


def states_by_the_millisecond(rows):
    """Name the state of each ms from the first start to the last end, by definition alone."""
    first, last = min(row[0] for row in rows), max(row[1] for row in rows)
    speaking = [
        [speaker for start, end, speaker in rows if start <= t < end] for t in range(first, last)
    ]
    alone = [who[0] if len(who) == 1 else None for who in speaking]
    named = []
    for t, who in enumerate(speaking):
        before = next((one for one in alone[t::-1] if one is not None), None)
        after = next((one for one in alone[t:] if one is not None), None)
        same = before is None or after is None or before == after
        if len(who) == 1:
            named.append("solo")
        elif not who:
            named.append("pause" if same else "gap")
        else:
            named.append("within_overlap" if same else "between_overlap")
    return named


@given(talk())
def test_any_conversation_has_the_states_that_a_count_by_the_millisecond_gives(rows):
    if not rows:
        return
    start, end, speaker = (np.array(column) for column in zip(*rows, strict=True))
    floor = sweep(start, end, speaker)

    drawn = np.repeat(np.array(STATES)[floor.state], np.diff(floor.edges)).tolist()
    assert drawn == states_by_the_millisecond(rows)
    assert sum(ms for _, _, ms in floor.totals()) == end.max() - start.min()
