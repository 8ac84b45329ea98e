"""The page that a person reads first, and runs side by side."""

from tact.report.laws import comparison
from tact.report.page import summary
from tact.report.results import read

__all__ = ["comparison", "read", "summary"]
