"""Contracts of reference laws, responses and scores."""

from tact.schemas.bench import EPISODE
from tact.schemas.contract import Contract, count, flag, ms, number, text
from tact.vocabulary import ANY_INTENT, FAMILIES, INTENTS, SCENARIOS

SLICE = text("slice", "all, axis=value, or a crossing: axis=value,axis=value")
INTENT = text("intent", "", *INTENTS, ANY_INTENT)
SYSTEM = text("system", "name in config.yaml")
RUN = count("run", "repetition, from 0")

LAWS = Contract(
    "laws",
    ("slice", "intent"),
    (
        SLICE,
        INTENT,
        text("family", "of the onset density, before truncation to T", *FAMILIES),
        number("mu", "ex-Gaussian: mean of the normal part", "s", nullable=True),
        number("sigma", "ex-Gaussian: sd of the normal part", "s", nullable=True),
        number("tau", "ex-Gaussian: mean of the exponential part", "s", nullable=True),
        number("shift", "log-normal: shift", "s", nullable=True),
        number("log_median", "log-normal: m, median = shift + exp(m)", nullable=True),
        number("log_sigma", "log-normal: s", nullable=True),
        number("no_response", "beta_z, the atom"),
        number("acceptability", "annotators' mean silence acceptability", nullable=True),
        number("n_points", "points behind it (sum of posteriors)"),
        number("n_responses", "responses behind it (sum of posteriors)"),
        text("source", "", "paper", "own", "shrunk", "parent"),
        text("parent", "slice of the parent; paper for `all`", nullable=True),
        number(
            "ks_p", "parametric-bootstrap KS at the points labelled with the intent", nullable=True
        ),
        text(
            "intervals",
            "JSON: {level, cluster, parameter, total_weight or score: [low, high]}",
            nullable=True,
        ),
        text("reason", "why it is not an own fit, or a caution", nullable=True),
    ),
)

KERNELS = Contract(
    "kernels",
    ("slice", "intent", "t_ms"),
    (
        SLICE,
        INTENT,
        ms("t_ms", "from t0, on a 1 ms grid over T"),
        number("density", "f_z(t), truncated to T", "1/s"),
        number("cdf", "H_z(t), the law with its atom"),
        number("kernel", "u_z(t)"),
        number("weight", "w_z(t)"),
        number("kernel_low", "lower end of the interval of u_z(t)", nullable=True),
        number("kernel_high", "upper end of the interval of u_z(t)", nullable=True),
    ),
)

ONSETS = Contract(
    "onsets",
    ("slice", "intent", "t_ms"),
    (
        SLICE,
        INTENT,
        ms("t_ms", "start of a bin of 100 ms, from t0"),
        number("responses", "responses of train points in it (sum of P(z | labels, y))"),
    ),
)

CHANGES = Contract(
    "changes",
    ("slice", "intent"),
    (
        SLICE,
        INTENT,
        text("change", "against the laws that were there before", "new", "gone", "moved", "same"),
        text("parameter", "that moved furthest, in its standard errors", nullable=True),
        number("before", "its value before", nullable=True),
        number("after", "its value now", nullable=True),
        number("standard_errors", "how far it moved, in standard errors of now", nullable=True),
        number("apart", "d_z / W_z of the law before from the law now", nullable=True),
        text("source_before", "", "paper", "own", "shrunk", "parent", nullable=True),
        text("source_after", "", "paper", "own", "shrunk", "parent", nullable=True),
    ),
)

DURATIONS = Contract(
    "durations",
    ("slice", "intent", "scenario", "t_ms"),
    (
        SLICE,
        INTENT,
        text("scenario", "context bucket", *SCENARIOS),
        ms("t_ms", "length of the response"),
        number("cdf", "share of human responses no longer than t_ms"),
    ),
)

SPEAKER_PRIORS = Contract(
    "speaker_priors",
    ("speaker", "intent"),
    (
        text("speaker", "the focal speaker"),
        text("intent", "ref, rhe and hold are merged", "ans", "ref+rhe+hold", "bck", "abn"),
        number("probability", "mean posterior over the speaker's train points"),
        count("n_points", "points behind it"),
    ),
)

RESPONSES = Contract(
    "responses",
    ("system", "episode", "run"),
    (
        SYSTEM,
        EPISODE,
        RUN,
        ms("onset_ms", "first vocalisation, from t0; null = no response", nullable=True),
        ms("duration_ms", "first onset to the end of that turn", nullable=True, least=0),
        text("status", "a fault is never the atom", "ok", "fault", "incomplete"),
        flag("primed", "the partner's recorded speech was given as the system's own past"),
        flag("floor_held", "the system was speaking at the focal onset", nullable=True),
    ),
)

OVERLAPS = Contract(
    "overlaps",
    ("system", "episode", "run", "onset_ms"),
    (
        SYSTEM,
        EPISODE,
        RUN,
        ms("onset_ms", "start of the overlap, from t0"),
        ms("duration_ms", "its length", least=0),
        number("completion", "psi at the onset, 0 to 1"),
        flag("backchannel", "exempt"),
        number("completion_words", "psi without the sound, for the ablation", nullable=True),
    ),
)

EPISODE_SCORES = Contract(
    "episode_scores",
    ("system", "episode", "run"),
    (
        SYSTEM,
        EPISODE,
        RUN,
        number("timing", "s_T(e)", nullable=True),
        number("length", "s_L(e)", nullable=True),
        number("overlap", "s_O(e)", nullable=True),
    ),
)

COMPOSITES = Contract(
    "composites",
    ("system", "scenario", "slice", "intent"),
    (
        SYSTEM,
        text("scenario", "", *SCENARIOS, "all"),
        SLICE,
        text("intent", "", *INTENTS, "all"),
        number("timing_population", "S_T, plug-in", nullable=True),
        number("timing_population_fair", "S_T less the plug-in bias", nullable=True),
        number("skill", "1 - d / d(intent-blind human marginal)", nullable=True),
        number("timing_episode", "mean s_T(e)", nullable=True),
        number("length", "S_L", nullable=True),
        number("overlap", "mean s_O(e)", nullable=True),
        number("score", "convex combination; over `all` scenarios their mean", nullable=True),
        number("low", "lower end of the interval of score", nullable=True),
        number("high", "upper end of the interval of score", nullable=True),
        count("n", "episodes scored"),
        count("n_fault", "episode runs left out as faults"),
        count("runs", "runs per episode"),
        count("clusters", "clusters of the interval"),
        text("flags", "comma-separated: no_length, incomplete, ..."),
    ),
)

SPOKEN = Contract(
    "spoken",
    ("system", "episode", "run", "kind", "start_ms"),
    (
        SYSTEM,
        EPISODE,
        RUN,
        text("kind", "a stretch of a speech detector, or a word of a recogniser", "speech", "word"),
        ms("start_ms", "from t0"),
        ms("end_ms", "from t0"),
        text("text", "the word", nullable=True),
    ),
    (("start_ms", "end_ms"),),
)

BINARY = Contract(
    "binary",
    ("system", "scenario", "metric"),
    (
        SYSTEM,
        text("scenario", "", *SCENARIOS, "all"),
        text(
            "metric",
            "fdb_... = as Full-Duplex-Bench v1 computes it; takeover_right = share where takeover"
            " is as it wants it; windowed_takeover = onset in (0, W]; intent_binary = acted by W as"
            " most people do, given the intent",
            "fdb_takeover",
            "fdb_latency_s",
            "fdb_frequency_per_s",
            "fdb_jsd",
            "takeover_right",
            "windowed_takeover",
            "intent_binary",
        ),
        number("value", "mean over runs; null = no run tells", nullable=True),
        number("low", "lower end of its interval, by clusters", nullable=True),
        number("high", "upper end", nullable=True),
        text("better", "which end is the better one", "high", "low", "neither"),
        count("n", "runs behind it"),
        count("n_left_out", "runs that do not tell: no latency without takeover, length unknown"),
    ),
)

CORPUS = text("corpus", "name of the corpus")
MODEL = text(
    "model", "prosody = sound, pauses and words; words = without sound", "prosody", "words"
)

COMPLETION = Contract(
    "completion",
    ("corpus", "model", "feature"),
    (
        CORPUS,
        MODEL,
        text("feature", "what is measured up to the moment; intercept = the log odds at the means"),
        number("mean", "of the feature over the moments that were fitted"),
        number("scale", "its standard deviation there"),
        number("weight", "log odds per standard deviation"),
    ),
)

COMPLETION_CHECK = Contract(
    "completion_check",
    ("corpus", "model", "bin"),
    (
        CORPUS,
        MODEL,
        count("bin", "of psi, from 0"),
        number("low", "psi from"),
        number("high", "psi to"),
        count("n", "moments of dyads kept out of the fit"),
        number("predicted", "mean psi of them"),
        number("observed", "share whose turn ended within ahead_ms"),
        count("n_all", "moments in all bins"),
        number("base_rate", "share of all whose turn ended so"),
        number("ece", "mean distance of predicted and observed"),
        number("brier", "Brier score of psi"),
        number("brier_of_share", "Brier score of the share of all alone"),
    ),
)

COMPLETION_MARKS = Contract(
    "completion_marks",
    ("episode", "onset_ms", "annotator"),
    (
        EPISODE,
        ms("onset_ms", "the moment that is judged, from t0"),
        text("annotator", "pseudonymous id"),
        number("completion", "how complete the focal turn is there, 0 to 1"),
    ),
)
