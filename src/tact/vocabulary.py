"""The closed vocabularies of the benchmark and their order, the same in every table."""

from collections.abc import Sequence

INTENTS = ("ans", "ref", "rhe", "hold", "bck", "abn")
"""Intents z: answer sought, reflective, rhetorical, holding, cooperative incoming, abandoned."""

ANY_INTENT = "any"
"""The intent-blind law of an unlabelled corpus."""

SCENARIOS = ("pause", "backchannel", "smooth", "interruption")
NO_SCENARIO = "none"
SPLITS = ("train", "dev", "test")
PROBES = "probes"
"""The corpus, and the layout, that follows scripts: nobody answered there but a synthesiser."""

CORPORA = ("candor", "sssd", "otospeech", "seamless", "ami", PROBES)
MODES = ("share", "fused", "calibrated", "judge", "script")
FAMILIES = ("exgaussian", "shifted_lognormal")
WORD_KINDS = ("word", "punctuation", "vocalsound", "other")
UNTIMED_SOURCES = ("utterance", "asr")
"""Sources of words whose times do not tell how long a word took; `asr` is our own transcription."""

REDACTED = "[redacted]"
"""Text of a words item of kind `other` that stands for a stretch taken out of the recording."""

STRATA = ("gender", "age", "region", "snr", "rate")

T_A_S = 2.0
"""Start of the outcome domain T = [-T_a, T_h], s before the decision point."""

T_H_S = 5.0
"""Horizon: end of T, s after the decision point."""
DETECTORS = ("webrtc", "silero", "pyannote")
"""What can hear IPUs on a channel; each can be calibrated."""

SHARED = "diarization"
"""The activity of a corpus whose speakers share a channel."""


def slice_name(axes: Sequence[str], values: Sequence[str]) -> str:
    """Name a slice: ``gender=female``, or for a crossing ``gender=female,age=30-39``."""
    return ",".join(f"{axis}={value}" for axis, value in zip(axes, values, strict=True))
