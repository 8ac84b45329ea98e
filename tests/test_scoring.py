"""The scoring rule on arrays: its theorems, and oracles that share no code with it."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import scoringrules
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate as quadrature

from tact import config
from tact.kernels import weight
from tact.laws import ExGaussian, Law, ShiftedLogNormal, paper_laws
from tact.scoring import (
    composite,
    episode_scores,
    human_loss,
    integrate,
    jensen_shannon,
    length_crps,
    length_divergence,
    onset_histogram,
    overlap_score,
    own_steps,
    population,
    steps,
    total,
    twcrps,
    twcrps_of,
)

PAPER = config.load([Path(__file__).resolve().parents[1] / "config.yaml"]).reference.paper
LAWS = paper_laws(PAPER)
INTENTS = list(LAWS)
SHARES = np.array([PAPER[intent].share for intent in INTENTS])
TABLES = integrate(LAWS, gamma=0.7, epsilon=0.02)
onset_values = st.floats(-2, 5) | st.just(np.inf)


def w(intent):
    return lambda t: weight(LAWS[intent], t, gamma=0.7, epsilon=0.02)


def step(onsets):
    """The empirical sub-CDF of onsets."""
    onsets = np.asarray(onsets, dtype=float)
    return lambda t: (onsets <= np.asarray(t)[..., None]).mean(axis=-1)


@given(st.sampled_from(INTENTS), onset_values)
@settings(max_examples=40)
def test_tables_give_what_the_definition_gives(intent, onset):
    defined = twcrps_of(LAWS[intent].cdf, w(intent), onset)

    assert float(twcrps(TABLES, intent, np.array([onset]))[0]) == pytest.approx(defined, abs=1e-10)


@pytest.mark.parametrize("intent", ["ans", "hold", "bck"])
@pytest.mark.parametrize("onset", [-0.7, 0.2345, 2.5, np.inf])
def test_definition_agrees_with_scipy(intent, onset):
    def integrand(t):
        return float(w(intent)(t) * (LAWS[intent].cdf(t) - (onset <= t)) ** 2)

    cuts = [-2.0, *sorted({c for c in (onset, 0.0, LAWS[intent].density.mode) if c < 5}), 5.0]
    parts = [quadrature.quad(integrand, a, b, epsabs=1e-13, limit=200)[0]
             for a, b in itertools.pairwise(cuts)]  # fmt: skip

    assert twcrps_of(LAWS[intent].cdf, w(intent), onset) == pytest.approx(sum(parts), abs=1e-10)


@pytest.mark.parametrize("onset", [-0.2, 0.26, 1.5, 5.0])
def test_agrees_with_the_threshold_weighted_ensemble_of_scoringrules(onset):
    # The chaining function is the integral of the weight; the atom sits at the horizon.
    draws = np.minimum(LAWS["ans"].sample(2000, np.random.default_rng(2)), 5.0)
    grid = np.linspace(-2, 5, 70_001)
    chain = np.concatenate([[0.0], np.cumsum(w("ans")(0.5 * (grid[1:] + grid[:-1])) * 1e-4)])
    expected = scoringrules.twcrps_ensemble(
        onset, draws, v_func=lambda x: np.interp(x, grid, chain)
    )
    draws_below = np.where(draws < 5.0, draws, np.inf)

    got = twcrps_of(step(draws_below), w("ans"), onset, breaks=draws)

    assert got == pytest.approx(float(expected), abs=1e-6)


@given(st.sampled_from(INTENTS), st.lists(onset_values, min_size=1, max_size=6), onset_values)
@settings(max_examples=40)
def test_a_score_lies_between_zero_and_the_total_weight(intent, rival, onset):
    loss = twcrps_of(step(rival), w(intent), onset, breaks=rival)

    assert -1e-12 <= loss <= TABLES.totals[TABLES.position(intent)] + 1e-12


@given(st.sampled_from(INTENTS), st.lists(onset_values, min_size=1, max_size=8))
@settings(max_examples=40)
def test_no_rival_forecast_expects_less_loss_than_the_human_law(intent, rival):
    # E twCRPS(P, y) = d(P, h) + R for y from h: the least is at P = h
    rival = np.array(rival)
    z = TABLES.position(intent)
    squares = twcrps(TABLES, intent, rival).mean()
    onset_tail = TABLES.b(np.sort(rival))[z]
    n = len(rival)
    spread = onset_tail.mean() - (2 * np.arange(n) + 1) @ onset_tail / n**2

    assert squares - spread >= -1e-12


def test_expected_loss_of_a_human_draw_is_its_mean_loss():
    draws = LAWS["ref"].sample(40_000, np.random.default_rng(4))

    mean = twcrps(TABLES, "ref", draws).mean()

    assert human_loss(TABLES, "ref") == pytest.approx(mean, abs=0.005)


def test_onset_at_the_horizon_scores_as_no_response():
    at, never = (episode_scores(TABLES, SHARES[None], np.array([y])) for y in (5.0, np.inf))

    assert at == pytest.approx(never, abs=1e-15)


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6), onset_values)
@settings(max_examples=30)
def test_episode_score_is_the_score_of_the_mixed_forecast(raw, onset):
    q = np.array(raw) / sum(raw)

    def forecast(t):
        return sum(share * LAWS[intent].cdf(t) for share, intent in zip(q, INTENTS, strict=True))

    def weighting(t):
        return sum(share * w(intent)(t) for share, intent in zip(q, INTENTS, strict=True))

    expected = 1 - twcrps_of(forecast, weighting, onset) / (q @ TABLES.totals)

    assert float(episode_scores(TABLES, q[None], np.array([onset]))[0]) == pytest.approx(
        expected, abs=1e-10
    )


def whole(found, which):
    return 1 - total(found.share, getattr(found, which))


def one_run(posterior, onsets, weights=None):
    n = len(posterior)
    weights = np.ones(n) if weights is None else weights
    return population(TABLES, posterior, weights, np.arange(n), np.asarray(onsets))


def test_population_score_by_hand():
    # one intent: d = int w (P - H)^2 with P the empirical law, and its bias int w P (1 - P) / (n-1)
    onsets = np.array([-0.3, 0.1, 0.4, 0.4, 2.0, np.inf])
    posterior = np.tile(np.eye(6)[0], (6, 1))
    edges = np.unique(np.concatenate([np.linspace(-2, 5, 7001), onsets[:-1]]))
    middle, width = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    own, weights = step(onsets)(middle), w("ans")(middle)
    divergence = (weights * (own - LAWS["ans"].cdf(middle)) ** 2) @ width
    bias = (weights * own * (1 - own)) @ width / 5

    found = one_run(posterior, onsets)

    assert whole(found, "plug_in") == pytest.approx(1 - divergence / TABLES.totals[0], abs=1e-6)
    assert whole(found, "fair") == pytest.approx(
        1 - (divergence - bias) / TABLES.totals[0], abs=1e-6
    )


def test_soft_population_score_by_integration():
    rng = np.random.default_rng(6)
    posterior, onsets = rng.dirichlet(np.ones(6), 5), np.array([0.1, 0.3, -0.4, 2.2, np.inf])
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0])
    middle = np.linspace(-2, 5, 140_001)[:-1] + 2.5e-5
    cdfs = np.stack([law.cdf(middle) for law in LAWS.values()])
    z = 1
    omega = weights * posterior[:, z] / (weights @ posterior[:, z])
    apart = (onsets[:, None] <= middle) - posterior @ cdfs
    mean = omega @ apart
    spread = (omega**2) @ (apart - mean) ** 2 / (1 - (omega**2).sum())
    scale = w("ref")(middle) * 5e-5 / TABLES.totals[z]

    found = one_run(posterior, onsets, weights)

    assert found.plug_in[z] == pytest.approx(float(scale @ mean**2), abs=1e-5)
    assert found.fair[z] == pytest.approx(float(scale @ (mean**2 - spread)), abs=1e-5)


def simulate(rng, n, *, soft):
    posterior = rng.dirichlet(4 * SHARES, n) if soft else np.eye(6)[rng.choice(6, n, p=SHARES)]
    intent = (rng.random((n, 1)) > np.cumsum(posterior, axis=1)).sum(axis=1).clip(0, 5)
    u = rng.random(n)
    onsets = np.empty(n)
    for z, law in enumerate(LAWS.values()):
        onsets[intent == z] = law.quantile(u[intent == z])
    return posterior, onsets


@pytest.mark.parametrize("soft", [False, True], ids=["one-hot", "soft"])
def test_humans_score_one_and_the_fair_value_is_unbiased(soft):
    rng = np.random.default_rng(11)
    found = [one_run(*simulate(rng, 400, soft=soft)) for _ in range(40)]
    plug_in = np.array([whole(each, "plug_in") for each in found])
    fair = np.array([whole(each, "fair") for each in found])

    assert (plug_in < 1).all()
    assert abs(fair.mean() - 1) < 4 * fair.std() / np.sqrt(len(fair))
    assert abs(plug_in.mean() - 1) > 8 * abs(fair.mean() - 1)


def test_runs_of_one_episode_are_averaged_and_do_not_count_as_episodes():
    posterior, onsets = simulate(np.random.default_rng(12), 60, soft=True)
    thrice = population(
        TABLES, posterior, np.ones(60), np.repeat(np.arange(60), 3), np.repeat(onsets, 3)
    )

    once = one_run(posterior, onsets)

    assert thrice.plug_in == pytest.approx(once.plug_in, abs=1e-12)
    assert thrice.fair == pytest.approx(once.fair, abs=1e-12)


def test_order_of_runs_does_not_matter():
    posterior, onsets = simulate(np.random.default_rng(13), 50, soft=True)
    episodes = np.repeat(np.arange(25), 2)
    shuffled = np.random.default_rng(14).permutation(50)

    one = population(TABLES, posterior[:25], np.ones(25), episodes, onsets)
    two = population(TABLES, posterior[:25], np.ones(25), episodes[shuffled], onsets[shuffled])

    assert one.fair == pytest.approx(two.fair, abs=1e-13)


def test_intent_with_one_episode_has_no_fair_value():
    posterior = np.eye(6)[[0, 0, 1]]

    found = one_run(posterior, [0.2, 0.3, 1.8])

    assert np.isnan(found.fair[1])
    assert np.isfinite(found.plug_in[1])
    assert np.isnan(found.plug_in[2:]).all()


def test_a_system_of_the_intent_blind_human_law_has_the_blind_divergence():
    rng = np.random.default_rng(15)
    posterior, onsets = simulate(rng, 6000, soft=False)

    found = one_run(posterior, rng.permutation(onsets))

    assert total(found.share, found.fair) == pytest.approx(total(found.share, found.blind), rel=0.1)


def test_where_nothing_is_known_of_an_episode_the_reference_is_the_prior_mixture():
    posterior = np.tile(SHARES, (3000, 1))
    _, onsets = simulate(np.random.default_rng(16), 3000, soft=False)

    found = one_run(posterior, onsets)

    assert whole(found, "fair") == pytest.approx(1.0, abs=0.001)
    assert found.blind == pytest.approx(np.zeros(6), abs=1e-12)


def test_length_divergence_by_hand():
    human = steps(np.array([1000, 3000]), np.array([0.5, 1.0]), length_max_ms=30_000)
    own = own_steps(np.array([2000, 40_000]), np.array([3.0, 1.0]), length_max_ms=30_000)

    # [1, 2): .5^2, [2, 3): .25^2, [3, 30): .25^2
    assert length_divergence(own, human) == pytest.approx(0.25 + 0.0625 * 28)


@given(st.lists(st.integers(0, 29_999), min_size=1, max_size=6), st.integers(0, 40_000))
@settings(max_examples=25)
def test_crps_of_a_length_agrees_with_scoringrules(lengths, length):
    lengths = np.sort(np.array(lengths))
    human = own_steps(lengths, np.ones(len(lengths)), length_max_ms=30_000)
    cut = min(length, 30_000) / 1000

    got = length_crps(human[None], np.ones((1, 1)), np.array([length]))

    assert float(got[0]) == pytest.approx(
        float(scoringrules.crps_ensemble(cut, lengths / 1000, estimator="nrg")), abs=1e-9
    )


def test_intent_without_human_lengths_leaves_its_share_to_the_others():
    human = np.stack(
        [np.full(30_000, np.nan), steps(np.array([500]), np.ones(1), length_max_ms=30_000)]
    )

    got = length_crps(human, np.array([[0.7, 0.3], [1.0, 0.0]]), np.array([700, 700]))

    assert got[0] == pytest.approx(0.2)
    assert np.isnan(got[1])


def test_weight_of_an_unknown_part_is_shared_in_proportion():
    parts = {"timing": 0.8, "length": np.nan, "overlap": 0.5}

    got = composite(parts, {"timing": 0.7, "length": 0.15, "overlap": 0.15})

    assert got == pytest.approx((0.7 * 0.8 + 0.15 * 0.5) / 0.85)
    assert np.isnan(composite({"timing": np.nan}, {"timing": 1.0}))


@given(st.floats(0, 100))
def test_overlap_costs_and_no_overlap_is_free(cost):
    assert 0 <= float(overlap_score(np.array(cost), kappa_per_s=1.2)) <= 1
    assert float(overlap_score(np.array(0.0), kappa_per_s=1.2)) == 1.0


def test_histogram_puts_an_onset_on_an_edge_above_it_and_the_late_with_the_silent():
    counts = onset_histogram(np.array([-2.0, 0.3, 4.999, 5.0, np.inf]), width_s=0.1)

    assert np.flatnonzero(counts).tolist() == [0, 23, 69, 70]
    assert counts[70] == 2


histograms = st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any).map(np.array)


@given(histograms, histograms)
def test_divergence_of_histograms_is_a_bounded_symmetric_distance(p, q):
    assert -1e-15 <= jensen_shannon(p, q) <= 1
    assert jensen_shannon(p, q) == pytest.approx(jensen_shannon(q, p), abs=1e-12)
    assert jensen_shannon(p, 3 * p) == pytest.approx(0.0, abs=1e-12)


def test_divergence_of_an_empty_histogram_is_refused():
    with pytest.raises(ValueError, match="not empty"):
        jensen_shannon(np.zeros(3), np.ones(3))


def test_tables_of_a_narrow_law_stay_exact_between_milliseconds():
    law = Law(ExGaussian(0.2, 0.02, 0.05), 0.1)
    tables = integrate(
        {"z": law, "far": Law(ShiftedLogNormal(1.0, 0.3, 0.0), 0.5)}, gamma=0.7, epsilon=0.02
    )
    onsets = np.array([0.1803, 0.20517, 0.2999])

    expected = [
        twcrps_of(law.cdf, lambda t: weight(law, t, gamma=0.7, epsilon=0.02), y) for y in onsets
    ]

    assert twcrps(tables, "z", onsets) == pytest.approx(expected, abs=1e-9)
