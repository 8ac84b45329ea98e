"""Crossings of axes: which slices there are, who their parents are, and whose points they hold."""

import numpy as np
import pytest

from tact.reference.slices import cut, gather
from train_points import SET, joined, reference, world

CROSSED = SET.model_copy(
    update={"axes": [["gender", "age", "corpus"], "gender", ["gender", "age"]], "resamples": 0,
            "ks_resamples": 0}
)  # fmt: skip


@pytest.fixture(scope="module")
def talk():
    """Two corpora; of every third speaker the age is unknown."""
    rng = np.random.default_rng(5)
    made = joined(world(rng, 2500), world(rng, 400, corpus="sssd"))
    people = made["speakers"].copy()
    people["age"] = [("20-29", "30-39", None)[k % 3] for k in range(len(people))]
    return made | {"speakers": people}


def slices(talk, axes, pooled=("candor", "sssd")):
    train = gather(**talk)
    return train, {part.name: part for part in cut(train, axes=axes, pooled=pooled)}


def test_a_crossing_holds_the_points_that_have_every_value(talk):
    train, found = slices(talk, CROSSED.axes)
    points = train.points

    crossings = {name for name in found if name.count(",") == 1}
    assert crossings == {
        f"gender={g},age={a}" for g in ("female", "male") for a in ("20-29", "30-39")
    }
    for name in crossings:
        gender, age = (pair.partition("=")[2] for pair in name.split(","))
        want = (points["gender"] == gender) & (points["age"] == age)
        assert (found[name].chosen == want.to_numpy()).all()
    assert "gender=male,age=30-39,corpus=sssd" in found


def test_the_parent_of_a_crossing_is_the_slice_without_its_last_axis(talk):
    _, found = slices(talk, CROSSED.axes)

    assert found["gender=female"].parent == "all"
    assert found["gender=female,age=20-29"].parent == "gender=female"
    assert found["gender=female,age=20-29,corpus=sssd"].parent == "gender=female,age=20-29"
    order = list(found)
    assert all(order.index(part.parent) < order.index(name) for name, part in found.items()
               if name != "all")  # fmt: skip


def test_a_crossing_whose_first_axis_is_not_cut_hangs_on_all(talk):
    _, found = slices(talk, [["age", "gender"], "corpus"])

    assert found["age=20-29,gender=male"].parent == "all"


def test_the_order_of_axes_in_the_config_does_not_matter(talk):
    _, one = slices(talk, CROSSED.axes)
    _, other = slices(talk, CROSSED.axes[::-1])

    assert one.keys() == other.keys()
    assert all((one[name].chosen == other[name].chosen).all() for name in one)


def test_laws_of_a_crossing_are_drawn_to_its_own_parents(talk):
    rows = reference(talk, CROSSED).laws.set_index(["slice", "intent"])
    shape = ["mu", "sigma", "tau"]

    small = rows.loc["gender=male,age=20-29,corpus=sssd"]
    assert set(small["source"]) <= {"parent", "shrunk"}
    assert small.loc["bck", "source"] == "parent"
    above = rows.loc[("gender=male,age=20-29", "bck"), shape]
    assert small.loc["bck", shape].tolist() == above.tolist()
    # those with both values known share out between the ages
    points = gather(**talk).points
    for gender, own in points.groupby("gender"):
        parts = [
            rows.loc[f"gender={gender},age={age}", "n_points"].sum() for age in ("20-29", "30-39")
        ]
        assert sum(parts) == pytest.approx(own["age"].notna().sum())
