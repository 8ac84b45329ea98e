"""Numbers that the paper prints, and what follows from its laws (arXiv 2609.27372)."""

from pathlib import Path

import numpy as np
import pytest

from tact import config
from tact.laws import paper_laws
from tact.scoring import episode_scores, human_loss, integrate
from tact.vocabulary import INTENTS

SETTINGS = config.load([Path(__file__).resolve().parents[1] / "config.yaml"])
PAPER = SETTINGS.reference.paper
LAWS = paper_laws(PAPER)
SHARES = np.array([PAPER[intent].share for intent in INTENTS])


@pytest.fixture(scope="module")
def tables():
    return integrate(LAWS, gamma=SETTINGS.reference.gamma, epsilon=SETTINGS.reference.epsilon)


def prior_mean(tables, onset_of):
    """Mean episode score by one-hot posteriors, when the onset depends on the intent alone."""
    onsets = np.array([onset_of(LAWS[intent]) for intent in INTENTS])
    return float(SHARES @ episode_scores(tables, np.eye(len(INTENTS)), onsets))


def test_shares_are_a_distribution():
    assert SHARES.sum() == pytest.approx(1.0)


def test_mode_of_cooperative_incoming_is_before_zero():
    assert round(LAWS["bck"].density.mode, 2) == -0.19


def test_most_cooperative_responses_overlap():
    assert float(LAWS["bck"].onset_cdf(0.0)) == pytest.approx(0.72, abs=0.005)


@pytest.mark.parametrize(("intent", "share"), [("ref", 0.12), ("rhe", 0.07)])
def test_log_sigma_of_ours_meets_the_share_of_responses_within_a_second(intent, share):
    assert float(LAWS[intent].density.cdf(1.0)) == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize(("intent", "beyond"), [("hold", 0.216), ("rhe", 0.157)])
def test_parents_reach_beyond_the_horizon(intent, beyond):
    assert 1 - LAWS[intent].mass == pytest.approx(beyond, abs=0.0005)


def test_facts_that_the_laws_do_not_meet():
    # 78 % of `ans` within 1 s, 74 % of `rhe` withheld, 63 % of `bck` in overlap: listed, not forced
    assert float(LAWS["ans"].cdf(1.0)) == pytest.approx(0.918, abs=0.001)
    assert LAWS["rhe"].no_response == 0.85
    assert float(LAWS["bck"].onset_cdf(0.0)) == pytest.approx(0.717, abs=0.001)


def test_episode_score_of_never_responding(tables):
    assert prior_mean(tables, lambda law: np.inf) == pytest.approx(0.822, abs=0.0005)


def test_episode_score_of_a_fixed_onset(tables):
    assert prior_mean(tables, lambda law: 0.26) == pytest.approx(0.583, abs=0.0005)


def test_episode_score_of_the_median_is_above_a_human_draw(tables):
    human = 1 - np.array([human_loss(tables, intent) for intent in INTENTS]) / tables.totals

    assert prior_mean(tables, lambda law: float(law.quantile(0.5))) == pytest.approx(
        0.935, abs=5e-4
    )
    assert float(SHARES @ human) == pytest.approx(0.870, abs=5e-4)


def test_never_responding_scores_at_least_054_under_any_posterior(tables):
    # so the paper's .18 for it cannot follow from the printed laws
    rng = np.random.default_rng(1)
    corners = [np.eye(6), rng.dirichlet(np.full(6, 0.3), 20_000)]
    some = np.linspace(0, 1, 51)[:, None]
    pairs = [a * some + b * (1 - some) for a in np.eye(6) for b in np.eye(6)]
    posterior = np.concatenate([*corners, *pairs])

    worst = episode_scores(tables, posterior, np.full(len(posterior), np.inf)).min()

    assert worst >= 0.54
    assert worst == pytest.approx(0.54, abs=0.01)
