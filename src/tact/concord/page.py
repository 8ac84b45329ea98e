"""What two sources agree on, as a page and as a figure."""

from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tact.concord.stage import Concordance

EDGES = ("start", "end", "transfer")
ABUT = """\
The words of this corpus abut: each lasts until the next begins, so they cannot show a silence
shorter than about .8 s. What a detector hears of such silences counts as missed here, and its
IPUs there do not meet one to one."""


def page(made: Concordance) -> str:
    """Write the page of one corpus and pair of sources."""
    row = made.concord.iloc[0]
    parts = [
        (
            f"{row.corpus}: {row.hypothesis} beside {row.reference}, which is held to be true",
            _counts(row),
        ),
        ("Ends of IPUs found one to one, and transfers: late by, ms", _edges(made.concord_edges)),
        ("IPUs that are not found, by length", _misses(made.concord_misses)),
    ]
    if row.contiguous_words:
        parts.append(("Words that abut", ABUT))
    return "\n".join(f"{title}\n{'-' * len(title)}\n{body}\n" for title, body in parts)


def draw(made: Concordance, path: Path) -> None:
    """Draw the errors of ends and transfers, and misses by length, into an SVG file."""
    row = made.concord.iloc[0]
    with mpl.rc_context({"svg.hashsalt": "tact", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 3.2), layout="constrained")
        late, missed = figure.subplots(1, 2)
        _draw_edges(late, made.concord_edges)
        _draw_misses(missed, made.concord_misses)
        abut = " (words abut)" if row.contiguous_words else ""
        figure.suptitle(f"{row.corpus}: {row.hypothesis} beside {row.reference}{abut}")
        figure.savefig(path, format="svg", metadata={"Date": None})


def _counts(row: "pd.Series[object]") -> str:
    hours = row["speech_ms"] / 3.6e6
    lines = [
        f"conversations in both: {row['conversations']}, left out: {row['left_out']}",
        f"IPUs: {row['n_reference']} and {row['n_hypothesis']}, one to one: {row['n_met']}",
        f"not found: {row['n_missed']}; found and not there: {row['n_false']},"
        f" {row['false_ipus_ms'] / 1000:.1f} s",
        f"detection error: {_percent(row['detection_error'])} of {hours:.2f} h"
        f" (missed {row['missed_ms'] / 1000:.1f} s, false {row['false_ms'] / 1000:.1f} s)",
        f"diarization error: {_percent(row['diarization_error'])}"
        f" (missed {row['spoken_missed_ms'] / 1000:.1f} s,"
        f" false {row['spoken_false_ms'] / 1000:.1f} s,"
        f" confused {row['confused_ms'] / 1000:.1f} s)",
        f"floor transfers: {row['n_transfers_reference']} and {row['n_transfers_hypothesis']},"
        f" matched: {row['n_transfers_met']}",
    ]
    return "\n".join(lines)


def _edges(edges: pd.DataFrame) -> str:
    shown = edges.rename(
        columns={
            "low_ms": "5 %",
            "quarter_ms": "25 %",
            "median_ms": "50 %",
            "three_quarters_ms": "75 %",
            "high_ms": "95 %",
        }
    )
    names = ["edge", "n", "5 %", "25 %", "50 %", "75 %", "95 %"]
    return _text(shown[names]) if len(shown) else "none is found one to one"


def _misses(misses: pd.DataFrame) -> str:
    shown = pd.DataFrame({"length, ms": _lengths(misses), "n": misses["n"]})
    return _text(shown.assign(missed=misses["n_missed"]))


def _draw_edges(axes: Axes, edges: pd.DataFrame) -> None:
    rows = edges.set_index("edge")
    for at, edge in enumerate(name for name in EDGES if name in rows.index):
        row = rows.loc[edge]
        axes.plot([row["low_ms"], row["high_ms"]], [at, at], color="C0", linewidth=1)
        axes.plot([row["quarter_ms"], row["three_quarters_ms"]], [at, at], color="C0", linewidth=6)
        axes.plot(row["median_ms"], at, "o", color="C1")
    axes.axvline(0, color="black", linewidth=0.5)
    axes.set_yticks(range(len(rows)), [edge for edge in EDGES if edge in rows.index])
    axes.margins(y=0.25)
    axes.invert_yaxis()
    axes.set_xlabel("late by, ms: 5-95 %, quartiles, median")


def _draw_misses(axes: Axes, misses: pd.DataFrame) -> None:
    share = 100 * misses["n_missed"] / misses["n"].where(misses["n"] > 0)
    bars = axes.bar(_lengths(misses), share.fillna(0.0))
    axes.bar_label(bars, labels=[f"of {n}" for n in misses["n"]], fontsize="small")
    axes.margins(y=0.15)
    axes.set_xlabel("length of the IPU, ms")
    axes.set_ylabel("not found, %")


def _lengths(misses: pd.DataFrame) -> list[str]:
    return [
        f"{row.from_ms} on" if pd.isna(row.to_ms) else f"{row.from_ms}-{row.to_ms}"
        for row in misses.itertuples(index=False)
    ]


def _percent(rate: float | None) -> str:
    return "unknown" if rate is None or pd.isna(rate) else f"{100 * rate:.1f} %"


def _text(table: pd.DataFrame) -> str:
    return str(table.to_string(index=False, float_format=lambda value: f"{value:.0f}"))
