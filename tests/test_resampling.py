"""Resampled scores beside the rule itself on data in which the drawn episodes are repeated."""

import numpy as np
import pytest

import bench
from tact.bootstrap import resamples
from tact.scores.cell import Cells
from tact.scores.composites import replicates_of, without_each
from tact.scores.entry import Entry
from tact.scores.panel import make_answers, make_panel
from tact.scores.slices import Bench, Slice
from tact.scoring import integrate, population, total

TABLES = integrate(bench.LAWS, gamma=0.7, epsilon=0.02)
SETTINGS = bench.SETTINGS.scores


def answered(intent, n=120):
    """A system that answers by one law, or by people's own: cell, clusters, posterior, onsets."""
    rng = np.random.default_rng(5)
    posterior, human = bench.draws(rng, n)
    own = (
        [None if y is None else y / 1000 for y in human]
        if intent is None
        else bench.LAWS[intent].sample(n, rng)
    )
    onset_ms = [None if y is None or np.isinf(y) else round(1000 * y) for y in own]
    of = bench.episodes(n, ["smooth"], weight=rng.uniform(1, 3, n))
    answers = bench.responses(of, onset_ms)
    panel = make_panel(bench.posteriors(of, posterior), answers, of, mode="fused")
    entry = Entry(
        panel, make_answers(panel, answers, None, settings=SETTINGS), TABLES, longest_ms=30_000
    )
    part = Slice((), np.ones(n, dtype=bool), TABLES, "all")
    number, clusters = panel.clusters(part.inside)
    cell = Cells(Bench(panel, None, SETTINGS, 1), part, entry, number).measure("smooth")
    return cell, number, clusters, panel, entry.answers.onset_s


def score_of(counts, number, panel, onsets):
    """Score the episodes of drawn clusters, each as often as its cluster: (1,)."""
    copies = np.repeat(np.arange(len(number)), counts[number].astype(int))
    weights = panel.episodes["weight"].to_numpy()[copies]
    law = population(
        TABLES, panel.posterior[copies], weights, np.arange(len(copies)), onsets[copies]
    )
    return 1.0 - total(law.share, law.fair)


@pytest.mark.parametrize("intent", [None, "ans", "hold"])
def test_a_resample_scores_as_the_drawn_episodes_do(intent):
    cell, number, clusters, panel, onsets = answered(intent)
    counts = np.concatenate(list(resamples(clusters, 60, np.random.default_rng(3))))

    found = replicates_of({"smooth": cell}, counts.T.astype(np.uint8))["smooth"][-1]
    exact = np.array([score_of(row, number, panel, onsets) for row in counts])

    # Apart by a constant: drawing clusters twice adds their variance, which is taken off.
    apart = found - exact
    assert apart.std() < 0.15 * exact.std()
    assert np.corrcoef(found, exact)[0, 1] > 0.99


def test_the_score_without_each_cluster_is_that_of_the_other_episodes():
    cell, number, clusters, panel, onsets = answered("ans")

    found = without_each({"smooth": cell}, clusters)["smooth"][-1]
    others = [score_of(np.arange(clusters) != k, number, panel, onsets) for k in range(clusters)]

    assert (found - others).std() < 0.05 * np.std(others)


def test_the_data_themselves_score_their_estimate_less_the_variance_of_drawing():
    cell, _, clusters, _, _ = answered(None)

    once = replicates_of({"smooth": cell}, np.ones((clusters, 1), dtype=np.uint8))["smooth"]
    drawn = replicates_of(
        {"smooth": cell},
        np.concatenate(list(resamples(clusters, 4000, np.random.default_rng(0)))).T.astype(
            np.uint8
        ),
    )["smooth"]

    estimate = cell.values["timing_population_fair"]
    assert once[-1, 0] > estimate[-1]
    np.testing.assert_allclose(drawn.mean(axis=1)[-1], estimate[-1], atol=0.1 * drawn.std())
