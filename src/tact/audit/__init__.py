"""Is a scenario what its label says? Points drawn at random, a page to judge them, a precision."""

from tact.audit.draw import Drawn, draw
from tact.audit.page import page
from tact.audit.verdicts import precision, read_verdicts, table

__all__ = ["Drawn", "draw", "page", "precision", "read_verdicts", "table"]
