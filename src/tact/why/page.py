"""An explanation as a page for a terminal."""

import textwrap
from typing import Any

WIDTH = 78
SHOWN = 12
LINE = 110


def page(told: dict[str, Any]) -> str:
    """Write every section of an explanation as indented lines, the speech as a drawing."""
    parts = []
    for name, section in told.items():
        body = _timeline(told) if name == "speech" and isinstance(section, list) else ""
        parts.append(f"{name}\n{'-' * len(name)}\n{body}{_lines(section)}")
    return "\n".join(parts)


def _timeline(told: dict[str, Any]) -> str:
    """Draw who speaks from the context to the horizon, one line a speaker.

    ``#`` speech, ``~`` backchannel, ``|`` the decision point.
    """
    episode = told["episode"]
    start, end = episode["context_start_ms"], episode["horizon_end_ms"]
    step = max(1, -(-(end - start) // WIDTH))
    speakers = [episode["focal"], episode["partner"]]
    speakers += sorted({ipu["speaker"] for ipu in told["speech"]} - set(speakers))
    label = max(map(len, speakers)) + 2
    lines = [
        f"  {'':{label}}{' ' * ((episode['t0_ms'] - start) // step)}| t0  ({step} ms a column)"
    ]
    for speaker in speakers:
        row = [" "] * (WIDTH + 1)
        for ipu in told["speech"]:
            if ipu["speaker"] == speaker:
                first = max(0, (ipu["start_ms"] - start) // step)
                last = min(WIDTH, max(first + 1, -(-(ipu["end_ms"] - start) // step)))
                row[first:last] = ("~" if ipu["backchannel"] else "#") * (last - first)
        lines.append(f"  {speaker:{label}}{''.join(row).rstrip()}")
    return "\n".join(lines) + "\n"


def _lines(value: Any, indent: int = 2) -> str:
    pad = " " * indent
    if isinstance(value, dict):
        return "".join(
            f"{pad}{name}:\n{_lines(inner, indent + 2)}"
            if isinstance(inner, dict) or (isinstance(inner, list) and inner)
            else _wrapped(f"{name}: {_word(inner)}", pad)
            for name, inner in value.items()
        )
    if isinstance(value, list):
        shown = "".join(_wrapped(_word(item), pad) for item in value[:SHOWN])
        more = len(value) - SHOWN
        return shown + (f"{pad}... and {more} more (--json has all)\n" if more > 0 else "")
    return _wrapped(_word(value), pad)


def _wrapped(text: str, pad: str) -> str:
    """Break a long line, what goes on indented by four."""
    lines = textwrap.wrap(
        text,
        LINE,
        initial_indent=pad,
        subsequent_indent=f"{pad}    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines or [pad]) + "\n"


def _word(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_word(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_word(inner) for inner in value) if value else "none"
    return "none" if value is None else str(value)
