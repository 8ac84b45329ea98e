"""Run the stages one by one by their commands, as the rules do, under a config of one's own."""

import os
import subprocess
import sys
from pathlib import Path

import yaml

from tact import config

ROOT = Path(__file__).resolve().parents[1]
LAUNCHER = """
import resource, subprocess, sys, time
started = time.perf_counter()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.perf_counter() - started, used.ru_maxrss, used.ru_utime + used.ru_stime)
sys.exit(code)
"""
"""A process is told to have held what the one that started it held: so a small one starts each."""


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


def one_corpus(folder, root, activity):
    """Write the config of a single corpus, `long`, of the adapter generic."""
    corpus = {
        "adapter": "generic", "root": str(root), "language": "en", "licence": "none",
        "rights": "recipe", "obtain": "make it", "activity": activity,
        "contiguous_words": False, "clip_target_s": 26.0, "shards": 1, "labels": None,
        "judge": None,
    }  # fmt: skip
    return settings_file(folder, {"build": ["long"], "corpora": {"long": corpus}})


def measured(*command, **environment):
    """Run a command; give its seconds and peak memory, MB."""
    return timed(*command, **environment)[:2]


def timed(*command, **environment):
    """Run a command; give its seconds, its peak memory, MB, and the seconds of CPU it took."""
    launched = [sys.executable, "-S", "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(launched, env=os.environ | environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed")
    seconds, kilobytes, spent = map(float, done.stdout.split())
    return seconds, kilobytes / 1024, spent
