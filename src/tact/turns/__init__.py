"""Stage: IPUs to turns, pauses, backchannels, floor transfers and floor states.

Backchannels are found first, on IPUs, and taken out before turns are formed. A turn is a run of
IPUs of one speaker during which nobody else takes the floor, that is, speaks alone. A transfer runs
from the end of the giver's last IPU to the start of the taker's IPU::

    A  ##########          ######
    B     ##   ######                    A→B: -200 ms, B→A: +600 ms (100 ms a column)

B's first IPU lies inside A's: within-speaker overlap, not a pair of false transfers.
"""

from tact.turns.stage import TurnTables, take_turns

__all__ = ["TurnTables", "take_turns"]
