"""Stage: the voice of each speaker who has a channel of their own, and whether it is one voice.

Table in: ``recordings`` with their audio. Tables out: ``voices`` and ``quarantine``.

Most of what is heard on one's own channel is oneself. The voices of its windows are clustered as on
a shared channel; the person who talks most is the speaker, and what the others say is bleed, a
guest, or a channel that changed hands: ``other_share`` of the channel's speech.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tact import audio, frames
from tact.diarizer.listener import Ears, listen
from tact.diarizer.mixed import find, left_out_row
from tact.errors import InputError
from tact.settings import Diarization

ROW = ("corpus", "conversation", "channel", "speaker")


class Own(NamedTuple):
    """The tables that the stage writes."""

    voices: pd.DataFrame
    quarantine: pd.DataFrame


def voices(recordings: pd.DataFrame, root: Path, *, ears: Ears, settings: Diarization) -> Own:
    """Find the voice of each channel that one speaker has.

    A channel without audio, or one that several speakers share, is passed over; one that cannot be
    read, or on which nobody talks, is left out with a row that says why.

    Parameters
    ----------
    recordings : table ``recordings``
    root : Path
        Folder of the corpus.
    ears : Ears
    settings : Diarization
        Of each channel, about ``most_voice_s`` of speech is heard.
    """
    found: list[dict[str, object]] = []
    left_out: list[dict[str, object]] = []
    index = audio.file_channels(recordings)
    apart = recordings[recordings["path"].notna() & ~recordings["mixed"]]
    for row, channel in zip(apart.itertuples(), index.loc[apart.index], strict=True):
        try:
            voice = _voice(root / str(row.path), int(channel), ears, settings)
        except InputError as error:
            item = f"{row.conversation}, channel {row.channel}"
            left_out.append(left_out_row("voices", row.corpus, item, "no voice", str(error)))
            continue
        found.append({name: getattr(row, name) for name in ROW} | voice)
    return Own(frames.frame(found, "voices"), frames.frame(left_out, "quarantine"))


def _voice(path: Path, channel: int, ears: Ears, settings: Diarization) -> dict[str, object]:
    heard, _ = listen(path, ears, channel=channel, most_s=settings.most_voice_s)
    frame_ms = ears.segmentation.frame_ms
    people = find(heard, frame_ms, settings=settings, n_people=None)
    if not len(people.speech):
        raise InputError("nobody was heard")
    n_spoken = people.speech.sum(axis=1)
    own = int(np.argmax(n_spoken))
    return {
        "embedding": people.voices[own],
        "n_voices": len(heard.vectors),
        "speech_ms": round(int(n_spoken[own]) * frame_ms),
        "other_share": 1.0 - float(n_spoken[own] / n_spoken.sum()),
    }
