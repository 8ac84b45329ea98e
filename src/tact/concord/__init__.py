"""Stage: how far two sources agree on who spoke when, words beside a detector or two detectors.

Tables in: two tables ``ipus`` of the same conversations, ``recordings``. Tables out: ``concord``,
``concord_edges``, ``concord_misses``, and a page and a figure of them. One of the two is called the
reference; no more is claimed for it.
"""

from tact.concord.page import draw, page
from tact.concord.stage import Concordance, compare

__all__ = ["Concordance", "compare", "draw", "page"]
