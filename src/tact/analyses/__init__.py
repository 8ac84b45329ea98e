"""What follows from the scores: do they rank as others do, heed memory, and agree with people?

Each reads tables and makes one: `ranks`, `memory`, `validity`, `ablations`. Differences between
groups of speakers need the scores' own resamples, so they are in `tact.scores.fairness`.
"""

from tact.analyses.ablations import ablations
from tact.analyses.memory import memory
from tact.analyses.ranks import ranks
from tact.analyses.validity import validity

__all__ = ["ablations", "memory", "ranks", "validity"]
