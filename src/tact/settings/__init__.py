"""Every setting of TACT: its type, unit and meaning. Values live in ``config.yaml`` alone.

One frozen model per section; a stage takes its own section. No field has a default: what is not in
the file is an error, and so is what is in the file and not here.
"""

from tact.settings.base import Section, doc
from tact.settings.corpora import Corpus, Source
from tact.settings.hearing import (
    Activity,
    Calibration,
    Concord,
    Crosstalk,
    Diarization,
    Door,
    Edges,
    Embedding,
    Pyannote,
    Silero,
    Webrtc,
    Weights,
)
from tact.settings.law import PaperLaw, Posteriors, Reference
from tact.settings.score import Analyses, Binary, Coefficients, Completion, Scores, System
from tact.settings.talk import (
    ActRows,
    Backchannel,
    Episodes,
    Labels,
    Points,
    Profiles,
    Splits,
    Turns,
)
from tact.settings.world import Release, SimulatedCorpus, Simulation

__all__ = [
    "ActRows",
    "Activity",
    "Analyses",
    "Backchannel",
    "Binary",
    "Calibration",
    "Coefficients",
    "Completion",
    "Concord",
    "Corpus",
    "Crosstalk",
    "Diarization",
    "Door",
    "Edges",
    "Embedding",
    "Episodes",
    "Labels",
    "PaperLaw",
    "Points",
    "Posteriors",
    "Profiles",
    "Pyannote",
    "Reference",
    "Release",
    "Scores",
    "Settings",
    "Silero",
    "SimulatedCorpus",
    "Simulation",
    "Source",
    "Splits",
    "System",
    "Turns",
    "Webrtc",
    "Weights",
]


class Settings(Section):
    """The whole config."""

    seed: int = doc("the only source of randomness beside content")
    results: str = doc("folder of the results")
    build: list[str] = doc("corpora to build, of those below")
    corpora: dict[str, Corpus]
    door: Door
    activity: Activity
    diarization: Diarization
    concord: Concord
    turns: Turns
    points: Points
    splits: Splits
    labels: Labels
    episodes: Episodes
    profiles: Profiles
    posteriors: Posteriors
    reference: Reference
    systems: dict[str, System]
    scores: Scores
    completion: Completion
    binary: Binary
    analyses: Analyses
    release: Release
    simulation: Simulation

    def scripted(self, corpus: str) -> bool:
        """Tell whether a corpus follows scripts: it fits no law, and is made by TACT itself."""
        return self.corpora[corpus].scripted

    def made(self, corpus: str) -> bool:
        """Tell whether a run makes a corpus before it reads it."""
        own = self.scripted(corpus) and corpus in self.simulation.corpora
        return self.simulation.use or own

    def train_share(self, corpus: str) -> float:
        """Give the share of train of a corpus; a scripted one needs none."""
        return 0.0 if self.scripted(corpus) else self.splits.train_share
