"""The command line: one subcommand per stage, which reads, calls one function and writes.

A run of the DAG starts this program hundreds of times, so only the module of the command at hand is
imported; the list of all commands imports them all.
"""

import sys
from importlib import import_module

from tact.cli import app

MODULES = {
    "ablations": "analysing",
    "acts": "talk",
    "activity": "hearing",
    "annotate": "world",
    "audit": "judging",
    "binary": "peers",
    "bind": "bench",
    "calibrate": "measuring",
    "check": "bench",
    "clips": "sound",
    "compare": "results",
    "completion": "answering",
    "concord": "agreeing",
    "diarize": "diarizing",
    "doctor": "fetching",
    "draw": "law",
    "episodes": "bench",
    "fairness": "score",
    "fetch": "fetching",
    "gather": "parts",
    "hear": "answering",
    "ingest": "raw",
    "inspect": "sound",
    "laws": "score",
    "memory": "analysing",
    "points": "talk",
    "posteriors": "law",
    "profiles": "bench",
    "ranks": "analysing",
    "rebuild": "sharing",
    "reference": "law",
    "release": "sharing",
    "report": "results",
    "respond": "answering",
    "schema": "parts",
    "score": "score",
    "simulate": "world",
    "turns": "talk",
    "validity": "analysing",
    "voices": "diarizing",
    "why": "audit",
}
"""Which module of this package holds which command."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; 0, or 2 with one clear line on bad input."""
    words = sys.argv[1:] if arguments is None else arguments
    named = {MODULES[word] for word in words if word in MODULES}
    for module in sorted(named or set(MODULES.values())):
        import_module(f"tact.cli.{module}")
    return app.main(words)
