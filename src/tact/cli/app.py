"""The frame of the command line: the app, the config option, one line out, one line of error."""

import sys
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from tact import config
from tact.errors import ConfigError, TactError
from tact.settings import Corpus, Settings

app = typer.Typer(
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


_config_files: list[Path] = [Path("config.yaml")]


@app.callback()
def root(
    config_file: Annotated[
        list[Path], typer.Option("--config", help="Config file; later ones lie over earlier ones.")
    ] = _config_files,
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
        print(f"tact: {error.filename}: {error.strerror}; mend or free the place", file=sys.stderr)
        return 2
    except typer.Abort:
        return 130
    return result if isinstance(result, int) else 0
