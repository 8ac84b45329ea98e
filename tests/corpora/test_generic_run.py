"""A new language needs configuration only: dyads with marks of intent, from files to laws."""

import random

import pytest
from stages import merged, settings_file

from corpora.layouts import put
from corpora.timing_files import ENTRY, listed, long_textgrid
from made_world import SETTINGS
from tact import config, frames, plan, tables
from tact.acts import labels_of_acts
from tact.cli import main

SAID = "het was gisteren toch heel koud buiten dus wij bleven thuis".split()  # noqa: SIM905
ANSWER_S = {"ans": 0.2, "ref": 1.9, "abn": 2.2}
N_DYADS, LENGTH_S = 8, 240.0


def talk(dice, speakers):
    """Make one conversation: who takes turns, and what each turn means for the other."""
    made = {f"{who} - {role}": [] for who in speakers for role in ("words", "intent")}
    at, turn = 1.0, 0
    while at < LENGTH_S - 12:
        who, start = speakers[turn % 2], at
        for _ in range(dice.randint(4, 8)):
            end = round(at + 0.3, 3)
            made[f"{who} - words"].append((at, end, dice.choice(SAID)))
            at = round(end + 0.05, 3)
        at = round(at - 0.05, 3)
        intent = dice.choice([*ANSWER_S, "hold"])
        made[f"{who} - intent"].append((start, at, intent))
        at = round(at + ANSWER_S.get(intent, 1.5) + dice.random(), 3)
        turn += intent != "hold"
    return made


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Write the corpus and its config, and run every stage by its command, up to the laws."""
    folder = tmp_path_factory.mktemp("dutch")
    root, at, dice = folder / "data", folder / "results", random.Random(5)
    marks, rows = {}, []
    for k in range(N_DYADS):
        name, people = f"c{k}", (f"p{2 * k}", f"p{2 * k + 1}")
        marks[f"nl:{name}"] = talk(dice, people)
        put(root / f"{name}.TextGrid", long_textgrid(marks[f"nl:{name}"], LENGTH_S))
        rows += [(name, who, n, "", f"{name}.TextGrid", LENGTH_S) for n, who in enumerate(people)]
    listed(root, *rows)
    overlay = {
        "results": str(at), "build": ["nl"], "corpora": {"nl": ENTRY | {"root": str(root)}},
        "episodes": {"quota": {"nl": {"pause": 4, "backchannel": 0, "smooth": 4,
                                      "interruption": 0}}, "scale": 1.0},
        "reference": {"pooled": ["nl"], "axes": ["language"]},
    }  # fmt: skip
    for step in stages(at, root):
        assert main(["--config", str(settings_file(folder, overlay)), *step.split()]) == 0, step
    return at, marks


def stages(at, root):
    raw, turns, points = at / "corpora/nl", at / "turns/nl", at / "points/nl"
    recordings, words = raw / "recordings.parquet", raw / "words.parquet"
    frame, episodes = points / "frame.parquet", at / "episodes/nl/episodes.parquet"
    labels, ipus = at / "labels/nl/labels.parquet", at / "activity/nl/1.parquet"
    both = f"--recordings {recordings} --words {words}"
    return (
        f"ingest nl --root {root} --out {raw}",
        f"activity nl {both} --out {ipus} --quarantine {at / 'left_out.parquet'}",
        f"turns {ipus} {both} --acts {raw / 'acts.parquet'} --out {turns}",
        f"points nl {both} --turns {turns} --ipus {ipus} --out {points}",
        f"episodes nl --points {points / 'points.parquet'} {both} --turns {turns}"
        f" --speakers {raw / 'speakers.parquet'} --out {episodes.parent}",
        f"acts --points {points / 'points.parquet'} --frame {frame}"
        f" --acts {raw / 'acts.parquet'} --out {labels}",
        f"posteriors --labels {labels} --points {points / 'points.parquet'} --episodes {episodes}"
        f" --out {at / 'posteriors'}",
        f"reference --points {points / 'points.parquet'} --frame {frame}"
        f" --point-posteriors {at / 'posteriors/point_posteriors.parquet'}"
        f" --speakers {raw / 'speakers.parquet'} --recordings {recordings} --labels {labels}"
        f" --out {at / 'reference'}",
    )


def test_nothing_is_left_out(run):
    at, _ = run

    assert len(tables.read(at / "corpora/nl/quarantine.parquet", "quarantine")) == 0
    assert len(tables.read(at / "left_out.parquet", "quarantine")) == 0


def test_every_label_is_the_mark_that_ends_at_its_point(run):
    at, marks = run
    points = tables.read(at / "points/nl/points.parquet", "points").set_index("point")
    labels = tables.read(at / "labels/nl/labels.parquet", "labels")
    drawn = {
        (talk, f"nl:{tier.split(' - ')[0]}", round(1000 * end)): intent
        for talk, tiers in marks.items()
        for tier, spans in tiers.items()
        for _, end, intent in spans
        if tier.endswith("intent")
    }
    where = points.loc[labels["unit"], ["conversation", "focal", "t0_ms"]]

    found = [drawn[row] for row in where.itertuples(index=False, name=None)]
    assert found == list(labels["intent"])
    assert set(labels["kind"]) == set(labels["annotator"]) == {"textgrid"}
    assert set(labels["probability"]) == {1.0}
    assert labels["unit"].is_unique
    frame = tables.read(at / "points/nl/frame.parquet", "frame")
    assert set(frame["point"]) <= set(labels["unit"])


def test_the_language_has_its_slice_of_the_laws_with_labelled_points(run):
    at, _ = run
    laws = tables.read(at / "reference/laws.parquet", "laws")
    dutch = laws[laws["slice"] == "language=nl"].set_index("intent")
    frame = tables.read(at / "points/nl/frame.parquet", "frame")

    assert set(dutch.index) == {"ans", "ref", "rhe", "hold", "bck", "abn"}
    assert dutch["n_points"].sum() == pytest.approx(len(frame))
    assert len(frame) > 20
    for intent in ("ans", "ref", "hold", "abn"):
        assert dutch.loc[intent, "n_points"] >= 1
    assert dutch.loc[["rhe", "bck"], "n_points"].sum() == pytest.approx(0.0)


# --- the mark as a label, and the plan


def label(t0, *rows):
    point = {
        "point": "p", "corpus": "nl", "scenario": "smooth", "split": "test", "split_group": "g",
        "conversation": "nl:1", "focal": "A", "partner": "B", "t0_ms": t0, "ipu_start_ms": 0,
        "turn_start_ms": 0, "context_start_ms": 0, "carry_over": False, "third_party": False,
        "reasons": "",
    }  # fmt: skip
    acts = [("nl:1", "A", str(k), *span, f"intent:{z}", False) for k, (z, *span) in enumerate(rows)]
    made = labels_of_acts(
        frames.frame([point], "points"), frames.empty("frame"), frames.frame(acts, "acts"),
        settings=SETTINGS.labels,
    )  # fmt: skip
    return list(made[["intent", "probability", "kind"]].itertuples(index=False, name=None))


@pytest.mark.parametrize(
    ("t0", "labelled"), [(1500, False), (1799, False), (1800, True), (2200, True), (2201, False)]
)
def test_a_mark_speaks_only_where_it_ends(t0, labelled):
    assert label(t0, ("ref", 1000, 2000)) == ([("ref", 1.0, "textgrid")] if labelled else [])


def test_of_two_marks_the_one_that_ends_nearest_speaks_and_a_strange_one_never():
    assert label(1100, ("ans", 0, 1000), ("abn", 1000, 1150)) == [("abn", 1.0, "textgrid")]
    assert label(1000, ("shout", 0, 1000)) == []


def test_the_plan_reads_marks_unless_labels_are_given():
    given = {"build": ["nl"], "corpora": {"nl": ENTRY}}
    assert plan.labels(config.parse(merged(given))) == ["results/labels/nl/labels.parquet"]
    given["corpora"]["nl"] = ENTRY | {"labels": "mine.csv"}
    assert plan.labels(config.parse(merged(given))) == ["mine.csv"]


def test_a_point_without_a_mark_has_no_label():
    assert label(1000) == []
