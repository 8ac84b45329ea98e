"""Stage: psi at moments of focal speech, by annotators' marks or by a model fitted on train turns.

Tables in: ``turns``, ``ipus``, ``words`` and ``recordings`` with their audio. Tables out:
``completion`` (the models of a corpus) and ``completion_check`` (their calibration on dyads that
the fit has not seen).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from tact import audio, frames, keys
from tact.audio import Samples
from tact.clock import FloatArray
from tact.completion import cues, prosody
from tact.completion.model import Model, check, fit
from tact.errors import InputError
from tact.points.splits import split_of
from tact.settings import Completion as Setting
from tact.settings import Settings

FEATURES: Mapping[str, tuple[str, ...]] = {
    "words": cues.FEATURES,
    "prosody": (*cues.FEATURES, *prosody.FEATURES),
}
"""Model -> its features, those of `words` first; it stands in where there is no sound."""

MARK_MS = 100
LEAST_TURN_MS = 300

Ask = tuple[str, int, int]
"""A place (a conversation and speaker, or an episode), and from which ms to which."""

Listen = Callable[[Sequence[Ask]], Iterator[tuple[int, Samples]]]
"""Give the sound of what is asked for, file by file: its number in the list, samples at 8 kHz."""


class Fitted(NamedTuple):
    """The tables that the stage writes."""

    completion: pd.DataFrame
    completion_check: pd.DataFrame


class Completion(Protocol):
    """A way to tell how complete a turn is."""

    def psi(self, moments: pd.DataFrame) -> FloatArray:
        """Give psi of each moment, NaN where this way cannot tell.

        Columns of ``moments``: corpus, place (what `Listen` is asked for), episode, onset_ms (from
        t0), conversation, speaker, at_ms, turn_start_ms, ipu_start_ms, heard_from_ms (where the
        sound of the place begins), all on the conversation's clock.
        """
        ...


@dataclass(frozen=True)
class Marks:
    """Annotators' marks: the mean of those within 100 ms of the moment."""

    marks: pd.DataFrame

    def psi(self, moments: pd.DataFrame) -> FloatArray:
        """Average the marks near each moment."""
        by_episode = dict(iter(self.marks.groupby("episode")))
        found = np.full(len(moments), np.nan)
        for row, moment in enumerate(moments.itertuples(index=False)):
            marks = by_episode.get(moment.episode)
            if marks is not None:
                near = (marks["onset_ms"] - moment.onset_ms).abs() <= MARK_MS
                found[row] = marks.loc[near, "completion"].mean()
        return found


@dataclass(frozen=True)
class Estimator:
    """The fitted model ``name`` of each corpus, with the sound and the words that it asks for."""

    name: str
    models: pd.DataFrame
    words: pd.DataFrame
    listen: Listen

    def psi(self, moments: pd.DataFrame) -> FloatArray:
        """Weigh the features of each moment."""
        found = np.full(len(moments), np.nan)
        values = measure(moments, self.words, self.listen, self.name)
        for corpus, rows in self.models[self.models["model"] == self.name].groupby("corpus"):
            named = {
                row.feature: (row.mean, row.scale, row.weight)
                for row in rows.itertuples(index=False)
            }
            model = Model.of(named)
            place = [FEATURES[self.name].index(name) for name in model.features]
            here = (moments["corpus"] == corpus).to_numpy()
            found[here] = model.psi(values[here][:, place])
        return found


def first_known(ways: Sequence[Completion], moments: pd.DataFrame) -> "pd.Series[float]":
    """Ask one way after the other until each moment has a psi.

    Raises
    ------
    InputError
        None of them can tell.
    """
    psi = np.full(len(moments), np.nan)
    for way in ways:
        if (open_ := np.isnan(psi)).any():
            psi[open_] = way.psi(moments[open_])
    if (lost := np.isnan(psi)).any():
        raise InputError(
            f"completion: no model for {int(lost.sum())} of {len(psi)} overlaps (first: corpus"
            f" {moments['corpus'][lost].iloc[0]}); run tact completion on that corpus"
        )
    return pd.Series(psi, index=moments.index)


def train(
    corpus: str,
    recordings: pd.DataFrame,
    ipus: pd.DataFrame,
    turns: pd.DataFrame,
    words: pd.DataFrame,
    root: Path,
    *,
    settings: Settings,
) -> Fitted:
    """Fit both models on the train dyads of a corpus, and check them on a part that is kept out.

    Where no sound can be had the model `prosody` is missing.
    """
    moments = draw(corpus, recordings, ipus, turns, settings=settings).assign(corpus=corpus)
    models: list[dict[str, object]] = []
    checks: list[dict[str, object]] = []
    every = measure(moments, words, recorded(recordings, root), "prosody")
    for name, features in FEATURES.items():
        values = every[:, : len(features)]
        known = np.isfinite(values).all(axis=1)
        held = moments["held_out"].to_numpy(dtype=bool)
        done = moments["done"].to_numpy(dtype=np.float64)
        if name == "prosody" and not known.any():
            continue
        model = fit(features, values[known & ~held], done[known & ~held])
        models += [{"corpus": corpus, "model": name, **row} for row in model.rows()]
        place = [features.index(feature) for feature in model.features]
        if (rest := known & held).any():
            psi = model.psi(values[rest][:, place])
            rows = check(psi, done[rest], bins=settings.completion.bins)
            checks += [{"corpus": corpus, "model": name, **row} for row in rows]
    return Fitted(frames.frame(models, "completion"), frames.frame(checks, "completion_check"))


def draw(
    corpus: str,
    recordings: pd.DataFrame,
    ipus: pd.DataFrame,
    turns: pd.DataFrame,
    *,
    settings: Settings,
) -> pd.DataFrame:
    """Draw moments of speech in the turns of train dyads, by content.

    ::

        turn     ######  ############|        done: the turn ends within ahead_ms
        moment       ^          ^            one for each ``every_ms`` of speech, about

    Returns
    -------
    DataFrame
        As `Completion.psi` wants it, with ``done`` and ``held_out``.
    """
    own: Setting = settings.completion
    splits = split_of(recordings, corpus=corpus, settings=settings)
    train = {name: group for name, (split, group) in splits.items() if split == "train"}
    spoken = _ipus_of_turns(ipus, turns[turns["conversation"].isin(train)])
    rows = []
    for ipu in spoken.itertuples(index=False):
        length = ipu.end_ms - ipu.start_ms
        n = int(length / own.every_ms + keys.draw("moments", ipu.conversation, ipu.start_ms))
        for index in range(n):
            key = (ipu.conversation, ipu.speaker, ipu.start_ms, index)
            at = ipu.start_ms + int(keys.draw("moment", *key) * length)
            rows.append((ipu, at, keys.draw("order", *key)))
    rows = sorted(rows, key=lambda row: row[2])[: own.moments]
    return pd.DataFrame(
        [
            {
                "place": f"{ipu.conversation}\x1f{ipu.speaker}",
                "episode": "",
                "onset_ms": 0,
                "conversation": ipu.conversation,
                "speaker": ipu.speaker,
                "at_ms": at,
                "turn_start_ms": ipu.turn_start_ms,
                "ipu_start_ms": ipu.start_ms,
                "heard_from_ms": 0,
                "done": ipu.turn_end_ms - at <= own.ahead_ms,
                "held_out": keys.draw("held out", train[ipu.conversation]) < own.held_out,
            }
            for ipu, at, _ in rows
        ],
        columns=[*_COLUMNS, "done", "held_out"],
    )


_COLUMNS = ["place", "episode", "onset_ms", "conversation", "speaker", "at_ms", "turn_start_ms",
            "ipu_start_ms", "heard_from_ms"]  # fmt: skip


def _ipus_of_turns(ipus: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Give each IPU of a turn with the start and end of the turn; backchannels are none."""
    long = turns[turns["end_ms"] - turns["start_ms"] >= LEAST_TURN_MS]
    long = long.rename(columns={"start_ms": "turn_start_ms", "end_ms": "turn_end_ms"})
    who = ["conversation", "speaker"]
    long = long[[*who, "turn_start_ms", "turn_end_ms"]]
    met = frames.last_before(ipus, long, "start_ms", "turn_start_ms", who)
    met = met[met["end_ms"] <= met["turn_end_ms"]]
    return met.sort_values([*who, "start_ms"], ignore_index=True).astype(
        {"turn_start_ms": "int64", "turn_end_ms": "int64"}
    )


def measure(moments: pd.DataFrame, words: pd.DataFrame, listen: Listen, name: str) -> FloatArray:
    """Measure the features of a model, (n, F); NaN where sound is wanted and there is none."""
    values = cues.measure(moments, words)
    if name != "prosody":
        return values
    begin = np.maximum(moments["turn_start_ms"], moments["at_ms"] - prosody.LONGEST_MS)
    begin = np.maximum(begin, moments["heard_from_ms"]) - moments["heard_from_ms"]
    until = moments["at_ms"] - moments["heard_from_ms"]
    heard = np.full((len(moments), len(prosody.FEATURES)), np.nan)
    for row, samples in listen(list(zip(moments["place"], begin, until, strict=True))):
        heard[row] = prosody.measure(samples)
    return np.hstack([values, heard])


def recorded(recordings: pd.DataFrame, root: Path) -> Listen:
    """Listen to the recordings of a corpus; a channel without a file of its own gives nothing."""
    rows = recordings[recordings["path"].notna() & ~recordings["mixed"].astype(bool)]
    files = {
        f"{row.conversation}\x1f{row.speaker}": (root / row.path, int(row.in_file))
        for row in rows.assign(in_file=audio.file_channels(rows)).itertuples(index=False)
    }
    return lambda asks: _listen(files, asks)


def clipped(folder: Path, episodes: pd.DataFrame) -> Listen:
    """Listen to the focal channel of clips in ``folder``, by episode; no clip gives nothing."""
    files = {}
    for row in episodes[episodes["clip"].notna()].itertuples(index=False):
        shard, member = row.clip.split("/")
        pack = folder / row.corpus / f"{shard}.tar"
        files[row.episode] = (Path(f"{pack}{audio.MEMBER}{member}"), 0)
    return lambda asks: _listen(files, asks)


def _listen(
    files: Mapping[str, tuple[Path, int]], asks: Sequence[Ask]
) -> Iterator[tuple[int, Samples]]:
    """Open each file once and read its stretches in the order of time."""
    wanted: dict[tuple[Path, int], list[tuple[int, int, int]]] = {}
    for number, (place, begin, until) in enumerate(asks):
        if place in files and until > begin:
            wanted.setdefault(files[place], []).append((int(begin), int(until), number))
    for (path, channel), stretches in sorted(wanted.items()):
        rate_hz = audio.probe(path).sample_rate_hz
        stretches.sort()
        spans = [
            (begin * rate_hz // 1000, until * rate_hz // 1000) for begin, until, _ in stretches
        ]
        heard = audio.pieces(path, spans, channel=channel)
        for samples, (*_, number) in zip(heard, stretches, strict=True):
            yield number, audio.stretch(samples, len(samples) * prosody.RATE_HZ // rate_hz)
