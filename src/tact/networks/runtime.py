"""Torch, pyannote.audio and the weights of networks: the only place that imports or finds them.

None of them is needed by the core; they are the environment of ``requirements/diarize.txt``. Torch
keeps to one thread, since a run has one process per shard. pyannote.audio reports its use to its
makers unless it is told not to, and is told not to.
"""

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from tact import files
from tact.errors import InputError
from tact.settings import Weights

SAMPLE_RATE_HZ = 16_000

INSIDE = "::"
"""Stands between the name of an installed package and the path of a file in it."""

CURE = "use the environment of requirements/diarize.txt (make .venv-diarize)"


@cache
def torch() -> Any:
    """Import torch, on one thread.

    Raises
    ------
    InputError
        It is not installed.
    """
    module = _imported("torch")
    module.set_num_threads(1)
    return module


@cache
def pyannote() -> Any:
    """Import pyannote.audio.

    Raises
    ------
    InputError
        It is not installed.
    """
    _stand_in_for_torchaudio_extension()
    os.environ.setdefault("PYANNOTE_METRICS_ENABLED", "false")
    with warnings.catch_warnings():
        # It warns that torchcodec cannot decode; it is only ever given samples.
        warnings.simplefilter("ignore")
        return _imported("pyannote.audio")


@cache
def kaldi() -> Any:
    """Import the filter banks of torchaudio.

    Raises
    ------
    InputError
        It is not installed.
    """
    _stand_in_for_torchaudio_extension()
    return _imported("torchaudio.compliance.kaldi")


def device(name: str) -> Any:
    """Give the device of a name; ``auto`` is the graphics card where there is one.

    Raises
    ------
    InputError
        ``cuda`` is asked for and not there.
    """
    there = torch().cuda.is_available()
    if name == "cuda" and not there:
        raise InputError("device: cuda is asked for, and torch finds none; set it to auto or cpu")
    return torch().device("cuda" if there and name != "cpu" else "cpu")


def find(weights: Weights) -> Path:
    """Find a file of weights, a path or ``PACKAGE::PATH``, and check its sha256.

    Raises
    ------
    InputError
        There is no such package or file, or its content is another.
    """
    package, inside, name = weights.path.rpartition(INSIDE)
    path = (folder(package) if inside else Path()) / Path(name).expanduser()
    if not path.is_file():
        said = files.no_file(path, kind="a file of weights", cure="mend the path in the config")
        raise InputError(f"weights: {said}")
    if weights.sha256 is not None:
        found = files.sha256(path)
        if found != weights.sha256:
            raise InputError(
                f"weights: {path} has sha256 {found[:12]}..., not {weights.sha256[:12]}...;"
                " get the right file or mend the config"
            )
    return path


def folder(package: str) -> Path:
    """Find the folder of an installed package without importing it."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise InputError(f"weights: the package {package} is not installed; {CURE}")
    return Path(found.origin).parent


def model(weights: Weights, on: str) -> Any:
    """Load a model of pyannote.audio, ready to answer.

    Raises
    ------
    InputError
        The weights are not there or not such a model.
    """
    path, place = find(weights), device(on)
    library = pyannote()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            loaded = library.Model.from_pretrained(path)
    except Exception as error:
        line = " ".join(str(error).split())[:200]
        raise InputError(f"weights: {path} is no model of pyannote.audio ({line})") from None
    return loaded.eval().to(place)


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        what = error.name if isinstance(error, ModuleNotFoundError) else error
        raise InputError(f"{name}: cannot be imported ({what} is not there); {CURE}") from None


def _stand_in_for_torchaudio_extension() -> None:
    """Let torchaudio be imported beside a torch for CPUs.

    Its wheel holds an extension for CUDA, whose loading fails there; what is used of torchaudio is
    plain Python.
    """
    if torch().version.cuda is not None:
        return
    stand_in: Any = ModuleType("torchaudio._extension")
    stand_in.__path__ = []
    stand_in._IS_TORCHAUDIO_EXT_AVAILABLE = stand_in._IS_ALIGN_AVAILABLE = False
    stand_in.fail_if_no_align = _refuse
    sys.modules.setdefault("torchaudio._extension", stand_in)


def _refuse(function: Callable[..., Any]) -> Callable[..., Any]:
    def refused(*_: object, **__: object) -> None:
        raise RuntimeError(f"{function.__name__} needs the extension of torchaudio")

    return refused
