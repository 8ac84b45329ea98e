"""Systems under test, and the anchors that stand beside them in every table."""

from tact.systems import overlap, recordings
from tact.systems.anchors import Drawn, Fixed, Human, Median, Never, make
from tact.systems.beside import ANCHORS, Measured, anchors, measure, say_drawn, say_given
from tact.systems.heard import Heard, hear
from tact.systems.protocol import Response, System, Task, respond

__all__ = [
    "ANCHORS",
    "Drawn",
    "Fixed",
    "Heard",
    "Human",
    "Measured",
    "Median",
    "Never",
    "Response",
    "System",
    "Task",
    "anchors",
    "hear",
    "make",
    "measure",
    "overlap",
    "recordings",
    "respond",
    "say_drawn",
    "say_given",
]
