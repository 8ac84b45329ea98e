"""Where every number of an episode came from: read from the results, nothing else.

Each section is a mapping; a stage that has not run says ``not built``. Only the rows at hand are
read, by Parquet filters.
"""

from tact.why.page import page
from tact.why.sections import explain

__all__ = ["explain", "page"]
