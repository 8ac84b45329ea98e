"""Dialogue acts and scripts as labels: which act, which row, and what never enters."""

import pandas as pd
import pytest

from made_world import SETTINGS
from tact import frames
from tact.acts import labels_of_acts

LABELS = SETTINGS.labels


def points(*t0s, split="test", onset=None, length=None, carry_over=False):
    rows = [
        {
            "point": f"p{t0}", "corpus": "ami", "scenario": "smooth", "split": split,
            "split_group": "g", "conversation": "t:1", "focal": "A", "partner": "B", "t0_ms": t0,
            "ipu_start_ms": 0, "turn_start_ms": 0, "context_start_ms": 0, "response_ms": onset,
            "response_duration_ms": length, "carry_over": carry_over, "third_party": False,
            "reasons": "",
        }
        for t0 in t0s
    ]  # fmt: skip
    return frames.frame(rows, "points")


def acts(*rows, answers=False):
    return frames.frame(
        [
            {
                "conversation": "t:1", "speaker": "A", "act_id": str(k), "act": act,
                "start_ms": start, "end_ms": end, "answers": answers,
            }
            for k, (act, start, end) in enumerate(rows)
        ],
        "acts",
    )  # fmt: skip


def label(points_, acts_, frame=None):
    frame = frames.empty("frame") if frame is None else frame
    made = labels_of_acts(points_, frame, acts_, settings=LABELS)
    return {
        unit: dict(zip(rows["intent"], rows["probability"], strict=True))
        for unit, rows in made.groupby("unit")
    }


@pytest.mark.parametrize(
    ("t0", "case"),
    [(1799, "inside"), (1800, "ends"), (2000, "ends"), (2200, "ends"), (2201, None), (500, None)],
)
def test_the_act_ends_at_t0_within_the_tolerance_or_holds_it_inside(t0, case):
    found = label(points(t0), acts(("el.inf", 1000, 2000)))

    row = LABELS.acts["el.inf"].row(case) if case else None
    assert found == ({f"p{t0}": pytest.approx(row)} if row else {})


def test_of_two_acts_the_one_that_ends_nearest_speaks():
    found = label(points(1150), acts(("inf", 0, 1000), ("el.inf", 1000, 1200)))

    assert found["p1150"] == pytest.approx(LABELS.acts["el.inf"].row("ends"))


def test_an_act_that_answers_an_earlier_one_has_a_row_of_its_own():
    found = label(points(2000), acts(("inf", 1000, 2000), answers=True))

    assert found["p2000"] == pytest.approx(LABELS.acts["inf"].row("ends_answer"))
    assert LABELS.acts["inf"].row("ends_answer") != LABELS.acts["inf"].row("ends")


@pytest.mark.parametrize(
    ("partner", "case"),
    [
        ({"onset": -300, "length": 800}, "inside"),
        ({"onset": -300, "length": 200}, "ends"),
        ({"onset": 100, "length": 800}, "ends"),
        ({"carry_over": True}, "inside"),
        ({}, "ends"),
    ],
    ids=["overlaps", "ended before", "after t0", "carried over", "silent"],
)
def test_a_fragment_that_the_partner_overlaps_was_cut_off_and_not_abandoned(partner, case):
    found = label(points(2000, **partner), acts(("fra", 1000, 2000)))

    assert found["p2000"] == pytest.approx(LABELS.acts["fra"].row(case))


@pytest.mark.parametrize("act", sorted(LABELS.acts))
def test_nothing_that_the_partner_does_after_t0_enters_a_label(act):
    spoken = acts((act, 1000, 2000))
    outcomes = [label(points(2000, onset=y, length=900), spoken) for y in (1, 700, 4999)]

    assert outcomes == [label(points(2000), spoken)] * 3


@pytest.mark.parametrize("act", sorted(LABELS.acts))
@pytest.mark.parametrize("case", ["ends", "ends_answer", "inside"])
def test_every_row_of_the_table_of_acts_is_a_distribution(act, case):
    row = LABELS.acts[act].row(case)

    assert sum(row.values()) == pytest.approx(1.0, abs=1e-9)
    assert min(row.values()) >= 0


def test_a_script_gives_its_intent_alone():
    assert label(points(2000), acts(("script:hold", 0, 2000))) == {"p2000": {"hold": 1.0}}


def test_an_act_that_the_config_does_not_name_gives_no_label():
    assert label(points(2000), acts(("whistle", 0, 2000))) == {}


def test_train_points_outside_the_frame_have_no_label():
    train = points(2000, 9000, split="train")
    frame = frames.frame(
        [{"point": "p9000", "conversation": "t:1", "focal": "A", "split_group": "g"}], "frame"
    )
    spoken = acts(("inf", 0, 2000), ("inf", 7000, 9000))

    assert set(label(train, spoken, frame)) == {"p9000"}
    assert set(label(pd.concat([train, points(2100)]), spoken, frame)) == {"p9000", "p2100"}


def test_acts_of_another_speaker_say_nothing():
    theirs = acts(("inf", 0, 2000)).assign(speaker="B")

    assert label(points(2000), theirs) == {}
