"""Settings of posteriors and reference laws."""

from typing import Annotated, Literal

from pydantic import Field

from tact.settings.base import Axis, Count, Intent, Level, Positive, Section, Share, doc


class Posteriors(Section):
    """From labels and judge to q(z | e)."""

    fused_lambda: Share | Literal["fit"] = doc("weight of the judge; fit = held-out likelihood")
    lambda_smoothing: Annotated[float, Field(ge=0)] = doc(
        "labels spread over the intents while one is held out to fit lambda"
    )
    ece_bins: Positive = doc("equal-width bins of the calibration error")
    dawid_skene_prior: Annotated[float, Field(gt=0)] = doc("pseudo-count on each confusion cell")


class PaperLaw(Section):
    """One reference law as printed; s and shift of the log-normals are ours."""

    share: Share = doc("prior of the intent")
    family: Literal["exgaussian", "shifted_lognormal"]
    mu: float | None = doc("s")
    sigma: float | None = doc("s")
    tau: float | None = doc("s")
    median: float | None = doc("s")
    log_sigma: float | None
    shift: float | None = doc("s")
    no_response: Share = doc("beta_z")


class Reference(Section):
    """Laws, kernels and weights by slice."""

    paper: dict[Intent, PaperLaw] = doc("the paper's laws")
    gamma: Annotated[float, Field(gt=0)] = doc("kernel exponent")
    epsilon: Share = doc("floor of the weight")
    own_min: Positive = doc("responses for an own fit")
    shrink_min: Positive = doc("responses for a shrunk fit; fewer = the parent's law")
    resolution_ms: Positive = doc("recording step; onsets are interval-censored to it, ms")
    pooled: list[str] = doc("corpora that the slice `all` pools")
    axes: list[Axis | Annotated[list[Axis], Field(min_length=2)]] = doc(
        "slice axes; a list of axes is a crossing of them"
    )
    shift_sd: Annotated[float, Field(gt=0)] | None = doc(
        "sd about 0 of the shift of log-normals, fitted with it, s; null = as in the paper's laws"
    )
    level: Level = doc("level of the intervals")
    cluster: Literal["focal", "split_group"] = doc("what the intervals are clustered by")
    resamples: Count = doc(
        "draws of clusters for the intervals of kernel and score, 2 / (1 - level) or more; 0 = none"
    )
    ks_resamples: Count = doc("bootstrap samples of the KS test; 0 = none")
