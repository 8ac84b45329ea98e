"""Read ``config.yaml`` and its overlays; say which key is wrong and what it was meant to be."""

import difflib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from tact.errors import ConfigError, InputError
from tact.settings import Settings

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Of libyaml where PyYAML has it: ten times as fast, and every job starts with the config."""


def load(paths: Iterable[Path]) -> Settings:
    """Merge config files in order, the later one first in rank, and check the result.

    Raises
    ------
    InputError
        A file cannot be read.
    ConfigError
        A key is unknown (the nearest known one is named), missing, or has a wrong value.
    """
    merged: dict[str, Any] = {}
    for path in paths:
        merged = overlay(merged, read(path))
    return parse(merged)


def read(path: Path) -> dict[str, Any]:
    """Read one config file, whose keys are not checked yet.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        It is no YAML, no mapping, or has a key twice in one mapping.
    """
    try:
        loader = LOADER(path.read_text(encoding="utf-8"))
        root = loader.get_single_node()
        doubled = [] if root is None else list(_doubled(root))
        raw = None if doubled or root is None else loader.construct_document(root)
    except OSError as error:
        raise InputError(f"config: cannot read {path} ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    if doubled:
        line, first, key = min(doubled)
        more = f" (and {len(doubled) - 1} more)" if len(doubled) > 1 else ""
        raise ConfigError(
            f"{path}, line {line}: key {key!r} stands in line {first} already{more};"
            " the last would win, so keep one"
        )
    if not isinstance(raw, dict):
        raise ConfigError(f"{path}: a config is a mapping of sections")
    return raw


def _doubled(root: yaml.Node) -> Iterator[tuple[int, int, str]]:
    """Find keys that one mapping has twice: line, line of the first, key; lines from 1.

    Nodes are looked at before ``<<`` is merged into them, so a key of its own may lie over one that
    is merged; a node with aliases is looked at once.
    """
    met: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if isinstance(node, yaml.ScalarNode) or id(node) in met:
            continue
        met.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            left += node.value
            continue
        lines: dict[tuple[str, str], int] = {}
        for key, value in node.value:
            name, line = (key.tag, str(key.value)), key.start_mark.line + 1
            if name in lines:
                yield line, lines[name], name[1]
            lines.setdefault(name, line)
            left.append(value)


def parse(raw: Mapping[str, Any]) -> Settings:
    """Check a config that is already in memory."""
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error)) from None
    if strange := [name for name in settings.build if name not in settings.corpora]:
        raise ConfigError(
            f"build: no corpus {strange[0]!r} in corpora{_nearest(strange[0], settings.corpora)}"
        )
    _check_hearing(settings)
    _check_concord(settings)
    _check_languages(settings)
    _check_made_roots(settings)
    _check_systems(settings)
    _check_scores(settings)
    _check_intervals(settings)
    return settings


def _check_systems(settings: Settings) -> None:
    """Demand a folder of every system that answered elsewhere, and who hears its recordings."""
    for name, system in settings.systems.items():
        if (system.kind in ("table", "recordings")) != (system.path is not None):
            raise ConfigError(
                f"systems.{name}: kind {system.kind}"
                + (" needs path, a folder" if system.path is None else " has no path; set it null")
            )
        if (system.kind == "recordings") != (system.detector is not None):
            raise ConfigError(
                f"systems.{name}: kind {system.kind}"
                + (" needs a detector" if system.detector is None else " has no detector")
            )


def _check_scores(settings: Settings) -> None:
    """Demand convex weights, and crossings of axes that differ."""
    for name, own in settings.scores.coefficients.items():
        total = own.timing + own.length + own.overlap
        if abs(total - 1.0) > 1e-9:
            raise ConfigError(
                f"scores.coefficients.{name}: timing, length and overlap sum to {total:g}, not to 1"
            )
    for axis in settings.reference.axes:
        if not isinstance(axis, str) and len(set(axis)) < len(axis):
            raise ConfigError(f"reference.axes: {list(axis)} name one twice; name each once")


def _check_intervals(settings: Settings) -> None:
    """Demand resamples that reach into the tails of their interval; 0 asks for none.

    Of R resamples each holds 1 / R, and a tail (1 - level) / 2: with less than one resample in a
    tail, the end of the interval would be the outermost resample at any higher level.
    """
    for name, own in (("reference", settings.reference), ("scores", settings.scores)):
        least = math.ceil(2 / (1 - Decimal(str(own.level))))
        if 0 < own.resamples < least:
            raise ConfigError(
                f"{name}: an interval at level {own.level} needs {least} resamples or more, one in"
                f" each tail, and resamples is {own.resamples}; raise it or lower level"
            )


def _check_hearing(settings: Settings) -> None:
    """Demand that what is between detectors and bands can be: an order, and a known corpus."""
    own = settings.activity
    for name, limits in (("silero", own.silero), ("pyannote", own.pyannote)):
        if limits.leave > limits.enter:
            raise ConfigError(
                f"activity.{name}: leave {limits.leave} is above enter {limits.enter};"
                " speech would end before it begins"
            )
    if not _rise(own.calibration.bands_db):
        raise ConfigError(f"activity.calibration.bands_db: {own.calibration.bands_db} do not rise")
    if not own.calibration.snrs_db:
        raise ConfigError("activity.calibration.snrs_db: name at least one level of noise, dB")
    corpus = own.calibration.corpus
    if corpus is not None and corpus not in settings.corpora:
        raise ConfigError(
            f"activity.calibration.corpus: no corpus {corpus!r} in"
            f" corpora{_nearest(corpus, settings.corpora)}"
        )


def _check_concord(settings: Settings) -> None:
    """Demand that sources differ and bins rise."""
    own = settings.concord
    if len(set(own.sources)) < len(own.sources):
        raise ConfigError(f"concord.sources: {own.sources} name one twice; name each once")
    if not _rise(own.bins_ms):
        raise ConfigError(f"concord.bins_ms: {own.bins_ms} do not rise")


def _rise(values: Sequence[float]) -> bool:
    return list(values) == sorted(set(values))


def _check_made_roots(settings: Settings) -> None:
    """Demand roots that a made world can fill: `tact simulate` names each folder by its corpus."""
    for name in settings.build if settings.simulation.use else ():
        root = settings.corpora[name].root
        if Path(root).name != name:
            raise ConfigError(
                f"corpora.{name}.root is {root!r}: a made corpus lies in a folder of its own name;"
                f" let the root end in /{name}"
            )


def _check_languages(settings: Settings) -> None:
    """Demand the words of each language: without them nothing would ever be a backchannel."""
    for name in settings.build:
        language = settings.corpora[name].language.split("-")[0]
        for where, words in (
            ("turns.backchannel.lexicon", settings.turns.backchannel.lexicon),
            ("profiles.fillers", settings.profiles.fillers),
            ("profiles.connectives", settings.profiles.connectives),
        ):
            if language not in words:
                raise ConfigError(
                    f"corpora.{name}.language: {where} has no {language!r} (it has"
                    f" {', '.join(words)}); add the words of that language, or [] for none"
                )


def overlay(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one config over another: mappings merge, everything else is replaced."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            merged[key] = overlay(below, value)
        else:
            merged[key] = value
    return merged


def schema() -> str:
    """Give the JSON schema of the config as YAML, closed at every level."""
    return yaml.safe_dump(Settings.model_json_schema(), sort_keys=False, allow_unicode=True)


def _explain(error: ValidationError) -> str:
    first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    where = ".".join(str(part) for part in first["loc"])
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return f"config: unknown key {where!r}{_nearest(key, _siblings(first['loc']))}{more}"
    if first["type"] == "missing":
        return f"config: no value for {where!r}; config.yaml shows each{more}"
    if first["type"] == "string_type" and isinstance(first["input"], bool):
        meant = "yes" if first["input"] else "no"
        return (
            f"config: {where} is {first['input']}: without quotes YAML reads yes, no, on and off as"
            f' true and false; quote it: "{meant}"{more}'
        )
    return f"config: {where} is {first['input']!r}: {first['msg']}{more}"


def _siblings(location: tuple[int | str, ...]) -> list[str]:
    model: Any = Settings
    for part in location[:-1]:
        fields = getattr(model, "model_fields", None)
        annotation = fields[part].annotation if fields and part in fields else model
        model = next((a for a in _models(annotation)), model)
    return list(getattr(model, "model_fields", {}))


def _models(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models(part)]


def _nearest(key: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else ""
