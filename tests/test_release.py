"""What a release holds, that two readers agree on it, that validators accept it, and a rebuild."""

import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import soundfile
import yaml

from bench import SETTINGS
from small_run import SMALL, WHOLE, row_of
from tact import clips, config, frames, release, tables
from tact.errors import InputError
from tact.release import rights
from tact.schemas import CONTRACTS

KEY = b"k" * 32
RATE_HZ = 8_000
CORPORA = {"otospeech": "audio", "candor": "recipe"}
SLICES = ("all", "corpus=candor", "corpus=otospeech")
SPEAKERS = ("ada", "bob", "cleo")
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def settings():
    """The config cut to one corpus that may be shared and one that may not."""
    raw = config.overlay(yaml.safe_load(WHOLE.read_text()), yaml.safe_load(SMALL))
    raw["build"] = list(CORPORA)
    raw["simulation"]["use"] = False
    raw["reference"]["pooled"] = list(CORPORA)
    raw["release"] |= {"url": "https://example.org/tact", "published": "2026-12-02"}
    return config.parse(raw)


def recordings_of(corpus, root):
    """Two conversations, each a file of noise with a speaker on either channel."""
    rows = []
    for i, pair in enumerate((SPEAKERS[:2], SPEAKERS[1:])):
        path = root / f"{i}.wav"
        noise = np.random.default_rng(i).integers(-9_000, 9_000, (RATE_HZ * 20, 2), dtype=np.int16)
        soundfile.write(path, noise, RATE_HZ)
        for channel, name in enumerate(pair):
            rows.append(
                row_of("recordings")
                | {
                    "corpus": corpus,
                    "conversation": f"{corpus}:{'-'.join(pair)}",
                    "channel": channel,
                    "speaker": f"{corpus}:{name}",
                    "path": path.name,
                    "sample_rate_hz": RATE_HZ,
                    "duration_ms": 20_000,
                    "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                    "licence": SETTINGS.corpora[corpus].licence,
                    "release": None,
                }
            )
    return frames.frame(rows, "recordings")


def episodes_of(corpus, recordings):
    rows = []
    for i, (conversation, own) in enumerate(recordings.groupby("conversation")):
        for j in range(3):
            focal, partner = own["speaker"].iloc[:: 1 if j % 2 else -1]
            rows.append(
                row_of("episodes")
                | {
                    "episode": f"{corpus}-{i}{j}",
                    "point": f"{corpus}{i}{j}",
                    "corpus": corpus,
                    "split": "dev" if j == 2 else "test",
                    "split_group": f"{corpus}:ada+bob",
                    "conversation": conversation,
                    "focal": focal,
                    "partner": partner,
                    "t0_ms": 6_000 + 1_001 * j,
                    "context_start_ms": 1_000 + 1_001 * j,
                    "horizon_end_ms": 11_000 + 1_001 * j,
                    "strata": {"gender": "female"},
                    "rights": CORPORA[corpus],
                    "clip": None,
                    "clip_sha256": None,
                }
            )
    return frames.frame(rows, "episodes")


def cut(corpus, episodes, recordings, root, results):
    folder = results / f"clips/{corpus}"
    folder.mkdir(parents=True)
    with (folder / "1.tar").open("wb") as tar:
        made = clips.pack(episodes, recordings, root, shard="1", into=tar)
    bound = episodes.drop(columns=["clip", "clip_sha256"]).merge(made.drop(columns="reason"))
    return frames.check(bound, "episodes")


def other_rows(table, corpus, episodes):
    """Rows of a table about episodes, which name speakers wherever they can."""
    rows = []
    for episode in episodes.to_dict("records"):
        row = row_of(table) | {"episode": episode["episode"], "text": "secret words"}
        row |= {"speaker": episode["partner"], "partners": f"{corpus}:bob,{corpus}:cleo"}
        row |= {"swapped_episode": episode["episode"], "swapped_speaker": f"{corpus}:cleo"}
        row |= {"synopsis": "secret synopsis", "point": episode["point"], "corpus": corpus}
        row |= {name: episode[name] for name in ("conversation", "focal", "partner", "split_group")}
        rows.append({name: row[name] for name in CONTRACTS[table].names})
    return frames.frame(rows, table)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run of two corpora, small and made by hand."""
    top = tmp_path_factory.mktemp("run")
    results, own = top / "results", settings()
    every = []
    for corpus in CORPORA:
        root = top / corpus
        root.mkdir()
        recordings = recordings_of(corpus, root)
        tables.write(recordings, results / f"corpora/{corpus}/recordings.parquet", "recordings")
        every.append(cut(corpus, episodes_of(corpus, recordings), recordings, root, results))
    episodes = pd.concat(every)
    tables.write(episodes, results / "episodes/episodes.parquet", "episodes")
    for shared in rights.PER_EPISODE:
        for corpus in CORPORA if "{corpus}" in shared.pattern else [""]:
            some = episodes[episodes["corpus"].str.startswith(corpus)]
            path = results / shared.pattern.format(corpus=corpus)
            tables.write(other_rows(shared.table, corpus or "candor", some), path, shared.table)
    for shared in rights.STATISTICS:
        for corpus in CORPORA if "{corpus}" in shared.pattern else [""]:
            rows = [row_of(shared.table) | {"corpus": corpus, "slice": at} for at in SLICES]
            rows = [{n: row[n] for n in CONTRACTS[shared.table].names} for row in rows]
            unique = pd.DataFrame(rows).drop_duplicates(list(CONTRACTS[shared.table].key))
            tables.write(
                frames.check(unique, shared.table),
                results / shared.pattern.format(corpus=corpus),
                shared.table,
            )
    (results / "config.yaml").write_text(yaml.safe_dump(own.model_dump(mode="json")))
    return top


@pytest.fixture(scope="module")
def packed(run):
    counts = release.pack(run / "results", run / "release", release.Namer(KEY))
    assert counts == (12, 6, 6, 14)
    return run / "release"


def everything(folder):
    """All bytes of the values in a folder: Parquet is compressed, so its rows are read."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            yield (
                path,
                " ".join(
                    str(table[name].to_pylist()) for name in table.column_names if name != "audio"
                ),
            )
        elif path.is_file():
            yield path, path.read_text()


def test_no_native_id_and_no_key_is_anywhere_in_a_release(packed):
    native = re.compile(r"\b(ada|bob|cleo)\b|otospeech-\d\d\b|candor-\d\d\b|k{32}")

    found = {
        str(path): match[0] for path, told in everything(packed) if (match := native.search(told))
    }

    assert found == {}


def test_of_a_recipe_corpus_only_ids_times_and_hashes_leave(packed):
    episodes = tables.read(packed / "tables/episodes.parquet", "episodes").set_index("corpus")
    clips_ = pq.read_table(packed / "clips").to_pandas().set_index("corpus")

    assert set(map(str, episodes.loc["candor", "strata"])) == {"[]"}
    assert len(episodes.loc["otospeech", "strata"].iloc[0]) == 1
    assert clips_.loc["candor", "audio"].isna().all()
    assert clips_.loc["otospeech", "audio"].notna().all()
    for shared in rights.PER_EPISODE:
        rows = pq.read_table(packed / f"tables/{shared.table}.parquet").to_pandas()
        assert set(rows.iloc[:, 0].str.contains("candor")) <= {False}
        assert len(rows) == 6
    laws = tables.read(packed / "tables/laws.parquet", "laws")
    assert set(laws["slice"]) == {"all", "corpus=otospeech"}


def test_each_row_names_its_licence_and_a_stage_reads_the_tables_all_the_same(packed):
    for path in packed.glob("tables/*.parquet"):
        licences = set(pq.read_table(path)["licence"].to_pylist())
        known = {SETTINGS.corpora[name].licence for name in CORPORA}
        assert licences
        assert licences <= known | {"; ".join(sorted(known))}
        assert "licence" not in tables.read(path, path.stem)
    clips_ = pq.read_table(packed / "clips", columns=["corpus", "licence"]).to_pandas()
    assert set(map(tuple, clips_.to_numpy())) == {
        (name, SETTINGS.corpora[name].licence) for name in CORPORA
    }


def test_the_posteriors_of_recipes_leave_where_the_config_says_so(run, packed, tmp_path):
    shutil.copytree(run / "results", tmp_path / "results")
    told = yaml.safe_load((run / "results/config.yaml").read_text())
    told["release"]["posteriors_of_recipes"] = True
    (tmp_path / "results/config.yaml").write_text(yaml.safe_dump(told))

    release.pack(tmp_path / "results", tmp_path / "release", release.Namer(KEY))

    rows = tables.read(tmp_path / "release/tables/posteriors.parquet", "posteriors")
    assert len(rows) == 12
    assert len(tables.read(tmp_path / "release/tables/history.parquet", "history")) == 6


def test_names_hang_on_the_key_and_join_the_tables(packed):
    one, other = release.Namer(KEY), release.Namer(b"o" * 32)
    episodes = tables.read(packed / "tables/episodes.parquet", "episodes")
    history = tables.read(packed / "tables/history.parquet", "history")

    assert one.name("speaker", "candor:ada") == one.name("speaker", "candor:ada")
    assert one.name("speaker", "candor:ada") != other.name("speaker", "candor:ada")
    assert one.name("speaker", "candor:ada") != one.name("conversation", "candor:ada")
    partner = episodes.set_index("episode")["partner"]
    assert (history["speaker"] == history["episode"].map(partner)).all()


def test_the_same_run_and_key_give_the_same_bytes(run, packed, tmp_path):
    release.pack(run / "results", tmp_path / "again", release.Namer(KEY))

    assert [
        (path.relative_to(packed), path.read_bytes()) for path in sorted(packed.rglob("*.*"))
    ] == [
        (path.relative_to(tmp_path / "again"), path.read_bytes())
        for path in sorted((tmp_path / "again").rglob("*.*"))
    ]


def test_a_full_folder_a_short_key_and_a_spoilt_clip_are_one_line(
    run, packed, tmp_path, monkeypatch
):
    with pytest.raises(InputError, match="is not an empty folder"):
        release.pack(run / "results", packed, release.Namer(KEY))

    monkeypatch.setenv("TACT_RELEASE_KEY", "short")
    with pytest.raises(InputError, match="has 5 characters, not 32 or more; make one with"):
        release.read_key(None)
    with pytest.raises(InputError, match=r"release: no file .*/none; make one"):
        release.read_key(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder; give a file with the key"):
        release.read_key(tmp_path)

    shutil.copytree(run / "results", tmp_path / "results")
    tar = tmp_path / "results/clips/otospeech/1.tar"
    spoilt = bytearray(tar.read_bytes())
    spoilt[2_000] ^= 1
    tar.write_bytes(spoilt)
    with pytest.raises(InputError, match="is not what was cut"):
        release.pack(tmp_path / "results", tmp_path / "release", release.Namer(KEY))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results"]


def rebuilt(run, to, recordings=None):
    known = tables.read(run / "results/corpora/candor/recordings.parquet", "recordings")
    return release.rebuild(
        run / "release",
        known if recordings is None else recordings(known),
        run / "candor",
        to,
        corpus="candor",
        most_mb=1,
    )


def test_a_recipe_and_the_corpus_give_the_very_same_clips(run, packed, tmp_path):
    made = rebuilt(run, tmp_path)

    recipes = tables.read(packed / "recipes/candor.parquet", "recipes").set_index("episode")
    rows = pq.read_table(tmp_path / "clips").to_pylist()
    got = {row["episode"]: hashlib.sha256(row["audio"]["bytes"]).hexdigest() for row in rows}
    original = tables.read(run / "results/episodes/episodes.parquet", "episodes")
    assert (made.asked, made.same, len(made.left_out)) == (6, 6, 0)
    assert got == recipes["clip_sha256"].to_dict()
    assert set(got.values()) == set(original.query("corpus == 'candor'")["clip_sha256"])


@pytest.mark.parametrize(
    ("change", "reason", "detail", "n"),
    [
        pytest.param(lambda r: r[~r["conversation"].str.contains("ada")], "conversation not here",
                     "no conversation with SHA-256", 3, id="conversation-gone"),
        pytest.param(lambda r: r.assign(path="none.wav"), "cannot be cut", "none.wav", 6,
                     id="file"),
        pytest.param(lambda r: r.assign(path=None), "no audio", "on this disk", 6, id="words-only"),
        pytest.param(lambda r: r.assign(path="0.wav", sha256="f" * 64), "clip differs",
                     "other audio than at release: 0.wav", 3, id="other-file"),
    ],
)  # fmt: skip
def test_a_clip_that_does_not_come_out_is_a_row(run, packed, tmp_path, change, reason, detail, n):
    made = rebuilt(run, tmp_path, change)

    left_out = tables.read(tmp_path / "quarantine.parquet", "quarantine")
    assert (made.asked, made.same) == (6, 6 - n)
    assert set(left_out["reason"]) == {reason}
    assert left_out["detail"].str.contains(detail, regex=False).all()
    assert left_out["item"].is_unique
    assert len(left_out) == n


def test_a_release_without_that_recipe_says_which_it_has(packed, tmp_path):
    with pytest.raises(InputError, match="no recipe of 'ami'; it has: candor"):
        release.rebuild(
            packed, frames.empty("recordings"), tmp_path, tmp_path, corpus="ami", most_mb=1
        )


READ = """
import io, json, sys, hashlib
import datasets, soundfile
told = {}
for split in ("test", "dev"):
    for streaming in (False, True):
        rows = datasets.load_dataset(sys.argv[1], split=split, streaming=streaming)
        told[f"{split} {streaming}"] = [
            {**{k: v for k, v in row.items() if k != "audio"},
             "audio": row["audio"] and hashlib.sha256(
                 soundfile.read(io.BytesIO(row["audio"]["bytes"]), dtype="int32")[0].tobytes()
             ).hexdigest()}
            for row in rows
        ]
told["names"] = datasets.get_dataset_config_names(sys.argv[1])
told["laws"] = datasets.load_dataset(sys.argv[1], "laws", split="full").to_list()
json.dump(told, sys.stdout)
"""


def test_datasets_streaming_or_not_and_pyarrow_with_soundfile_read_the_same(packed, tmp_path):
    pytest.importorskip("datasets", reason="datasets is not installed here")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", READ, str(packed)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | OFFLINE | {"HF_HOME": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    read = json.loads(done.stdout)

    for split in ("test", "dev"):
        rows = pq.read_table(sorted(packed.glob(f"clips/{split}-*.parquet"))[0]).to_pylist()
        for row in rows:
            sound = row["audio"] and soundfile.read(
                io.BytesIO(row["audio"]["bytes"]), dtype="int32"
            )
            row["audio"] = sound and hashlib.sha256(sound[0].tobytes()).hexdigest()
        assert read[f"{split} False"] == read[f"{split} True"] == rows
    tables_ = {path.stem for path in packed.glob("tables/*.parquet")}
    assert set(read["names"]) == tables_ | {"candor"}
    assert read["laws"] == pq.read_table(packed / "tables/laws.parquet").to_pylist()


@pytest.mark.filterwarnings("ignore")
def test_the_croissant_validator_accepts_the_metadata_and_reads_the_records(packed):
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed here")

    dataset = mlcroissant.Dataset(jsonld=str(packed / "croissant.json"))

    assert list(dataset.metadata.issues.errors) == []
    assert list(dataset.metadata.issues.warnings) == []
    stored = pq.read_table(packed / "clips/test-00000.parquet").to_pylist()
    (first,) = (row for row in dataset.records("clips/test-00000") if has(row, stored[-1]))
    assert first["clips/test-00000/audio"] == stored[-1]["audio"]["bytes"]
    assert first["clips/test-00000/t0_ms"] == stored[-1]["t0_ms"]


def has(record, row):
    return record["clips/test-00000/episode"].decode() == row["episode"]


@pytest.mark.filterwarnings("ignore")
def test_the_validator_accepts_the_ro_crate_of_the_run(packed, monkeypatch):
    pytest.importorskip("rocrate_validator", reason="roc-validator is not installed")
    rocrate = pytest.importorskip("rocrate", reason="rocrate is not installed")
    from rocrate_validator import models, services
    from rocrate_validator.utils.http import HttpRequester

    # The validator asks w3id.org for the context; the one that rocrate carries stands in for it.
    context = json.loads((Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text())
    monkeypatch.setattr(HttpRequester, "get", lambda *_, **__: Answer(context), raising=False)
    found = services.validate(
        services.ValidationSettings(
            rocrate_uri=str(packed),
            profile_identifier="process-run-crate-0.5",  # with RO-Crate 1.1, which it builds on
            requirement_severity=models.Severity.REQUIRED,
        )
    )

    assert [issue.message for issue in found.get_issues()] == []
    assert {profile.identifier for profile in found.context.profiles} >= {"ro-crate-1.1"}
    assert found.passed()


class Answer:
    """What a server answers with a JSON document."""

    status_code, ok, url = 200, True, ""
    headers = {"Content-Type": "application/ld+json"}  # noqa: RUF012

    def __init__(self, document):
        self.text = json.dumps({"@context": document["@context"]})
        self.content = self.text.encode()

    def json(self):
        return json.loads(self.text)

    def raise_for_status(self):
        """Nothing is wrong."""


def test_the_crate_lists_every_file_with_its_hash_and_the_settings_as_input(packed):
    graph = {
        one["@id"]: one
        for one in json.loads((packed / "ro-crate-metadata.json").read_text())["@graph"]
    }

    files = {str(path.relative_to(packed)) for path in packed.rglob("*.*") if path.is_file()}
    assert files - set(graph) == set()
    for name in files - {"ro-crate-metadata.json"}:
        assert graph[name]["sha256"] == hashlib.sha256((packed / name).read_bytes()).hexdigest()
    inputs = {one["@id"] for one in graph["#run"]["object"]}
    assert inputs == {"config.yaml", "#corpus-candor", "#corpus-otospeech"}


def pages(folder):
    """The day and address that the two pages for machines tell."""
    croissant = json.loads((folder / "croissant.json").read_text())
    crate = json.loads((folder / "ro-crate-metadata.json").read_text())["@graph"]
    root = next(one for one in crate if one["@id"] == "./")
    return [(one.get("datePublished"), one.get("url")) for one in (croissant, root)]


def test_the_day_and_address_come_from_the_config_and_are_left_out_where_unknown(
    run, packed, tmp_path
):
    assert pages(packed) == 2 * [("2026-12-02", "https://example.org/tact")]

    shutil.copytree(run / "results", tmp_path / "results")
    told = yaml.safe_load((tmp_path / "results/config.yaml").read_text())
    told["release"] |= {"url": None, "published": None}
    (tmp_path / "results/config.yaml").write_text(yaml.safe_dump(told))
    release.pack(tmp_path / "results", tmp_path / "release", release.Namer(KEY))

    assert pages(tmp_path / "release") == 2 * [(None, None)]


def test_the_config_of_a_release_is_a_config_that_names_no_place_of_this_disk(run, packed):
    told = config.load([packed / "config.yaml"])

    assert told.corpora["candor"].root == "data/candor"
    assert str(run) not in (packed / "config.yaml").read_text()
