"""Points drawn to be judged, the page that shows them, and the precision by verdicts."""

import base64
import io
import re

import numpy as np
import pandas as pd
import pytest
import soundfile
import yaml

from small_run import WHOLE, row_of
from tact import audit, config, frames, tables
from tact.errors import InputError
from tact.vocabulary import SCENARIOS

RATE_HZ = 8_000


def point(i, scenario, **changes):
    row = row_of("points") | {"point": f"{i:016x}", "corpus": "candor", "scenario": scenario,
                              "conversation": "candor:c", "focal": "candor:ada",
                              "partner": "candor:bob", "t0_ms": 20_000,
                              "turn_start_ms": 17_000}  # fmt: skip
    return row | dict.fromkeys(("response_kind", "response_ms", "floor_ms", "resume_ms")) | changes


def spans(table, *rows):
    columns = ["speaker", "start_ms", "end_ms", "text"]
    whole = {"conversation": "candor:c", "source": "words", "kind": "word", "position": 0,
             "confidence": None, "n_ipus": 1, "speech_ms": 1}  # fmt: skip
    made = [
        whole | dict(zip(columns, row, strict=True)) | {"position": i} for i, row in enumerate(rows)
    ]
    names = frames.empty(table).columns
    return frames.frame([{n: row[n] for n in names if n in row} for row in made], table)


@pytest.fixture
def results(tmp_path):
    """A run of one conversation: ada talks to t0 at 20 s, bob says mhm and answers."""
    raw = yaml.safe_load(WHOLE.read_text())
    raw["build"] = ["candor"]
    raw["corpora"]["candor"] |= {"root": str(tmp_path / "raw"), "shards": 1}
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(raw))
    drawn = [point(10 * k + i, name) for k, name in enumerate(SCENARIOS) for i in range(4)]
    drawn += [point(90, "none"), point(91, "pause", third_party=True)]
    tables.write(frames.frame(drawn, "points"), tmp_path / "points/candor/points.parquet", "points")
    said = [("candor:ada", 17_000, 20_000, "is it <so>"), ("candor:bob", 18_000, 18_300, "mhm"),
            ("candor:bob", 20_500, 22_000, "yes"), ("candor:ada", 60_000, 61_000, "so")
            ]  # fmt: skip
    for table, path, rows in (
        ("ipus", "activity/candor/1.parquet", said),
        ("words", "corpora/candor/words.parquet", said),
        ("backchannels", "turns/candor/backchannels.parquet", said[1:2]),
    ):
        tables.write(spans(table, *rows), tmp_path / path, table)
    (tmp_path / "raw").mkdir()
    tone = 0.3 * np.sin(np.arange(40 * RATE_HZ) / 5)
    soundfile.write(tmp_path / "raw/c.wav", np.stack([tone, tone / 2], axis=1), RATE_HZ)
    who = [
        row_of("recordings")
        | {
            "corpus": "candor",
            "conversation": "candor:c",
            "channel": i,
            "speaker": speaker,
            "path": "c.wav",
            "sample_rate_hz": RATE_HZ,
            "duration_ms": 40_000,
        }
        for i, speaker in enumerate(("candor:ada", "candor:bob"))
    ]
    path = tmp_path / "corpora/candor/recordings.parquet"
    tables.write(frames.frame(who, "recordings"), path, "recordings")
    return tmp_path


def draw(results, n):
    settings = config.load([results / "config.yaml"])
    return audit.draw(results, settings, sample=n, corpora=["candor"])


def test_so_many_of_each_scenario_are_drawn_and_more_are_the_same_and_then_some(results):
    few, more = (
        [(one.point["scenario"], one.point["point"]) for one in draw(results, n)] for n in (2, 3)
    )

    assert [name for name, _ in few] == [name for name in SCENARIOS for _ in range(2)]
    assert set(few) < set(more)
    assert len(more) == 12
    assert not {f"{i:016x}" for i in (90, 91)} & {name for _, name in draw_all(results)}


def draw_all(results):
    return [(one.point["scenario"], one.point["point"]) for one in draw(results, 99)]


def test_the_page_holds_timeline_words_and_sound_of_each_point(results):
    drawn = draw(results, 1)
    page = audit.page(drawn)

    assert page.count("<section") == page.count("<svg") == page.count("<audio") == 4
    assert page.count("<input type=radio") == 12
    assert "is it &lt;so&gt;" in page
    assert ">so" not in page
    assert not re.search(r"(src|href)='?https?:", page)
    sound = re.search(r"base64,([^']+)'", page)[1]
    samples, rate_hz = soundfile.read(io.BytesIO(base64.b64decode(sound)))
    assert rate_hz == RATE_HZ
    assert len(samples) == pytest.approx((drawn[0].to_ms - drawn[0].from_ms) * 8, abs=2_400)
    left, right = np.abs(samples[RATE_HZ:-RATE_HZ]).mean(axis=0)
    assert left / right == pytest.approx(2, rel=0.05)


def test_times_on_the_page_count_from_t0(results):
    one = draw(results, 1)[0]

    assert (one.from_ms, one.to_ms) == (-8_000, 6_000)
    assert [(span.speaker[-3:], span.start_ms, span.text) for span in one.words] == [
        ("ada", -3_000, "is it <so>"),
        ("bob", -2_000, "mhm"),
        ("bob", 500, "yes"),
    ]
    assert "#9ecae1" in audit.page([one])  # bob's backchannel


def verdicts(path, *rows):
    pd.DataFrame(rows, columns=["point", "scenario", "verdict", "note"]).to_csv(path, index=False)
    return path


def test_the_precision_has_the_exact_binomial_interval(tmp_path):
    # Clopper and Pearson: 23 of 25 gives .740 to .990 (their tables), and n of n ends at 1
    rows = [(f"p{i}", "pause", "right" if i < 23 else "wrong", "") for i in range(25)]
    rows += [(f"s{i}", "smooth", "right", "") for i in range(5)]
    rows += [("s9", "smooth", "unsure", 'a, "b"'), ("s10", "smooth", "", "")]

    found = audit.precision(
        audit.read_verdicts(verdicts(tmp_path / "v.csv", *rows)), level=0.95
    ).set_index("scenario")

    pause, smooth = found.loc["pause"], found.loc["smooth"]
    assert list(found.index) == ["pause", "smooth"]
    assert (pause["precision"], pause["right"], pause["wrong"]) == (0.92, 23, 2)
    assert (pause["low"], pause["high"]) == pytest.approx((0.7397, 0.9902), abs=1e-4)
    assert smooth["low"] == pytest.approx(0.025 ** (1 / 5))
    assert (smooth["high"], smooth["unsure"]) == (1, 1)
    assert "pause              23      2       0      0.920  0.740 to 0.990" in audit.table(
        found.reset_index(), level=0.95
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        pytest.param(
            [("p", "pause", "maybe", "")], "1 rows have a verdict outside right", id="word"
        ),
        pytest.param([("p", "pose", "right", "")], "have a scenario outside", id="scenario"),
        pytest.param([("p", "pause", "right", "")] * 2, "judges p twice", id="twice"),
    ],
)
def test_a_verdict_that_is_none_is_one_line(tmp_path, rows, said):
    with pytest.raises(InputError, match=said):
        audit.read_verdicts(verdicts(tmp_path / "v.csv", *rows))
