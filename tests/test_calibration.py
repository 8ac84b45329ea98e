"""Temperature, fusion, calibration error, and annotators whose confusions are unknown."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden import case, cases, needs_golden
from tact.calibration.fusion import ece, fit_lambda, fit_temperature, fuse, held_out, share, temper
from tact.calibration.latent import Votes, fit_latent

K = 6


def counts_of(labels):
    return np.array([np.bincount(unit, minlength=K) for unit in labels], dtype=float)


def episodes(golden):
    units = golden["inputs"]["episodes"]
    return counts_of([u["labels"] for u in units]), np.array([u["pJ"] for u in units])


@needs_golden
def test_temperature_meets_the_golden_value():
    golden = case("temperature")
    counts, judge = episodes(golden)

    found = fit_temperature(judge, counts)

    loss = -float((counts * np.log(temper(judge, found))).sum())
    assert found == pytest.approx(golden["output"]["T"], abs=golden["tol"])
    assert loss == pytest.approx(golden["output"]["nll"], abs=golden["tol"])


def left_out_log_likelihood(counts, tempered, weight):
    """Mean log probability of each label under the fusion of the unit's other labels and judge."""
    total = 0.0
    for label in range(K):
        rest = counts - np.eye(K)[label]
        rows = counts[:, label] > 0
        fused = fuse(share(rest[rows]), tempered[rows], weight)
        total += float(counts[rows, label] @ np.log(fused[:, label]))
    return total / counts.sum()


@needs_golden
def test_lambda_meets_the_golden_value():
    golden = case("lambda")
    counts, judge = episodes(golden)

    found = fit_lambda(counts, temper(judge, golden["inputs"]["T"]), smoothing=0.0)

    want = golden["output"]
    assert found == pytest.approx(want["lam"], abs=golden["tol"])
    tempered = temper(judge, golden["inputs"]["T"])
    steps = {float(at): value for at, value in want["loglik_at_0_1_to_1"].items()}
    steps = {**steps, want["lam"]: want["loglik"]}
    assert steps.pop(0.0) is None  # minus infinity
    got = {at: left_out_log_likelihood(counts, tempered, at) for at in steps}
    assert got == pytest.approx(steps, abs=golden["tol"])


@needs_golden
def test_fusion_meets_the_golden_values():
    golden = case("fusion")
    inputs = golden["inputs"]

    found = fuse(
        share(counts_of(inputs["labels"])),
        temper(np.array(inputs["pJ"]), inputs["T"]),
        inputs["lam"],
    )

    assert np.abs(found - np.array(golden["output"])).max() < golden["tol"]


@pytest.mark.parametrize("golden", cases("ece"))
def test_the_calibration_error_meets_the_golden_values(golden):
    inputs = golden["inputs"]

    found = ece(np.array(inputs["conf"]), np.array(inputs["correct"], float), bins=inputs["bins"])

    assert found == pytest.approx(golden["output"], abs=golden["tol"])


def test_a_judge_that_is_sure_of_nothing_can_still_be_tempered():
    tempered = temper(np.array([[1.0, 0.0, 0.0]]), 2.0)

    assert np.isfinite(tempered).all()
    assert tempered.sum() == pytest.approx(1.0)


def test_a_unit_without_judge_or_without_labels_has_the_other_alone():
    q = np.array([[0.5, 0.5], [np.nan, np.nan], [0.2, 0.8]])
    judge = np.array([[np.nan, np.nan], [0.1, 0.9], [1.0, 0.0]])

    assert fuse(q, judge, 0.25) == pytest.approx(np.array([[0.5, 0.5], [0.1, 0.9], [0.4, 0.6]]))


@given(st.integers(1, 40), st.integers(0, 2**31))
def test_the_error_of_a_perfect_forecaster_who_says_only_1_is_0(n, seed):
    correct = np.ones(n)

    assert ece(np.ones(n), correct, bins=15) == 0
    assert ece(np.ones(n), 1 - correct, bins=15) == 1


def test_a_held_out_label_is_judged_by_the_others_alone():
    counts = np.array([[2.0, 1.0]])
    none = np.full((1, 2), np.nan)

    confidence, correct = held_out(counts, none, 0.3)

    # The two that agree each leave a tie behind, right by half; the lone one is outvoted, wrongly.
    assert sorted(zip(confidence, correct, strict=True)) == [
        (0.5, 0.5),
        (0.5, 0.5),
        (1.0, 0.0),
    ]


def made_votes(rng, n, annotators=5, each=3):
    shares = np.array([0.316, 0.161, 0.092, 0.182, 0.153, 0.096])
    truth = rng.choice(K, size=n, p=shares)
    confusion = np.stack([rng.dirichlet(0.5 + 8 * np.eye(K)[z], size=annotators) for z in range(K)])
    confusion = 0.12 * confusion + 0.88 * np.eye(K)[:, None, :]
    unit = np.repeat(np.arange(n), each)
    who = np.concatenate([rng.permutation(annotators)[:each] for _ in range(n)])
    cumulative = confusion[truth[unit], who].cumsum(axis=1)
    said = (rng.random((len(unit), 1)) > cumulative).sum(axis=1)
    votes = Votes(unit, who, said, np.zeros(n, np.int64), np.full((n, K), np.nan))
    return truth, confusion.transpose(1, 0, 2), votes


def test_confusions_of_annotators_are_found_and_their_posterior_is_calibrated(rng):
    truth, confusion, votes = made_votes(rng, 6000)

    found = fit_latent(votes, pseudo_count=0.5)

    assert np.abs(found.confusion - confusion).max() < 0.06
    top = found.posterior.argmax(axis=1)
    assert ece(found.posterior.max(axis=1), (top == truth).astype(float), bins=15) < 0.01
    assert found.shares[0] == pytest.approx(np.bincount(truth, minlength=K) / 6000, abs=0.02)


def test_the_penalised_likelihood_never_falls(rng):
    _, _, votes = made_votes(rng, 400)

    history = fit_latent(votes, pseudo_count=0.5).log_likelihood

    assert (np.diff(history) > -1e-6).all()


def test_posteriors_sum_to_one_and_units_without_labels_take_the_shares(rng):
    _, _, votes = made_votes(rng, 300)
    more = Votes(
        votes.unit,
        votes.annotator,
        votes.intent,
        np.zeros(301, np.int64),
        np.full((301, K), np.nan),
    )

    found = fit_latent(more, pseudo_count=0.5)

    assert found.posterior.sum(axis=1) == pytest.approx(1.0)
    assert found.posterior[300] == pytest.approx(found.shares[0], abs=1e-3)
