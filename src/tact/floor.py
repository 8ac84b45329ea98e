"""Who has the floor: the states of Heldner and Edlund (2010), for two speakers or more.

The holder of the floor is the last speaker who spoke alone. A silence or an overlap lies between
two stretches of sole speech; with the same sole speaker on both sides it is a pause or a
within-speaker overlap, with different ones a gap or a between-speaker overlap::

    A  ########     ####  ######
    B     ##          #######        ##
       |  |  pause  |  | between    gap
       |  within       A holds, then B

DOI 10.1016/j.wocn.2010.08.002.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tact.clock import IntArray

NOBODY = -1
STATES = ("solo", "pause", "gap", "between_overlap", "within_overlap")


@dataclass(frozen=True)
class Floor:
    """The floor of one conversation, cut at every start and end of speech.

    Attributes
    ----------
    edges : (n + 1,) ms, ascending; stretch k is [edges[k], edges[k + 1])
    active : (n,) number of speakers who speak in it
    sole : (n,) index of the one who speaks alone, else NOBODY
    """

    edges: IntArray
    active: IntArray
    sole: IntArray

    @cached_property
    def holder(self) -> IntArray:
        """The last sole speaker up to and with each stretch, NOBODY before the first."""
        return _carry(self.sole)

    @cached_property
    def heir(self) -> IntArray:
        """The next sole speaker from each stretch on, NOBODY after the last."""
        return _carry(self.sole[::-1])[::-1]

    def holder_before(self, times: IntArray) -> IntArray:
        """Tell who holds the floor just before each time."""
        stretch = np.searchsorted(self.edges, times, side="left") - 1
        inside = np.clip(stretch, 0, max(len(self.holder) - 1, 0))
        return np.where(stretch >= 0, self.holder[inside], NOBODY)

    def sole_between(self, speaker: int, start: IntArray, end: IntArray) -> IntArray:
        """Count stretches in which anyone but ``speaker`` is alone, between two edges."""
        others = np.append(0, np.cumsum((self.sole != NOBODY) & (self.sole != speaker)))
        counts: IntArray = (
            others[np.searchsorted(self.edges, end)] - others[np.searchsorted(self.edges, start)]
        )
        return counts

    def next_sole(self, speaker: int, times: IntArray) -> IntArray:
        """Find when ``speaker`` is next alone at or after each time, ms; the maximum if never."""
        starts = np.append(self.edges[:-1][self.sole == speaker], np.iinfo(np.int64).max)
        return starts[np.searchsorted(starts, times)]

    @cached_property
    def state(self) -> IntArray:
        """Index into STATES of each stretch."""
        before = np.where(self.holder == NOBODY, self.heir, self.holder)
        after = np.where(self.heir == NOBODY, self.holder, self.heir)
        same = before == after
        silent = np.where(same, 1, 2)
        both = np.where(same, 4, 3)
        return np.where(self.active == 1, 0, np.where(self.active == 0, silent, both))

    def totals(self) -> list[tuple[str, int, int]]:
        """Count the stretches and add up the time of each state: (state, n, ms)."""
        lengths = np.diff(self.edges)
        key = self.state * 1000 + np.where(self.state == 0, self.sole, 0)
        new = np.append(True, key[1:] != key[:-1]) if len(key) else np.zeros(0, bool)
        return [
            (name, int((new & (self.state == k)).sum()), int(lengths[self.state == k].sum()))
            for k, name in enumerate(STATES)
        ]


def sweep(start: IntArray, end: IntArray, speaker: IntArray) -> Floor:
    """Cut a conversation at every start and end of speech.

    Parameters
    ----------
    start, end : (n_ipus,) ms; IPUs of one speaker do not overlap
    speaker : (n_ipus,) index of each speaker
    """
    edges = np.unique(np.concatenate([start, end]))
    size = len(edges)
    into, out = np.searchsorted(edges, start), np.searchsorted(edges, end)
    active = np.cumsum(np.bincount(into, minlength=size) - np.bincount(out, minlength=size))
    names = np.cumsum(
        np.bincount(into, weights=speaker, minlength=size)
        - np.bincount(out, weights=speaker, minlength=size)
    )
    active = active[:-1].astype(np.int64)
    return Floor(edges, active, np.where(active == 1, np.rint(names[:-1]).astype(np.int64), NOBODY))


def _carry(values: IntArray) -> IntArray:
    last = np.maximum.accumulate(np.where(values != NOBODY, np.arange(len(values)), -1))
    return np.where(last >= 0, values[np.maximum(last, 0)], NOBODY)
