"""The golden values once more, through the command `tact score` and its tables."""

from pathlib import Path

import numpy as np
import pytest

import bench
from golden import cases
from tact import frames, tables
from tact.cli import main
from tact.vocabulary import INTENTS

CONFIG = str(Path(__file__).resolve().parents[2] / "config.yaml")


def laws(entries):
    rows = []
    for intent, law in entries.items():
        exgaussian = law["kind"] == "exg"
        names = ("mu", "sigma", "tau") if exgaussian else ("shift", "log_median", "log_sigma")
        rows.append(
            {
                "slice": "all",
                "intent": intent,
                "family": "exgaussian" if exgaussian else "shifted_lognormal",
                **dict(zip(names, law["p"], strict=True)),
                "no_response": law["beta"],
                "n_points": 0.0,
                "n_responses": 0.0,
                "source": "paper",
            }
        )
    return frames.frame(rows, "laws")


def score(folder, **given):
    """Write the tables, run the command, read what it wrote of the system `mine`."""
    (folder / "quick.yaml").write_text("scores: {resamples: 40}\n")
    line = ["--config", CONFIG, "--config", str(folder / "quick.yaml"), "score"]
    for name, table in given.items():
        tables.write(table, folder / f"{name}.parquet", name)
        line.append(f"--{name}={folder / name}.parquet")
    assert main([*line, f"--out={folder / 'out'}"]) == 0
    return [
        tables.read(folder / f"out/{name}.parquet", name).query("system == 'mine'")
        for name in ("episode_scores", "composites")
    ]


@pytest.mark.parametrize("case", cases("s_T"))
def test_episode_scores_by_command(case, tmp_path):
    q = [case["inputs"]["q"].get(intent, 0.0) for intent in INTENTS]
    y = [None if at is None else round(1000 * at) for at in case["inputs"]["y"]]
    of = bench.episodes(len(y), ["smooth"])

    by_run, _ = score(
        tmp_path,
        laws=laws(case["inputs"]["laws"]),
        posteriors=bench.posteriors(of, np.tile(q, (len(y), 1))),
        responses=bench.responses(of, y),
    )

    want = case["output"]["mixed"]
    assert by_run["timing"].tolist() == pytest.approx(want, rel=0, abs=case["tol"])


@pytest.mark.parametrize("case", cases("s_T")[:1])
def test_population_score_of_one_onset_by_command(case, tmp_path):
    # where every episode has one intent and one onset, d_z of the system is twCRPS(h_z, y)
    want = dict(zip(case["inputs"]["y"], case["output"]["mixed"], strict=True))
    of = bench.episodes(4, ["smooth"])

    for onset, expected in want.items():
        _, composites = score(
            tmp_path,
            laws=laws(case["inputs"]["laws"]),
            posteriors=bench.posteriors(of, "ans"),
            responses=bench.responses(of, None if onset is None else round(1000 * onset)),
        )
        row = composites.query("slice == 'all' and intent == 'all'").iloc[0]
        assert row["timing_population"] == pytest.approx(expected, rel=0, abs=case["tol"])
        assert row["timing_population_fair"] == pytest.approx(expected, rel=0, abs=case["tol"])


@pytest.mark.parametrize("case", cases("s_O"))
def test_overlap_scores_by_command(case, tmp_path):
    of = bench.episodes(2, ["pause"])
    inputs = case["inputs"]
    overlaps = [
        ("mine", "candor-00", 0, 100 * n, round(1000 * length), psi, backchannel, None)
        for n, (length, psi, backchannel) in enumerate(
            zip(inputs["dur"], inputs["psi"], inputs["backchannel"], strict=True)
        )
    ]

    by_run, composites = score(
        tmp_path,
        laws=bench.laws(),
        posteriors=bench.posteriors(of, "ans"),
        responses=bench.responses(of, 300),
        overlaps=frames.frame(overlaps, "overlaps"),
        episodes=of,
    )

    want = [case["output"], 1.0]
    assert by_run["overlap"].tolist() == pytest.approx(want, rel=0, abs=case["tol"])
    pause = composites.query("scenario == 'pause' and slice == 'all' and intent == 'all'")
    assert pause["overlap"].tolist() == pytest.approx([np.mean(want)], rel=0, abs=case["tol"])


def test_a_pair_of_onsets_has_its_population_score_by_hand(tmp_path):
    # two onsets of one intent: d = int w (P - H)^2 with P stepping by half at each
    of = bench.episodes(2, ["smooth"])
    t = np.linspace(-2, 5, 700_001)
    middle = 0.5 * (t[1:] + t[:-1])
    law = bench.LAWS["ref"]
    density = law.pdf(middle)
    w = 0.98 * (density / density.max()) ** 0.7 + 0.02
    own = 0.5 * (middle >= 0.9) + 0.5 * (middle >= 2.2)
    d = (w * (own - law.cdf(middle)) ** 2).sum() / w.sum()
    bias = (w * own * (1 - own)).sum() / w.sum()

    _, composites = score(
        tmp_path,
        laws=bench.laws(),
        posteriors=bench.posteriors(of, "ref"),
        responses=bench.responses(of, [900, 2200]),
    )

    row = composites.query("slice == 'all' and intent == 'all'").iloc[0]
    assert row["timing_population"] == pytest.approx(1 - d, abs=2e-5)
    assert row["timing_population_fair"] == pytest.approx(1 - (d - bias), abs=2e-5)
