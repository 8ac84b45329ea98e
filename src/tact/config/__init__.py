"""Read ``config.yaml`` and its overlays; say which key is wrong and what it was meant to be."""

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from tact.config.reading import read as read
from tact.config.reading import short
from tact.errors import ConfigError
from tact.settings import Settings


def load(paths: Iterable[Path]) -> Settings:
    """Merge config files in order, the later one first in rank, and check the result.

    Raises
    ------
    InputError
        A file cannot be read.
    ConfigError
        A key is unknown (the nearest known one is named), missing, or has a wrong value.
    """
    layers = {path: read(path) for path in paths}
    return parse(reduce(overlay, layers.values(), {}), layers=layers)


def parse(
    raw: Mapping[str, Any], *, layers: Mapping[Path, Mapping[str, Any]] | None = None
) -> Settings:
    """Check a config that is already in memory; ``layers`` are the files it was merged from."""
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(error, layers or {})) from None
    if strange := [name for name in settings.build if name not in settings.corpora]:
        raise ConfigError(
            f"build: no corpus {short(repr(strange[0]))} in"
            f" corpora{_nearest(strange[0], settings.corpora)}"
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


def _explain(error: ValidationError, layers: Mapping[Path, Mapping[str, Any]]) -> str:
    first = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
    where, value = short(".".join(str(part) for part in first["loc"])), first["input"]
    more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if first["type"] == "missing":
        return f"config: no value for {where!r}; config.yaml shows each{more}"
    files = [str(path) for path, layer in layers.items() if _has(layer, first["loc"])]
    file = files[-1] if files else "config"
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return f"{file}: unknown key {where!r}{_nearest(key, _siblings(first['loc']))}{more}"
    if first["type"] == "string_type" and isinstance(value, bool):
        meant = "yes" if value else "no"
        return (
            f"{file}: {where} is {value}: without quotes YAML reads yes, no, on and off as"
            f' true and false; quote it: "{meant}"{more}'
        )
    is_text = first["type"] in ("int_type", "float_type") and isinstance(value, str)
    cure = "; write digits without quotes, and 1e-3 as 0.001" if is_text else ""
    return f"{file}: {where} is {short(repr(value))}: {first['msg']}{cure}{more}"


def _has(layer: Mapping[str, Any], location: tuple[int | str, ...]) -> bool:
    """Tell whether a file says what stands at a place, or at the list or value around it."""
    below: Any = layer
    for part in location:
        if not isinstance(below, Mapping):
            return True
        if part not in below:
            return False
        below = below[part]
    return True


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
