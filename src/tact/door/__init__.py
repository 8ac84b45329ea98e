"""Stage: is the sound of a conversation what the tables say it is?

A channel is reduced to its power per 50 ms frame, without a constant, and counts. Held against the
header of its file, the words of its speaker and the other channels they tell what no later stage
would notice::

    words A     ######        ####         channel of A loud in A's words, soft in B's: right
    words B            #####               the other way round on both channels: swapped
    channel A   ▆▆▆▆▆▆ ▁▁▁▁▁  ▆▆▆▆         loud a while later: out of step; anywhere: other words
    channel B   ▂▂▂▂▂▂ ▆▆▆▆▆  ▂▂▂▂         bleed: how loud A's voice is on the channel of B

Where channels lie in files of their own, that leak also tells how far their clocks run apart
(`tact.drift`).

Tables in: one conversation of ``recordings``, its ``words``. Tables out: ``inspections``,
``quarantine``.
"""

from tact.door.kinds import FRAME_MS, KEPT, Channel, Heard, Reason
from tact.door.measures import levels
from tact.door.repeats import repeated
from tact.door.stage import fault, inspect, turned_away

__all__ = [
    "FRAME_MS",
    "KEPT",
    "Channel",
    "Heard",
    "Reason",
    "fault",
    "inspect",
    "levels",
    "repeated",
    "turned_away",
]
