"""Laws of slices from points of known law: which points count, whose law a slice gets, and why."""

import json

import numpy as np
import pandas as pd
import pytest

from made_world import LAWS
from tact import frames
from tact.fitting import Sample, cell_of, held, horizon_cells, settle
from tact.laws import from_row
from tact.reference.fits import component_of
from tact.reference.goodness import ks_p
from tact.vocabulary import INTENTS
from train_points import SET, joined, laws_of, reference, world


@pytest.fixture(scope="module")
def large():
    return world(np.random.default_rng(4), 12_000)


@pytest.fixture(scope="module")
def fitted(large):
    return reference(large)


@pytest.mark.parametrize("intent", INTENTS)
def test_the_law_of_known_intents_is_found_within_its_interval(fitted, intent):
    row = laws_of(fitted).loc[("all", intent)]
    truth = LAWS[intent]
    limits = json.loads(row["intervals"])
    columns = {
        "exgaussian": ("mu", "sigma", "tau"),
        "shifted_lognormal": ("log_median", "log_sigma"),
    }[row["family"]]

    assert row["source"] == "own"
    assert limits["level"] == SET.level
    for column in columns:
        low, high = limits[column]
        slack = high - low
        assert low - slack < getattr(truth.density, column) < high + slack
    assert row["no_response"] == pytest.approx(truth.no_response, abs=0.04)


def test_points_and_responses_behind_a_law_are_counted(large, fitted):
    intents = large["posteriors"].query("probability == 1").set_index("point")["intent"]
    points = large["points"].assign(intent=large["points"]["point"].map(intents))
    laws = laws_of(fitted).loc["all"]

    for intent, rows in points.groupby("intent"):
        assert laws.loc[intent, "n_points"] == pytest.approx(len(rows))
        assert laws.loc[intent, "n_responses"] == pytest.approx(rows["response_ms"].notna().sum())


def test_every_law_has_a_kernel_on_the_whole_grid_and_its_cdf_ends_at_what_responds(fitted):
    laws = laws_of(fitted)
    for key, rows in fitted.kernels.groupby(["slice", "intent"]):
        assert rows["t_ms"].tolist() == list(range(-2000, 5001))
        assert rows["cdf"].iloc[-1] == pytest.approx(1 - laws.loc[key, "no_response"], abs=1e-6)
        assert rows["kernel"].between(0, 1 + 1e-12).all()


def test_slices_of_an_axis_share_out_the_points_of_all(fitted):
    laws = fitted.laws
    whole = laws.query("slice == 'all'").set_index("intent")["n_points"]
    parts = laws[laws["slice"].str.startswith("gender=")].groupby("intent")["n_points"].sum()

    assert set(laws["slice"]) == {
        "all", "corpus=candor", "gender=female", "gender=male"
    }  # fmt: skip
    assert parts.to_dict() == pytest.approx(whole.to_dict())


def test_nothing_but_whole_train_points_of_the_frame_is_fitted(large, fitted):
    extra = world(np.random.default_rng(9), 300, corpus="sssd")
    points = extra["points"]
    points.loc[:99, "split"] = "test"
    points.loc[100:199, "third_party"] = True
    spoilt = extra | {"points": points, "frame": extra["frame"].head(200)}

    pd.testing.assert_frame_equal(reference(joined(large, spoilt)).laws, fitted.laws)


def test_only_calibrated_posteriors_fit_laws(large):
    others = large | {"posteriors": large["posteriors"].assign(mode="fused")}
    laws = laws_of(reference(others))

    assert set(laws.loc["all", "source"]) == {"paper"}


def test_without_a_label_all_has_the_papers_laws_and_the_corpus_an_intent_blind_one():
    made = reference(
        world(np.random.default_rng(2), 2500, shares={"ans": 1.0})
        | {"posteriors": frames.empty("point_posteriors")}
    )
    laws = laws_of(made)

    for intent in INTENTS:
        assert laws.loc[("all", intent), "source"] == "paper"
        assert from_row(laws.loc[("all", intent)]) == LAWS[intent]
        assert laws.loc[("corpus=candor", intent), "source"] == "parent"
    blind = laws.loc[("corpus=candor", "any")]
    assert blind["family"] == "exgaussian"
    assert blind["no_response"] == pytest.approx(LAWS["ans"].no_response, abs=0.02)
    truth = LAWS["ans"].density
    assert blind["mu"] + blind["tau"] == pytest.approx(truth.mu + truth.tau, abs=0.03)


def test_a_scripted_corpus_fits_no_law(large, fitted):
    probes = world(np.random.default_rng(3), 400, corpus="probes")
    scripts = probes["posteriors"].assign(mode="script")
    both = joined(large, probes | {"posteriors": pd.concat([probes["posteriors"], scripts])})

    pd.testing.assert_frame_equal(reference(both).laws, fitted.laws)


def test_all_pools_only_what_the_config_pools(large, fitted):
    ami = world(np.random.default_rng(6), 900, corpus="ami", gender=("other",))
    laws = laws_of(reference(joined(large, ami)))
    alone = laws_of(fitted)

    pd.testing.assert_series_equal(
        laws.loc["all", "n_points"], alone.loc["all", "n_points"], check_index=False
    )
    assert laws.loc["corpus=ami", "n_points"].sum() == pytest.approx(900)
    assert laws.loc[("all", "ans"), "reason"] == "pools candor"
    assert "none of reference.pooled" in laws.loc[("gender=other", "ans"), "reason"]


def test_a_slice_gets_its_own_a_shrunk_or_its_parents_law_by_its_responses():
    rng = np.random.default_rng(12)
    big = world(rng, 4000, shares={"ans": 0.5, "bck": 0.5}, gender=("female",))
    middle = world(rng, 160, corpus="sssd", shares={"ans": 1.0}, gender=("male",))
    small = world(rng, 30, corpus="otospeech", shares={"ans": 1.0}, gender=("other",))
    laws = laws_of(reference(joined(big, middle, small)))

    sources = {name: laws.loc[(f"gender={name}", "ans"), "source"]
               for name in ("female", "male", "other")}  # fmt: skip
    assert sources == {"female": "own", "male": "shrunk", "other": "parent"}
    whole, least = laws.loc[("all", "ans")], laws.loc[("gender=other", "ans")]
    assert least[["mu", "sigma", "tau"]].tolist() == whole[["mu", "sigma", "tau"]].tolist()
    assert "under 50" in least["reason"]
    ends = {name: json.loads(laws.loc[(name, "ans"), "intervals"])
            for name in ("all", "gender=male", "gender=other")}  # fmt: skip
    assert ends["gender=other"]["mu"] == pytest.approx(ends["all"]["mu"], abs=0.02)
    assert all(own["score"][0] < own["score"][1] <= 1 for own in ends.values())


def test_order_of_rows_changes_nothing(fitted, large):
    again = reference({name: table.sample(frac=1, random_state=7) for name, table in large.items()})

    pd.testing.assert_frame_equal(fitted.laws, again.laws)
    pd.testing.assert_frame_equal(fitted.durations, again.durations)
    pd.testing.assert_frame_equal(
        fitted.speaker_priors.sort_values(["speaker", "intent"], ignore_index=True),
        again.speaker_priors.sort_values(["speaker", "intent"], ignore_index=True),
    )


def test_lengths_of_responses_are_a_weighted_ecdf(large, fitted):
    rows = fitted.durations.query("intent == 'ans' and scenario == 'smooth'")
    cdf = rows.set_index("t_ms")["cdf"]

    assert cdf.index.tolist() == list(range(0, 30_001, 50))
    assert (cdf.diff().dropna() >= 0).all()
    assert (cdf[350], cdf[30_000]) == (0.0, 1.0)
    assert cdf[400] == pytest.approx(0.2, abs=0.03)
    assert cdf[600] == pytest.approx(0.6, abs=0.03)


def test_a_speakers_prior_is_the_mean_of_the_posteriors(large, fitted):
    intents = large["posteriors"].query("probability == 1").set_index("point")["intent"]
    points = large["points"]
    own = points[points["focal"] == points["focal"].iloc[0]]
    merged = intents[own["point"]].replace(dict.fromkeys(("ref", "rhe", "hold"), "ref+rhe+hold"))
    told = fitted.speaker_priors.query("speaker == @own.focal.iloc[0]").set_index("intent")

    assert told["probability"].to_dict() == pytest.approx(
        merged.value_counts(normalize=True).to_dict()
    )
    assert set(told["n_points"]) == {len(own)}


def test_acceptability_is_the_share_of_people_who_accept_silence():
    tables = world(np.random.default_rng(1), 800)
    intents = tables["posteriors"].query("probability == 1")
    holds = intents.query("intent == 'hold'")["point"].tolist()
    labels = [
        {"unit": unit, "annotator": who, "kind": "human", "intent": "hold", "probability": 1.0,
         "saw_continuation": False, "silence_ok": who == "a" or k % 2 == 0}
        for k, unit in enumerate(holds[:40])
        for who in ("a", "b")
    ]  # fmt: skip
    laws = laws_of(reference(tables | {"labels": frames.frame(labels, "labels")}))

    assert laws.loc[("all", "hold"), "acceptability"] == pytest.approx(0.75)
    assert pd.isna(laws.loc[("all", "ans"), "acceptability"])


@pytest.mark.parametrize(
    ("shape", "least", "most"),
    [("its own", 0.05, 1.0), ("two humps", 1 / 20, 1 / 20)],
)
def test_the_goodness_of_fit_test_sees_responses_of_another_shape(shape, least, most):
    rng = np.random.default_rng(21)
    onsets = LAWS["ans"].sample(400, rng)
    if shape == "two humps":
        onsets = np.where(rng.random(400) < 0.5, -1.52, 1.0) + rng.normal(0, 0.05, 400)
    cells = horizon_cells(100)
    nobody_means_this = np.repeat([[1.0, 0.0]], 400, axis=0)
    sample = Sample(nobody_means_this, cell_of(onsets, cells), cells)
    start = [
        component_of(LAWS["ans"], shift_sd=None),
        held(component_of(LAWS["hold"], shift_sd=None)),
    ]

    p = ks_p(settle(start, sample)[0], sample, resamples=19, rng=rng)

    assert least <= p[0] <= most
    assert p[1] == 1.0
