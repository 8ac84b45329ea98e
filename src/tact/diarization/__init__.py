"""Who spoke when on one channel, once windows have been heard: arrays in, arrays out.

A **local speaker** is one of the speakers of one window; across windows their numbers mean nothing.
Their voices are clustered (`tact.diarization.clusters`), and the windows are laid over one another
with their speakers named (`tact.diarization.stitch`).
"""

from tact.diarization.arrays import Classes, Heard, Indices, Vectors
from tact.diarization.clusters import assign, cluster, spread
from tact.diarization.naming import Name, named
from tact.diarization.stitch import spans, stitch

__all__ = [
    "Classes",
    "Heard",
    "Indices",
    "Name",
    "Vectors",
    "assign",
    "cluster",
    "named",
    "spans",
    "spread",
    "stitch",
]
