"""One made world through the whole pipeline: the laws that went in come out."""

import pytest
import recovery


@pytest.mark.slow
def test_the_laws_of_a_made_world_are_recovered_behind_latent_intents():
    """Fits by case weights, on the same points, miss at least ten times as far in hold and rhe."""
    found = recovery.one_seed(1, conversations=700, minutes=11.0)

    assert found.n >= 40_000
    assert sum(found.hits.values()) >= 20
    assert max(found.gaps.values()) < 0.00015
    for intent in ("hold", "rhe"):
        assert found.medians[intent] == pytest.approx(found.true_medians[intent], rel=0.2)
        assert found.rival_gaps["share"][intent] > 10 * found.gaps[intent]
