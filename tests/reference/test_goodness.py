"""The test of fit: its p is uniform where the laws are right, and small where labels deny them."""

import numpy as np
import pytest
from scipy import stats

from made_world import LAWS
from tact.fitting import Sample, cell_of, fit, held, horizon_cells, settle
from tact.laws import ExGaussian
from tact.reference.fits import component_of
from tact.reference.goodness import ks_p

CELLS = horizon_cells(100)
PAIR = [LAWS["ans"], LAWS["ref"]]


def labelled(rng, n, laws=PAIR, accuracy=0.85):
    """Draw n points of either law, each with one label that is right with the given chance."""
    z = rng.integers(0, 2, n)
    y = np.where(z == 0, laws[0].sample(n, rng), laws[1].sample(n, rng))
    said = np.where(rng.random(n) < accuracy, z, 1 - z)
    q = np.where(np.arange(2) == said[:, None], accuracy, 1 - accuracy)
    return Sample(q, cell_of(y, CELLS), CELLS)


def starts():
    return [component_of(law, shift_sd=None) for law in PAIR]


def test_p_is_uniform_where_the_laws_are_right():
    p = []
    for k in range(80):
        rng = np.random.default_rng([11, k])
        sample = labelled(rng, 400)
        p.append(ks_p(settle(starts(), sample)[0], sample, resamples=19, rng=rng))

    # p takes 20 values; a jitter of one step makes them continuous. The bound is what uniform
    # draws exceed once in 10,000.
    jitter = np.random.default_rng(1).random((80, 2)) / 20
    for column in (np.array(p) - jitter).T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4
        assert column.min() < 0.2


def test_the_distance_of_one_law_is_that_of_its_onsets_from_its_cdf():
    rng = np.random.default_rng(3)
    law = LAWS["ans"]
    onsets = law.sample(250, rng)
    sample = Sample(np.ones((250, 1)), cell_of(onsets, CELLS), CELLS)
    kept = fit([held(component_of(law, shift_sd=None))], sample)
    beta = kept.components[0].no_response

    p = ks_p(kept, sample, resamples=400, rng=rng)

    # the same by hand: sub-CDFs at the edges of cells, beta drawn and fitted anew
    def distance(values):
        own = np.array([(values < edge).mean() for edge in CELLS.high])
        absent = (np.isinf(values).sum() + 0.5) / (values.size + 1)
        return np.abs(own - (1 - absent) * law.onset_cdf(CELLS.high)).max()

    redrawn = type(law)(law.density, beta)
    drawn = [distance(redrawn.sample(250, rng)) for _ in range(400)]
    assert p[0] == pytest.approx(np.mean(np.array(drawn) >= distance(onsets)), abs=0.12)


def test_a_law_that_takes_its_neighbours_responses_is_found_out():
    """The fit is good as a mixture; only the labels say that it answers for others."""
    rng = np.random.default_rng(8)
    sample = labelled(rng, 600)
    swapped = [held(component_of(law, shift_sd=None)) for law in (PAIR[1], PAIR[0])]

    p = ks_p(fit(swapped, sample), sample, resamples=39, rng=rng)

    assert p.tolist() == [1 / 40, 1 / 40]


def test_an_early_onset_in_every_label_is_seen_in_each_law_that_cannot_begin_early():
    rng = np.random.default_rng(9)
    sample = labelled(rng, 600)
    early = rng.random(600) < 0.3
    cell = np.where(early, cell_of(rng.uniform(-2, -0.5, 600), CELLS), sample.cell)
    mixed = Sample(sample.q, cell, CELLS)

    found, _ = settle(starts(), mixed)
    p = ks_p(found, mixed, resamples=39, rng=rng)

    assert isinstance(found.components[0].family.density(found.components[0].theta), ExGaussian)
    assert p[1] == 1 / 40
