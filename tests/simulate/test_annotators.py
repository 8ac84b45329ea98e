import krippendorff
import numpy as np
import pandas as pd
import pytest

from made_world import LAWS, SETTINGS, SHARES
from tact.simulate import annotators
from tact.simulate.annotators import EVIDENCE, SIMILAR, Panel, match
from tact.vocabulary import INTENTS

ACCURACY = SETTINGS.simulation.annotator_accuracy


def panel(**changes):
    usual = {"seed": 1, "annotators": 5, "accuracy": ACCURACY, "judge_temperature": 0.6}
    return Panel(**(usual | changes), laws=LAWS, shares=SHARES)


def points(*rows):
    frame = pd.DataFrame(rows, columns=["point", "t0_ms", "focal"])
    return frame.assign(conversation="c:1")


def truths(*rows):
    frame = pd.DataFrame(rows, columns=["t0_ms", "focal", "intent"])
    return frame.assign(conversation="c:1", response_ms=100)


@pytest.fixture(scope="module")
def units():
    shares = np.array([SHARES[intent] for intent in INTENTS])
    intents = np.random.default_rng(3).choice(INTENTS, 4000, p=shares / shares.sum())
    return pd.DataFrame({"point": [f"{n:016x}" for n in range(4000)], "intent": intents})


@pytest.fixture(scope="module")
def labels(units):
    return annotators.label(units, panel())


def alpha(labels, column, level):
    codes = labels[column] if column != "intent" else labels["intent"].map(INTENTS.index)
    wide = labels.assign(code=codes.astype(float)).pivot(
        index="annotator", columns="unit", values="code"
    )
    return krippendorff.alpha(reliability_data=wide.to_numpy(), level_of_measurement=level)


@pytest.mark.parametrize(
    ("t0_ms", "found"),
    [
        pytest.param(10_300, "ans", id="300-ms-late"),
        pytest.param(9_700, "ans", id="300-ms-early"),
        pytest.param(10_301, None, id="301-ms-late"),
        pytest.param(10_390, "hold", id="nearer-to-the-next"),
    ],
)
def test_a_unit_is_matched_within_300_ms(t0_ms, found):
    truth = truths((10_000, "c:a", "ans"), (10_602 if found is None else 10_600, "c:a", "hold"))

    matched = match(points(("p", t0_ms, "c:a")), truth)

    assert matched["intent"].tolist() == ([found] if found else [])


def test_a_unit_is_never_matched_to_the_other_speaker():
    truth = truths((10_000, "c:b", "ans"), (10_200, "c:a", "bck"))

    matched = match(points(("p", 10_000, "c:a"), ("q", 10_000, "c:c")), truth)

    assert matched.to_dict("list") == {"point": ["p"], "intent": ["bck"]}


def test_what_is_matched_does_not_hold_the_response():
    assert list(match(points(("p", 1, "c:a")), truths((1, "c:a", "ans")))) == ["point", "intent"]


def test_rows_of_the_confusions_sum_to_1():
    assert set(SIMILAR) == set(INTENTS)
    for intent, row in SIMILAR.items():
        assert set(row) == set(INTENTS) - {intent}
        assert sum(row.values()) == pytest.approx(1)


def test_annotators_agree_at_the_paper_s_alpha(labels):
    assert alpha(labels, "intent", "nominal") == pytest.approx(0.73, abs=0.025)
    assert alpha(labels, "silence_ok", "interval") == pytest.approx(0.79, abs=0.04)


def test_three_to_five_annotators_label_each_unit_all_about_as_often(labels):
    votes = labels.groupby("unit").size()

    assert set(votes) == {3, 4, 5}
    assert labels["annotator"].value_counts(normalize=True).between(0.17, 0.23).all()


def test_votes_are_right_about_as_often_as_they_should(units, labels):
    true = labels["unit"].map(units.set_index("point")["intent"])
    right = (labels["intent"] == true).groupby(labels["annotator"]).mean()

    assert right.between(ACCURACY - 0.035, ACCURACY + 0.035).all()


def test_silence_is_acceptable_about_as_often_as_it_occurs(units, labels):
    true = labels["unit"].map(units.set_index("point")["intent"])
    accepted = labels.groupby(true)["silence_ok"].mean().astype(float)

    for intent in INTENTS:
        beta = LAWS[intent].no_response
        assert accepted[intent] == pytest.approx(beta + 0.05 * (1 - 2 * beta), abs=0.06)


def test_only_one_annotator_ever_heard_what_followed(labels):
    saw = labels[labels["saw_continuation"]]

    assert saw["annotator"].nunique() == 1
    own = labels["annotator"].eq(saw["annotator"].iloc[0]).sum()
    assert 0.03 < len(saw) / own < 0.07


def test_a_label_depends_on_its_own_unit_alone(units, labels):
    few = units.sample(50, random_state=1)
    again = annotators.label(few, panel())

    key = ["unit", "annotator"]
    whole = labels[labels["unit"].isin(few["point"])].sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(again.sort_values(key, ignore_index=True), whole)


def test_the_judge_is_calibrated_once_its_temperature_is_taken_back(units):
    stated = annotators.judge(units, panel(judge_temperature=0.6))
    given = stated["probability"].to_numpy().reshape(-1, len(INTENTS))
    mended = given**0.6 / (given**0.6).sum(axis=1, keepdims=True)
    right = given.argmax(axis=1) == units["intent"].map(INTENTS.index).to_numpy()

    assert given.sum(axis=1) == pytest.approx(1)
    assert mended.max(axis=1).mean() == pytest.approx(right.mean(), abs=0.02)
    assert given.max(axis=1).mean() > right.mean() + 0.05


def test_what_the_judge_states_is_bayes_rule():
    evidence = np.random.default_rng(5).normal(size=(3, len(INTENTS)))
    likelihood = np.array(
        [
            [np.exp(-((row - EVIDENCE * np.eye(6)[z]) ** 2).sum() / 2) for z in range(6)]
            for row in evidence
        ]
    )
    joint = likelihood * np.array([SHARES[intent] for intent in INTENTS])

    np.testing.assert_allclose(
        annotators.sharpen(evidence, panel(judge_temperature=1.0)),
        joint / joint.sum(axis=1, keepdims=True),
    )


def test_no_unit_gives_empty_tables():
    nothing = match(points(("p", 1, "c:a")), truths((9_000, "c:a", "ans")))

    assert annotators.label(nothing, panel()).empty
    assert annotators.judge(nothing, panel()).empty
    assert annotators.script(nothing).empty


def test_a_probe_is_labelled_with_its_script(units):
    labels = annotators.script(units)

    assert set(labels["kind"]) == {"script"}
    assert set(labels["probability"]) == {1.0}
    assert labels["intent"].tolist() == units["intent"].tolist()
