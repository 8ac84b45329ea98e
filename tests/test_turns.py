"""Turns, pauses, transfers and backchannels of drawn conversations."""

import pandas as pd
import pytest

from drawing import draw, spoken
from made_world import SETTINGS
from tact import frames
from tact.turns import take_turns

NO_ACTS = frames.empty("acts")


def turns_of(picture, *, acts=NO_ACTS, settings=SETTINGS.turns, language="en", **texts):
    ipus = draw(picture)
    return take_turns(ipus, spoken(ipus, **texts), acts, {"t:1": language}, settings=settings)


def rows(table, *columns):
    return [tuple(row) for row in table[list(columns)].itertuples(index=False)]


def transfers(tables):
    return rows(tables.transfers, "giver", "taker", "turn_end_ms", "fto_ms", "kind")


def backchannels(tables):
    return rows(tables.backchannels, "speaker", "start_ms", "end_ms", "speech_ms", "n_ipus")


def test_a_transfer_runs_from_the_end_of_the_last_turn_to_the_start_of_the_next():
    made = turns_of(
        """
        A  ##########          ######
        B     ##   ######
        """
    )

    assert transfers(made) == [("A", "B", 1000, -200, "overlap"), ("B", "A", 1400, 600, "gap")]
    assert rows(made.turns, "speaker", "start_ms", "end_ms", "n_ipus") == [
        ("A", 0, 1000, 1),
        ("A", 2000, 2600, 1),
        ("B", 300, 500, 1),
        ("B", 800, 1400, 1),
    ]
    assert made.pauses.empty


def test_speech_inside_another_turn_passes_no_floor():
    made = turns_of(
        """
        A  ##########   ######
        B     ##          ##
        """
    )

    assert transfers(made) == []
    assert rows(made.turns, "speaker", "start_ms", "end_ms", "n_ipus") == [
        ("A", 0, 1900, 2),
        ("B", 300, 500, 1),
        ("B", 1500, 1700, 1),
    ]


def test_a_turn_goes_on_over_a_silence_in_which_nobody_is_alone():
    made = turns_of(
        """
        A  #####     #####
        B                      ###
        """
    )

    assert rows(made.pauses, "speaker", "start_ms", "end_ms", "duration_ms") == [
        ("A", 500, 1000, 500)
    ]
    assert transfers(made) == [("A", "B", 1500, 500, "gap")]


def test_a_transfer_at_the_very_end_of_a_turn_is_a_gap_of_nothing():
    made = turns_of(
        """
        A  #####
        B       #####
        """
    )

    assert transfers(made) == [("A", "B", 500, 0, "gap")]


IN_A_TURN = """
    A  ##############################
    B              ##
    """
BETWEEN_TURNS = """
    A  ##############                ##############
    B                    ##
    """


@pytest.mark.parametrize("picture", [IN_A_TURN, BETWEEN_TURNS])
@pytest.mark.parametrize(
    ("word", "language", "is_one"),
    [("Mhm.", "en", True), ("seven", "en", False), ("hoor", "nl", False), ("nou", "nl", True)],
)
def test_a_short_word_of_the_lexicon_is_a_backchannel(picture, word, language, is_one):
    made = turns_of(picture, language=language, B=[word])

    assert (len(made.backchannels), len(made.turns.query("speaker == 'B'"))) == (is_one, not is_one)


def test_a_backchannel_between_two_turns_of_another_joins_them():
    made = turns_of(BETWEEN_TURNS, B=["yeah"])

    assert backchannels(made) == [("B", 1800, 2000, 200, 1)]
    assert transfers(made) == []
    assert rows(made.turns, "speaker", "start_ms", "end_ms", "n_ipus") == [("A", 0, 4400, 2)]


def test_without_exclusion_the_same_speech_is_a_turn():
    turns = SETTINGS.turns.model_copy(
        update={"backchannel": SETTINGS.turns.backchannel.model_copy(update={"exclude": False})}
    )
    made = turns_of(BETWEEN_TURNS, settings=turns, B=["yeah"])

    assert made.backchannels.empty
    assert transfers(made) == [("A", "B", 1400, 400, "gap"), ("B", "A", 2000, 1000, "gap")]


@pytest.mark.parametrize(
    ("silence_columns", "is_one"), [(9, False), (10, True)], ids=["900 ms", "1 s"]
)
def test_a_backchannel_is_alone_for_a_second_before_the_next_own_speech(silence_columns, is_one):
    picture = f"""
        A  {"#" * 60}
        B  {" " * 20}##{" " * silence_columns}##########
        """
    made = turns_of(picture, B=["yeah", "seven"])

    assert bool(len(made.backchannels)) is is_one


def test_ipus_less_than_a_second_apart_are_one_backchannel_of_at_most_a_second_of_speech():
    short = turns_of(
        """
        A  ########################################
        B              ####   ######
        """,
        B=["yeah", "right"],
    )
    long = turns_of(
        """
        A  ########################################
        B              ####   #######
        """,
        B=["yeah", "right"],
    )

    assert backchannels(short) == [("B", 1200, 2500, 1000, 2)]
    assert backchannels(long) == []


def test_speech_that_another_does_not_frame_is_no_backchannel():
    at_the_end = turns_of(
        """
        A  ########
        B             ##
        """,
        B=["yeah"],
    )

    assert transfers(at_the_end) == [("A", "B", 800, 300, "gap")]


def question(act="el.inf"):
    columns = {"conversation": "t:1", "speaker": "A", "act_id": "1", "act": act, "answers": False}
    return frames.frame([columns | {"start_ms": 0, "end_ms": 1400}], "acts")


@pytest.mark.parametrize(
    ("said", "acts", "is_one"),
    [
        ("is it?", NO_ACTS, False),
        ("it is.", NO_ACTS, True),
        ("it is", question("el.inf"), False),
        ("it is", question("inf"), True),
    ],
    ids=["a question mark", "a full stop", "a question act", "an inform act"],
)
def test_an_answer_to_a_question_is_a_turn(said, acts, is_one):
    made = turns_of(BETWEEN_TURNS, acts=acts, A=[said, "so"], B=["yeah"])

    assert bool(len(made.backchannels)) is is_one


def test_floor_states_are_told_with_backchannels_in_and_out():
    made = turns_of(BETWEEN_TURNS, B=["yeah"])
    told = made.floor.pivot_table(index="state", columns="backchannels", values="total_ms")

    assert told["in"].to_dict() == {
        "solo": 3000, "gap": 1400, "pause": 0, "between_overlap": 0, "within_overlap": 0
    }  # fmt: skip
    assert told["out"].to_dict() == {
        "solo": 2800, "gap": 0, "pause": 1600, "between_overlap": 0, "within_overlap": 0
    }  # fmt: skip


def test_conversations_do_not_touch_each_other_and_order_does_not_matter():
    first, second = draw(IN_A_TURN), draw(BETWEEN_TURNS, conversation="t:2")
    ipus = pd.concat([first, second], ignore_index=True)
    words = pd.concat([spoken(first, B=["yeah"]), spoken(second, B=["yeah"])], ignore_index=True)
    languages = {"t:1": "en", "t:2": "en"}
    together = take_turns(ipus, words, NO_ACTS, languages, settings=SETTINGS.turns)
    shuffled = take_turns(
        ipus.sample(frac=1, random_state=1), words.sample(frac=1, random_state=2), NO_ACTS,
        languages, settings=SETTINGS.turns,
    )  # fmt: skip
    alone = turns_of(BETWEEN_TURNS, B=["yeah"])

    for name in ("turns", "pauses", "backchannels", "transfers", "floor"):
        whole = getattr(together, name)
        pd.testing.assert_frame_equal(whole, getattr(shuffled, name))
        mine = whole.query("conversation == 't:2'").assign(conversation="t:1")
        pd.testing.assert_frame_equal(
            mine.reset_index(drop=True), getattr(alone, name), check_dtype=False
        )


@pytest.mark.parametrize(
    ("said", "is_one"), [("Yeah, right.", True), ("yeah seven", False), ("", True)]
)
def test_an_utterance_is_a_backchannel_word_by_word(said, is_one):
    assert bool(len(turns_of(IN_A_TURN, B=[said]).backchannels)) is is_one
