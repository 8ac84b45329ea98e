"""Settings of the made world and of what leaves the house."""

from datetime import date
from typing import Annotated

from pydantic import Field

from tact.settings.base import Count, Positive, Section, Share, doc


class SimulatedCorpus(Section):
    """Size of one simulated corpus."""

    conversations: Positive
    minutes: Annotated[float, Field(gt=0)] = doc("length of a conversation, min")
    speakers: Positive = doc("speakers to draw dyads from")
    interruptions: Share = doc("share of partner IPUs that are barged into")
    unspoken: Count = Field(
        0, description="probes: further conversations of each speaker, words only, for profiles"
    )


class Release(Section):
    """What leaves the house with `tact release`."""

    posteriors_of_recipes: bool = doc(
        "ship the intent posteriors of episodes of recipe corpora too: our own labels, but of"
        " material whose licence may forbid anything derived"
    )
    clips_mb: Positive = doc("most bytes of clips in one Parquet file, MB")
    url: str | None = doc("page of the release; null = it has none yet")
    published: Annotated[date | None, Field(strict=False)] = doc(
        "day it is published, YYYY-MM-DD; null = not yet known"
    )


class Simulation(Section):
    """The made world of the demo (never part of a result about people)."""

    use: bool = doc("simulate the corpora before reading them")
    words_only: bool = doc("write no audio")
    truth: str = doc("folder of the truth; no stage reads it")
    corpora: dict[str, SimulatedCorpus]
    snr_db: float = doc("speech over noise, dB")
    bleed_db: float = doc("level of a neighbour's voice in a channel, dB")
    annotators: Annotated[int, Field(ge=3, le=5)] = doc("most annotators of a point")
    annotator_accuracy: Share = doc("chance of the true intent; .88 gives alpha near .73")
    judge_temperature: Annotated[float, Field(gt=0)] = doc("1 = calibrated, below = overconfident")
