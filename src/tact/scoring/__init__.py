"""The scoring rule on arrays: timing, length, overlap, composite, and divergence of onset laws."""

from tact.scoring.histogram import jensen_shannon, onset_histogram
from tact.scoring.length import (
    length_crps,
    length_divergence,
    length_divergence_of,
    own_steps,
    steps,
)
from tact.scoring.overlap import composite, overlap_cost, overlap_score
from tact.scoring.population import (
    Population,
    Runs,
    population,
    population_of,
    renumbered,
    total,
)
from tact.scoring.tables import LawTables, integrate
from tact.scoring.timing import (
    episode_scores,
    human_loss,
    twcrps,
    twcrps_of,
)

__all__ = [
    "LawTables",
    "Population",
    "Runs",
    "composite",
    "episode_scores",
    "human_loss",
    "integrate",
    "jensen_shannon",
    "length_crps",
    "length_divergence",
    "length_divergence_of",
    "onset_histogram",
    "overlap_cost",
    "overlap_score",
    "own_steps",
    "population",
    "population_of",
    "renumbered",
    "steps",
    "total",
    "twcrps",
    "twcrps_of",
]
