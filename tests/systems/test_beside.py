"""What stands beside a system's own answers: the anchors, and the measure of an onset."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import bench
from tact import systems
from tact.errors import InputError
from tact.kernels import GRID_S

SYSTEMS = bench.SETTINGS.systems


def beside(responses, of, points, posteriors):
    return systems.anchors(
        responses, of, points, posteriors, bench.laws(), settings=SYSTEMS, mode="fused", seed=1
    )


def test_every_anchor_that_is_lacking_stands_beside():
    of = bench.episodes(4)
    own = pd.concat([bench.responses(of, 300), bench.responses(of, 100, system="human")])

    found = beside(own, of, bench.points(of, 200, 900), bench.posteriors(of, "ans"))

    assert set(found["system"]) == {"never", "fixed", "blind", "median"}


def test_anchors_stand_beside_no_empty_table():
    of = bench.episodes(3)

    with pytest.raises(InputError, match="no row, so no system to score"):
        beside(bench.responses(of, 300)[:0], of, None, bench.posteriors(of, "ans"))


def test_the_human_is_the_partner_where_points_tell_and_else_drawn_from_the_law():
    of = bench.episodes(1500, ["smooth"])
    posterior, _ = bench.draws(np.random.default_rng(1), 1500)
    posteriors, own = bench.posteriors(of, posterior), bench.responses(of, 300)

    told = beside(own, of, bench.points(of, 200, 900), posteriors).query("system == 'human'")
    drawn = beside(own, None, None, posteriors).query("system == 'human'")

    assert told["onset_ms"].eq(200).all()
    intent = posterior.argmax(axis=1)
    order = drawn.set_index("episode").loc[of["episode"], "onset_ms"].to_numpy(float, na_value=9e9)
    for z, law in enumerate(bench.LAWS.values()):
        own_draws = order[intent == z] / 1000
        answered = own_draws[own_draws < 5]
        assert len(answered) / len(own_draws) == pytest.approx(1 - law.no_response, abs=0.08)
        assert stats.kstest(answered, law.onset_cdf).pvalue > 1e-3


def test_blind_draws_from_the_marginal_whatever_the_intent():
    of = bench.episodes(2000, ["smooth"], weight=[3.0, 1.0] * 1000)
    posterior = np.tile(np.eye(6)[[0, 3]], (1000, 1))

    found = beside(bench.responses(of, 300), of, None, bench.posteriors(of, posterior))

    marginal = 0.75 * bench.LAWS["ans"].cdf(GRID_S) + 0.25 * bench.LAWS["hold"].cdf(GRID_S)
    for first in (0, 1):
        onset = found.query("system == 'blind'").sort_values("episode")["onset_ms"][first::2]
        share = [(onset <= 1000 * t).fillna(False).mean() for t in (0.0, 0.3, 1.0, 4.9)]
        expected = np.interp([0.0, 0.3, 1.0, 4.9], GRID_S, marginal)
        assert share == pytest.approx(expected, abs=0.05)


def test_draws_hang_on_seed_and_episode_alone():
    of = bench.episodes(40, ["smooth"])
    posteriors, own = bench.posteriors(of, "ans"), bench.responses(of, 300)

    whole = beside(own, of, None, posteriors)
    turned = beside(own[::-1], of[::-1], None, posteriors)

    keys = ["system", "episode"]
    pd.testing.assert_frame_equal(
        whole.sort_values(keys, ignore_index=True), turned.sort_values(keys, ignore_index=True)
    )


def test_onsets_of_a_table_count_as_those_of_people_do():
    """Measure in [start of the focal turn, the focal speaker's next IPU).

    focal    #####       #####
             -500   t0   1200
    """
    of = bench.episodes(5, ["pause"])
    points = bench.points(of, turn_start_ms=of["t0_ms"] - 500, focal_next_ms=1200)

    answers = bench.responses(of, [-501, -500, 1199, 1200, None]).assign(duration_ms=700)
    found = systems.measure(answers, of, points)

    assert found.responses["onset_ms"].tolist()[1:3] == [-500, 1199]
    assert found.responses["onset_ms"].isna().tolist() == [True, False, False, True, True]
    assert found.responses["duration_ms"].isna().tolist() == [True, False, False, True, False]
    assert (found.early, found.late) == (1, 1)
