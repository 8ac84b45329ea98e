"""Set the timing of the real AMI words beside the published counts, under both definitions.

    python benchmarks/ami_timing.py DIR

DIR holds the AMI annotations. Beside ours stand the figures of a survey of the same words in 170
meetings, in which backchannels are among the turns. Ours is all 171 meetings, once with the
backchannels among the turns and once with them out, as everywhere else in TACT.
"""

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import gaussian_kde
from stages import run_stages, settings_file

from tact import tables
from tact.vocabulary import T_H_S

STRETCH_MS = 30_000
SURVEY = {
    "all speakers": (41_963, 0.130, 0.24, 0.438),
    "two-party stretches": (10_951, 0.460, 0.25, 0.314),
}
"""The survey's figures: n, median (s), mode (s), share below 0."""


@dataclass(frozen=True)
class Timing:
    """What one set of floor-transfer offsets looks like; s."""

    n: int
    median: float
    mode: float
    overlapped: float

    @classmethod
    def of(cls, fto_ms):
        """Summarise offsets, ms; the mode is that of a kernel density of bandwidth .1 s."""
        fto = np.asarray(fto_ms, float) / 1000
        inside = fto[np.abs(fto) <= 5]
        grid = np.arange(-1, 2, 0.01)
        kernel = gaussian_kde(inside, bw_method=0.1 / inside.std(ddof=1))
        mode = float(grid[kernel(grid).argmax()])
        return cls(len(fto), float(np.median(fto)), mode, float((fto < 0).mean()))


def stages(root, folder, exclude):
    """Take the annotations through ingest, activity, turns and points."""
    overlay = {
        "build": ["ami"],
        "corpora": {"ami": {"root": str(root), "shards": 1}},
        "turns": {"backchannel": {"exclude": exclude}},
    }
    recordings, words = folder / "recordings.parquet", folder / "words.parquet"
    run_stages(
        settings_file(folder, overlay),
        f"ingest ami --root {root} --out {folder}",
        f"activity ami --recordings {recordings} --words {words} --shard 1/1"
        f" --out {folder / 'ipus.parquet'} --quarantine {folder / 'left_out.parquet'}",
        f"turns {folder / 'ipus.parquet'} --recordings {recordings} --words {words}"
        f" --acts {folder / 'acts.parquet'} --out {folder}",
        f"points ami --recordings {recordings} --words {words} --turns {folder}"
        f" --ipus {folder / 'ipus.parquet'} --out {folder}",
    )


def stretches(ipus):
    """List where exactly two people speak for 30 s or more: conversation, start, end, ms.

    A stretch reaches from the end of everyone else's speech to where any of them speaks again.
    """
    rows = []
    for conversation, talk in ipus.groupby("conversation", sort=True):
        start, end = talk["start_ms"].to_numpy(), talk["end_ms"].to_numpy()
        who = pd.factorize(talk["speaker"])[0]
        for a in range(who.max() + 1):
            for b in range(a + 1, who.max() + 1):
                pair = (who == a) | (who == b)
                rows += [(conversation, *span) for span in _alone(start, end, who, pair)]
    return rows


def _alone(start, end, who, pair):
    others = np.flatnonzero(~pair)
    others = others[np.argsort(start[others], kind="stable")]
    free_from = np.append(0, np.maximum.accumulate(end[others]))
    free_to = np.append(start[others], end.max())
    for low, high in zip(free_from, free_to, strict=True):
        inside = pair & (start < high) & (end > low)
        if high - low >= STRETCH_MS and len(set(who[inside].tolist())) == 2:
            yield int(low), int(high)


def within(transfers, spans):
    """Tell which transfers lie in a stretch of their conversation."""
    inside = np.zeros(len(transfers), bool)
    conversation = transfers["conversation"].to_numpy()
    ends = transfers["turn_end_ms"].to_numpy()
    takes = ends + transfers["fto_ms"].to_numpy()
    for name, low, high in spans:
        inside |= (conversation == name) & (ends >= low) & (ends <= high) & (takes <= high)
    return inside


def pauses_without_response(points):
    """Of own silences of 600 ms or more, resumed inside T: how many, and the share unanswered.

    Two readings: no onset in the whole window, which opens 2 s before t0; none from t0 on.
    """
    paused = points[points["resume_ms"].between(600, T_H_S * 1000)]
    response = paused["response_ms"]
    late = response.ge(0).fillna(False).astype(bool)
    return len(paused), float(response.isna().mean()), float((~late).mean())


def report(root, exclude):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stages(root, folder, exclude)
        transfers = tables.read(folder / "transfers.parquet", "transfers")
        points = tables.read(folder / "points.parquet", "points")
        frame = tables.read(folder / "frame.parquet", "frame")
        ipus = tables.read(folder / "ipus.parquet", "ipus")
        groups = tables.read(folder / "backchannels.parquet", "backchannels")
    spans = stretches(ipus)
    hours = sum(high - low for _, low, high in spans) / 3.6e6
    print(f"backchannels {'out of' if exclude else 'among'} the turns: {len(groups)} groups out;"
          f" {len(spans)} two-party stretches, {hours:.1f} h")  # fmt: skip
    found = {
        "all speakers": Timing.of(transfers["fto_ms"]),
        "two-party stretches": Timing.of(transfers["fto_ms"][within(transfers, spans)]),
    }
    for label, ours in found.items():
        n, median, mode, overlapped = SURVEY[label]
        print(f"  {label:20} n {ours.n:6} (survey {n}, ratio {ours.n / n:.2f});"
              f" median {ours.median:+.3f} ({median:+.3f}), mode {ours.mode:+.2f} ({mode:+.2f}),"
              f" overlapped {ours.overlapped:.3f} ({overlapped:.3f})")  # fmt: skip
    in_frame = points[points["point"].isin(frame["point"])]
    for label, rows in (("candidates", points), ("fitting frame", in_frame)):
        n, window, after = pauses_without_response(rows)
        print(f"  {label:20} {n} pauses; without an onset in [t0 - 2 s, t0 + h) {window:.3f},"
              f" from t0 on {after:.3f}", flush=True)  # fmt: skip
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root.resolve()
    for exclude in (False, True):
        report(root, exclude)


if __name__ == "__main__":
    sys.exit(main())
