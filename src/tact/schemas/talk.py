"""Contracts from raw corpora to decision points."""

from tact.schemas.contract import Contract, count, flag, ms, number, text
from tact.vocabulary import NO_SCENARIO, SCENARIOS, SPLITS, WORD_KINDS

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

INSPECTIONS = Contract(
    "inspections",
    ("conversation", "channel"),
    (
        text("corpus", "name of the corpus"),
        CONVERSATION,
        count("channel", "as in recordings"),
        SPEAKER,
        count("n_decoded", "samples that decode", "samples"),
        number("off_ms", "decoded length less the header's", "ms"),
        number("stated_off_ms", "decoded length less the metadata's", "ms", nullable=True),
        count("n_not_finite", "samples that are no number", "samples"),
        number("clipped_share", "share of samples at full scale"),
        number("level_dbfs", "95 % quantile of the level of 50 ms frames", "dBFS"),
        number("floor_dbfs", "5 % quantile", "dBFS"),
        number("contrast_db", "level in own words less that in others' words", "dB", nullable=True),
        number("bleed_db", "own voice on the loudest other channel", "dB", nullable=True),
        number(
            "drift_ppm",
            "how fast the clock of the file runs against that of the first channel's; null = one"
            " file, or too little bleed to tell",
            "ppm",
            nullable=True,
        ),
        number(
            "drift_low_ppm", "least that it may be, of an interval of 99 %", "ppm", nullable=True
        ),
        number("drift_high_ppm", "most that it may be", "ppm", nullable=True),
    ),
)

IPUS = Contract(
    "ipus",
    ("conversation", "speaker", "start_ms"),
    (
        CONVERSATION,
        SPEAKER,
        START,
        END,
        text("source", "words, or the name of the detector"),
        number("confidence", "mean speech probability where the detector gives one", nullable=True),
    ),
    SPAN,
)

HEARD = Contract(
    "heard",
    ("conversation", "channel"),
    (
        CONVERSATION,
        count("channel", "as in recordings"),
        SPEAKER,
        text("detector", "name of the detector"),
        number("snr_db", "speech over noise, 0 to 80", "dB"),
        number("noise_dbfs", "level of the noise", "dBFS"),
        number("start_shift_ms", "added to each start (calibration)", "ms"),
        number("end_shift_ms", "added to each end (calibration)", "ms"),
        number("error_low_ms", "5 % of the errors of a transfer, calibrated", "ms", nullable=True),
        number("error_high_ms", "95 % of them", "ms", nullable=True),
    ),
)

LEAKS = Contract(
    "leaks",
    ("conversation", "speaker", "neighbour"),
    (
        CONVERSATION,
        text("speaker", "on whose channel"),
        text("neighbour", "whose voice"),
        number("level_db", "there less on the own channel; null = none found", "dB", nullable=True),
        number("delay_ms", "there after the own channel, at the start", "ms", nullable=True),
        number("drift_ppm", "how much later it becomes", "ppm", nullable=True),
        count("n_windows", "windows of 128 ms that tell"),
    ),
)

CROSSTALK = Contract(
    "crosstalk",
    ("conversation", "speaker", "start_ms"),
    (
        CONVERSATION,
        text("speaker", "on whose channel speech was taken out"),
        START,
        END,
        text("neighbour", "whose voice it is"),
        number("level_db", "median level less the neighbour's own", "dB"),
        number("leak_db", "level of the leak; null = judged by level alone", "dB", nullable=True),
        number("likeness", "median cross-correlation at the leak's delay", nullable=True),
    ),
    SPAN,
)

DETECTOR_ERRORS = Contract(
    "detector_errors",
    ("detector", "snr_low_db", "edge"),
    (
        text("detector", "name of the detector"),
        number("snr_low_db", "band of SNR, from", "dB"),
        number("snr_high_db", "band of SNR, to", "dB"),
        text("edge", "which end, or from an end to a start", "start", "end", "transfer"),
        text("measured_on", "corpus with trusted word times, or made speech"),
        count("n_true", "IPUs that there are"),
        count("n_found", "IPUs that were found"),
        count("n", "found one to one"),
        number("bias_ms", "median of found less true", "ms"),
        number("bias_low_ms", "its 95 % interval, from", "ms"),
        number("bias_high_ms", "its 95 % interval, to", "ms"),
        number("spread_ms", "interquartile range over that of a unit normal", "ms"),
        number("left_ms", "median of what is left once the biases are taken off", "ms"),
        number("low_ms", "5 % of it", "ms"),
        number("high_ms", "95 % of it", "ms"),
    ),
)

TURNS = Contract(
    "turns",
    ("conversation", "speaker", "start_ms"),
    (CONVERSATION, SPEAKER, START, END, count("n_ipus", "IPUs joined")),
    SPAN,
)

PAUSES = Contract(
    "pauses",
    ("conversation", "speaker", "start_ms"),
    (CONVERSATION, SPEAKER, START, END, ms("duration_ms", "silence inside the turn")),
    SPAN,
)

BACKCHANNELS = Contract(
    "backchannels",
    ("conversation", "speaker", "start_ms"),
    (
        CONVERSATION,
        SPEAKER,
        START,
        END,
        ms("speech_ms", "speech in the group"),
        count("n_ipus", "IPUs in the group"),
    ),
    SPAN,
)

TRANSFERS = Contract(
    "transfers",
    ("conversation", "turn_end_ms", "giver", "taker"),
    (
        CONVERSATION,
        text("giver", "speaker who held the floor"),
        text("taker", "speaker who takes it"),
        ms("turn_end_ms", "end of the giver's turn"),
        ms("fto_ms", "start of the taker's turn minus turn_end_ms; below 0 = overlap"),
        text("kind", "sign of the FTO", "gap", "overlap"),
    ),
)

FLOOR = Contract(
    "floor",
    ("conversation", "backchannels", "state"),
    (
        CONVERSATION,
        text("backchannels", "whether backchannels count as speech", "in", "out"),
        text("state", "", "solo", "pause", "gap", "between_overlap", "within_overlap"),
        count("n", "stretches in this state"),
        ms("total_ms", "time in this state"),
    ),
)

POINTS = Contract(
    "points",
    ("point",),
    (
        text("point", "16 hex of SHA-256(conversation, focal, t0_ms)"),
        text("corpus", "name of the corpus"),
        text("scenario", "label of the candidate", *SCENARIOS, NO_SCENARIO),
        text("split", "split of its dyad or series", *SPLITS),
        text("split_group", "dyad or meeting series"),
        CONVERSATION,
        text("focal", "speaker whose IPU ends at t0"),
        text("partner", "the one who answers, the system's role"),
        ms("t0_ms", "the decision point, on the conversation's clock"),
        ms("ipu_start_ms", "start of the focal IPU that ends at t0"),
        ms("turn_start_ms", "start of the focal turn"),
        ms("context_start_ms", "start of the context, on the conversation's clock"),
        ms("response_ms", "first partner onset in the window, from t0; null = atom", nullable=True),
        text("response_kind", "what the response is", "turn", "backchannel", nullable=True),
        ms("response_duration_ms", "first onset to the end of that turn", nullable=True),
        ms("floor_ms", "start of the partner's next turn, from t0", nullable=True),
        ms("resume_ms", "start of the focal IPU that goes on with the turn", nullable=True),
        ms("focal_next_ms", "start of the focal speaker's next IPU, no backchannel", nullable=True),
        ms("raw_response_ms", "first partner onset up to T_h, however late", nullable=True),
        flag("carry_over", "a partner IPU was under way at the window's start"),
        flag("third_party", "a third speaker starts inside T before the partner"),
        number("weight", "candidates over quota of its corpus and scenario", nullable=True),
        text("reasons", "why it has its scenario, and rules that dropped it"),
    ),
)

FRAME = Contract(
    "frame",
    ("point",),
    (
        text("point", "a train candidate in the fitting frame"),
        CONVERSATION,
        text("focal", "cluster of the fits"),
        text("split_group", "dyad or meeting series"),
    ),
)
