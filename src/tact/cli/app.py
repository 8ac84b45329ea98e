"""The frame of the command line: the app, the config option, one line out, one line of error."""

import sys
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

from tact import config, files
from tact.errors import ConfigError, TactError
from tact.settings import Corpus, Settings

Stage = TypeVar("Stage", bound=Callable[..., Any])


class App(typer.Typer):
    """An app whose commands put no output in the place of an input, and name a full place."""

    def command(self, name: str | None = None, **options: Any) -> Callable[[Stage], Stage]:
        """Add a command; its outputs are the paths whose option is marked writable."""
        add = super().command(name, **options)

        def decorate(stage: Stage) -> Stage:
            add(_careful(stage))
            return stage

        return decorate


def _careful(stage: Stage) -> Callable[..., Any]:
    """Let a command run only where its outputs are none of its inputs."""
    hints = get_type_hints(stage, include_extras=True)
    written = {
        name
        for name, hint in hints.items()
        if any(getattr(option, "writable", False) for option in getattr(hint, "__metadata__", ()))
    }

    @wraps(stage)
    def careful(**given: Any) -> Any:
        outputs = _paths(value for name, value in given.items() if name in written)
        inputs = _paths(value for name, value in given.items() if name not in written)
        with files.keeping([*inputs, *_config_files]):
            files.demand_kept(outputs)
            with files.naming(*outputs):
                return stage(**given)

    return careful


def _paths(values: Iterable[Any]) -> list[Path]:
    several = [value if isinstance(value, list) else [value] for value in values]
    return [one for value in several for one in value if isinstance(one, Path)]


app = App(
    name="tact",
    help="TACT: turn-taking episodes from raw corpora, and the rule that scores systems on them.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
)


class DetectorName(StrEnum):
    """What can hear speech, and be calibrated."""

    webrtc = "webrtc"
    silero = "silero"
    pyannote = "pyannote"


_DEFAULT_FILES = [Path("config.yaml")]
_config_files = list(_DEFAULT_FILES)


@app.callback()
def root(
    config_file: Annotated[
        list[Path], typer.Option("--config", help="Config file; later ones lie over earlier ones.")
    ] = _DEFAULT_FILES,
) -> None:
    """Remember which config files a stage reads."""
    _config_files[:] = config_file
    settings.cache_clear()


@cache
def settings() -> Settings:
    """Load the config named on the command line, when a stage first asks for it."""
    return config.load(_config_files)


def corpus_entry(name: str) -> Corpus:
    """Give the entry of a corpus in the config, or name those there are."""
    known = settings().corpora
    if name not in known:
        raise ConfigError(f"no corpus {name!r} in corpora; known: {', '.join(known)}")
    return known[name]


def corpus_root(entry: Corpus) -> Path:
    """Give the folder of a raw corpus, ``~`` expanded."""
    return Path(entry.root).expanduser()


def announce(stage: str, more: str = "", /, **counts: int | str) -> None:
    """Print the one line of a stage: its name, its counts, and what more there is to say."""
    told = ", ".join(f"{value} {name}" for name, value in counts.items())
    print(f"{stage}: {told}" + (f"; {more}" if more else ""))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0, or 2 with one clear line on bad input or an unusable place."""
    try:
        result = app(args=arguments, standalone_mode=False)
    except TactError as error:
        print(f"tact: {error}", file=sys.stderr)
        return 2
    except typer.TyperException as error:
        message = getattr(error, "format_message", error.__str__)()
        print(f"tact: {message}", file=sys.stderr)
        return 2
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        what = error.strerror or error
        print(f"tact: {where}{what}; mend or free the place", file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    return result if isinstance(result, int) else 0
