"""Contracts of raw corpora: what is recorded, who speaks, what is said, what is left out."""

from tact.schemas.contract import Contract, count, flag, ms, number, text
from tact.vocabulary import WORD_KINDS

CONVERSATION = text("conversation", "<corpus>:<native id>")
SPEAKER = text("speaker", "<corpus>:<native speaker id>")
START = ms("start_ms", "start, on the conversation's clock")
END = ms("end_ms", "end, on the conversation's clock")
SPAN = (("start_ms", "end_ms"),)

RECORDINGS = Contract(
    "recordings",
    ("conversation", "channel"),
    (
        text("corpus", "name of the corpus"),
        CONVERSATION,
        count("channel", "channel of the file (dyads: 0 or 1) or headset number (AMI)"),
        SPEAKER,
        text("path", "audio file, relative to the corpus root; null = words only", nullable=True),
        count("sample_rate_hz", "as decoded", "Hz", nullable=True),
        count("n_samples", "as decoded, one channel", "samples", nullable=True),
        ms("duration_ms", "of the audio as decoded, else of the annotation"),
        number("stated_ms", "length of the audio by the corpus's metadata", "ms", nullable=True),
        ms("stated_unit_ms", "it is stated to so much; 0 = exact", nullable=True, least=0),
        text("sha256", "of the audio file", nullable=True),
        text("licence", "licence of the corpus"),
        flag("mixed", "several speakers share this channel"),
        text("release", "release of the corpus", nullable=True),
        text("language", "BCP 47 tag"),
        text("split_group", "dyad or meeting series: the unit that splits never cut"),
        text("annotation_path", "file the words came from, relative to the root", nullable=True),
        text("annotation_sha256", "of that file", nullable=True),
    ),
)

SPEAKERS = Contract(
    "speakers",
    ("corpus", "speaker"),
    (
        text("corpus", "name of the corpus"),
        SPEAKER,
        text("gender", "as the corpus states it", "female", "male", "other", nullable=True),
        text("age", "age band, such as 30-39", nullable=True),
        text("first_language", "as the corpus states it", nullable=True),
        text("region", "first-language region", nullable=True),
        text("gender_source", "where gender comes from", nullable=True),
        text("age_source", "where age comes from", nullable=True),
        text("first_language_source", "where first_language comes from", nullable=True),
        text("region_source", "where region comes from", nullable=True),
    ),
)

WORDS = Contract(
    "words",
    ("conversation", "speaker", "position"),
    (
        CONVERSATION,
        SPEAKER,
        count("position", "place in the speaker's stream, from 0"),
        START,
        END,
        text("text", "as transcribed"),
        text("kind", "what the item is", *WORD_KINDS),
        text("source", "manual, aws, forced, utterance, script; asr = our own, text only"),
    ),
    SPAN,
)

ACTS = Contract(
    "acts",
    ("conversation", "speaker", "act_id"),
    (
        CONVERSATION,
        SPEAKER,
        text("act_id", "id in the corpus"),
        START,
        END,
        text("act", "act type, as the corpus names it"),
        flag("answers", "the act is the second part of an adjacency pair (answers an earlier act)"),
    ),
    SPAN,
)

QUARANTINE = Contract(
    "quarantine",
    ("corpus", "stage", "item", "reason", "detail"),
    (
        text("corpus", "name of the corpus"),
        text("item", "file, conversation or row left out"),
        text("stage", "stage that left it out"),
        text("reason", "why, from a short list"),
        text("detail", "what was found"),
    ),
)
