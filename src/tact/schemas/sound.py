"""Contracts of what is heard: at the door, by detectors, and what these are off by."""

from tact.schemas.contract import Contract, count, ms, number, text
from tact.schemas.raw import CONVERSATION, END, SPAN, SPEAKER, START

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
        number("clipped_share", "share of samples at full scale, or flat at the channel's own"),
        number("level_dbfs", "95 % quantile of the level of 50 ms frames", "dBFS"),
        number("floor_dbfs", "5 % quantile", "dBFS"),
        number("word_fit", "correlation of level and words, in place", nullable=True),
        number("word_best", "the highest, at any lag up to 10 s", nullable=True),
        ms("word_lag_ms", "that lag; above 0 = the sound is late", nullable=True),
        number("other_fit", "as word_fit, the highest of other speakers' words", nullable=True),
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
        text("sound_sha256", "of the level curve, which names the sound", nullable=True),
    ),
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
        number("noise_dbfs", "level of the noise; of a gated channel, beside speech", "dBFS"),
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
        number("reach_low_ms", "true less detected, all SNRs: 2.5 % of it", "ms", nullable=True),
        number("reach_high_ms", "97.5 % of it", "ms", nullable=True),
        number("reach_middle_ms", "its median; null for transfers", "ms", nullable=True),
    ),
)
