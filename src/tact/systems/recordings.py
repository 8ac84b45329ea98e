"""A folder of recordings of a system on the input clock: what is there, and what is wrong with it.

One file for each episode and run, ``<episode>.<run>.wav`` (or ``.flac``)::

    input     context_start                   t0       T_h |   silence is fed after T_h
    file      |-------------------------------|---------|.......|   until the system stops, at most
                                                                    30 s more

One channel is the system's voice. Of two, the first is the input as it was played and the second
the system's voice. ``runs.csv`` may tell more of some runs: ``episode,run`` and any of ``status``
(``ok`` or ``fault``; a fault needs no file), ``primed`` (``true`` or ``false``) and ``start_ms``
(where the file starts on the input clock; anything but 0 is refused).
"""

import re
from pathlib import Path

import pandas as pd

from tact import audio
from tact.errors import InputError
from tact.files import no_folder
from tact.vocabulary import PROBES

SOUND = (".wav", ".flac")
NAME = re.compile(r"(?P<episode>.+)\.(?P<run>\d+)\.(?:wav|flac)", re.IGNORECASE)
TOLERANCE_MS = 20
LONGEST_MS = 30_000
TOLD = {"status": "ok", "primed": "false", "start_ms": "0"}
ALLOWED = {"status": ("ok", "fault"), "primed": ("true", "false")}


def find(folder: Path, episodes: pd.DataFrame) -> pd.DataFrame:
    """List the runs of a system, each with its file, and refuse a folder that is not whole.

    Parameters
    ----------
    episodes : table ``episodes``

    Returns
    -------
    DataFrame : episode, run, path (null for a fault), channels, duration_ms, status, primed

    Raises
    ------
    InputError
        A file has no such name or episode, a run is missing or there twice, a file cannot be
        decoded, does not start with the clip, or is shorter than it or over 30 s longer.
    """
    if not folder.is_dir():
        raise InputError(f"recordings: {no_folder(folder, cure='name the one that holds them')}")
    files = _files(folder)
    runs = files.merge(_told(folder), on=["episode", "run"], how="outer", validate="one_to_one")
    runs = runs.fillna({"status": "ok", "primed": "false", "start_ms": "0"})
    _refuse(runs[~runs["episode"].isin(episodes["episode"])], runs, "are of an unknown episode")
    absent = runs["path"].isna() & (runs["status"] == "ok")
    _refuse(runs[absent], runs, "are in runs.csv but have no file; say status fault if they failed")
    away = runs["start_ms"] != "0"
    _refuse(runs[away], runs, "start elsewhere than their clip (start_ms); cut or record them anew")
    _refuse_missing(runs, episodes)
    runs.loc[runs["status"] == "fault", "path"] = None
    runs = _probe(folder, runs)
    _refuse_lengths(runs, episodes)
    runs["primed"] = runs["primed"] == "true"
    return runs.sort_values(["episode", "run"], ignore_index=True).drop(columns="start_ms")


def _files(folder: Path) -> pd.DataFrame:
    sound = sorted(path.name for path in folder.iterdir() if path.suffix.lower() in SOUND)
    named = {name: NAME.fullmatch(name) for name in sound}
    if strange := [name for name, match in named.items() if match is None]:
        raise InputError(
            f"recordings: {len(strange)} of {len(sound)} files are not called"
            f" <episode>.<run>.wav (first: {strange[0]}); rename or remove them"
        )
    found = pd.DataFrame(
        [(match["episode"], int(match["run"]), name) for name, match in named.items() if match],
        columns=["episode", "run", "path"],
    )
    if found.empty:
        raise InputError(f"recordings: {folder} holds no <episode>.<run>.wav")
    _refuse(found[found.duplicated(["episode", "run"])], found, "are there twice")
    return found


def _told(folder: Path) -> pd.DataFrame:
    """Read ``runs.csv``, where there is one."""
    path = folder / "runs.csv"
    if not path.is_file():
        return pd.DataFrame(columns=["episode", "run", *TOLD]).astype({"run": "int64"})
    try:
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        rows = rows.assign(run=rows["run"].astype("int64"), episode=rows["episode"])
    except (ValueError, KeyError, UnicodeDecodeError) as error:
        line = " ".join(str(error).split())
        raise InputError(f"{path}: not a table of episode and run ({line})") from None
    if strange := set(rows.columns) - {"episode", "run", *TOLD}:
        raise InputError(f"{path}: unknown column {min(strange)!r}; known: {', '.join(TOLD)}")
    for name, usual in TOLD.items():
        column = rows[name].str.strip().str.lower() if name in rows else usual
        rows[name] = pd.Series(column, index=rows.index).replace("", usual)
    for name, values in ALLOWED.items():
        wrong = rows[~rows[name].isin(values)]
        _refuse(wrong, rows, f"have {name} outside {', '.join(values)} in runs.csv")
    _refuse(rows[rows.duplicated(["episode", "run"])], rows, "are in runs.csv twice")
    return rows


def _refuse_missing(runs: pd.DataFrame, episodes: pd.DataFrame) -> None:
    """Refuse a run that is missing; a system may leave out all probes."""
    wanted = set(range(int(runs["run"].max()) + 1))
    asked = episodes
    if not runs["episode"].isin(episodes.loc[episodes["corpus"] == PROBES, "episode"]).any():
        asked = episodes[episodes["corpus"] != PROBES]
    have = runs.groupby("episode")["run"].agg(set).to_dict()
    short = {name: wanted - have.get(name, set()) for name in asked["episode"]}
    short = {name: lacking for name, lacking in short.items() if lacking}
    if short:
        name, lacking = min(short.items())
        raise InputError(
            f"recordings: {len(short)} of {len(asked)} episodes lack a run of {len(wanted)}"
            f" (first: {name}, run {min(lacking)}); record it, or say status fault in runs.csv"
        )


def _probe(folder: Path, runs: pd.DataFrame) -> pd.DataFrame:
    """Tell length and channels of each file."""
    lengths, channels = [], []
    for name in runs["path"]:
        header = None if pd.isna(name) else audio.probe(folder / name)
        lengths.append(header and header.n_samples * 1000 // header.sample_rate_hz)
        channels.append(header and header.n_channels)
    runs = runs.assign(
        duration_ms=pd.array(lengths, dtype="Int64"), channels=pd.array(channels, dtype="Int64")
    )
    many = runs["channels"].fillna(1) > 2
    _refuse(runs[many], runs, "have over two channels; give the system's voice, or input and voice")
    return runs


def _refuse_lengths(runs: pd.DataFrame, episodes: pd.DataFrame) -> None:
    """Refuse files that cannot be on the input clock of their clip."""
    clip = episodes.set_index("episode")
    spans = clip["horizon_end_ms"] - clip["context_start_ms"]
    clip_ms = runs["episode"].map(spans)
    off = runs["duration_ms"] - clip_ms
    short = (off < -TOLERANCE_MS).fillna(False).astype(bool)
    long = (off > LONGEST_MS + TOLERANCE_MS).fillna(False).astype(bool)
    for wrong, what in (
        (short, "are shorter than their clip; record from its start to its end"),
        (long, "are over 30 s longer than their clip; stop 30 s after the onset"),
    ):
        if wrong.any():
            first = runs[wrong].iloc[0]
            said = f"{first['duration_ms']} ms, the clip {clip_ms[wrong].iloc[0]} ms"
            _refuse(runs[wrong], runs, what, f": {said}")


def _refuse(wrong: pd.DataFrame, runs: pd.DataFrame, what: str, more: str = "") -> None:
    if len(wrong):
        first = wrong.iloc[0]
        raise InputError(
            f"recordings: {len(wrong)} of {len(runs)} runs {what}"
            f" (first: episode {first['episode']}, run {first['run']}{more})"
        )
