"""The candidates of one focal speaker in one conversation, column by column."""

from dataclasses import dataclass

import numpy as np

from tact.clock import IntArray
from tact.points.conversation import Conversation, Side
from tact.points.response import BEFORE_MS, HORIZON_MS, NONE, Onsets, first_onset, window_start
from tact.settings import Points
from tact.vocabulary import NO_SCENARIO, SCENARIOS

CODES = (*SCENARIOS, NO_SCENARIO)
PAUSE, BACKCHANNEL, SMOOTH, INTERRUPTION, NOTHING = range(5)


@dataclass(frozen=True)
class Focal:
    """Candidates of a focal speaker: ends of own IPUs while the speaker holds the floor.

    All arrays are (n,) ms on the conversation's clock; NONE = never.
    """

    index: int
    t0: IntArray
    ipu_start: IntArray
    turn_start: IntArray
    next_start: IntArray
    resume: IntArray
    context_start: IntArray
    near: np.ndarray

    def take(self, chosen: np.ndarray) -> "Focal":
        """Keep some candidates."""
        arrays = [getattr(self, name)[chosen] for name in list(self.__dataclass_fields__)[1:]]
        return Focal(self.index, *arrays)


@dataclass(frozen=True)
class Outcome:
    """What the partner does at each candidate, and the scenario that follows from it."""

    onsets: Onsets
    partner: IntArray
    kind_backchannel: np.ndarray
    unit_end: IntArray
    floor_start: IntArray
    interrupts: np.ndarray

    def scenario(self, focal: Focal, settings: Points) -> IntArray:
        """Label the candidates, in the order of precedence."""
        answered = self.onsets.response < NONE
        takes = (self.floor_start < focal.next_start) & (self.floor_start < focal.t0 + HORIZON_MS)
        silence = focal.resume - focal.t0
        pause = (silence >= settings.pause_min_ms) & (silence <= HORIZON_MS)
        code = np.where(pause, PAUSE, NOTHING)
        code = np.where(takes, SMOOTH, code)
        code = np.where(answered & self.kind_backchannel, BACKCHANNEL, code)
        return np.where(self.interrupts, INTERRUPTION, code)


def focal_candidates(talk: Conversation, index: int, target_ms: int, settings: Points) -> Focal:
    """List the ends of the IPUs at which a speaker holds the floor."""
    side = talk.sides[index]
    own = ~side.backchannel
    start, end, turn_start = side.start[own], side.end[own], side.unit_start[own]
    following = np.append(start[1:], NONE)
    same_turn = np.append(turn_start[1:] == turn_start[:-1], False)
    holds = talk.floor.holder_before(end) == index
    context, near = talk.nearest_boundary(end - target_ms, settings.context_tolerance_ms)
    resume = np.where(same_turn, following, NONE)
    found = Focal(index, end, start, turn_start, following, resume, context, near)
    return found.take(holds)


def outcome(
    talk: Conversation, focal: Focal, side: Side, whose: IntArray, settings: Points
) -> Outcome:
    """Measure what a partner, or the pool of partners, does at each candidate.

    Parameters
    ----------
    side, whose : the partner's IPUs and the speaker of each
    """
    opened = window_start(focal.t0, focal.turn_start)
    onsets = first_onset(side.start, side.end, focal.t0, opened, focal.next_start)
    at = np.minimum(onsets.ipu, max(len(side.start) - 1, 0))
    last = np.maximum(np.searchsorted(side.start, focal.t0, side="left") - 1, 0)
    answered = onsets.response < NONE
    if not len(side.start):
        nobody = np.full(len(focal.t0), NONE)
        no = np.zeros(len(focal.t0), bool)
        return Outcome(onsets, np.full(len(focal.t0), -1), no, nobody, nobody, no)
    partner = np.where(answered, whose[at], whose[last])
    return Outcome(
        onsets=onsets,
        partner=partner,
        kind_backchannel=side.backchannel[at],
        unit_end=side.unit_end[at],
        floor_start=_takes_floor(talk, focal, set(whose.tolist())),
        interrupts=_interrupts(talk, focal, partner, settings),
    )


def third_party(talk: Conversation, focal: Focal, partner: int, onsets: Onsets) -> np.ndarray:
    """Tell whether a third speaker starts after the window opens and before the partner does."""
    until = np.minimum(onsets.response, np.minimum(focal.next_start, focal.t0 + HORIZON_MS))
    came = np.zeros(len(focal.t0), bool)
    for index, side in enumerate(talk.sides):
        if index not in (focal.index, partner):
            opened = np.searchsorted(side.start, focal.t0 - BEFORE_MS, side="left")
            came |= np.append(side.start, NONE)[opened] < until
    return came


def _takes_floor(talk: Conversation, focal: Focal, partners: set[int]) -> IntArray:
    """Start of the partner IPU that is next alone after t0, NONE if the partner never is."""
    starts = np.full(len(focal.t0), NONE)
    for index in partners:
        side = talk.sides[index]
        turns = side.start[~side.backchannel]
        if not len(turns):
            continue
        alone = talk.floor.next_sole(index, focal.t0)
        ipu = turns[np.maximum(np.searchsorted(turns, alone, side="right") - 1, 0)]
        starts = np.minimum(starts, np.where(alone < focal.next_start, ipu, NONE))
    return starts


def _interrupts(
    talk: Conversation, focal: Focal, partner: IntArray, settings: Points
) -> np.ndarray:
    """Tell whether the focal turn, which ends at t0, began in the partner's unfinished clause.

    ::

        partner  ##############               the IPU goes on for interruption_min_ms or more
        focal             ##########          after the focal turn has begun
    """
    began = focal.turn_start
    broke_in = np.zeros(len(began), bool)
    for index in set(partner.tolist()):
        side = talk.sides[index]
        turns = ~side.backchannel
        start, end = side.start[turns], np.append(side.end[turns], -NONE)
        under_way = np.searchsorted(start, began, side="left") - 1
        long = end[under_way] >= began + settings.interruption_min_ms
        broke_in |= (partner == index) & long & ~talk.clauses[index].finished(began)
    held = talk.floor.holder_before(began) == partner
    interrupts: np.ndarray = broke_in & held & (focal.resume == NONE)
    return interrupts
