"""Table `changes`: what a rebuild says that it moved, by hand and by command."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.special import expit, logit
from scipy.stats import t as student

from made_world import CONFIG, LAWS, SETTINGS
from tact import frames, tables
from tact.cli import main
from tact.laws import from_row, parameters
from tact.reference.changes import changes
from train_points import joined, world

REFERENCE = SETTINGS.reference


def row(intent, name="all", *, source="own", intervals=None, law=None, **values):
    given = parameters(LAWS[intent] if law is None else law)
    return {
        "slice": name, "intent": intent, "n_points": 500.0, "n_responses": 300.0,
        "source": source, "parent": "paper", "intervals": intervals, **given, **values,
    }  # fmt: skip


def laws(*rows):
    return frames.frame(list(rows), "laws")


def told(before, after):
    made = frames.check(changes(laws(*before), laws(*after), settings=REFERENCE), "changes")
    return made.set_index(["slice", "intent"])


def interval(**errors):
    """Intervals at 90 % of 11 clusters with the given standard errors, on the scale of the fit."""
    at = student.ppf(0.95, 10)
    law, ends = LAWS["ans"], {}
    for name, error in errors.items():
        to, back = {"mu": (float, float), "no_response": (logit, expit)}.get(name, (np.log, np.exp))
        value = law.no_response if name == "no_response" else getattr(law.density, name)
        ends[name] = [float(back(to(value) + side * at * error)) for side in (-1, 1)]
    return json.dumps({"level": 0.9, "cluster": "split_group", "clusters": 11, **ends})


def apart(old, new):
    """d(old || new) / W from the formulas of the rule, by quadrature."""
    top = np.exp(new.density.log_sup)

    def weight(t):
        return 0.98 * (np.exp(new.density.logpdf(np.array([t])))[0] / top) ** 0.7 + 0.02

    def gap(t):
        at = np.array([t])
        return weight(t) * float(new.cdf(at)[0] - old.cdf(at)[0]) ** 2

    ends = {"limit": 400, "points": [0.0, 0.25, 0.5, 1.0]}
    return quad(gap, -2, 5, **ends)[0] / quad(weight, -2, 5, **ends)[0]


def test_laws_that_stand_as_they_were_are_the_same():
    made = told([row("ans"), row("hold")], [row("hold"), row("ans")])

    assert made["change"].tolist() == ["same", "same"]
    assert made["apart"].tolist() == [0.0, 0.0]
    assert made.index.get_level_values("intent").tolist() == ["hold", "ans"]
    assert made["parameter"].isna().all()


def test_slices_that_come_and_go_are_named_the_gone_last():
    made = told(
        [row("ans"), row("ans", "gender=female")],
        [row("ans"), row("ans", "language=nl", source="shrunk")],
    )

    assert made["change"].to_dict() == {
        ("all", "ans"): "same", ("language=nl", "ans"): "new", ("gender=female", "ans"): "gone",
    }  # fmt: skip
    assert made.loc[("language=nl", "ans"), "source_after"] == "shrunk"
    assert pd.isna(made.loc[("language=nl", "ans"), "source_before"])
    assert made.loc[("gender=female", "ans"), "source_before"] == "own"


def test_a_move_is_counted_in_standard_errors_on_the_scale_of_the_fit_and_as_a_distance():
    errors = interval(mu=0.02, sigma=0.10, tau=0.05, no_response=0.30)
    after = row("ans", intervals=errors)
    beta = float(expit(logit(0.05) - 0.45))
    # .01 of mu is half an error, .3 of log sigma three, .45 of logit beta one and a half
    before = row("ans", mu=0.15, sigma=0.11 * np.exp(-0.3), no_response=beta)

    made = told([before], [after]).loc[("all", "ans")]

    assert (made["change"], made["parameter"]) == ("moved", "sigma")
    assert made["standard_errors"] == pytest.approx(3.0)
    assert (made["before"], made["after"]) == (before["sigma"], after["sigma"])
    law_before, law_after = (from_row(laws(one).iloc[0]) for one in (before, after))
    assert made["apart"] == pytest.approx(apart(law_before, law_after), rel=2e-3)


def test_a_parents_law_without_an_error_names_what_moved_furthest():
    made = told([row("ans", mu=0.1, tau=0.2)], [row("ans", mu=0.16, tau=0.5)]).loc[("all", "ans")]

    assert (made["change"], made["parameter"]) == ("moved", "tau")
    assert pd.isna(made["standard_errors"])


def test_a_law_of_another_family_has_moved():
    made = told([row("ans")], [row("ans", law=LAWS["ref"])]).loc[("all", "ans")]

    assert (made["change"], made["parameter"]) == ("moved", "family")
    assert made["apart"] == pytest.approx(apart(LAWS["ans"], LAWS["ref"]), rel=2e-3)


def test_the_command_says_what_a_new_axis_and_a_new_corpus_changed(tmp_path, capsys):
    old = world(np.random.default_rng(1), 700, gender=("female", "male"))
    new = world(np.random.default_rng(2), 500, corpus="sssd", gender=("male",))
    quick = "resamples: 0, ks_resamples: 0, resolution_ms: 100"

    def build(tables_of, axes):
        (tmp_path / "quick.yaml").write_text(f"reference: {{axes: {axes}, {quick}}}\n")
        line = ["--config", str(CONFIG), "--config", str(tmp_path / "quick.yaml"), "reference"]
        names = {"posteriors": "point_posteriors"}
        for key, table in tables_of.items():
            name = names.get(key, key)
            tables.write(table, tmp_path / f"{name}.parquet", name)
            line += [f"--{name.replace('_', '-')}", str(tmp_path / f"{name}.parquet")]
        assert main([*line, "--out", str(tmp_path / "out")]) == 0
        return (
            capsys.readouterr().out,
            tables.read(tmp_path / "out/changes.parquet", "changes"),
            tables.read(tmp_path / "out/laws.parquet", "laws"),
        )

    first, made, _ = build(old, "[gender]")
    assert "changed: 18 new" in first
    assert made["change"].eq("new").all()

    second, made, _ = build(old, "[gender, language]")
    assert "changed: 6 new, 18 same" in second
    assert set(made.query("change == 'new'")["slice"]) == {"language=en"}

    third, made, law = build(joined(old, new), "[gender]")
    counts = made["change"].value_counts()
    assert counts["gone"] == 6
    assert set(made.query("change == 'gone'")["slice"]) == {"language=en"}
    # nobody new is female: her own laws move only with their parent's
    moved = made.query("change == 'moved' and slice == 'all' and source_after != 'parent'")
    assert len(moved) >= 2
    furthest = made.loc[made["standard_errors"].idxmax()]
    assert f"furthest: {furthest['parameter']} of {furthest['intent']} in" in third
    assert law.query("slice == 'all'")["n_points"].sum() == pytest.approx(1200)
