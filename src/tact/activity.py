"""Activity: from word times, or the spans of a detector, to inter-pausal units (IPUs).

An IPU is speech of one speaker joined over silences up to ``ipu_silence_ms``::

    silence   up to 200 ms             above 200 ms
    words     #####  ####              #####   ####
    ipus      ###########              #####   ####

Tables in: ``words``, ``recordings``. Tables out: ``ipus``, ``quarantine``.
"""

import pandas as pd

from tact.settings import Activity

WHOLE_UTTERANCE = "utterance"
LEAST_SPEAKERS = 2


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
