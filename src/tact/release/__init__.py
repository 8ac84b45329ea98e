"""A release: what of a run may be shared, and how a holder of a corpus makes the rest again."""

from tact.release.ids import Namer, read_key
from tact.release.pack import Counts, pack
from tact.release.rebuild import Rebuilt, rebuild

__all__ = ["Counts", "Namer", "Rebuilt", "pack", "read_key", "rebuild"]
