"""Figures of laws: what stands in them, read from the text of the SVG."""

import re

import pytest

import bench
from tact import frames, plots
from tact.errors import TableError
from tact.reference.rows import kernel_table
from tact.vocabulary import INTENTS

SET = bench.SETTINGS.reference
WHOLE = bench.laws()


def curves(laws):
    return kernel_table(laws, {}, settings=SET)


def onsets(name, intent, counts):
    rows = [
        {"slice": name, "intent": intent, "t_ms": 100 * k, "responses": float(n)}
        for k, n in enumerate(counts)
    ]
    return frames.frame(rows, "onsets")


def titles(path):
    return re.findall(r"<!-- (.*?) -->|<text [^>]*>([^<]*)</text>", path.read_text())


def words(path):
    return [one or other for one, other in titles(path)]


def test_the_overview_has_a_panel_an_intent_in_their_order_whatever_that_of_the_rows(tmp_path):
    shuffled = WHOLE.sample(frac=1, random_state=2)

    plots.overview(shuffled, curves(WHOLE), onsets("all", "ans", [3, 4]), tmp_path / "laws.svg")

    said = words(tmp_path / "laws.svg")
    assert [word for word in said if word in INTENTS] == list(INTENTS)
    keys = ["density f, 1/s", "law H", "kernel u", "weight w", "responses, 1/s"]
    assert [said.count(key) for key in keys] == [1] * 5


def test_a_figure_of_an_intent_has_a_panel_a_slice_with_what_it_rests_on(tmp_path):
    other = WHOLE.assign(slice="gender=female", source="own", n_responses=31.0, ks_p=0.25)
    both = frames.join([WHOLE, other], "laws")

    plots.of_intent(both, curves(both), frames.empty("onsets"), "bck", tmp_path / "bck.svg")

    said = words(tmp_path / "bck.svg")
    assert [word for word in said if word in ("all", "gender=female")] == ["all", "gender=female"]
    assert "own, 31 of 0 answered, beta 0.45, KS p 0.25" in said
    assert "responses, 1/s" not in said


def test_a_law_without_a_curve_is_refused():
    with pytest.raises(
        TableError, match=r"1 of 6 laws have no curve \(first: slice all, intent hold"
    ):
        plots.check_curves(WHOLE, curves(WHOLE[WHOLE["intent"] != "hold"]))
