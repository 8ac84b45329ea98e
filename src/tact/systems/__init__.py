"""Systems under test, and the anchors that stand beside them in every table."""

from tact.systems.anchors import Fixed, Human, Median, Never, make
from tact.systems.overlap import overlaps_table, partner_overlaps
from tact.systems.protocol import Response, System, Task, respond

__all__ = [
    "Fixed",
    "Human",
    "Median",
    "Never",
    "Response",
    "System",
    "Task",
    "make",
    "overlaps_table",
    "partner_overlaps",
    "respond",
]
