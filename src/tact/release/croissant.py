"""The release for machines: MLCommons Croissant 1.0, made of the contracts.

Vocabulary: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa

from tact import files
from tact.release import card, shards
from tact.schemas import CONTRACTS
from tact.settings import Settings

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
PARQUET = "application/x-parquet"
CITE = "TACT: turn-taking episodes from five dialogue corpora"
TYPES = ((pa.types.is_integer, "sc:Integer"), (pa.types.is_floating, "sc:Float"),
         (pa.types.is_boolean, "sc:Boolean"))  # fmt: skip


def document(folder: Path, settings: Settings) -> str:
    """Describe the Parquet files below a release: each file an object, each table a record set."""
    found = sorted(folder.rglob("*.parquet"))
    licences = sorted({settings.corpora[name].licence for name in settings.build})
    told = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "TACT",
        "description": "Turn-taking episodes, reference laws and scores; a licence in each row.",
        "license": licences,
        "citeAs": CITE,
        "version": version("tact"),
        "isLiveDataset": False,
        **card.published(settings),
        "distribution": [_file(path, folder) for path in found],
        "recordSet": [_records(path, folder) for path in found],
    }
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def _file(path: Path, folder: Path) -> dict[str, Any]:
    name = path.relative_to(folder).as_posix()
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": PARQUET,
        "sha256": files.sha256(path),
    }


def _records(path: Path, folder: Path) -> dict[str, Any]:
    file = path.relative_to(folder).as_posix()
    name = file.removesuffix(".parquet")
    table = {"clips": "episodes", "recipes": "recipes"}.get(path.parent.name, path.stem)
    contract = CONTRACTS[table]
    fields = [
        (column.name, column.meaning, _type(column.type))
        for column in contract.columns
        if not pa.types.is_map(column.type)  # Croissant has no type for a map
    ]
    if path.parent.name != "recipes":
        fields.append((shards.LICENCE_COLUMN.name, shards.LICENCE_COLUMN.meaning, "sc:Text"))
    records: dict[str, Any] = {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": [{"@id": f"{name}/{column}"} for column in contract.key],
        "field": [_field(name, file, *one) for one in fields],
    }
    if path.parent.name == "clips":
        sound = _field(name, file, shards.AUDIO, "FLAC: focal, partner", "sc:AudioObject")
        sound["source"]["transform"] = {"jsonPath": "bytes"}
        records["field"].append(sound)
    return records


def _type(kind: pa.DataType) -> str:
    return next((name for test, name in TYPES if test(kind)), "sc:Text")


def _field(records: str, file: str, column: str, meaning: str, kind: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "description": meaning or column,
        "dataType": kind,
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
    }
