"""Run Snakemake and show where it is: ``python -m tact.progress snakemake ...``.

One bar with the stage at work and the time left; where there is no terminal, a line per tenth.
Everything that Snakemake says goes to ``.snakemake/run.log``; on an error its last words are
repeated. A lock that a killed run left behind is cleared, which is safe since a living run holds
``.snakemake/tact.lock``, and the kernel lets go of that when the process dies.
"""

import fcntl
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

STATE = Path(".snakemake")
STEP = re.compile(r"^(\d+) of (\d+) steps")
RULE = re.compile(r"^(?:local)?rule (\w+):")
TROUBLE = re.compile(r"error|exception|missing", re.IGNORECASE)


def main(command: list[str]) -> int:
    """Run the command under the lock and return its exit code; 2 where another run is alive."""
    STATE.mkdir(exist_ok=True)
    with (STATE / "tact.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("tact: another run is at work in this folder; wait for it", file=sys.stderr)
            return 2
        if any((STATE / "locks").glob("*")):
            subprocess.run([*command, "--unlock"], check=True, capture_output=True)
        return _watched(command)


def _watched(command: list[str]) -> int:
    with (
        (STATE / "run.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process,
    ):
        idle = _show(_logged(process.stdout or (), log))
    if process.returncode:
        _repeat_trouble(process.returncode)
    elif idle:
        print("Nothing to do: every result is there and up to date.")
    return process.returncode


def _logged(lines: Iterable[str], log: IO[str]) -> Iterable[str]:
    for line in lines:
        log.write(line)
        log.flush()
        yield line.rstrip("\n")


def _show(lines: Iterable[str]) -> bool:
    """Draw the bar; return whether there was nothing to do."""
    console = Console(stderr=True)
    idle = True
    tenth = 0
    columns = (
        TextColumn("{task.description:<18}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total} jobs"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(elapsed_when_finished=False),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("planning", total=None)
        for line in lines:
            if rule := RULE.match(line):
                idle = False
                bar.update(task, description=rule[1])
            elif step := STEP.match(line):
                done, total = int(step[1]), int(step[2])
                bar.update(task, completed=done, total=total)
                if not console.is_terminal and done * 10 // total > tenth:
                    tenth = done * 10 // total
                    left = bar.tasks[task].time_remaining
                    print(f"{done} of {total} jobs" + (f", {left:.0f} s left" if left else ""))
    return idle


def _repeat_trouble(code: int) -> None:
    lines = (STATE / "run.log").read_text(encoding="utf-8").splitlines()
    first = next((i for i, line in enumerate(lines) if TROUBLE.search(line)), 0)
    print("\n".join(lines[first:][:60]), file=sys.stderr)
    print(f"tact: the run stopped (exit {code}); {STATE / 'run.log'} has it all", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
