"""Intervals of laws hold the truth as often as they say."""

import interval_coverage
import numpy as np
import pytest
from scipy.stats import binomtest

from tact.laws import paper_laws

SETS = 150


@pytest.mark.parametrize("intent", ["ans", "ref"])
def test_a_95_percent_interval_of_a_law_holds_its_truth_in_95_of_100_data_sets(intent):
    laws = paper_laws(interval_coverage.settings_of().paper)
    columns = interval_coverage.alone({intent: laws[intent]}, 300, SETS, seed=3)

    assert f"{intent}.no_response" in columns
    for parameter, hits in columns.items():
        assert np.isfinite(hits).all(), parameter
        assert binomtest(int(np.sum(hits)), SETS, 0.95).pvalue > 0.001, (parameter, np.mean(hits))
