import pandas as pd
import pyarrow.parquet as pq
import pytest
import yaml

from made_world import CONFIG, SETTINGS, studio
from tact import frames, tables
from tact.cli import main
from tact.errors import InputError
from tact.simulate import truth, world


def test_a_folder_that_holds_a_real_corpus_is_refused(tmp_path):
    (tmp_path / "candor").mkdir()
    (tmp_path / "candor" / "real.mp3").write_bytes(b"real")

    with pytest.raises(InputError, match="was not made by simulate"):
        world.simulate(
            studio(), adapter="candor", root=tmp_path / "candor", truth_folder=tmp_path / "truth"
        )
    assert [path.name for path in (tmp_path / "candor").iterdir()] == ["real.mp3"]


def test_a_made_corpus_is_written_over(tmp_path):
    counts = [
        world.simulate(
            studio(conversations=2, minutes=0.5),
            adapter="probes",
            root=tmp_path / "probes",
            truth_folder=tmp_path / "truth",
        )
        for _ in range(2)
    ]

    assert counts[0] == counts[1]
    assert counts[0]["conversations"] == 2


def test_the_truth_holds_what_was_drawn_and_each_speaker_s_law(tmp_path):
    made = studio(conversations=2, minutes=1.0)
    talks = list(world.LAYOUTS["candor"](tmp_path / "candor", made))
    ledger = truth.Ledger("candor")
    for talk in talks:
        ledger.add(talk)
    truth.write(tmp_path / "truth", "candor", ledger, made.people.values())

    drawn = truth.read(tmp_path / "truth", "candor")
    laws = pq.read_table(tmp_path / "truth/candor/laws.parquet").to_pandas()

    expected = [
        (f"candor:{t.conversation}", f"candor:{c.focal}", c.t0_ms, c.intent, c.response_ms)
        for t in talks
        for c in t.candidates
    ]
    rows = drawn[["conversation", "focal", "t0_ms", "intent", "response_ms"]]
    assert [
        (*row[:4], None if pd.isna(row[4]) else row[4])
        for row in rows.itertuples(index=False, name=None)
    ] == expected
    assert len(laws) == 6 * len(made.people)
    assert laws["answered"].between(0, 1.3).all()


def test_a_corpus_without_truth_says_what_to_run(tmp_path):
    with pytest.raises(InputError, match="run `tact simulate --corpus candor` first"):
        truth.read(tmp_path, "candor")


@pytest.fixture
def config(tmp_path):
    small = {
        "corpora": {
            name: {"conversations": 2, "minutes": 0.5, "speakers": 4, "interruptions": 0.1}
            for name in SETTINGS.simulation.corpora
        }
    }
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(yaml.safe_dump({"simulation": small}))
    return ["--config", str(CONFIG), "--config", str(overlay)]


@pytest.mark.parametrize("corpus", ["candor", "probes"])
def test_simulate_and_annotate_run_from_the_command_line(tmp_path, config, corpus, capsys):
    out, hidden = tmp_path / "corpora", tmp_path / "truth"
    made = [*config, "simulate", "--out", str(out), "--truth", str(hidden), "--words-only"]
    assert main([*made, "--corpus", corpus]) == 0
    drawn = truth.read(hidden, corpus)
    for name, table in _points(drawn).items():
        tables.write(table, tmp_path / f"{name}.parquet", name)

    wanted = [f"--{name}={tmp_path / name}.parquet" for name in ("points", "frame", "episodes")]
    assert main([*config, "annotate", corpus, *wanted, f"--truth={hidden}", f"--out={out}"]) == 0

    labels = tables.read(out / "labels.parquet", "labels")
    judged = tables.read(out / "judge.parquet", "judge")
    assert labels["unit"].nunique() == len(drawn) - 1
    assert set(labels["kind"]) == {"script" if corpus == "probes" else "human"}
    assert judged["unit"].nunique() == (0 if corpus == "probes" else len(drawn) - 1)
    assert "1 unmatched" in capsys.readouterr().out


def test_an_unknown_corpus_is_one_clear_line(tmp_path, config, capsys):
    arguments = ["simulate", "--out", str(tmp_path), "--truth", str(tmp_path), "--corpus", "condor"]

    assert main([*config, *arguments]) == 2
    assert "no corpus 'condor' in simulation.corpora; known: candor" in capsys.readouterr().err


def _points(drawn):
    """Make tables points, frame and episodes that hold every candidate, one of them displaced."""
    points = drawn[["conversation", "focal", "partner", "t0_ms", "response_ms"]].assign(
        point=[f"{number:016x}" for number in range(len(drawn))],
        corpus="made",
        scenario="none",
        split="train",
        split_group="g",
        ipu_start_ms=0,
        turn_start_ms=0,
        context_start_ms=0,
        carry_over=False,
        third_party=False,
        reasons="",
    )
    points.loc[0, "t0_ms"] += 2_000
    frame = points[["point", "conversation", "focal", "split_group"]]
    return {"points": points, "frame": frame, "episodes": frames.empty("episodes")}
