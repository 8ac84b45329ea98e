"""Contracts from inter-pausal units to decision points."""

from tact.schemas.contract import Contract, count, flag, ms, number, text
from tact.schemas.raw import CONVERSATION, END, SPAN, SPEAKER, START
from tact.vocabulary import NO_SCENARIO, SCENARIOS, SPLITS

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
        number("weight", "candidates over quota, before the choice; see episodes", nullable=True),
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
