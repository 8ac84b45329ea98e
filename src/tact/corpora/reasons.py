"""Why an item of a corpus is left out or looked at twice: the short list of stage ``ingest``."""

from enum import StrEnum


class Reason(StrEnum):
    """One reason of a quarantine row; the comment says what becomes of the item."""

    MISSING = "missing file"  # its conversation is left out if it cannot be read without it
    UNREADABLE = "unreadable file"  # as above
    NO_AUDIO = "no audio"  # kept, words only, in a corpus that has audio
    BAD_AUDIO = "unreadable audio"  # the conversation is left out
    EMPTY = "empty transcript"  # kept; a later stage leaves out whom it cannot hear
    CHANNELS = "channels disagree"  # the conversation is left out
    SPEAKERS = "not one speaker per channel"  # the conversation is left out
    DUPLICATE = "duplicate session"  # the other copy is kept
    UNEVEN = "lengths differ"  # kept; words past the end of the shorter file are not
    REPEATED = "repeated row"  # the first is kept
    DISAGREE = "rows disagree"  # the first statement is kept
    OUTSIDE = "path leaves the root"  # the conversation is left out
    UNKNOWN_SPEAKER = "unknown speaker"  # what is said of a speaker who does not take part
    UNTIMED = "untimed"  # the item is left out
    BACKWARDS = "ends before it starts"  # the item is left out
    BEFORE_START = "starts before 0"  # the item is left out
    NO_LENGTH = "no length"  # the item is left out
    PAST_END = "past the end"  # the item is left out
    CUT = "cut at the end"  # kept up to the end of the recording
    OVERLAP = "overlaps own speech"  # kept: a speaker's spans are joined
    KNOWN_TIMING = "known bad timing"  # kept: looked at and found sound
    BAD_TIMING = "bad timing"  # the conversation is left out
    NO_ACTS = "no dialogue acts"  # the conversation is kept without acts
    UNTYPED_ACT = "untyped act"  # the act is left out
    UNPLACED_ACT = "unplaced act"  # the act is left out
    REDACTED = "redacted"  # kept; what meets the span is not
    EMPTY_VAD = "empty vad"  # kept: words take its place
    BLED = "partner's words"  # the conversation is left out
    DEMOGRAPHICS = "demographics disagree"  # the first statement is kept
