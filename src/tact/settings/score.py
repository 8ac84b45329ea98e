"""Settings of systems, their scores and what follows from them."""

from typing import Annotated, Literal

from pydantic import Field

from tact.settings.base import Level, Positive, Scenario, Seconds, Section, Share, doc


class System(Section):
    """One system under test."""

    kind: Literal["never", "fixed", "blind", "median", "human", "table", "recordings"] = doc(
        "an anchor; table or recordings = a system that answered elsewhere, from a folder"
    )
    onset_s: float | None = doc("fixed: its onset, s")
    runs: Positive = doc("runs per episode; anchors 1, systems 3")
    detector: Literal["webrtc", "silero", "pyannote"] | None = doc("recordings: who hears them")
    path: str | None = doc(
        "table: folder with responses.parquet and overlaps.parquet; recordings: folder of sound"
    )


class Coefficients(Section):
    """Convex weights of one scenario."""

    timing: Share
    length: Share
    overlap: Share


class Scores(Section):
    """The scoring rule."""

    mode: Literal["share", "fused", "calibrated", "judge", "script"] = doc("posterior used")
    coefficients: dict[Scenario, Coefficients] = doc("ours: the paper gives only their order")
    kappa_per_s: Annotated[float, Field(gt=0)] = doc("decay of the overlap score, 1/s")
    length_max_s: Seconds = doc("W_L: lengths are cut to it, s")
    run_rule: Literal["all", "median_of_three"] = doc("how the runs of an episode count")
    resamples: Positive = doc("bootstrap resamples; at least 2 / (1 - level)")
    level: Level = doc("level of the intervals")
    fault_share_max: Share = doc("above it a row is flagged incomplete")


class Completion(Section):
    """The estimator of psi, the completion probability at the onset of an overlap."""

    model: Literal["prosody", "words"] = doc("words = without sound, also where there is some")
    ahead_ms: Positive = doc("a turn is complete at a moment if it ends within this, ms")
    every_ms: Positive = doc("one moment is drawn for each of this of train speech, about, ms")
    moments: Positive = doc("most moments of a corpus, by content hash")
    held_out: Level = doc("share of the train dyads that the calibration is checked on")
    bins: Positive = doc("bins of the calibration table")


class Analyses(Section):
    """What follows from the scores."""

    bin_s: Seconds = doc("bins of onset laws, s")
    permutations: Annotated[int, Field(ge=20)] = doc(
        "permutations of the null of a swap of memory, of which it gives the 95 % quantile"
    )
    swapped: dict[str, str] = doc("system -> the system that is it under swapped profiles")
    bare: dict[str, str] = doc("system -> the system that is it without profiles")
    ratings: str | None = doc("table of people's ratings; null = none")


class Binary(Section):
    """The field's binary metrics."""

    window_s: Seconds = doc("W: takeover is an onset in (0, W], s")
