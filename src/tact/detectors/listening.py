"""Listen to conversations: decode every channel once, at 16 kHz, for a detector and the meters.

A detector that gains by company (silero) hears many conversations side by side, a block of each in
turn; a conversation that ends makes room for the next, so memory does not grow with a corpus.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from tact import audio
from tact.audio import Samples
from tact.detectors.protocol import SAMPLE_RATE_HZ, Detector, Probability
from tact.errors import InputError
from tact.hearing.levels import Power
from tact.hearing.likeness import Meter


@dataclass(frozen=True)
class Track:
    """One channel as heard.

    Attributes
    ----------
    channel, speaker : int, str
        As in ``recordings``.
    probability : float32 array, (n_frames,)
        Of speech, one per the detector's ``frame_ms``.
    power : float32 array, (n_frames,)
        Mean square per 5 ms.
    duration_ms : int
    """

    channel: int
    speaker: str
    probability: Probability
    power: Power
    duration_ms: int


@dataclass(frozen=True)
class Session:
    """A conversation as heard: its tracks, and the meter that compared them in their order."""

    tracks: list[Track]
    meter: Meter


Heard = tuple[pd.DataFrame, Session | InputError]


def listen(
    conversations: Iterable[pd.DataFrame], root: Path, detector: Detector
) -> Iterator[Heard]:
    """Hear conversations, as many at once as the detector has use for.

    Parameters
    ----------
    conversations : iterable of tables ``recordings``
        The rows of one conversation each.
    root : Path
        Folder that the paths are relative to.

    Yields
    ------
    rows, session
        In the order in which they end, with the error in place of a session that cannot be heard.
    """
    waiting = iter(conversations)
    running: list[tuple[pd.DataFrame, Generator[None, None, Session]]] = []
    while True:
        while sum(len(rows) for rows, _ in running) < detector.channels_at_once:
            rows = next(waiting, None)
            if rows is None:
                break
            running.append((rows, _hear(rows, root, detector)))
        if not running:
            return
        for one in list(running):
            rows, hearing = one
            try:
                next(hearing)
            except StopIteration as ended:
                running = [other for other in running if other is not one]
                yield rows, ended.value
            except InputError as error:
                running = [other for other in running if other is not one]
                yield rows, error


def hear(sound: Samples, speakers: Sequence[str], detector: Detector) -> Session:
    """Hear a conversation that is in memory.

    Parameters
    ----------
    sound : float32 array, (n_samples, channels)
        At 16 kHz, full scale 1.
    speakers : sequence of str
        Of each channel.
    """
    meter = Meter(len(speakers), SAMPLE_RATE_HZ)
    streams = [detector.open() for _ in speakers]
    for at, stream in enumerate(streams):
        samples = np.ascontiguousarray(sound[:, at])
        stream.feed(samples)
        meter.feed(at, samples)
    duration_ms = len(sound) * 1000 // SAMPLE_RATE_HZ
    return Session(
        [
            Track(at, speaker, stream.finish(), meter.power(at), duration_ms)
            for at, (speaker, stream) in enumerate(zip(speakers, streams, strict=True))
        ],
        meter,
    )


class _Ear:
    """One channel of a file on its way to the detector and the meter."""

    def __init__(self, index: int, at: int, rate_hz: int, detector: Detector, meter: Meter) -> None:
        self._index, self._at, self._meter = index, at, meter
        self._resampler = audio.Resampler(rate_hz, SAMPLE_RATE_HZ)
        self._stream = detector.open()
        self.close = self._stream.close

    def feed(self, block: Samples) -> None:
        """Take the next block of the file, (n, channels)."""
        self._pass_on(self._resampler.feed(block[:, self._index]))

    def finish(self) -> Probability:
        """Give the detector's answer once the file is at its end."""
        self._pass_on(self._resampler.finish())
        return self._stream.finish()

    def _pass_on(self, samples: Samples) -> None:
        self._stream.feed(samples)
        self._meter.feed(self._at, samples)


def _hear(rows: pd.DataFrame, root: Path, detector: Detector) -> Generator[None, None, Session]:
    """Hear one conversation, a block of each of its files at a time."""
    if rows["path"].isna().any():
        raise InputError("a channel has no audio; use words for this corpus")
    meter = Meter(len(rows), SAMPLE_RATE_HZ)
    rows = rows.assign(in_file=audio.file_channels(rows), at=range(len(rows)))
    tracks: list[Track] = []
    with ExitStack() as opened:
        hearings = [
            _hear_file(root / str(path), sharing, detector, meter, opened)
            for path, sharing in rows.groupby("path")
        ]
        while hearings:
            for hearing in list(hearings):
                try:
                    next(hearing)
                except StopIteration as ended:
                    hearings.remove(hearing)
                    tracks += ended.value
            yield
    order = {speaker: at for at, speaker in enumerate(rows["speaker"])}
    return Session(sorted(tracks, key=lambda track: order[track.speaker]), meter)


def _hear_file(
    path: Path, rows: pd.DataFrame, detector: Detector, meter: Meter, opened: ExitStack
) -> Generator[None, None, list[Track]]:
    """Hear the channels of one file, block by block."""
    header = audio.probe(path)
    audio.demand_channel(path, header.n_channels, rows["in_file"].max())
    ears = []
    for row in rows.itertuples(index=False):
        ear = _Ear(row.in_file, row.at, header.sample_rate_hz, detector, meter)
        opened.callback(ear.close)
        ears.append(ear)
    for block in audio.blocks(path):
        for channel in rows["in_file"]:
            audio.demand_numbers(path, block, channel)
        for ear in ears:
            ear.feed(block)
        yield
    duration_ms = header.n_samples * 1000 // header.sample_rate_hz
    answers = [ear.finish() for ear in ears]
    return [
        Track(row.channel, row.speaker, answer, meter.power(row.at), duration_ms)
        for row, answer in zip(rows.itertuples(index=False), answers, strict=True)
    ]
