"""Densities, laws with their atom, and their way into and out of a table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from tact.errors import TableError
from tact.laws import (
    ExGaussian,
    Law,
    ShiftedLogNormal,
    from_row,
    laws_of,
    paper_law,
    paper_rows,
    parameters,
)
from tact.settings import PaperLaw
from tact.vocabulary import FAMILIES

DENSITIES = [
    ExGaussian(0.16, 0.11, 0.24),
    ExGaussian(-0.32, 0.18, 0.2),
    ExGaussian(1.95, 0.5, 0.8),
    ExGaussian(0.3, 0.6, 0.02),
    ShiftedLogNormal(0.64, 0.55, 0.0),
    ShiftedLogNormal(1.1, 0.65, -0.4),
    ShiftedLogNormal(-1.0, 1.2, 0.3),
]
ex_gaussians = st.builds(ExGaussian, st.floats(-1.5, 3), st.floats(0.02, 1.5), st.floats(0.02, 1.5))
log_normals = st.builds(
    ShiftedLogNormal, st.floats(-1.5, 1.5), st.floats(0.1, 1.5), st.floats(-0.5, 0.5)
)
laws = st.builds(Law, ex_gaussians | log_normals, st.floats(0, 1))


def oracle(density):
    if isinstance(density, ExGaussian):
        return stats.exponnorm(density.tau / density.sigma, density.mu, density.sigma)
    return stats.lognorm(density.log_sigma, density.shift, np.exp(density.log_median))


@pytest.mark.parametrize("density", DENSITIES, ids=str)
def test_density_and_cdf_agree_with_scipy(density):
    t = np.linspace(-1.9, 4.9, 69)

    with np.errstate(divide="ignore"):
        expected = oracle(density).logpdf(t)
    near = expected > -30
    assert density.logpdf(t)[near] == pytest.approx(expected[near], rel=1e-9, abs=1e-9)
    assert density.cdf(t) == pytest.approx(oracle(density).cdf(t), abs=1e-12)
    assert density.sf(t) == pytest.approx(oracle(density).sf(t), abs=1e-12)


@pytest.mark.parametrize("density", DENSITIES, ids=str)
def test_mode_is_where_the_density_is_highest(density):
    around = density.mode + np.linspace(-0.5, 0.5, 20_001)
    heights = density.logpdf(around)

    assert around[heights.argmax()] == pytest.approx(density.mode, abs=1e-4)
    assert density.log_sup == pytest.approx(heights.max(), abs=1e-12)


@pytest.mark.parametrize(
    "density", [ExGaussian(0.0, 1.0, 1e-3), ExGaussian(0.0, 1e-3, 1.0), ExGaussian(2.0, 0.3, 0.3)]
)
def test_tails_of_the_ex_gaussian_neither_overflow_nor_vanish(density):
    far = np.array([-40.0, -8.0, 8.0, 300.0])

    assert np.isfinite(density.logpdf(far)).all()
    assert ((density.cdf(far) >= 0) & (density.cdf(far) <= 1)).all()
    assert density.cdf(far) + density.sf(far) == pytest.approx(np.ones(4), abs=1e-15)


@given(ex_gaussians)
def test_cdf_of_the_ex_gaussian_rises(density):
    assert (np.diff(density.cdf(np.linspace(-10, 10, 401))) >= 0).all()


@pytest.mark.parametrize("density", DENSITIES, ids=str)
def test_samples_of_the_parent_follow_it(density):
    drawn = density.sample(4000, np.random.default_rng(3))

    assert stats.kstest(drawn, lambda t: density.cdf(t)).pvalue > 0.001


@pytest.mark.parametrize("arguments", [(0.1, 0.0, 0.2), (0.1, 0.2, -1.0), (np.nan, 0.1, 0.1)])
def test_an_ex_gaussian_out_of_range_is_refused(arguments):
    with pytest.raises(ValueError, match="above 0"):
        ExGaussian(*arguments)


def test_a_log_normal_out_of_range_is_refused():
    with pytest.raises(ValueError, match="log_sigma"):
        ShiftedLogNormal(0.0, 0.0, 0.0)


@pytest.mark.parametrize("density", DENSITIES, ids=str)
def test_truncated_density_integrates_to_one_over_the_domain(density):
    law = Law(density, 0.3)
    points = sorted({-0.4, 0.0, 0.3, float(np.clip(density.mode, -2, 5))})

    area, _ = integrate.quad(lambda t: float(law.pdf(t)), -2, 5, points=points, limit=400)

    assert area == pytest.approx(1.0, abs=1e-8)
    assert law.pdf([-2.001, 5.001]).tolist() == [0.0, 0.0]


@given(laws)
def test_sub_cdf_runs_from_zero_to_the_mass_that_responds(law):
    values = law.cdf([-np.inf, -3.0, -2.0, 5.0, 9.0, np.inf])

    assert values[:3] == pytest.approx(np.zeros(3), abs=1e-12)
    assert values[3:] == pytest.approx(np.full(3, 1 - law.no_response), abs=1e-12)


@given(laws, st.floats(0.001, 0.999))
def test_quantile_inverts_the_sub_cdf(law, share):
    p = share * (1 - law.no_response)

    if p > 0:
        onset = float(law.quantile(p))
        assert -2 <= onset <= 5
        # F rises by at most its density times the step of the search
        assert float(law.cdf(onset)) == pytest.approx(p, abs=1e-7)


def test_quantile_beyond_the_responses_is_no_response():
    assert Law(DENSITIES[0], 0.4).quantile([0.2, 0.61, 1.0]).tolist()[1:] == [np.inf, np.inf]


def test_samples_of_a_law_follow_it_and_stay_away_as_often_as_it_says():
    law = Law(ShiftedLogNormal(1.1, 0.65, 0.0), 0.9)
    drawn = law.sample(20_000, np.random.default_rng(5))
    answered = drawn[np.isfinite(drawn)]

    assert len(answered) / len(drawn) == pytest.approx(0.1, abs=0.01)
    assert answered.max() <= 5
    assert stats.kstest(answered, lambda t: law.onset_cdf(t)).pvalue > 0.001


def test_the_same_generator_draws_the_same_onsets():
    law = Law(DENSITIES[0], 0.05)

    one, two = (law.sample(50, np.random.default_rng(8)) for _ in range(2))

    assert np.array_equal(one, two)


@pytest.mark.parametrize("no_response", [-0.1, 1.1, np.nan])
def test_an_atom_out_of_range_is_refused(no_response):
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        Law(DENSITIES[0], no_response)


def test_a_density_outside_the_domain_is_refused():
    with pytest.raises(ValueError, match="no mass"):
        Law(ShiftedLogNormal(0.0, 0.1, 400.0), 0.1)


@given(laws)
def test_a_law_survives_its_row(law):
    row = {"slice": "all", "intent": "ans", **parameters(law)}

    assert from_row(row) == law
    assert from_row(pd.Series(row)) == law
    assert row["family"] in FAMILIES


def test_a_row_without_a_parameter_is_named():
    row = {"slice": "all", "intent": "ref", "family": "exgaussian", "mu": 0.1, "sigma": None}

    with pytest.raises(TableError, match="slice all, intent ref"):
        from_row({**row, "tau": 0.2, "no_response": 0.1})


def test_a_missing_slice_names_those_that_are_there():
    rows = pd.DataFrame([{"slice": "all", "intent": "ans", **parameters(Law(DENSITIES[0], 0.1))}])

    assert laws_of(rows, "all") == {"ans": Law(DENSITIES[0], 0.1)}
    with pytest.raises(TableError, match="no slice 'gender=female'; known: all"):
        laws_of(rows, "gender=female")


def printed(**changes):
    entry = {"share": 0.1, "family": "shifted_lognormal", "mu": None, "sigma": None, "tau": None}
    entry |= {"median": 1.9, "log_sigma": 0.55, "shift": 0.1, "no_response": 0.4}
    return PaperLaw(**(entry | changes))


def test_median_of_a_printed_log_normal_includes_its_shift():
    law = paper_law(printed())

    assert float(law.density.cdf(1.9)) == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize(
    "changes", [{"median": 0.05}, {"log_sigma": None}, {"family": "exgaussian"}]
)
def test_a_printed_law_without_its_parameters_is_refused(changes):
    with pytest.raises(ValueError, match="needs"):
        paper_law(printed(**changes))


def test_rows_of_printed_laws_say_what_is_ours():
    (row,) = paper_rows({"ref": printed()})

    assert (row["source"], row["slice"], row["intent"]) == ("paper", "all", "ref")
    assert "ours" in row["reason"]
    assert from_row(row) == paper_law(printed())
