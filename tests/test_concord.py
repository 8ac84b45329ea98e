"""Drawn conversations, 100 ms a column, told by two sources; every number can be counted."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyannote.core import Annotation, Segment, Timeline
from pyannote.metrics.detection import DetectionErrorRate
from pyannote.metrics.diarization import DiarizationErrorRate

from drawing import draw
from tact import concord, config, frames
from tact.errors import InputError
from test_config import ROOT

SETTINGS = config.load([ROOT / "config.yaml"])
SAID = """
    A  ##########          ######           #
    B     ##   ######               ####
"""
HEARD = """
    A  ###########          ####    #
    B          #######              ###   ##
"""


def recordings(*names, duration_ms=5_000):
    rows = [
        {"corpus": "t", "conversation": name, "channel": channel, "speaker": speaker,
         "duration_ms": duration_ms, "licence": "CC0", "mixed": False, "language": "en",
         "split_group": name}
        for name in names
        for channel, speaker in enumerate("AB")
    ]  # fmt: skip
    return frames.frame(rows, "recordings")


def beside(said, heard, *, known=None, contiguous_words=False):
    return concord.compare(
        "t",
        said,
        heard,
        recordings("t:1") if known is None else known,
        contiguous_words=contiguous_words,
        bins_ms=[150, 400, 1_000],
        settings=SETTINGS.turns,
    )


def heard(picture, **more):
    return draw(picture, **more).assign(source="silero", confidence=0.9)


@pytest.fixture
def drawn():
    return beside(draw(SAID), heard(HEARD))


def row_of(made):
    return made.concord.iloc[0]


def test_ipus_are_met_missed_and_false_as_drawn(drawn):
    row = row_of(drawn)

    assert (row["reference"], row["hypothesis"], row["conversations"]) == ("words", "silero", 1)
    assert (row["n_reference"], row["n_hypothesis"], row["n_met"]) == (6, 6, 4)
    # B's backchannel and A's last are not found; A's third and B's last are not there.
    assert (row["n_missed"], row["n_false"], row["false_ipus_ms"]) == (2, 2, 300)


def test_errors_of_ends_have_the_quantiles_of_those_drawn(drawn):
    edges = drawn.concord_edges.set_index("edge")

    names = ["low_ms", "quarter_ms", "median_ms", "three_quarters_ms", "high_ms"]
    for edge, late in (("start", [0, 100, 0, 0]), ("end", [100, -100, 100, -100])):
        assert edges.loc[edge, "n"] == 4
        assert edges.loc[edge, names].tolist() == pytest.approx(
            np.quantile(late, [0.05, 0.25, 0.5, 0.75, 0.95])
        )


def test_misses_are_counted_by_the_length_of_what_was_said(drawn):
    misses = drawn.concord_misses

    assert misses["from_ms"].tolist() == [0, 150, 400, 1_000]
    assert misses["to_ms"].tolist()[:3] == [150, 400, 1_000]
    assert misses["to_ms"].isna().tolist() == [False, False, False, True]
    assert misses["n"].tolist() == [1, 1, 3, 1]
    assert misses["n_missed"].tolist() == [1, 1, 0, 0]


def test_times_can_be_counted_in_the_drawing(drawn):
    """
    columns  0-10  10-14  20-26  29-33  37-38       somebody speaks
             0-15         21-25  29-32  35-37       somebody is found
    """
    row = row_of(drawn)

    assert (row["speech_ms"], row["missed_ms"], row["false_ms"]) == (2_500, 400, 300)
    assert row["detection_error"] == pytest.approx(7 / 25)
    # B's backchannel and 200 ms of B's turn overlap A's.
    assert row["spoken_ms"] == 2_900


def as_pyannote(picture):
    told = Annotation()
    for track, row in enumerate(draw(picture).itertuples()):
        told[Segment(row.start_ms / 1000, row.end_ms / 1000), track] = row.speaker
    return told


def test_rates_are_those_of_pyannote_metrics(drawn):
    row, whole = row_of(drawn), Timeline([Segment(0, 5)])
    pair = as_pyannote(SAID), as_pyannote(HEARD)
    detection, diarization = DetectionErrorRate(), DiarizationErrorRate()

    assert row["detection_error"] == pytest.approx(detection(*pair, uem=whole))
    assert row["diarization_error"] == pytest.approx(diarization(*pair, uem=whole))
    assert row["missed_ms"] == pytest.approx(1000 * detection["miss"])
    assert row["confused_ms"] == pytest.approx(1000 * diarization["confusion"])
    assert row["spoken_ms"] == pytest.approx(1000 * diarization["total"])


@pytest.mark.parametrize(
    ("said", "told", "shifts"),
    [
        pytest.param(
            """
            A  #####
            B          ####
            """,
            """
            A  ######
            B         #####
            """,
            [-200],
            id="a-gap-shrinks",
        ),
        pytest.param(
            """
            A  ######
            B     ######
            """,
            """
            A  #####
            B     ######
            """,
            [100],
            id="an-overlap-shrinks",
        ),
        pytest.param(
            """
            A  #####
            B          ####
            """,
            """
            A  ## ##
            B          ####
            """,
            [0],
            id="a-giver-heard-in-two-parts-gives-once",
        ),
        pytest.param(
            """
            A  #####         ####
            B         ####
            """,
            """
            A  #####         ####
            B
            """,
            [],
            id="a-taker-who-is-not-heard-takes-nothing",
        ),
    ],
)
def test_transfers_are_matched_through_their_ipus(said, told, shifts): ...


def test_a_conversation_that_one_side_lacks_is_counted_and_left_out():
    both = pd.concat([draw(SAID), draw(SAID, conversation="t:2")], ignore_index=True)
    alone = row_of(beside(draw(SAID), heard(HEARD)))

    row = row_of(beside(both, heard(HEARD), known=recordings("t:1", "t:2", "t:3")))

    assert (row["conversations"], row["left_out"]) == (1, 2)
    assert row["n_reference"] == alone["n_reference"]


def test_two_conversations_add_up_and_do_not_average():
    one, other = "A  ####\nB       ##", "A  #\nB     #####"
    said = pd.concat([draw(one), draw(other, conversation="t:2")], ignore_index=True)
    told = pd.concat([heard(other), heard(other, conversation="t:2")], ignore_index=True)

    row = row_of(beside(said, told, known=recordings("t:1", "t:2")))
    first = row_of(beside(draw(one), heard(other)))

    assert row["speech_ms"] == first["speech_ms"] + 600
    assert row["missed_ms"] == first["missed_ms"]
    assert row["detection_error"] == pytest.approx(
        (first["missed_ms"] + first["false_ms"]) / row["speech_ms"]
    )


def test_speakers_that_a_diarizer_named_are_matched_by_the_time_they_share():
    named = heard(SAID).replace({"speaker": {"A": "person 2", "B": "person 1"}})

    row = row_of(beside(draw(SAID), named))

    assert (row["n_met"], row["n_false"], row["diarization_error"]) == (6, 0, 0)


def test_the_same_speech_agrees_with_itself():
    row = row_of(beside(draw(SAID), heard(SAID)))

    assert row["detection_error"] == row["diarization_error"] == 0
    assert row["n_met"] == row["n_reference"]
    assert row["n_transfers_met"] == row["n_transfers_reference"] > 0
    assert row["fto_shift_low_ms"] == row["fto_shift_high_ms"] == 0


turns = st.lists(st.integers(1, 30), min_size=2, max_size=24)


@settings(deadline=None, max_examples=25)
@given(turns, turns)
def test_the_error_of_any_two_timelines_is_pyannotes(said, told):
    def ipus(cuts, source):
        edges = 40 * np.cumsum(cuts)
        rows = [
            {"conversation": "t:1", "speaker": "AB"[at % 2], "start_ms": start, "end_ms": end,
             "source": source, "confidence": None}
            for at, (start, end) in enumerate(pairwise(edges.tolist()))
            if at % 3 != 2
        ]  # fmt: skip
        return frames.frame(rows, "ipus")

    def annotation(table):
        told = Annotation()
        for row in table.itertuples():
            told[Segment(row.start_ms / 1000, row.end_ms / 1000), row.Index] = row.speaker
        return told

    pair = ipus(said, "words"), ipus(told, "webrtc")
    row = row_of(beside(*pair, known=recordings("t:1", duration_ms=60_000)))
    whole = Timeline([Segment(0, 60)])
    pair = [annotation(table) for table in pair]

    assert row["detection_error"] == pytest.approx(DetectionErrorRate()(*pair, uem=whole))
    assert row["diarization_error"] == pytest.approx(DiarizationErrorRate()(*pair, uem=whole))
    assert row["n_met"] + row["n_missed"] <= row["n_reference"]


@pytest.mark.parametrize(
    ("said", "told", "line"),
    [
        pytest.param(draw(SAID), heard(SAID, conversation="t:2"), "has IPUs of both", id="apart"),
        pytest.param(draw(SAID)[:0], heard(SAID), "reference has IPUs of nothing", id="empty"),
        pytest.param(
            draw(SAID),
            pd.concat([heard(SAID), draw(SAID)]),
            "hypothesis has IPUs of silero, words",
            id="mixed",
        ),
    ],
)
def test_what_cannot_be_compared_is_one_clear_line(said, told, line):
    with pytest.raises(InputError, match=line):
        beside(said, told)


@pytest.mark.parametrize("abut", [True, False])
def test_the_page_says_where_words_cannot_show_silences(abut):
    words = beside(draw(SAID), heard(HEARD), contiguous_words=abut)
    detectors = beside(heard(SAID).assign(source="webrtc"), heard(HEARD), contiguous_words=abut)

    assert ("words of this corpus abut" in concord.page(words)) is abut
    assert row_of(words)["contiguous_words"] == abut
    assert "abut" not in concord.page(detectors)


def test_page_and_figure_stand_for_nothing_found_one_to_one(tmp_path):
    made = beside(draw("A  #####"), heard("A            ###\nB  ##"))

    assert "none is found one to one" in concord.page(made)
    concord.draw(made, tmp_path / "a.svg")
    concord.draw(made, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
