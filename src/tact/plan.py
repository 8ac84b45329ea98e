"""What a run builds: its corpora, shards, files and variants, as the rules need them.

Every path of a run lies below its results folder. A sensitivity variant is the same run under a
changed setting, in a folder of its own below the main one; it shares the ingested corpora.
"""

import shlex
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

from tact import config, files
from tact.provenance import source_digest
from tact.settings import Settings
from tact.vocabulary import DETECTORS, SHARED

VARIANTS: dict[str, dict[str, Any]] = {
    "ipu-20ms": {"activity": {"ipu_silence_ms": 20}},
    "ipu-180ms": {"activity": {"ipu_silence_ms": 180}},
    "backchannels-in": {"turns": {"backchannel": {"exclude": False}}},
    "any-party": {"points": {"two_party": False}},
}
"""Sensitivity variants: what each changes. The main run is the 200 ms, two-party, without one."""

STAGES = {
    "ingest": "tact.cli.raw",
    "activity": "tact.cli.hearing",
    "calibration": "tact.cli.measuring",
    "inspection and clips": "tact.cli.sound",
    "turns and points": "tact.cli.talk",
    "episodes and profiles": "tact.cli.bench",
    "posteriors and reference": "tact.cli.law",
    "responses": "tact.cli.answering",
    "scores": "tact.cli.score",
}
"""Which module the code of a stage is reached from."""

ABLATIONS = {"no_calibration": "--mode share", "no_prosody": "--psi words"}
"""Ablations of the rule: the options of `tact score` that leave a part out."""

WITH_ACTS = ("ami", "probes", "generic")
"""Adapters whose acts are read as labels where no file of labels is named."""


def variants(raw: Mapping[str, Any]) -> dict[str, Settings]:
    """Give the settings of the main run and of each variant, by results folder."""
    main = config.parse(raw)
    runs = {main.results: main}
    for name, change in VARIANTS.items():
        folder = f"{main.results}/sensitivity/{name}"
        runs[folder] = config.parse(config.overlay(raw, {**change, "results": folder}))
    return runs


def write_resolved(settings: Settings) -> None:
    """Write the config that a run uses below its results, unless it stands there already."""
    path = Path(settings.results) / "config.yaml"
    content = yaml.safe_dump(settings.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    if not path.is_file() or path.read_text(encoding="utf-8") != content:
        files.write_together(files.text(path, content))


def write_code(settings: Settings) -> None:
    """Write the digest of the code of each stage below a run's results, for `tact why`."""
    path = Path(settings.results) / "code.yaml"
    content = yaml.safe_dump(
        {stage: source_digest(module) for stage, module in STAGES.items()}, sort_keys=False
    )
    if not path.is_file() or path.read_text(encoding="utf-8") != content:
        files.write_together(files.text(path, content))


def repeated(option: str, paths: Iterable[str]) -> str:
    """Write an option once per path, quoted for the shell."""
    return " ".join(f"{option} {shlex.quote(str(path))}" for path in paths)


def options(values: Mapping[str, str | None]) -> str:
    """Write options with their values, quoted for the shell; those without a value are left out."""
    return " ".join(f"{name} {shlex.quote(value)}" for name, value in values.items() if value)


def shards(settings: Settings, corpus: str) -> range:
    """Number the shards of a corpus, from 1."""
    return range(1, settings.corpora[corpus].shards + 1)


def activity(settings: Settings, corpus: str) -> list[str]:
    """List the IPU tables of a corpus."""
    return [f"{settings.results}/{path}" for path in activity_of(settings, corpus)]


def activity_of(settings: Settings, corpus: str) -> list[str]:
    """List the IPU tables of a corpus below the results folder."""
    shared = settings.corpora[corpus].activity == SHARED
    folder = f"{'diarization' if shared else 'activity'}/{corpus}"
    return [f"{folder}/{shard}.parquet" for shard in shards(settings, corpus)]


def left_out(settings: Settings, corpus: str, main: str) -> list[str]:
    """List what each stage left out of a corpus; ``main`` is the folder of the main run."""
    numbers = shards(settings, corpus)
    shared = settings.corpora[corpus].activity == SHARED
    folders = [f"{main}/door/{corpus}", *([f"{main}/voices/{corpus}"] if shared else [])]
    return [
        f"{main}/corpora/{corpus}/quarantine.parquet",
        *(f"{folder}/{shard}.quarantine.parquet" for folder in folders for shard in numbers),
        *(path.replace(".parquet", ".quarantine.parquet") for path in activity(settings, corpus)),
    ]


def inspections(settings: Settings, corpus: str) -> list[str]:
    """List what the door found in a corpus."""
    return [
        f"{settings.results}/door/{corpus}/{shard}.parquet" for shard in shards(settings, corpus)
    ]


def made_from(settings: Settings, corpus: str) -> dict[str, Any]:
    """Give the settings that a made corpus is drawn from."""
    shared = settings.simulation.model_dump(exclude={"use", "corpora"})
    return {**shared, **settings.simulation.corpora[corpus].model_dump()}


def errors(settings: Settings, corpus: str) -> list[str]:
    """List the table that the detector of a corpus is corrected by; none for words."""
    return errors_of(settings, settings.corpora[corpus].activity)


def errors_of(settings: Settings, source: str) -> list[str]:
    """List the table that a source of IPUs is corrected by; none if it is no detector."""
    return [f"{settings.results}/calibration/{source}.parquet"] if source in DETECTORS else []


def sourced(settings: Settings, corpus: str, source: str) -> list[str]:
    """List the IPU tables of a corpus by one source, whether or not it is the corpus's own."""
    if source == settings.corpora[corpus].activity:
        return activity(settings, corpus)
    folder = f"{settings.results}/concord/{corpus}/{source}"
    return [f"{folder}/{shard}.parquet" for shard in shards(settings, corpus)]


def concords(settings: Settings) -> list[str]:
    """List the tables of agreement: each source beside each before it, for each corpus."""
    own = settings.concord
    return [
        f"{settings.results}/concord/{corpus}/{hypothesis}-beside-{reference}/concord.parquet"
        for corpus in settings.build
        if corpus in own.corpora
        for reference, hypothesis in combinations(own.sources, 2)
    ]


def calibrations(settings: Settings) -> list[str]:
    """List the tables of every detector that a run uses."""
    return sorted({path for corpus in settings.build for path in errors(settings, corpus)})


def trusted(settings: Settings, main: str) -> dict[str, str]:
    """Name the options and tables of the corpus that detectors are measured on, if there is one."""
    corpus = settings.activity.calibration.corpus
    if corpus is None:
        return {}
    folder = f"{main}/corpora/{corpus}"
    return {f"--{table}": f"{folder}/{table}.parquet" for table in ("recordings", "words")}


def clips(settings: Settings, corpus: str) -> list[str]:
    """List the clip tables of a corpus."""
    folder = f"{settings.results}/clips/{corpus}"
    return [f"{folder}/{shard}.parquet" for shard in shards(settings, corpus)]


def per_corpus(settings: Settings, pattern: str) -> list[str]:
    """Fill ``{corpus}`` of a pattern below the results folder for every corpus that is built."""
    return [f"{settings.results}/{pattern.format(corpus=corpus)}" for corpus in settings.build]


def labels(settings: Settings) -> list[str]:
    """List the label tables that exist for this run."""
    return [path for corpus in settings.build if (path := _labels(settings, corpus))]


def judges(settings: Settings) -> list[str]:
    """List the judge tables that exist for this run."""
    return [path for corpus in settings.build if (path := _judge(settings, corpus))]


def responses(settings: Settings, table: str) -> list[str]:
    """List a table of every system."""
    return [f"{settings.results}/responses/{name}/{table}.parquet" for name in settings.systems]


def speech(settings: Settings, system: str, main: str) -> dict[str, list[str]]:
    """Name the options and tables that tell where a system spoke over the focal speaker."""
    if settings.systems[system].kind not in ("human", "recordings"):
        return {}
    tables = {
        "--ipus": [path for corpus in settings.build for path in activity(settings, corpus)],
        "--completion": per_corpus(settings, "completion/{corpus}/completion.parquet"),
        "--words": [f"{main}/corpora/{corpus}/words.parquet" for corpus in settings.build],
    }
    if settings.systems[system].kind == "human":
        found = per_corpus(settings, "turns/{corpus}/backchannels.parquet")
        return {**tables, "--backchannels": found}
    return tables


def psi(settings: Settings, system: str, main: str) -> str:
    """Write the options of `speech`, with the folder of the clips."""
    named = speech(settings, system, main)
    if not named:
        return ""
    options_of = [repeated(option, paths) for option, paths in named.items()]
    return " ".join([*options_of, repeated("--clips", [f"{settings.results}/clips"])])


def heard(settings: Settings) -> str:
    """Give a pattern of the systems whose recordings are heard; nothing meets it if none are."""
    kinds = {name: system.kind for name, system in settings.systems.items()}
    return "|".join(name for name, kind in kinds.items() if kind == "recordings") or "(?!)"


def analyses(settings: Settings) -> list[str]:
    """List the tables of every analysis that a run can make."""
    own, folder = settings.analyses, f"{settings.results}/analyses"
    names = ["ranks", "fairness", "ablations"] + (["validity"] if own.ratings else [])
    return [
        *(f"{folder}/{name}.parquet" for name in names),
        *(f"{folder}/memory/{system}.parquet" for system in own.swapped),
    ]


def answers(settings: Settings, system: str) -> list[str]:
    """List the file with the responses of a system that answered elsewhere; none for an anchor."""
    own = settings.systems[system]
    return [f"{own.path}/responses.parquet"] if own.kind == "table" else []


def _labels(settings: Settings, corpus: str) -> str | None:
    source = settings.corpora[corpus]
    if settings.simulation.use or (source.labels is None and source.adapter in WITH_ACTS):
        return f"{settings.results}/labels/{corpus}/labels.parquet"
    return source.labels


def _judge(settings: Settings, corpus: str) -> str | None:
    if settings.simulation.use and not settings.scripted(corpus):
        return f"{settings.results}/labels/{corpus}/judge.parquet"
    return settings.corpora[corpus].judge
