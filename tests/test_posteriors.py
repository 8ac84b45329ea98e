"""From labels and a judge to posteriors: by hand, by known truth, and what never enters."""

import numpy as np
import pandas as pd
import pytest

from made_world import SETTINGS
from tact import frames
from tact.errors import TableError
from tact.posteriors import infer
from tact.vocabulary import INTENTS

SET = SETTINGS.posteriors
NO_LABELS, NO_JUDGE = frames.empty("labels"), frames.empty("judge")
SOFT = {"ans": 0.5, "ref": 0.3, "rhe": 0.1, "hold": 0.05, "bck": 0.03, "abn": 0.02}


def points(*names, split="test", corpus="candor"):
    rows = [
        {
            "point": name, "corpus": corpus, "scenario": "smooth", "split": split,
            "split_group": "g", "conversation": "t:1", "focal": "A", "partner": "B", "t0_ms": k,
            "ipu_start_ms": 0, "turn_start_ms": 0, "context_start_ms": 0, "carry_over": False,
            "third_party": False, "reasons": "",
        }
        for k, name in enumerate(names)
    ]  # fmt: skip
    return frames.frame(rows, "points")


def vote(unit, annotator, intent, **columns):
    return {
        "unit": unit, "annotator": annotator, "kind": "human", "intent": intent,
        "probability": 1.0, "saw_continuation": False,
    } | columns  # fmt: skip


def votes(*rows):
    return frames.frame([vote(*row) if isinstance(row, tuple) else row for row in rows], "labels")


def judged(unit, row=SOFT):
    columns = {"unit": unit, "model": "m", "prompt_sha256": "0"}
    return frames.frame(
        [columns | {"intent": intent, "probability": p} for intent, p in row.items()], "judge"
    )


def weak(unit, row=SOFT, kind="dialogue_acts"):
    return frames.frame(
        [vote(unit, "acts", intent, kind=kind, probability=p) for intent, p in row.items()],
        "labels",
    )


def run(labels=NO_LABELS, judge=NO_JUDGE, known=None, settings=SET):
    known = points("p1") if known is None else known
    episodes = pd.DataFrame({"episode": "e-" + known["point"], "point": known["point"]})
    return infer(labels, judge, known, episodes, settings=settings)


def q(made, mode, point="p1"):
    rows = made.point_posteriors.query("mode == @mode and point == @point")
    return dict(zip(rows["intent"], rows["probability"], strict=True))


def value(made, name):
    return made.calibration.set_index("name").loc[name, "value"]


def close(row):
    return pytest.approx({intent: row.get(intent, 0.0) for intent in INTENTS}, abs=1e-12)


THREE_VOTES = votes(("p1", "a", "ans"), ("p1", "b", "ans"), ("p1", "c", "ref"))


def test_the_share_is_votes_over_annotators():
    assert q(run(THREE_VOTES), "share") == close({"ans": 2 / 3, "ref": 1 / 3})


def test_fused_mixes_share_and_judge_by_lambda():
    made = run(THREE_VOTES, judged("p1"))

    share = {"ans": 2 / 3, "ref": 1 / 3}
    assert value(made, "temperature") == 1.0
    assert q(made, "fused") == close({z: 0.7 * share.get(z, 0) + 0.3 * SOFT[z] for z in INTENTS})


def test_where_only_one_source_spoke_fused_is_that_one():
    both = pd.concat([judged("p1"), judged("p2")])
    made = run(votes(("p2", "a", "bck")), both[both["unit"] == "p1"], points("p1", "p2"))

    assert q(made, "fused", "p1") == close(SOFT)
    assert q(made, "fused", "p2") == close({"bck": 1.0})


def test_the_temperature_is_learned_from_the_development_split_alone():
    known = pd.concat([points("p1", "p2", split="dev"), points("p3")], ignore_index=True)
    labels = votes(("p1", "a", "ans"), ("p1", "b", "ref"), ("p2", "a", "ans"), ("p3", "a", "ans"))
    judge = pd.concat([judged("p1"), judged("p2")])
    made = run(labels, pd.concat([judge, judged("p3")]), known)
    sure = {z: 0.95 if z == "abn" else 0.01 for z in INTENTS}
    other = run(labels, pd.concat([judge, judged("p3", sure)]), known)

    assert value(made, "temperature") == value(other, "temperature") != 1.0
    tempered = np.array(list(SOFT.values())) ** (1 / value(made, "temperature"))
    assert q(made, "judge", "p3") == close(
        dict(zip(INTENTS, tempered / tempered.sum(), strict=True))
    )


@pytest.mark.parametrize("kind", ["dialogue_acts", "textgrid"])
def test_a_weak_source_is_its_own_posterior_and_has_no_alpha(kind):
    made = run(weak("p1", kind=kind))

    assert q(made, "share") == q(made, "calibrated") == close(SOFT)
    alpha = made.agreement.set_index(["what", "corpus"]).loc[("intent", "candor")]
    assert pd.isna(alpha["alpha"])
    assert alpha["reason"] == f"{kind} alone: one source per unit"
    assert "single_source:candor" in set(made.calibration["name"])


def test_a_script_is_told_apart_and_fits_no_law():
    made = run(votes(vote("p1", "script", "hold", kind="script")))

    assert q(made, "script") == close({"hold": 1.0})
    assert q(made, "calibrated") == q(made, "share") == {}


def test_people_who_heard_on_count_in_the_share_and_never_in_what_fits_laws():
    heard_on = vote("p1", "b", "ref", saw_continuation=True)
    labels = votes(("p1", "a", "ans"), ("p2", "a", "ref"), heard_on)
    without = votes(("p1", "a", "ans"), ("p2", "a", "ref"))
    known = points("p1", "p2")
    made, clean = run(labels, known=known), run(without, known=known)

    assert q(made, "share") == close({"ans": 0.5, "ref": 0.5})
    assert q(made, "calibrated") == q(clean, "calibrated")
    assert made.calibration.set_index("name").loc["saw_continuation", "n"] == 1


def test_a_unit_that_nothing_speaks_of_has_no_row():
    made = run(THREE_VOTES, known=points("p1", "p2"))

    assert set(made.point_posteriors["point"]) == {"p1"}
    assert set(made.posteriors["episode"]) == {"e-p1"}


def test_labels_of_another_run_are_counted_and_not_used():
    made = run(votes(("p1", "a", "ans"), ("elsewhere", "a", "ans")))

    assert made.calibration.set_index("name").loc["unknown_units", "n"] == 1
    assert set(made.point_posteriors["point"]) == {"p1"}


@pytest.mark.parametrize(
    ("labels", "judge", "says"),
    [
        (votes(vote("p1", "a", "ans", kind="oracle")), NO_JUDGE, "1 of 1 rows have a kind outside"),
        (votes(vote("p1", "a", "ans", probability=0.0)), NO_JUDGE, "outside (0, 1]"),
        (votes(("p1", "a", "ans"), ("p1", "a", "ref")), NO_JUDGE, "not one whole vote per unit"),
        (votes(vote("p1", "a", "ans", probability=0.5)), NO_JUDGE, "not one whole vote per unit"),
        (NO_LABELS, judged("p1").head(3), "1 of 1 units have probabilities that do not sum to 1"),
        (NO_LABELS, judged("p1", {"ans": 1.5, "ref": -0.5}), "1 of 1 units"),
        (votes(("elsewhere", "a", "ans")), NO_JUDGE, "none of 1 units is a point"),
    ],
)
def test_labels_that_cannot_be_used_are_one_clear_line(labels, judge, says):
    with pytest.raises(TableError) as error:
        run(labels, judge)

    assert says in str(error.value)
    assert "\n" not in str(error.value)


CONFUSION = np.full((6, 6), 0.03) + np.diag([0.82] * 6)
CAREFUL, CARELESS = CONFUSION, 0.5 * CONFUSION + 0.5 / 6


@pytest.fixture(scope="module")
def crowd():
    """Two careful annotators and two careless ones on 1500 train points of known intent."""
    rng = np.random.default_rng(8)
    shares = np.array([0.35, 0.1, 0.1, 0.25, 0.15, 0.05])
    truth = rng.choice(6, 1500, p=shares)
    rows = []
    for who, matrix in (("a", CAREFUL), ("b", CAREFUL), ("c", CARELESS), ("d", CARELESS)):
        said = (rng.random(1500)[:, None] > matrix[truth].cumsum(axis=1)).sum(axis=1)
        rows += [vote(f"p{k:04d}", who, INTENTS[z]) for k, z in enumerate(said)]
    names = [f"p{k:04d}" for k in range(1500)]
    return truth, shares, votes(*rows), points(*names, split="train")


def test_calibrated_posteriors_know_the_careful_from_the_careless(crowd):
    truth, shares, labels, known = crowd
    made = run(labels, known=known)
    wide = made.point_posteriors.pivot_table(
        index=["mode", "point"], columns="intent", values="probability"
    )[list(INTENTS)]
    told = {
        mode: wide.loc[mode].to_numpy()[np.arange(1500), truth] for mode in ("share", "calibrated")
    }

    brier = {mode: float(np.mean((1 - p) ** 2)) for mode, p in told.items()}
    assert brier["calibrated"] < 0.6 * brier["share"]
    found = [value(made, f"share:candor:train:{intent}") for intent in INTENTS]
    assert found == pytest.approx(shares, abs=0.04)
    for who, right in (("a", 0.85), ("c", 0.5 * 0.85 + 0.5 / 6)):
        diagonal = [value(made, f"confusion:{who}:{z}:{z}") for z in ("ans", "hold", "bck")]
        assert diagonal == pytest.approx([right] * 3, abs=0.08)


def test_a_calibrated_posterior_is_as_often_right_as_it_says(crowd):
    truth, _, labels, known = crowd
    made = run(labels, known=known)
    rows = made.point_posteriors.query("mode == 'calibrated'").sort_values(["point"])
    probability = rows.pivot_table(index="point", columns="intent", values="probability")[
        list(INTENTS)
    ].to_numpy()
    hit = np.eye(6)[truth]

    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        inside = (probability > low) & (probability <= high)
        assert hit[inside].mean() == pytest.approx(probability[inside].mean(), abs=0.05)


def test_order_of_rows_changes_nothing(crowd):
    _, _, labels, known = crowd
    some = labels[labels["unit"] < "p0200"]
    shuffled = run(some.sample(frac=1, random_state=1), known=known.sample(frac=1, random_state=2))
    made = run(some, known=known)

    key = ["point", "mode", "intent"]
    pd.testing.assert_frame_equal(
        made.point_posteriors.sort_values(key, ignore_index=True),
        shuffled.point_posteriors.sort_values(key, ignore_index=True),
        rtol=1e-9,
    )
