"""Run the stages one by one by their commands, as the rules do, under a config of one's own."""

import subprocess
import sys
from pathlib import Path

import yaml

from tact import config

ROOT = Path(__file__).resolve().parents[1]


def merged(overlay):
    """Lay settings over the config of the repository."""
    return config.overlay(yaml.safe_load((ROOT / "config.yaml").read_text()), overlay)


def settings_file(folder, overlay):
    """Write the config of a benchmark into its folder."""
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(merged(overlay)))
    return path


def run_stages(settings, *steps):
    """Run commands in turn; the first that fails ends the benchmark with what it said."""
    for step in steps:
        command = [sys.executable, "-m", "tact", "--config", str(settings), *step.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{step.split()[0]}: {done.stderr.strip()[-2000:]}")
