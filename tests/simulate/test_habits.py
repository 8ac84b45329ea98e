import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_world import LAWS, studio
from tact.errors import ConfigError
from tact.keys import generator
from tact.laws import ExGaussian, Law
from tact.simulate.dice import Dice
from tact.simulate.habits import habits_of, vary
from tact.vocabulary import INTENTS


class Fixed:
    """A generator whose normal draw and beta draw are given."""

    def __init__(self, normal, beta):
        self._normal, self._beta = normal, beta

    def standard_normal(self):
        return self._normal

    def beta(self, a, b):
        assert a / (a + b) == pytest.approx(self._beta)
        return self._beta


@pytest.mark.parametrize("intent", INTENTS)
def test_speakers_pool_to_the_reference_law_by_quadrature(intent):
    law = LAWS[intent]
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    weights = weights / weights.sum()
    # Away from the ends of T, where a truncated density jumps.
    t = np.arange(-1.995, 5.0, 0.05)
    pooled = np.zeros(len(t))
    for node, weight in zip(nodes, weights, strict=True):
        own = vary(law, Fixed(node, law.no_response), intent)
        pooled += weight * own.answered * own.law.pdf(t)

    np.testing.assert_allclose(pooled, (1 - law.no_response) * law.pdf(t), atol=1e-9)


@pytest.mark.parametrize("intent", INTENTS)
def test_speakers_differ_by_as_much_as_they_should(intent):
    rng = generator("habits of many")
    own = [vary(LAWS[intent], rng, intent) for _ in range(2000)]
    density = LAWS[intent].density
    if isinstance(density, ExGaussian):
        centres, centre, spread = [o.law.density.mu for o in own], density.mu, 0.06
    else:
        centres = [o.law.density.log_median for o in own]
        centre, spread = density.log_median, 0.25
    betas = [o.law.no_response for o in own]

    assert np.mean(centres) == pytest.approx(centre, abs=4 * spread / np.sqrt(2000))
    assert np.std(centres) == pytest.approx(spread, rel=0.06)
    assert np.mean(betas) == pytest.approx(LAWS[intent].no_response, abs=0.008)
    assert 0.01 < np.std(betas) < 0.1


@given(st.integers(0, 10_000), st.sampled_from(INTENTS))
def test_a_response_lies_on_the_grid_inside_the_half_open_domain(seed, intent):
    own = habits_of("s", corpus="c", laws=LAWS, seed=seed).laws[intent]
    dice = Dice("test", seed)
    drawn = [own.respond(dice) for _ in range(30)]

    assert all(y % 10 == 0 and -2000 <= y < 5000 for y in drawn if y is not None)


def test_an_onset_next_to_the_horizon_is_not_read_as_the_atom():
    own = vary(Law(ExGaussian(4.9999, 0.0601, 1e-9), 0.0), Fixed(0.0, 0.0), "ans")
    dice = Dice("test", "horizon")
    drawn = {own.respond(dice) for _ in range(200)} - {None}

    assert max(drawn) == 4990


def test_a_law_narrower_than_the_spread_between_speakers_is_refused():
    with pytest.raises(ConfigError, match=r"reference.paper.ans: a spread of 0.05"):
        vary(Law(ExGaussian(0.1, 0.05, 0.2), 0.1), generator("x"), "ans")


def test_a_person_is_the_same_in_every_conversation_and_under_every_order():
    one, other = studio(), studio()
    other.person("b")

    assert one.person("a") == other.person("a")
    assert one.person("a") != other.person("b")
    assert one.person("c", gender="male").gender == "male"
