"""Figures of the reference laws: what people did, and the law, kernel and weight made of it."""

import math
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tact.errors import TableError
from tact.vocabulary import INTENTS

_BIN_S = 0.1
_ACROSS = 3


def check_curves(laws: pd.DataFrame, kernels: pd.DataFrame) -> None:
    """Demand a curve of every law.

    Raises
    ------
    TableError
        ``kernels`` lacks the curve of a law.
    """
    drawn = set(zip(kernels["slice"], kernels["intent"], strict=True))
    asked = zip(laws["slice"], laws["intent"], strict=True)
    if lacking := [key for key in asked if key not in drawn]:
        name, intent = lacking[0]
        raise TableError(
            f"kernels: {len(lacking)} of {len(laws)} laws have no curve (first: slice {name},"
            f" intent {intent}); run tact reference"
        )


def overview(laws: pd.DataFrame, kernels: pd.DataFrame, onsets: pd.DataFrame, path: Path) -> None:
    """Draw the slice ``all``, a panel an intent, into an SVG file."""
    whole = laws[laws["slice"] == "all"].set_index("intent", drop=False)
    chosen = whole.loc[[intent for intent in INTENTS if intent in whole.index]]
    _draw(chosen, kernels, onsets, path, named="intent")


def of_intent(
    laws: pd.DataFrame, kernels: pd.DataFrame, onsets: pd.DataFrame, intent: str, path: Path
) -> None:
    """Draw one intent, a panel a slice that has a law of its own making, into an SVG file."""
    chosen = laws[(laws["intent"] == intent)]
    _draw(chosen, kernels, onsets, path, named="slice")


def _draw(
    laws: pd.DataFrame, kernels: pd.DataFrame, onsets: pd.DataFrame, path: Path, *, named: str
) -> None:
    down = math.ceil(len(laws) / _ACROSS)
    curves = dict(iter(kernels.groupby(["slice", "intent"])))
    counts = dict(iter(onsets.groupby(["slice", "intent"])))
    with mpl.rc_context({"svg.hashsalt": "tact", "svg.fonttype": "none"}):
        figure = Figure(figsize=(4 * _ACROSS, 3 * max(down, 1)), layout="constrained")
        grid = figure.subplots(max(down, 1), _ACROSS, sharex=True, squeeze=False)
        panels = [axes for row in grid for axes in row]
        for axes, row in zip(panels, laws.to_dict("records"), strict=False):
            key = row["slice"], row["intent"]
            _panel(axes, curves[key], counts.get(key))
            axes.set_title(f"{row[named]}\n{_said(row)}", fontsize="small")
        for axes in panels[len(laws) :]:
            axes.set_visible(False)
        if len(laws):
            handles = _handles(panels[: len(laws)])
            figure.legend(
                handles.values(), handles, loc="outside lower center", ncols=len(handles),
                fontsize="small",
            )  # fmt: skip
        figure.savefig(path, format="svg", metadata={"Date": None})


def _handles(panels: list[Axes]) -> dict[str, Artist]:
    """Give one handle for each thing that any panel shows."""
    found: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    return found


def _panel(axes: Axes, curve: pd.DataFrame, counts: pd.DataFrame | None) -> None:
    seconds = curve["t_ms"] / 1000
    if counts is not None and counts["responses"].sum() > 0:
        height = counts["responses"] / counts["responses"].sum() / _BIN_S
        axes.bar(
            counts["t_ms"] / 1000, height, _BIN_S, align="edge", color="0.8", label="responses, 1/s"
        )
    if curve["kernel_low"].notna().all():
        axes.fill_between(
            seconds, curve["kernel_low"], curve["kernel_high"], color="C1", alpha=0.25,
            linewidth=0, label="interval of u",
        )  # fmt: skip
    axes.plot(seconds, curve["density"], color="C0", label="density f, 1/s")
    axes.plot(seconds, curve["cdf"], color="C3", linestyle=":", label="law H")
    axes.plot(seconds, curve["kernel"], color="C1", label="kernel u")
    axes.plot(seconds, curve["weight"], color="C2", linestyle="--", label="weight w")
    axes.axvline(0.0, color="0.5", linewidth=0.6)
    axes.set_xlim(seconds.iloc[0], seconds.iloc[-1])
    axes.set_ylim(bottom=0.0)
    axes.tick_params(labelbottom=True)
    axes.set_xlabel("s from the decision point")


def _said(row: dict[str, object]) -> str:
    fit = "" if pd.isna(row["ks_p"]) else f", KS p {row['ks_p']:.2f}"
    return (
        f"{row['source']}, {row['n_responses']:.0f} of {row['n_points']:.0f} answered,"
        f" beta {row['no_response']:.2f}{fit}"
    )
