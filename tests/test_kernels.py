"""Kernel and weight, and their integral."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from tact.kernels import GRID_MS, GRID_S, kernel, nodes_between, on_grid, total_weight, weight
from tact.laws import ExGaussian, Law, ShiftedLogNormal

ANS = Law(ExGaussian(0.16, 0.11, 0.24), 0.05)
HOLD = Law(ShiftedLogNormal(np.log(3.0), 0.65, 0.0), 0.9)


@pytest.mark.parametrize("law", [ANS, HOLD], ids=["ans", "hold"])
def test_total_weight_is_the_integral_of_the_weight(law):
    area, _ = integrate.quad(
        lambda t: float(weight(law, t, gamma=0.7, epsilon=0.02)),
        -2,
        5,
        points=[0.0, law.density.mode],
        limit=500,
        epsabs=1e-12,
    )

    assert total_weight(law, gamma=0.7, epsilon=0.02) == pytest.approx(area, abs=1e-10)


@given(st.floats(0.1, 3.0), st.floats(0.0, 1.0))
def test_weight_lies_between_its_floor_and_one(gamma, epsilon):
    values = weight(ANS, GRID_S, gamma=gamma, epsilon=epsilon)

    assert values.min() >= epsilon
    assert values.max() <= 1.0
    assert float(weight(ANS, ANS.density.mode, gamma=gamma, epsilon=epsilon)) == pytest.approx(1.0)


def test_weight_is_zero_outside_the_domain():
    assert weight(HOLD, [-2.001, 5.001, np.inf], gamma=0.7, epsilon=0.02).tolist() == [0, 0, 0]


def test_kernel_of_a_mode_beyond_the_horizon_reaches_one_at_the_horizon():
    late = Law(ExGaussian(6.0, 0.5, 0.5), 0.5)

    values = kernel(late, GRID_S, gamma=0.7)

    assert values[-1] == 1.0
    assert (np.diff(values) >= 0).all()


def test_a_higher_gamma_makes_a_narrower_kernel():
    narrow, wide = (total_weight(ANS, gamma=gamma, epsilon=0.0) for gamma in (1.0, 0.3))

    assert narrow < wide


def test_grid_holds_every_millisecond_of_the_domain():
    columns = on_grid(ANS, gamma=0.7, epsilon=0.02)

    assert (GRID_MS[0], GRID_MS[-1], len(GRID_MS)) == (-2000, 5000, 7001)
    assert {len(column) for column in columns.values()} == {7001}
    assert columns["cdf"][-1] == pytest.approx(0.95)
    assert columns["density"].sum() / 1000 == pytest.approx(1.0, abs=1e-6)


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=5))
def test_quadrature_is_exact_for_polynomials_of_degree_five(widths):
    edges = np.concatenate([[0.0], np.cumsum(widths)])
    nodes, weights = nodes_between(edges)

    assert (nodes**5 * weights).sum() == pytest.approx(edges[-1] ** 6 / 6, rel=1e-12)
