"""Contracts of episodes, profiles, labels and posteriors."""

import pyarrow as pa

from tact.schemas.contract import Column, Contract, count, flag, ms, number, text
from tact.schemas.raw import CONVERSATION, END, SPAN, START
from tact.vocabulary import INTENTS, MODES, SCENARIOS

EPISODE = text("episode", "<corpus>-<10 hex of the content key>")
STRATA = Column("strata", pa.map_(pa.string(), pa.string()), "slice axis -> value; absent = null")

EPISODES = Contract(
    "episodes",
    ("episode",),
    (
        EPISODE,
        text("point", "its decision point"),
        text("corpus", "name of the corpus"),
        text("scenario", "the paper's category", *SCENARIOS),
        text("split", "", "dev", "test"),
        text("split_group", "dyad or meeting series: cluster of the intervals"),
        CONVERSATION,
        text("focal", "the user"),
        text("partner", "whose part the system takes"),
        ms("t0_ms", "decision point, on the conversation's clock"),
        ms("context_start_ms", "start of the clip, on the conversation's clock"),
        ms("horizon_end_ms", "end of the clip: t0 + T_h"),
        ms("history_start_ms", "start of the transcript history", nullable=True),
        STRATA,
        text("rights", "what may be shared", "audio", "recipe"),
        text("clip", "member of the clip shard: <shard>/<episode>.flac", nullable=True),
        text("clip_sha256", "of the FLAC bytes", nullable=True),
        number("weight", "candidates over chosen of its corpus and scenario, whatever the pull"),
        number("draw", "uniform on [0, 1), from seed and point", nullable=True),
        number("pull", "how hard it was drawn, to even the strata; mean 1", nullable=True),
        count("place", "its turn among the candidates of its cell, from 1", nullable=True),
    ),
)

SHORTFALLS = Contract(
    "shortfalls",
    ("corpus", "scenario"),
    (
        text("corpus", "name of the corpus"),
        text("scenario", "", *SCENARIOS),
        count("quota", "episodes wanted"),
        count("candidates", "dev and test candidates that may be chosen"),
        count("chosen", "episodes chosen"),
    ),
)

HISTORY = Contract(
    "history",
    ("episode", "turn"),
    (
        EPISODE,
        count("turn", "0 = the oldest turn kept"),
        text("speaker", "who spoke; third speakers are named"),
        START,
        END,
        text("text", "words of the turn; null where no words exist", nullable=True),
    ),
    SPAN,
)

CLIPS = Contract(
    "clips",
    ("episode",),
    (
        EPISODE,
        text("clip", "<shard>/<episode>.flac", nullable=True),
        text("clip_sha256", "of the FLAC bytes", nullable=True),
        text("reason", "why there is no clip", nullable=True),
    ),
)

PROFILES = Contract(
    "profiles",
    ("episode",),
    (
        EPISODE,
        text("speaker", "the focal speaker"),
        count("n_conversations", "conversations the evidence comes from"),
        text("partners", "partners in them, comma-separated"),
        text("partner", "the episode's own partner"),
        ms("partner_evidence_ms", "evidence in which that partner takes part", least=0),
        ms("evidence_ms", "conversation time of the evidence intervals", least=0),
        ms("speech_ms", "the speaker's own speech in them", least=0),
        count("n_transfers", "floor transfers where the speaker takes the floor"),
        number("fto_q10_ms", "10 % quantile of the speaker's FTO", "ms", nullable=True),
        number("fto_median_ms", "median FTO when the speaker takes the floor", "ms", nullable=True),
        number("fto_q90_ms", "90 % quantile", "ms", nullable=True),
        number("fto_mu_ms", "ex-Gaussian law of the FTOs inside T: mu", "ms", nullable=True),
        number("fto_sigma_ms", "its sigma", "ms", nullable=True),
        number("fto_tau_ms", "its tau", "ms", nullable=True),
        number("overlap_share", "share of those FTOs below 0", nullable=True),
        count("n_pauses", "pauses inside the speaker's turns"),
        number("pause_median_ms", "median pause", "ms", nullable=True),
        number("pause_q90_ms", "90 % quantile", "ms", nullable=True),
        count("n_silences", "own silences of pause_min_ms or more, in a turn or after it"),
        number("abstention_share", "of those, that nobody filled", nullable=True),
        number("abstention_wait_ms", "median length of those", "ms", nullable=True),
        number("backchannels_produced_per_min", "per minute of evidence", "1/min", nullable=True),
        number("backchannels_solicited_per_min", "by partners, same base", "1/min", nullable=True),
        number("articulation_rate", "words per second of own speech", "1/s", nullable=True),
        number("filler_share", "fillers among words", nullable=True),
        count("n_final_words", "timed words right before an own pause"),
        number(
            "final_stretch",
            "ms a letter of those that are no filler, over that of the other words",
            nullable=True,
        ),
        number("connective_share", "connectives among those last words", nullable=True),
        text("synopsis", "plain English for a prompt"),
        flag("synthetic", "a probe: made, not observed"),
        text("reasons", "why a feature is null, feature=reason;..."),
    ),
)

EVIDENCE = Contract(
    "evidence",
    ("episode", "conversation", "start_ms"),
    (
        EPISODE,
        CONVERSATION,
        START,
        END,
        text("scope", "", "other_conversation", "same_conversation"),
    ),
    SPAN,
)

SWAP = Contract(
    "swap",
    ("episode",),
    (
        EPISODE,
        text("speaker", "the focal speaker"),
        text("swapped_episode", "whose profile is given instead", nullable=True),
        text("swapped_speaker", "the most opposite speaker that may be", nullable=True),
        number("distance", "root mean square over standardised features", nullable=True),
        text("reason", "why there is none", nullable=True),
    ),
)

SEPARATION = Contract(
    "separation",
    ("corpus", "what"),
    (
        text("corpus", "name of the corpus"),
        text("what", "what was held apart, or what two splits share"),
        count("n", "how many"),
        ms("least_ms", "least distance to what must not be touched", nullable=True),
        text("meaning", "in words"),
    ),
)

LABELS = Contract(
    "labels",
    ("unit", "annotator", "intent"),
    (
        text("unit", "point id"),
        text("annotator", "pseudonymous id"),
        text("kind", "human, dialogue_acts, textgrid or script"),
        text("intent", "", *INTENTS),
        number("probability", "1 for a vote; a weak source spreads 1 over intents"),
        flag("silence_ok", "would silence be acceptable here?", nullable=True),
        ms("window_start_ms", "first acceptable onset, from t0", nullable=True),
        ms("window_end_ms", "last acceptable onset, from t0", nullable=True),
        flag("saw_continuation", "the annotator heard what followed t0: never used in fits"),
    ),
    (("window_start_ms", "window_end_ms"),),
)

JUDGE = Contract(
    "judge",
    ("unit", "intent"),
    (
        text("unit", "point id"),
        text("intent", "", *INTENTS),
        number("probability", "the judge's, summing to 1 over a unit"),
        text("model", "name and version of the judge"),
        text("prompt_sha256", "of the prompt"),
    ),
)

MODE = text("mode", "how the posterior was made", *MODES)
PROBABILITY = number("probability", "q(z | e)")

POSTERIORS = Contract(
    "posteriors",
    ("episode", "mode", "intent"),
    (EPISODE, MODE, text("intent", "", *INTENTS), PROBABILITY),
)

POINT_POSTERIORS = Contract(
    "point_posteriors",
    ("point", "mode", "intent"),
    (text("point", "point id"), MODE, text("intent", "", *INTENTS), PROBABILITY),
)

AGREEMENT = Contract(
    "agreement",
    ("what", "corpus"),
    (
        text("what", "intent, silence_ok, window_start_ms or window_end_ms"),
        text("corpus", "name of the corpus, or all"),
        number("alpha", "Krippendorff's alpha", nullable=True),
        count("n_units", "units with two labels or more"),
        count("n_annotators", "annotators"),
        text("reason", "why alpha is null", nullable=True),
    ),
)

CALIBRATION = Contract(
    "calibration",
    ("name",),
    (
        text("name", "temperature, lambda, ece_before, ece_after, confusion:<who>:<true>:<said>"),
        number("value", "", nullable=True),
        count("n", "units behind it"),
        text("reason", "why it is null, or how it was set", nullable=True),
    ),
)

RECIPES = Contract(
    "recipes",
    ("episode",),
    (
        EPISODE,
        text("corpus", "name of the corpus"),
        text("conversation_sha256", "of <corpus>:<native id>: who holds the corpus finds it"),
        text("release", "release of the corpus", nullable=True),
        count("focal_channel", "channel of the focal speaker, as in recordings"),
        count("partner_channel", "channel of the partner"),
        text("focal_sha256", "of the focal speaker's audio file", nullable=True),
        text("partner_sha256", "of the partner's audio file", nullable=True),
        ms("start_ms", "start of the clip, on the conversation's clock"),
        ms("end_ms", "end of the clip"),
        text("clip_sha256", "of the FLAC bytes; null = the run had no audio", nullable=True),
        text("cut_with", "versions of what decoded and encoded it"),
    ),
    SPAN,
)
