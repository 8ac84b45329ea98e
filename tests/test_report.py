"""The page that a person reads first, part by part, from tables of known content."""

import pandas as pd

import bench
from tact import frames
from tact.report import comparison, laws, scores


def rows_of(said):
    """Read a table of the page back, up to its note: one list of words a line."""
    return [line.split() for line in said.splitlines()]


def binary(*rows):
    columns = ("system", "scenario", "metric", "value", "better", "n", "n_left_out")
    return frames.frame([dict(zip(columns, row, strict=True)) for row in rows], "binary")


def test_binary_metrics_stand_a_row_a_system_in_the_order_of_scenarios():
    said = rows_of(
        scores.of_peers(
            binary(
                ("b", "all", "takeover_right", 0.75, "high", 8, 0),
                ("b", "smooth", "fdb_latency_s", 0.26, "low", 3, 1),
                ("b", "smooth", "fdb_takeover", 0.5, "high", 4, 0),
                ("a", "smooth", "fdb_takeover", None, "high", 0, 4),
                ("b", "pause", "fdb_takeover", 0.25, "low", 4, 0),
            )
        )
    )

    assert said[:5] == [
        ["scenario", "system", "fdb_takeover", "fdb_latency_s", "takeover_right", "n"],
        ["pause", "b", "0.250", "NaN", "NaN", "4"],
        ["smooth", "a", "NaN", "NaN", "NaN", "0"],
        ["smooth", "b", "0.500", "0.260", "NaN", "3", "to", "4"],
        ["all", "b", "NaN", "NaN", "0.750", "8"],
    ]


def test_laws_stand_beside_the_papers_in_the_order_of_intents():
    fitted = bench.laws().sample(frac=1, random_state=3)
    fitted = fitted.assign(n_points=200.0, n_responses=150.0, source="own")
    fitted.loc[fitted["intent"] == "ans", "mu"] = 0.4

    said = rows_of(laws.of_all(fitted, bench.SETTINGS.reference.paper))

    assert [words[0] for words in said[1:7]] == ["ans", "ref", "rhe", "hold", "bck", "abn"]
    ans = "ans 0.050 (0.050) 0.400 (0.160) 0.110 (0.110) 0.240 (0.240) 200 150 0.250 own"
    assert said[1] == ans.split()
    assert said[2][3:5] == ["1.900", "(1.900)"]


def test_what_moved_is_counted_and_shown():
    columns = {"slice": "all", "intent": ["ans", "ref", "bck"], "change": ["same", "moved", "same"],
               "parameter": [None, "log_median", None], "before": [None, 0.6, None],
               "after": [None, 0.7, None], "standard_errors": [None, 2.5, None],
               "apart": [0.0, 0.002, 0.0]}  # fmt: skip
    made = frames.frame(pd.DataFrame(columns).to_dict("records"), "changes")

    said = laws.of_changes(made).splitlines()

    assert said[0] == "1 moved, 2 same"
    assert said[2].split() == ["all", "ref", "moved", "log_median", "0.600", "0.700", "2.500",
                               "0.002"]  # fmt: skip
    assert len(said) == 3


def test_runs_side_by_side_tell_laws_and_order():
    composites = pd.DataFrame(
        {"scenario": "all", "slice": "all", "intent": "all", "system": ["never", "human"],
         "timing_population_fair": [0.86, 1.0]}
    )  # fmt: skip

    said = comparison({"main": bench.laws()}, {"main": composites})

    assert "main: human 1.000 > never 0.860" in said
    medians = said.split("Median of the parent law, s")[1].splitlines()
    assert dict(zip(medians[2].split()[1:], medians[4].split()[1:], strict=True))["rhe"] == "2.600"
