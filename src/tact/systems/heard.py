"""From recordings of a system to its responses: found by a detector, measured as people's are.

::

    focal    ######        ####|  silence is fed from T_h on
    system          ####  ##        ->  onset 300 ms, length to the end of that turn
                 t0 |---|

The onset is the first start in [max(t0 - 2 s, start of the focal turn), t0 + h), by the function
that measures people; speech under way there is no onset. A length runs to the end of the turn or
backchannel that the onset opens, by the rules that make people's turns, and is cut to 30 s. A file
that ends while the system speaks, sooner than that, was stopped too early: its run is `incomplete`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from tact import activity, detectors, frames
from tact.clock import IntArray
from tact.detectors import Detector, Session
from tact.errors import InputError
from tact.hearing.bias import Corrections
from tact.points.response import NONE, first_onset, window_start
from tact.settings import Settings
from tact.systems.overlap import FOCAL, SYSTEM, speech_of, windows
from tact.systems.recordings import LONGEST_MS, TOLERANCE_MS
from tact.turns import take_turns

INPUT = "input"
FRAME_MS, REACH_MS, FAR_MS, OFF_MS = 10, 60_000, 3_000, 100
_SPAN = ["start_ms", "end_ms"]


class Heard(NamedTuple):
    """What a system did: its responses, all that it said, and its speech beside the focal one's.

    Attributes
    ----------
    responses, spoken : tables of these names
    talk : conversation (``<episode>.<run>``), speaker (focal or system), start_ms, end_ms from t0,
        backchannel: speech of both in each run
    runs : the runs, with what bounds their answers (`tact.systems.overlap.windows`) and ``talk``
    silent : files without any sound at all
    """

    responses: pd.DataFrame
    spoken: pd.DataFrame
    talk: pd.DataFrame
    runs: pd.DataFrame
    silent: int


def hear(
    system: str,
    folder: Path,
    runs: pd.DataFrame,
    episodes: pd.DataFrame,
    points: pd.DataFrame,
    ipus: pd.DataFrame,
    *,
    detector: Detector,
    corrections: Corrections,
    settings: Settings,
) -> Heard:
    """Measure every run of a system.

    Parameters
    ----------
    folder : where the files of ``runs`` are
    runs : what `tact.systems.recordings.find` lists
    episodes, points, ipus : tables; the focal speakers' IPUs tell whose turn it is
    """
    at = windows(episodes, points)
    at["language"] = [settings.corpora[name].language for name in at["corpus"]]
    runs = runs.merge(at, on="episode", validate="many_to_one")
    runs["talk"] = runs["episode"] + "." + runs["run"].astype(str)
    found, silent = _spoken(folder, runs, detector, corrections, settings)
    own = found[found["speaker"] == SYSTEM].reset_index(drop=True)
    focal = speech_of(runs, ipus, "focal", FOCAL)
    _refuse_shifted(found[found["speaker"] == INPUT], focal, runs)
    talk = _together(own, focal, runs, settings)
    rows = [_row(system, run) for run in _with_speech(runs, talk)]
    return Heard(
        frames.frame(rows, "responses"), _spoken_table(system, runs, own), talk, runs, silent
    )


def _spoken(
    folder: Path,
    runs: pd.DataFrame,
    detector: Detector,
    corrections: Corrections,
    settings: Settings,
) -> tuple[pd.DataFrame, int]:
    """Find the IPUs of each channel, from t0, and count the files where the system has no sound."""
    there = runs[runs["path"].notna()]
    shift = dict(zip(there["talk"], there["t0_ms"] - there["context_start_ms"], strict=True))
    parts, silent = [], 0
    channels = (_channels(run) for run in there.itertuples(index=False))
    for rows, session in detectors.listen(channels, folder, detector):
        if isinstance(session, InputError):
            raise session
        name = str(rows["conversation"].iloc[0])
        silent += not any(track.power.any() for track in _voice(session))
        for one in detectors.find(session, detector, corrections, settings=settings.activity):
            spans = pd.DataFrame(one.spans - shift[name], columns=_SPAN)
            parts.append(spans.assign(conversation=name, speaker=one.own.track.speaker))
    whole = pd.concat(parts, ignore_index=True) if parts else _nothing()
    return activity.join(whole, silence_ms=settings.activity.ipu_silence_ms), silent


def _channels(run: Any) -> pd.DataFrame:
    """Name the channels of one file, the system's voice last, as rows of ``recordings``."""
    names = [INPUT, SYSTEM][-int(run.channels) :]
    return pd.DataFrame(
        {
            "conversation": run.talk,
            "channel": range(len(names)),
            "speaker": names,
            "path": run.path,
            "mixed": False,
        }
    )


def _voice(session: Session) -> list[Any]:
    return [track for track in session.tracks if track.speaker == SYSTEM]


def _refuse_shifted(heard: pd.DataFrame, focal: pd.DataFrame, runs: pd.DataFrame) -> None:
    """Refuse files whose input channel runs late or early against the focal speaker's IPUs.

    ::

        focal    ####   #########       the shift that makes both meet best, up to 3 s, where it is
        input      ####   #########     over .1 s and they meet a fifth better than unshifted
                 |-|
    """
    played = dict(iter(heard.groupby("conversation")))
    spoken = dict(iter(focal.groupby("conversation")))
    shifts = {
        name: _shift(_active(spans), _active(spoken[name]))
        for name, spans in played.items()
        if name in spoken
    }
    off = {name: shift for name, shift in shifts.items() if abs(shift) > OFF_MS}
    if off:
        name, shift = min(off.items())
        raise InputError(
            f"recordings: {len(off)} of {len(runs)} runs hold the input {shift:+} ms off their clip"
            f" (first: {name}); start the file where the clip starts"
        )


def _active(spans: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Mark the 10 ms frames with speech, from 60 s before t0 to 60 s after."""
    active = np.zeros(2 * REACH_MS // FRAME_MS, dtype=bool)
    for start, end in spans[_SPAN].itertuples(index=False):
        active[(start + REACH_MS) // FRAME_MS : (end + REACH_MS) // FRAME_MS] = True
    return active


def _shift(heard: npt.NDArray[np.bool_], true: npt.NDArray[np.bool_]) -> int:
    """Find how late the one is against the other, ms; 0 where they meet well enough as they are."""
    most = FAR_MS // FRAME_MS
    lags = np.arange(-most, most + 1)
    meets = np.array([(np.roll(heard, -lag) & true).sum() for lag in lags])
    best = int(meets.argmax())
    return 0 if meets[most] >= 0.8 * meets[best] else int(lags[best]) * FRAME_MS


def _together(
    own: pd.DataFrame, focal: pd.DataFrame, runs: pd.DataFrame, settings: Settings
) -> pd.DataFrame:
    """Lay both voices side by side and tell backchannels and turns, by the rules for people.

    Columns ``backchannel`` and ``unit_end_ms``, the end of the turn or backchannel of each IPU.
    """
    both = pd.concat([own, focal], ignore_index=True).astype(dict.fromkeys(_SPAN, "int64"))
    taken = take_turns(
        both.assign(source=SYSTEM, confidence=np.nan),
        frames.empty("words"),
        frames.empty("acts"),
        dict(zip(runs["talk"], runs["language"], strict=True)),
        settings=settings.turns,
    )
    units = pd.concat(
        [
            taken.turns[["conversation", "speaker", *_SPAN]].assign(backchannel=False),
            taken.backchannels[["conversation", "speaker", *_SPAN]].assign(backchannel=True),
        ],
        ignore_index=True,
    ).astype(dict.fromkeys(_SPAN, "int64"))
    units = units.rename(columns={"start_ms": "unit_start_ms", "end_ms": "unit_end_ms"})
    who = ["conversation", "speaker"]
    met = frames.last_before(both, units, "start_ms", "unit_start_ms", who)
    met = met.sort_values([*who, "start_ms"], ignore_index=True)
    return met.drop(columns="unit_start_ms")


class _Run(NamedTuple):
    """One run and the system's speech in it, ms from t0."""

    row: Any
    start: IntArray
    end: IntArray
    unit_end: IntArray


def _with_speech(runs: pd.DataFrame, talk: pd.DataFrame) -> Iterator[_Run]:
    own = dict(iter(talk[talk["speaker"] == SYSTEM].groupby("conversation")))
    nothing = talk[:0]
    for row in runs.itertuples(index=False):
        said = own.get(row.talk, nothing)
        yield _Run(row, *(said[name].to_numpy(np.int64) for name in (*_SPAN, "unit_end_ms")))


def _row(system: str, run: _Run) -> dict[str, object]:
    """Measure one run: a row of table ``responses``."""
    row, status = run.row, str(run.row.status)
    turn_start = int(row.turn_ms)
    zero = np.zeros(1, np.int64)
    opened = window_start(zero, np.array([turn_start], np.int64))
    found = first_onset(run.start, run.end, zero, opened, np.array([row.closed_ms], np.int64))
    onset, length = None, None
    if status == "ok" and found.response[0] < NONE:
        onset = int(found.response[0])
        unit_end = int(run.unit_end[found.ipu[0]])
        length = min(unit_end - onset, LONGEST_MS)
        file_end = int(row.duration_ms) - (int(row.t0_ms) - int(row.context_start_ms))
        if length < LONGEST_MS and unit_end >= file_end - TOLERANCE_MS:
            status, length = "incomplete", None
    held = None
    if row.scenario == "interruption" and status != "fault":
        held = bool(((run.start <= turn_start) & (turn_start < run.end)).any())
    return {
        "system": system,
        "episode": row.episode,
        "run": row.run,
        "onset_ms": onset,
        "duration_ms": length,
        "status": status,
        "primed": bool(row.primed),
        "floor_held": held,
    }


def _spoken_table(system: str, runs: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """Make table ``spoken``: every stretch of the system's speech."""
    named = own.merge(runs[["talk", "episode", "run"]], left_on="conversation", right_on="talk")
    rows = named[["episode", "run", *_SPAN]].assign(system=system, kind="speech", text=None)
    return frames.check(rows, "spoken")


def _nothing() -> pd.DataFrame:
    return pd.DataFrame({"conversation": [], "speaker": [], "start_ms": [], "end_ms": []})
