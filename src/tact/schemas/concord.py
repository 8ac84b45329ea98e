"""Contracts of the concord of two sources: how far they agree on who spoke when."""

from tact.schemas.contract import Contract, count, flag, ms, number, text

PAIR = (
    text("corpus", "name of the corpus"),
    text("reference", "source of the IPUs that are held to be true: words or a detector"),
    text("hypothesis", "source of the IPUs that are set beside them"),
)
KEY = ("corpus", "reference", "hypothesis")

CONCORD = Contract(
    "concord",
    KEY,
    (
        *PAIR,
        flag("contiguous_words", "one side is words that abut: short silences cannot be seen"),
        count("conversations", "conversations in both"),
        count("left_out", "conversations in one of the two only, or in neither"),
        count("n_reference", "IPUs of the reference"),
        count("n_hypothesis", "IPUs of the hypothesis"),
        count("n_met", "found one to one"),
        count("n_missed", "IPUs of the reference during which their speaker is not found"),
        count("n_false", "IPUs of the hypothesis during which their speaker says nothing"),
        ms("false_ipus_ms", "time of those IPUs", least=0),
        ms("speech_ms", "time in which anybody speaks", least=0),
        ms("missed_ms", "of it, time in which nobody is found", least=0),
        ms("false_ms", "time in which somebody is found and nobody speaks", least=0),
        number("detection_error", "missed and false time over time of speech", nullable=True),
        ms("spoken_ms", "speech of all speakers, overlap counted for each", least=0),
        ms("spoken_missed_ms", "of it, not found", least=0),
        ms("spoken_false_ms", "found and not there", least=0),
        ms("confused_ms", "found as another speaker's", least=0),
        number("diarization_error", "the last three over spoken_ms, no collar", nullable=True),
        count("n_transfers_reference", "floor transfers, backchannels counted as speech"),
        count("n_transfers_hypothesis", "as above"),
        count("n_transfers_met", "between IPUs that meet one to one"),
        number("fto_shift_low_ms", "5 % of hypothesis less reference", "ms", nullable=True),
        number("fto_shift_ms", "median of it", "ms", nullable=True),
        number("fto_shift_high_ms", "95 % of it", "ms", nullable=True),
    ),
)

CONCORD_EDGES = Contract(
    "concord_edges",
    (*KEY, "edge"),
    (
        *PAIR,
        text("edge", "which end of an IPU, or a floor transfer", "start", "end", "transfer"),
        count("n", "found one to one"),
        number("low_ms", "5 % of hypothesis less reference; above 0 is late", "ms"),
        number("quarter_ms", "25 % of it", "ms"),
        number("median_ms", "50 % of it", "ms"),
        number("three_quarters_ms", "75 % of it", "ms"),
        number("high_ms", "95 % of it", "ms"),
    ),
)

CONCORD_MISSES = Contract(
    "concord_misses",
    (*KEY, "from_ms"),
    (
        *PAIR,
        ms("from_ms", "length of the IPU of the reference, from", least=0),
        ms("to_ms", "below; null = no limit", nullable=True),
        count("n", "IPUs of the reference of that length"),
        count("n_missed", "during which their speaker is not found"),
    ),
)
