"""Activity: from word times or detector frames to inter-pausal units (IPUs).

An IPU is speech of one speaker joined over silences up to ``ipu_silence_ms``::

    silence   up to 200 ms             above 200 ms
    words     #####  ####              #####   ####
    ipus      ###########              #####   ####

Tables in: ``words``, or one boolean per frame of each channel. Table out: ``ipus``.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.ndimage import uniform_filter1d

from tact.clock import FloatArray, IntArray
from tact.settings import Activity, Webrtc

Flags = npt.NDArray[np.bool_]
WHOLE_UTTERANCE = "utterance"
LEAST_SPEAKERS = 2
LEVEL_WINDOW_MS = 50
SILENCE_POWER = 1e-10


def from_words(
    recordings: pd.DataFrame, words: pd.DataFrame, *, settings: Activity
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Find the IPUs of the conversations of ``recordings`` from their words.

    Left out whole, one row each: a conversation with a channel that several speakers share, and
    one where fewer than two people speak (see `unfit`).

    Returns
    -------
    tables ``ipus`` and ``quarantine``
    """
    shared = share_a_channel(recordings)
    apart = recordings[~recordings["conversation"].isin(shared["item"])]
    ipus = ipus_from_words(
        words[words["conversation"].isin(apart["conversation"])], settings=settings
    )
    silent = unfit(apart, ipus, reason="empty transcript")
    kept = ipus[~ipus["conversation"].isin(silent["item"])]
    return kept.reset_index(drop=True), pd.concat([shared, silent], ignore_index=True)


def share_a_channel(recordings: pd.DataFrame) -> pd.DataFrame:
    """Make quarantine rows for conversations whose speakers share a channel."""
    mixed = recordings[recordings["mixed"]].drop_duplicates("conversation")
    return quarantine(mixed, "mixed channel", "several speakers on one channel: not told apart")


def unfit(recordings: pd.DataFrame, ipus: pd.DataFrame, *, reason: str) -> pd.DataFrame:
    """Make quarantine rows for conversations in which fewer than two people speak.

    A person who was not heard looks like one who never answers; such a conversation would turn
    every turn end of the other into a point without response.
    """
    heard = ipus.groupby("conversation")["speaker"].nunique()
    whole = recordings.drop_duplicates("conversation")
    n_heard = whole["conversation"].map(heard).fillna(0).astype(int)
    few = whole[n_heard < LEAST_SPEAKERS]
    detail = n_heard[n_heard < LEAST_SPEAKERS].astype(str) + " of at least 2 people speak"
    return quarantine(few, reason, detail)


def quarantine(
    conversations: pd.DataFrame, reason: str, detail: "str | pd.Series[str]"
) -> pd.DataFrame:
    """Make one quarantine row of stage ``activity`` for each row of ``conversations``."""
    return pd.DataFrame(
        {
            "corpus": conversations["corpus"],
            "item": conversations["conversation"],
            "stage": "activity",
            "reason": reason,
            "detail": detail,
        }
    )


def ipus_from_words(words: pd.DataFrame, *, settings: Activity) -> pd.DataFrame:
    """Join the words of each speaker into IPUs.

    Only rows of kind ``word`` count: punctuation has no length and laughter takes no turn. A word
    without length is left out. A word longer than ``max_word_ms`` is cut to it, since a forced
    aligner stretches a word over the silence that follows; a row of source ``utterance`` spans
    many words and is kept whole.

    Parameters
    ----------
    words : table ``words``
        In any order; times in ms on the conversation's clock.
    settings : Activity
        ``ipu_silence_ms`` and ``max_word_ms``.

    Returns
    -------
    table ``ipus``
        Source ``words``, no confidence; ordered by conversation, speaker and time.
    """
    lexical = words[(words["kind"] == "word") & (words["end_ms"] > words["start_ms"])]
    longest = lexical["start_ms"] + settings.max_word_ms
    whole = lexical["source"] == WHOLE_UTTERANCE
    spans = pd.DataFrame(
        {
            "conversation": lexical["conversation"],
            "speaker": lexical["speaker"],
            "start_ms": lexical["start_ms"],
            "end_ms": lexical["end_ms"].where(whole | (lexical["end_ms"] < longest), longest),
        }
    )
    return join(spans, silence_ms=settings.ipu_silence_ms).assign(source="words", confidence=None)


def join(spans: pd.DataFrame, *, silence_ms: int) -> pd.DataFrame:
    """Join the spans of each speaker over silences up to ``silence_ms``.

    Spans may overlap and come in any order; one that lies inside another leaves no trace.

    Parameters
    ----------
    spans : DataFrame
        Columns conversation, speaker, start_ms, end_ms.
    silence_ms : int
        The longest silence inside a joined span, ms.
    """
    who = ["conversation", "speaker"]
    # An empty table made elsewhere may have lost its types.
    timed = spans.astype({"start_ms": "int64", "end_ms": "int64"})
    ordered = timed.sort_values([*who, "start_ms", "end_ms"], kind="stable", ignore_index=True)
    speaker = ordered.groupby(who, sort=False).ngroup()
    spoken_until = ordered.groupby(speaker)["end_ms"].cummax().shift(fill_value=0)
    same = speaker == speaker.shift(fill_value=-1)
    opens = ~same | (ordered["start_ms"] - spoken_until > silence_ms)
    joined = ordered.groupby(opens.cumsum())
    columns = {name: (name, "first") for name in (*who, "start_ms")}
    return joined.agg(**columns, end_ms=("end_ms", "max")).reset_index(drop=True)


def hears_a_neighbour(power: Sequence[FloatArray], *, settings: Webrtc) -> list[Flags]:
    """Find the frames in which a channel holds no more than a neighbour's voice.

    That is where another channel of the conversation is louder by ``bleed_db`` or more, both
    smoothed over 50 ms. Own speech under another's stays: on one's own channel one is rarely that
    much softer, and the short holes that this cuts are joined with the IPU.

    Parameters
    ----------
    power : float64 arrays, (n_frames,), one per channel
        Mean square of each frame; the channels may differ in length.
    settings : Webrtc
        ``bleed_db``, ``frame_ms``.

    Returns
    -------
    bool arrays, as long as ``power``, one per channel
    """
    longest = max((len(channel) for channel in power), default=0)
    level = np.array([np.pad(channel, (0, longest - len(channel))) for channel in power])
    n_smooth = max(1, LEVEL_WINDOW_MS // settings.frame_ms)
    level = uniform_filter1d(level, n_smooth, axis=1, mode="constant")
    ratio = 10.0 ** (settings.bleed_db / 10.0)
    softer: list[Flags] = []
    for index, channel in enumerate(power):
        loudest = np.delete(level, index, axis=0).max(axis=0, initial=0.0)
        softer.append((loudest > ratio * level[index] + SILENCE_POWER)[: len(channel)])
    return softer


def spans_from_frames(
    speech: Flags, *, neighbour: Flags, duration_ms: int, settings: Webrtc
) -> IntArray:
    """Turn a detector's frames into spans of speech.

    Each start and end is moved by its calibrated shift, in whole frames; then the frames of a
    neighbour's voice are taken out, and what is shorter than ``min_speech_ms`` is dropped. No
    padding is added::

        frames     ..######...##...######..      # = speech
        neighbour  .............####.......
        spans        |---|           |---|       ends moved by -1 frame; a span of 1 is too short

    Parameters
    ----------
    speech, neighbour : bool arrays, (n_frames,)
        One value per ``frame_ms``, from the start of the recording.
    duration_ms : int
        Length of the recording; a span never ends after it.
    settings : Webrtc
        Frame length, least speech and shifts.

    Returns
    -------
    int64 array, (n_spans, 2)
        Start and end in ms, ordered.
    """
    n_frames = len(speech)
    starts, ends = _runs(speech)
    starts = np.clip(starts + round(settings.start_shift_ms / settings.frame_ms), 0, n_frames)
    ends = np.clip(ends + round(settings.end_shift_ms / settings.frame_ms), 0, n_frames)
    kept = starts < ends
    steps = np.bincount(starts[kept], minlength=n_frames + 1)
    steps = steps - np.bincount(ends[kept], minlength=n_frames + 1)
    starts, ends = _runs((np.cumsum(steps)[:n_frames] > 0) & ~neighbour)
    spans = np.stack((starts, ends), axis=1) * settings.frame_ms
    spans = np.minimum(spans, duration_ms).astype(np.int64)
    return spans[spans[:, 1] - spans[:, 0] >= max(1, settings.min_speech_ms)]


def _runs(flags: Flags) -> tuple[IntArray, IntArray]:
    """Find where runs of true begin and where they are over."""
    edges = np.diff(np.concatenate(([0], flags.astype(np.int8), [0])))
    return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
