"""The config is closed: a wrong key is named together with the nearest right one."""

import json
import re
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tact import cli, config
from tact.bootstrap import bca
from tact.errors import ConfigError, InputError

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def raw():
    return yaml.safe_load((ROOT / "config.yaml").read_text())


def test_the_shipped_config_and_each_overlay_are_valid():
    for overlay in ("demo", "ami"):
        settings = config.load([ROOT / "config.yaml", ROOT / f"workflow/{overlay}.yaml"])

        assert settings.results == f"results-{overlay}"


def test_quota_rows_and_columns_are_the_papers_totals(raw):
    quota = config.parse(raw).episodes.quota

    rows = {corpus: sum(cells.values()) for corpus, cells in quota.items()}
    columns = {s: sum(cells[s] for cells in quota.values()) for s in next(iter(quota.values()))}

    assert rows == {
        "candor": 2560,
        "sssd": 2304,
        "otospeech": 1792,
        "seamless": 1536,
        "ami": 768,
        "probes": 768,
    }
    assert columns == {"pause": 2720, "backchannel": 2432, "smooth": 2592, "interruption": 1984}


def test_an_unknown_key_names_the_nearest_one(raw):
    raw["points"]["pause_mn_ms"] = raw["points"].pop("pause_min_ms")

    with pytest.raises(ConfigError, match=r"'points\.pause_mn_ms'; did you mean 'pause_min_ms'"):
        config.parse(raw)


def test_an_unknown_key_inside_a_mapping_of_sections_is_found(raw):
    raw["corpora"]["candor"]["licens"] = "x"

    with pytest.raises(ConfigError, match=r"corpora\.candor\.licens.*did you mean 'licence'"):
        config.parse(raw)


@pytest.mark.parametrize(
    ("section", "key"), [("profiles", "fillers"), ("turns", "backchannel")], ids=str
)
def test_a_language_without_its_words_is_named(raw, section, key):
    raw["corpora"]["ami"]["language"] = "nl-BE"
    words = raw[section][key]
    (words.get("lexicon") or words).pop("nl")

    with pytest.raises(ConfigError, match=r"corpora\.ami\.language: .* has no 'nl' \(it has en\)"):
        config.parse(raw)


def test_a_value_of_the_wrong_type_is_named(raw):
    raw["points"]["pause_min_ms"] = "soon"

    with pytest.raises(ConfigError, match=r"points\.pause_min_ms is 'soon'"):
        config.parse(raw)


@pytest.mark.parametrize("value", [True, "200", "1e3"])
@pytest.mark.parametrize(
    "key", ["activity.ipu_silence_ms", "activity.edges.over_db", "door.clipped_share", "seed"]
)
def test_neither_text_nor_yes_is_a_number(raw, key, value):
    *sections, name = key.split(".")
    reduce(dict.get, sections, raw)[name] = value

    with pytest.raises(ConfigError, match=rf"config: {key} is {value!r}: Input should be a valid"):
        config.parse(raw)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 1\nactivity: {ipu_silence_ms: 0200}", "line 2: YAML reads 0200 as 128;"),
        ("seed: 3:20", "line 1: YAML reads 3:20 as 200;"),
        ("door: {bleed_db: -1:30.5}", "line 1: YAML reads -1:30.5 as -90.5;"),
        ("concord: {bins_ms: [0150, 0400]}", "line 1: YAML reads 0150 as 104 (and 1 more);"),
    ],
)
def test_a_number_that_yaml_reads_in_another_base_is_named(tmp_path, text, said):
    (tmp_path / "odd.yaml").write_text(text)

    with pytest.raises(ConfigError) as error:
        config.read(tmp_path / "odd.yaml")

    assert str(error.value).startswith(f"{tmp_path / 'odd.yaml'}, {said} write a number without")


def test_text_with_colons_and_plain_numbers_are_no_numbers_of_another_base(tmp_path):
    (tmp_path / "plain.yaml").write_text("[0, -0.5, 0.0, 100, 1e-3, '0200', '3:20', a:b, 0x1F]")

    with pytest.raises(ConfigError, match="a config is a mapping of sections, not"):
        config.read(tmp_path / "plain.yaml")


def test_the_last_file_that_says_a_wrong_value_is_named(tmp_path):
    wrong, also, right = (tmp_path / f"{name}.yaml" for name in ("wrong", "also", "right"))
    wrong.write_text("activity: {ipu_silence_ms: soon}")
    also.write_text("activity: {min_speech_ms: 80}")
    right.write_text("activity: {ipu_silence_ms: 200}")

    with pytest.raises(ConfigError, match=rf"^{wrong}: activity\.ipu_silence_ms is 'soon'"):
        config.load([ROOT / "config.yaml", wrong, also])
    assert config.load([wrong, ROOT / "config.yaml", right])
    right.write_text("activity: {ipu_silenc_ms: 200}")
    with pytest.raises(ConfigError, match=rf"^{right}: unknown key 'activity\.ipu_silenc_ms'"):
        config.load([ROOT / "config.yaml", right, also])


@pytest.mark.parametrize("where", ["value", "key", "corpus", "file"])
def test_a_long_value_is_cut(raw, tmp_path, where):
    long = "x" * 5_000
    wrong = {"value": {"seed": long}, "key": {long: 1}, "corpus": {"build": [long]}}

    text = long if where == "file" else yaml.safe_dump(raw | wrong[where])
    (tmp_path / "long.yaml").write_text(text)

    with pytest.raises(ConfigError, match=r"\(50\d\d characters\)") as error:
        config.load([tmp_path / "long.yaml"])

    assert len(str(error.value)) < 400


def test_an_empty_file_is_told_what_it_lacks(tmp_path):
    (tmp_path / "empty.yaml").write_text("# nothing\n")

    with pytest.raises(ConfigError, match=r"it holds none; take one from config\.yaml"):
        config.load([ROOT / "config.yaml", tmp_path / "empty.yaml"])


def test_a_missing_key_is_named(raw):
    del raw["episodes"]["per_speaker"]

    with pytest.raises(ConfigError, match=r"no value for 'episodes\.per_speaker'"):
        config.parse(raw)


def test_a_corpus_to_build_must_be_described(raw):
    raw["build"] = ["candr"]

    with pytest.raises(ConfigError, match=r"no corpus 'candr' in corpora; did you mean 'candor'"):
        config.parse(raw)


def test_an_overlay_merges_mappings_and_replaces_lists():
    base = {"a": {"x": 1, "y": 2}, "b": [1, 2]}

    assert config.overlay(base, {"a": {"y": 3}, "b": [4]}) == {"a": {"x": 1, "y": 3}, "b": [4]}


def test_a_missing_file_and_bad_yaml_each_give_one_line(tmp_path):
    with pytest.raises(InputError, match="cannot read"):
        config.load([tmp_path / "no.yaml"])
    (tmp_path / "bad.yaml").write_text("a: [1\nb")
    with pytest.raises(ConfigError, match="not YAML") as error:
        config.load([tmp_path / "bad.yaml"])
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("seed: 1\nseed: 1\n", "line 2: key 'seed' stands in line 1 already"),
        ("a: {x: 1, x: 2}", "line 1: key 'x' stands in line 1 already"),
        ('a:\n  b: 1\n\n  "b": 2\n', "line 4: key 'b' stands in line 2 already"),
        ("a:\n- {x: 1}\n- y: 2\n  y: 2\n", "line 4: key 'y' stands in line 3 already"),
        ("b: {x: 1,\n x: 2}\na: 1\na: 2\na: 3", "line 2: key 'x' .* already (and 2 more);"),
        ("a: &one {x: 1}\nb:\n  <<: *one\n  <<: *one\n", "line 4: key '<<' stands in line 3"),
        ("a: &one\n  x: 1\n  x: 2\nb: *one\nc: *one\n", "line 3: key 'x' .* line 2 already;"),
    ],
)
def test_a_key_that_one_mapping_has_twice_is_named_with_both_lines(tmp_path, text, line):
    (tmp_path / "twice.yaml").write_text(text)

    with pytest.raises(ConfigError) as error:
        config.load([tmp_path / "twice.yaml"])

    pattern = re.escape(f"{tmp_path / 'twice.yaml'}, {line}").replace(r"\.\*", ".*")
    assert re.match(pattern, str(error.value))
    assert str(error.value).endswith("the last would win, so keep one")
    assert "\n" not in str(error.value)


MERGED = """
one: &one {x: 1, y: 1}
two: &two {<<: *one, y: 2}
three: {<<: *two, y: 3}
four: {y: 4, <<: [*two, *one]}
five: [*two, *two, {x: 5}, {x: 5}]
"5": {}
5: {}
"""


def test_keys_that_lie_over_merged_ones_and_aliases_are_not_doubled(tmp_path):
    (tmp_path / "merged.yaml").write_text(MERGED)

    read = config.read(tmp_path / "merged.yaml")

    assert read == yaml.safe_load(MERGED)
    assert read["three"] == {"x": 1, "y": 3}
    assert read["four"] == {"x": 1, "y": 4}


KEYS = st.sampled_from(["a", "b", "c", "d"])


@given(
    st.recursive(
        st.integers(0, 9),
        lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=3)
        .map(tuple),
        max_leaves=12,
    ).filter(lambda drawn: isinstance(drawn, tuple))
)  # fmt: skip
def test_a_file_is_refused_exactly_where_some_mapping_repeats_a_key(tmp_path_factory, drawn):
    """Tuples of pairs are mappings, written as flow YAML by hand; JSON reads the same."""

    def written(value):
        if isinstance(value, tuple):
            return "{" + ", ".join(f'"{key}": {written(part)}' for key, part in value) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(written, value)) + "]"
        return str(value)

    def doubled(value):
        if isinstance(value, tuple):
            keys = [key for key, _ in value]
            return len(set(keys)) < len(keys) or any(doubled(part) for _, part in value)
        return isinstance(value, list) and any(map(doubled, value))

    path = tmp_path_factory.getbasetemp() / "drawn.yaml"
    path.write_text(written(drawn))

    if doubled(drawn):
        with pytest.raises(ConfigError, match="already"):
            config.read(path)
    else:
        assert config.read(path) == json.loads(path.read_text())


@pytest.mark.parametrize("path", sorted(ROOT.glob("workflow/*.yaml")), ids=lambda path: path.name)
def test_each_overlay_that_ships_is_read(path):
    assert config.read(path) == yaml.safe_load(path.read_text())


def test_the_schema_on_disk_is_the_one_of_the_code():
    """Cure: tact schema --out workflow/schemas/config.schema.yaml."""
    assert (ROOT / "workflow/schemas/config.schema.yaml").read_text() == config.schema()


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
@pytest.mark.parametrize("section", ["reference", "scores"])
def test_a_level_of_an_interval_lies_between_0_and_1(raw, section, level):
    raw[section]["level"] = level

    with pytest.raises(ConfigError, match=rf"{section}\.level is {level}"):
        config.parse(raw)


LEAST = [(0.5, 4), (0.9, 20), (0.95, 40), (0.99, 200), (0.7, 7), (0.999, 2000), (0.01, 3)]
"""The least R of which a tail holds a whole resample, R (1 - level) / 2 >= 1."""


@pytest.mark.parametrize(("level", "least"), LEAST)
@pytest.mark.parametrize("section", ["reference", "scores"])
def test_an_interval_needs_a_resample_in_each_tail(raw, section, level, least):
    raw[section] |= {"level": level, "resamples": least}
    config.parse(raw)

    for few in (1, least - 1):
        raw[section]["resamples"] = few
        with pytest.raises(ConfigError) as error:
            config.parse(raw)
        assert str(error.value) == (
            f"{section}: an interval at level {level} needs {least} resamples or more, one in each"
            f" tail, and resamples is {few}; raise it or lower level"
        )


def test_a_level_that_the_resamples_cannot_hold_is_refused(raw):
    raw["scores"]["level"] = 0.999999

    with pytest.raises(ConfigError, match=r"needs 2000000 resamples or more.* is 10000;"):
        config.parse(raw)


@pytest.mark.parametrize(("level", "least"), LEAST)
def test_with_one_resample_more_or_less_the_interval_moves_in_or_is_the_outermost(level, least):
    """BCa of a symmetric estimate without bias or acceleration, so that its tails are plain."""
    jackknife = np.array([-1.0, 1.0])

    def low(n, level):
        return bca(np.linspace(-1.0, 1.0, n), 0.0, jackknife, level=level).low

    few = least - 1
    assert low(few, level) == low(few, 1 - 1e-9) == -1.0
    assert low(2 * least, level) > low(2 * least, 1 - 1e-9) == -1.0


def test_laws_without_resamples_are_allowed_at_any_level(raw):
    raw["reference"] |= {"resamples": 0, "level": 0.999999}

    assert config.parse(raw).reference.resamples == 0


def test_permutations_must_hold_the_quantile_that_is_given_of_them(raw):
    raw["analyses"]["permutations"] = 19

    with pytest.raises(ConfigError, match=r"analyses\.permutations is 19: .* equal to 20"):
        config.parse(raw)


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_number_that_is_not_finite_is_named(raw, value):
    raw["reference"]["gamma"] = value

    with pytest.raises(ConfigError, match=rf"reference\.gamma is {value}: .* finite"):
        config.parse(raw)


def test_weights_of_a_category_sum_to_1(raw):
    raw["scores"]["coefficients"]["pause"]["timing"] = 0.8

    with pytest.raises(ConfigError, match=r"coefficients\.pause: timing, .* sum to 1\.1, not to 1"):
        config.parse(raw)


def test_a_crossing_names_each_axis_once(raw):
    raw["reference"]["axes"] = ["gender", ["gender", "gender"]]

    with pytest.raises(ConfigError, match=r"reference\.axes: .* name one twice"):
        config.parse(raw)


def test_a_made_corpus_lies_in_a_folder_of_its_own_name(raw):
    raw["simulation"]["use"] = True
    raw["corpora"]["ami"]["root"] = "made/meetings"

    with pytest.raises(ConfigError, match=r"corpora\.ami\.root .* let the root end in /ami"):
        config.parse(raw)


@pytest.mark.parametrize(
    ("section", "key", "value", "line"),
    [
        ("silero", "leave", 0.6, r"activity\.silero: leave 0\.6 is above enter 0\.5"),
        ("pyannote", "leave", 0.6, r"activity\.pyannote: leave 0\.6 is above enter 0\.5"),
        ("calibration", "bands_db", [25.0, 15.0], r"bands_db: \[25\.0, 15\.0\] do not rise"),
        ("calibration", "snrs_db", [], r"snrs_db: name at least one"),
        ("calibration", "corpus", "candr", r"no corpus 'candr' in corpora; did you mean 'candor'"),
    ],
)
def test_settings_of_detectors_that_cannot_be_are_named(raw, section, key, value, line):
    raw["activity"][section][key] = value

    with pytest.raises(ConfigError, match=line):
        config.parse(raw)


BEYOND = {
    "door.length_ms": [0, 100_000],
    "door.silent_dbfs": [-121.0, -10.0],
    "door.bleed_db": [-200.0, 200.0],
    "door.word_lag_ms": [10_001],
    "door.drift_ms": [100_000],
    "door.least_ms": [10_000_000],
    "activity.ipu_silence_ms": [-1, 100_000],
    "activity.max_word_ms": [1, 100_000],
    "activity.min_speech_ms": [-1, 100_000],
    "activity.silero.enter": [0.0, 1.0],
    "activity.silero.leave": [0.0],
    "activity.pyannote.enter": [0.0],
    "activity.pyannote.leave": [0.0],
    "activity.edges.over_db": [-1.0, 200.0],
    "activity.edges.range_db": [0.0, 200.0],
    "activity.crosstalk.far_db": [0.0, 200.0],
    "activity.crosstalk.margin_db": [-1.0, 200.0],
    "activity.crosstalk.least_ms": [100_000],
    "activity.calibration.snrs_db": [[60.0, 200.0], [-100.0]],
    "activity.calibration.bands_db": [[0.0, 15.0], [15.0, 200.0]],
    "activity.calibration.bleed_db": [-200.0, 0.0],
    "activity.calibration.seed": [-1],
    "diarization.least_alone_s": [0.0, 11.0],
    "diarization.most_voice_s": [1.0],
    "concord.bins_ms": [[150, 1_000_000]],
}
"""Values at which a setting of hearing would do nothing that its name says."""


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in BEYOND.items() for value in values]
)
def test_a_level_length_or_share_that_no_sound_has_is_named_with_its_bound(raw, key, value):
    *sections, name = key.split(".")
    below = raw
    for section in sections:
        below = below[section]
    below[name] = value

    with pytest.raises(ConfigError) as error:
        config.parse(raw)

    wrong = next(v for v in value if not 0 < v < 200) if isinstance(value, list) else value
    assert re.match(
        rf"config: {re.escape(key)}(\.\d+)? is {wrong}: Input should be ", str(error.value)
    )
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("written", "read", "meant"), [("no", False, "no"), ("on", True, "yes")])
def test_a_language_that_yaml_reads_as_a_boolean_is_to_be_quoted(raw, written, read, meant):
    raw["corpora"]["ami"]["language"] = yaml.safe_load(written)

    with pytest.raises(
        ConfigError, match=rf'corpora\.ami\.language is {read}: .*quote it: "{meant}"'
    ):
        config.parse(raw)


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("sources", ["words", "silero", "words"], r"concord\.sources: .* name one twice"),
        ("sources", ["words"], r"concord\.sources"),
        ("bins_ms", [400, 150], r"concord\.bins_ms: \[400, 150\] do not rise"),
    ],
)
def test_sources_that_cannot_be_set_side_by_side_are_named(raw, key, value, line):
    raw["concord"][key] = value

    with pytest.raises(ConfigError, match=line):
        config.parse(raw)


def test_a_config_of_one_run_is_not_the_default_of_the_next_in_one_process(tmp_path, capsys):
    """The list that the first run named was the default of the second."""
    (tmp_path / "other.yaml").write_text("corpora: {}\n")
    line = ["calibrate", "webrtc", "--corpus", "nowhere", "--out", str(tmp_path / "errors.parquet")]

    assert cli.main(["--config", str(tmp_path / "other.yaml"), *line]) == 2
    assert "no value for 'seed'" in capsys.readouterr().err
    assert cli.main(line) == 2

    assert "--corpus needs --recordings and --words" in capsys.readouterr().err
