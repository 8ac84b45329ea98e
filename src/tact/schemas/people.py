"""Contracts of who was heard: people on a shared channel, voices on channels of one's own."""

import pyarrow as pa

from tact.schemas.contract import Column, Contract, count, ms, number, text
from tact.schemas.raw import CONVERSATION, SPEAKER

PEOPLE = Contract(
    "people",
    ("conversation", "person"),
    (
        text("corpus", "name of the corpus"),
        CONVERSATION,
        count("person", "number of the person, by first speech"),
        text("speaker", "who that is; null = the conversation was left out", nullable=True),
        text(
            "named_by",
            "voice = a known voice is alike, rest = only one speaker was left, order = a guess: by"
            " first speech",
            "voice",
            "rest",
            "order",
            nullable=True,
        ),
        number("likeness", "cosine of the voice and the known one", nullable=True),
        ms("speech_ms", "how long the person talks", least=0),
    ),
)

VOICES = Contract(
    "voices",
    ("conversation", "channel"),
    (
        text("corpus", "name of the corpus"),
        CONVERSATION,
        count("channel", "as in recordings"),
        SPEAKER,
        Column("embedding", pa.list_(pa.float32()), "mean voice, of length 1"),
        count("n_voices", "windows and local speakers that it is the mean of"),
        ms("speech_ms", "speech with that voice in what was listened to", least=0),
        number("other_share", "share of the speech that has another voice"),
    ),
)
