"""The run behind a release as an RO-Crate, by the profile Process Run Crate.

What was run (TACT, its code digest, its parts with versions), on what (each corpus, by the hash of
its files; the config), and what came out (each file). No clock is in it: the same run gives the
same bytes. Profile: https://w3id.org/ro/wfrun/process/0.5
"""

import hashlib
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tact import files, tables
from tact.provenance import source_digest
from tact.release import card
from tact.settings import Corpus, Settings

NAME = "ro-crate-metadata.json"
CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
PROFILE = "https://w3id.org/ro/wfrun/process/0.5"
PARTS = ("snakemake", "numpy", "scipy", "pandas", "pyarrow", "soundfile", "soxr", "onnx")
MEDIA = {".parquet": "application/vnd.apache.parquet", ".yaml": "application/yaml",
         ".md": "text/markdown", ".json": "application/ld+json"}  # fmt: skip
Entity = dict[str, Any]


def document(folder: Path, results: Path, settings: Settings) -> str:
    """Describe a release, complete but for this page, and the run that it came from."""
    parts = [_file(path, folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    corpora = [_corpus(name, results, settings.corpora[name]) for name in settings.build]
    software = [_software(name) for name in PARTS]
    graph = [
        _descriptor(),
        _root(parts, settings),
        _licence(settings),
        {"@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        _action(parts, corpora),
        _tact(software),
        *software,
        *corpora,
        *parts,
    ]
    told = {"@context": CONTEXT, "@graph": graph}
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _descriptor() -> Entity:
    return {
        "@id": NAME,
        "@type": "CreativeWork",
        "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }


def _licence(settings: Settings) -> Entity:
    licences = sorted({settings.corpora[name].licence for name in settings.build})
    return {
        "@id": "#licence",
        "@type": "CreativeWork",
        "name": "by row",
        "description": f"Each row of each table names its licence: {'; '.join(licences)}",
    }


def _root(parts: list[Entity], settings: Settings) -> Entity:
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": "TACT",
        "description": "Turn-taking episodes, reference laws and scores, and the run behind them.",
        "conformsTo": {"@id": PROFILE},
        "license": {"@id": "#licence"},
        "hasPart": _ids(parts),
        "mentions": {"@id": "#run"},
        **card.published(settings),
    }


def _action(parts: list[Entity], corpora: list[Entity]) -> Entity:
    made = [part for part in parts if part["@id"] != "config.yaml"]
    return {
        "@id": "#run",
        "@type": "CreateAction",
        "name": "snakemake release",
        "description": "Raw corpora in, benchmark out, packed by `tact release`.",
        "instrument": {"@id": "#tact"},
        "object": [{"@id": "config.yaml"}, *_ids(corpora)],
        "result": _ids(made),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }


def _tact(software: list[Entity]) -> Entity:
    return {
        "@id": "#tact",
        "@type": "SoftwareApplication",
        "name": "tact",
        "softwareVersion": version("tact"),
        "identifier": f"code digest {source_digest('tact.cli')}",
        "operatingSystem": platform.system(),
        "softwareRequirements": _ids(software),
    }


def _software(name: str) -> Entity:
    return {
        "@id": f"#{name}",
        "@type": "SoftwareApplication",
        "name": name,
        "softwareVersion": version(name),
    }


def _corpus(name: str, results: Path, entry: Corpus) -> Entity:
    """Describe the raw files of a corpus by number and by one hash over theirs."""
    rows = tables.read(results / f"corpora/{name}/recordings.parquet", "recordings")
    hashes = sorted({*rows["sha256"].dropna(), *rows["annotation_sha256"].dropna()})
    return {
        "@id": f"#corpus-{name}",
        "@type": "Dataset",
        "name": name,
        "license": entry.licence,
        "description": f"{rows['conversation'].nunique()} conversations, {len(hashes)} files."
        f" How to get it: {' '.join(entry.obtain.split())}",
        "identifier": f"sha256 over the hashes of its files {hashed(hashes)}",
    }


def hashed(hashes: list[str]) -> str:
    """Digest a sorted list of digests."""
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def _file(path: Path, folder: Path) -> Entity:
    name = path.relative_to(folder).as_posix()
    return {
        "@id": name,
        "@type": "File",
        "name": name,
        "encodingFormat": MEDIA[path.suffix],
        "contentSize": str(path.stat().st_size),
        "sha256": files.sha256(path),
    }


def _ids(entities: list[Entity]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]
