"""Systems under test, and the anchors that stand beside them in every table."""

from tact.systems.anchors import Drawn, Fixed, Human, Median, Never, make
from tact.systems.beside import ANCHORS, Measured, anchors, measure, say_drawn
from tact.systems.overlap import overlaps_table, partner_overlaps
from tact.systems.protocol import Response, System, Task, respond

__all__ = [
    "ANCHORS",
    "Drawn",
    "Fixed",
    "Human",
    "Measured",
    "Median",
    "Never",
    "Response",
    "System",
    "Task",
    "anchors",
    "make",
    "measure",
    "overlaps_table",
    "partner_overlaps",
    "respond",
    "say_drawn",
]
