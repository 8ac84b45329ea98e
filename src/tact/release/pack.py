"""Pack a release of a run, whole or not at all.

::

    README.md                card of the hub; `datasets.load_dataset(folder)` reads it
    croissant.json           the same for machines (MLCommons Croissant)
    ro-crate-metadata.json   the run: config, code, versions, inputs, outputs (RO-Crate)
    config.yaml              the settings, without places on a disk
    clips/<split>-*.parquet  episodes with audio where it may be shared
    tables/*.parquet         tables of the run, ids named anew, a licence in each row
    recipes/<corpus>.parquet what `tact rebuild` needs
"""

import hashlib
import shutil
import tarfile
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from tact import audio, config, frames, tables
from tact.errors import InputError
from tact.release import card, crate, croissant, rights, shards
from tact.release.ids import Namer
from tact.schemas import CONTRACTS
from tact.settings import Settings


class Counts(NamedTuple):
    """What a release holds."""

    episodes: int
    clips: int
    recipes: int
    tables: int


def pack(results: Path, to: Path, namer: Namer) -> Counts:
    """Pack what may be shared of a run into a new folder.

    Parameters
    ----------
    results : Path
        Results of a run.
    to : Path
        The release; it must not exist, or be empty.
    namer : Namer
        Names of ids.

    Raises
    ------
    InputError
        The run is not finished, a clip is not what the table says, or ``to`` holds something.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise InputError(f"release: {to} is not an empty folder; give a new one")
    settings = config.load([results / "config.yaml"])
    to.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=to.parent, prefix=f".{to.name}."))
    try:
        counts = _fill(results, partial, namer, settings)
        partial.chmod(0o755)
        partial.replace(to)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return counts


def _fill(results: Path, to: Path, namer: Namer, settings: Settings) -> Counts:
    episodes = tables.read(results / "episodes/episodes.parquet", "episodes")
    n_tables = 1 + _write_tables(results, to / "tables", episodes, namer, settings)
    recipes = _recipes(results, episodes, settings)
    for corpus, rows in recipes.groupby("corpus"):
        tables.write(namer.rename(rows), to / f"recipes/{corpus}.parquet", "recipes")
    shared = namer.rename(rights.strip(episodes))
    shared["clip"] = shared["episode"].add(".flac").where(shared["clip"].notna(), None)
    licences = _licences(shared, settings)
    write_table(shared, licences, to / "tables/episodes.parquet", "episodes")
    with Clips(results, episodes, namer) as packed:
        n_clips = shards.write(
            shared, licences, to / "clips", of=packed.read, most_mb=settings.release.clips_mb
        )
    (to / "config.yaml").write_text(yaml.safe_dump(public(settings), sort_keys=False))
    (to / "README.md").write_text(card.page(to, shared, settings), encoding="utf-8")
    (to / "croissant.json").write_text(croissant.document(to, settings), encoding="utf-8")
    (to / crate.NAME).write_text(crate.document(to, results, settings), encoding="utf-8")
    return Counts(len(shared), n_clips, len(recipes), n_tables)


def public(settings: Settings) -> dict[str, Any]:
    """Give the config without places on a disk and without native ids."""
    told: dict[str, Any] = settings.model_dump(mode="json")
    told["results"] = "results"
    told["door"]["trusted"] = []
    told["simulation"]["truth"] = "data/truth"
    told["analyses"] |= {"swapped": {}, "bare": {}, "ratings": None}
    for name, corpus in told["corpora"].items():
        corpus |= {"root": f"data/{name}", "labels": None, "judge": None}
    told["systems"] = {
        name: system for name, system in told["systems"].items() if system["path"] is None
    }
    return told


def write_table(rows: pd.DataFrame, licences: "pd.Series[str]", path: Path, table: str) -> None:
    """Write a table of the run with a licence in each row."""
    contract = CONTRACTS[table]
    checked = frames.check(rows, table).assign(**{tables.LICENCE: licences.to_numpy()})
    fields = [*contract.schema(), shards.LICENCE_COLUMN.field()]
    schema = pa.schema(fields, metadata=contract.schema().metadata)
    ordered = checked.sort_values(list(contract.key), kind="stable")
    arrow = pa.Table.from_pandas(ordered, schema=schema, preserve_index=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(arrow.replace_schema_metadata(schema.metadata), path, compression="zstd")


def _write_tables(
    results: Path, to: Path, episodes: pd.DataFrame, namer: Namer, settings: Settings
) -> int:
    corpus_of = episodes.set_index("episode")["corpus"]
    for shared in rights.PER_EPISODE:
        rows = _read(results, shared, settings)
        rows = rights.keep(rows, shared.table, episodes, settings)
        named = rows if "corpus" in rows else rows.assign(corpus=rows["episode"].map(corpus_of))
        licences = _licences(named, settings)
        write_table(namer.rename(rows), licences, to / f"{shared.table}.parquet", shared.table)
    every = "; ".join(sorted({settings.corpora[name].licence for name in settings.build}))
    for shared in rights.STATISTICS:
        rows = rights.keep_statistics(_read(results, shared, settings), settings)
        licences = pd.Series(every, index=rows.index)
        write_table(rows, licences, to / f"{shared.table}.parquet", shared.table)
    return len(rights.PER_EPISODE) + len(rights.STATISTICS)


def _read(results: Path, shared: rights.Shared, settings: Settings) -> pd.DataFrame:
    patterns = dict.fromkeys(shared.pattern.format(corpus=name) for name in settings.build)
    return tables.read([results / pattern for pattern in patterns], shared.table)


def _licences(rows: pd.DataFrame, settings: Settings) -> "pd.Series[str]":
    return rows["corpus"].map({name: entry.licence for name, entry in settings.corpora.items()})


def _recipes(results: Path, episodes: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    closed = episodes[episodes["rights"] == "recipe"]
    if closed.empty:
        return frames.empty("recipes")
    paths = [results / f"corpora/{name}/recordings.parquet" for name in closed["corpus"].unique()]
    by = ["conversation", "speaker"]
    known = tables.read(paths, "recordings").set_index(by)
    sides = {
        side: known.reindex(pd.MultiIndex.from_frame(closed[["conversation", side]]))
        for side in ("focal", "partner")
    }
    if lost := sum(int(side["channel"].isna().sum()) for side in sides.values()):
        raise InputError(
            f"release: {lost} speakers of episodes are not in recordings; run it again"
        )
    return pd.DataFrame(
        {
            "episode": closed["episode"].to_numpy(),
            "corpus": closed["corpus"].to_numpy(),
            "conversation_sha256": closed["conversation"].map(conversation_hash).to_numpy(),
            "release": sides["focal"]["release"].to_numpy(),
            **{f"{side}_channel": sides[side]["channel"].to_numpy() for side in sides},
            **{f"{side}_sha256": sides[side]["sha256"].to_numpy() for side in sides},
            "start_ms": closed["context_start_ms"].to_numpy(),
            "end_ms": closed["horizon_end_ms"].to_numpy(),
            "clip_sha256": closed["clip_sha256"].to_numpy(),
            "cut_with": audio.versions(),
        }
    )


def conversation_hash(conversation: str) -> str:
    """Name a conversation to those who have it: SHA-256 of ``<corpus>:<native id>``."""
    return hashlib.sha256(conversation.encode()).hexdigest()


class Clips:
    """The clips of a run that may be shared, read by the released id of their episode."""

    def __init__(self, results: Path, episodes: pd.DataFrame, namer: Namer) -> None:
        open_to_all = episodes[(episodes["rights"] == "audio") & episodes["clip"].notna()]
        self._folder = results / "clips"
        self._rows = {
            namer.name("episode", row.episode): row for row in open_to_all.itertuples(index=False)
        }
        self._tars: dict[Path, tarfile.TarFile] = {}
        self._open = ExitStack()

    def __enter__(self) -> "Clips":
        return self

    def __exit__(self, *_raised: object) -> None:
        self._open.close()

    def read(self, episode: str) -> bytes | None:
        """Give the FLAC bytes, checked against the table; None where no audio may be shared."""
        row = self._rows.get(episode)
        if row is None:
            return None
        shard, member = row.clip.split("/", 1)
        path = self._folder / row.corpus / f"{shard}.tar"
        try:
            if path not in self._tars:
                tar = tarfile.open(path)  # noqa: SIM115
                self._tars[path] = self._open.enter_context(tar)
            inner = self._tars[path].extractfile(member)
            content = inner.read() if inner else b""
        except (OSError, KeyError, tarfile.TarError) as error:
            raise InputError(f"release: no {member} in {path} ({error}); cut clips again") from None
        if hashlib.sha256(content).hexdigest() != row.clip_sha256:
            raise InputError(f"release: {member} in {path} is not what was cut; cut clips again")
        return content
