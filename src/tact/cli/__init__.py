"""The command line: one subcommand per stage, which reads, calls one function and writes."""

from tact.cli import audit, bench, law, raw, results, score, sound, talk, world
from tact.cli.app import main

__all__ = ["audit", "bench", "law", "main", "raw", "results", "score", "sound", "talk", "world"]
