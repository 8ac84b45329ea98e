"""The generative model of two-party talk, so placed that what is measured is what was drawn.

Two people hold the floor in turn. Every IPU of the holder (the focal speaker) ends in a candidate,
t0, with an intent and a response of the other, drawn from the focal speaker's own laws::

    focal    |==============|t0   ~resumes~   |=============|t0          (response: a backchannel)
    partner                     |yeah|                          |======  (response: a turn)
                             <-y>                            <-y>

The geometry is built around the draw, never the draw around the geometry:

- an IPU ends at least 3.01 s after the other's last speech: the window [t0 - 2 s, ...) then holds
  no earlier speech of the other, and a backchannel in it has its second of own silence;
- it ends at least 7.01 s after the same speaker's candidate before: no two windows
  [t0 - 2 s, t0 + 5 s] of one speaker overlap, so thinning the fitting frame drops none;
- the focal speaker resumes after the drawn onset or, with none drawn, after a drawn silence;
- who barges in starts more than 2 s before the other stops, so that the IPU barged into spans its
  window and is no candidate; the end of the new turn is an ordinary one;
- a conversation ends with the IPU after the first candidate past its time. It is long, so that this
  candidate has its horizon, and its own end has none and is no candidate;
- of several stretches in one conversation, each stops at the first candidate without a response
  past its time. When a stretch stops depends on nothing later, which biases no count (optional
  stopping).

Times are ms, whole multiples of 10.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate

from tact.simulate.dice import Dice
from tact.simulate.habits import Habits
from tact.simulate.talk import Candidate, Talk, Utterance
from tact.simulate.wording import BACKCHANNELS, GOODBYE, compose, place

AFTER_OTHER_MS = 3_010
AFTER_OWN_MS = 7_010
RESUME_MIN_MS = 250
HORIZON_MS = 5_000
TAIL_MS = 2_000
GOODBYE_MS = 7_200
OVERLAP_MS = (2_010, 2_900)
BARGE_AFTER_MS = 1_200
IPU_MS = (2_600, 9_000)
QUIET_MS = 1_050
CLEAN_MS = -300
BACKCHANNEL_KIND = {"ans": 0.0, "ref": 0.05, "rhe": 0.35, "hold": 0.35, "bck": 0.85, "abn": 0.20}
"""Share of responses that are backchannels, for a partner of average habits."""

LATE_TURN = {"ans": 0.5, "ref": 0.3, "rhe": 0.1, "hold": 0.1, "bck": 0.1, "abn": 0.4}
"""Share of unanswered points after which the other speaks up, later than the horizon."""

MID_BACKCHANNEL = 0.35


@dataclass(frozen=True)
class Manner:
    """What a conversation is drawn from, beside its people: shares of intents and barging in."""

    intents: Mapping[str, float]
    interruptions: float


@dataclass
class Scene:
    """A conversation in the making; ``last_*_ms`` are per speaker, long ago at first."""

    dice: Dice
    manner: Manner
    utterances: list[Utterance] = field(default_factory=list)
    candidates: list[Candidate] = field(default_factory=list)
    last_end_ms: dict[str, int] = field(default_factory=lambda: defaultdict(lambda: -60_000))
    last_point_ms: dict[str, int] = field(default_factory=lambda: defaultdict(lambda: -60_000))

    def talk(self, conversation: str, speakers: tuple[str, ...], *, tail_ms: int) -> Talk:
        """Close the scene, with silence at the end."""
        utterances = tuple(sorted(self.utterances, key=lambda u: (u.start_ms, u.speaker)))
        end_ms = max(utterance.end_ms for utterance in utterances) + tail_ms
        return Talk(conversation, speakers, end_ms, utterances, tuple(self.candidates))


@dataclass(frozen=True)
class Opening:
    """How an IPU starts: when, whether its turn may be barged into, whether it follows its
    speaker's own question."""

    start_ms: int
    clean: bool = True
    asked: bool = False


@dataclass(frozen=True)
class Floor:
    """Who holds the floor, who listens, and how the holder's next IPU starts."""

    focal: Habits
    partner: Habits
    opening: Opening


def converse(scene: Scene, first: Habits, second: Habits, *, start_ms: int, until_ms: int) -> None:
    """Add a whole conversation of two people to a scene, goodbye included.

    Parameters
    ----------
    first, second : Habits
        Who speaks first, and the other.
    start_ms, until_ms : int
        When the talk starts, and after which time the next candidate is the last.
    """
    floor = Floor(first, second, Opening(start_ms))
    while True:
        floor, candidate = _take_turn(scene, floor)
        if candidate.t0_ms >= until_ms:
            start_ms = floor.opening.start_ms
            words = place(GOODBYE, start_ms, start_ms + GOODBYE_MS)
            speaker = floor.focal.speaker
            scene.utterances.append(Utterance(speaker, start_ms, start_ms + GOODBYE_MS, words))
            return


def stretch(scene: Scene, first: Habits, second: Habits, *, start_ms: int, until_ms: int) -> int:
    """Add talk of two people to a scene, up to a point without a response.

    Returns
    -------
    int
        The last t0; others may start after its horizon.
    """
    floor = Floor(first, second, Opening(start_ms))
    while True:
        after, candidate = _take_turn(scene, floor)
        if candidate.t0_ms >= until_ms and candidate.response_ms is None:
            return candidate.t0_ms
        floor = after


def _take_turn(scene: Scene, floor: Floor) -> tuple[Floor, Candidate]:
    """Let the focal speaker talk up to a candidate, and find who goes on from when."""
    if _barges(scene, floor.opening):
        floor = _barge(scene, floor)
    focal, partner, opening = floor.focal, floor.partner, floor.opening
    t0_ms = _end_of_ipu(scene, floor)
    intent = _intent(scene)
    response_ms = focal.laws[intent].respond(scene.dice)
    kind = None if response_ms is None else _kind(scene, partner, intent)
    question = intent == "ans" or (
        intent == "ref" and kind != "backchannel" and scene.dice.uniform() < 0.6
    )
    _speak(scene, focal, opening, t0_ms, intent=intent, question=question)
    scene.last_point_ms[focal.speaker] = t0_ms
    candidate = Candidate(focal.speaker, partner.speaker, t0_ms, intent, response_ms, kind)
    scene.candidates.append(candidate)
    return _go_on(scene, floor, candidate, question), candidate


def _go_on(scene: Scene, floor: Floor, candidate: Candidate, question: bool) -> Floor:
    t0_ms, response_ms = candidate.t0_ms, candidate.response_ms
    if candidate.kind == "turn" and response_ms is not None:
        opening = Opening(t0_ms + response_ms, clean=response_ms > CLEAN_MS)
        return Floor(floor.partner, floor.focal, opening)
    if response_ms is None and scene.dice.uniform() < LATE_TURN[candidate.intent]:
        opening = Opening(t0_ms + HORIZON_MS + scene.dice.between(100, 1_500))
        return Floor(floor.partner, floor.focal, opening)
    start_ms = _resume(scene, floor, candidate)
    return replace(floor, opening=Opening(start_ms, floor.opening.clean, question))


def _end_of_ipu(scene: Scene, floor: Floor) -> int:
    """Choose t0, and let the partner backchannel on the way where there is room."""
    dice, focal, partner, opening = scene.dice, floor.focal, floor.partner, floor.opening
    low, high = IPU_MS
    length_ms = min(low + 10 * int(100 * 1.3 * dice.exponential()), high)
    t0_ms = max(
        opening.start_ms + length_ms,
        scene.last_end_ms[partner.speaker] + AFTER_OTHER_MS + 10 * int(20 * dice.exponential()),
        scene.last_point_ms[focal.speaker] + AFTER_OWN_MS + 10 * int(50 * dice.exponential()),
    )
    quiet_ms = max(opening.start_ms + 300, scene.last_end_ms[partner.speaker] + QUIET_MS)
    room_ms = t0_ms - AFTER_OTHER_MS - 1_000 - quiet_ms
    may = room_ms > 0 and not opening.asked
    if may and dice.uniform() < MID_BACKCHANNEL * partner.backchannels:
        _backchannel(scene, partner, quiet_ms + dice.between(0, room_ms))
    return t0_ms


def _barges(scene: Scene, opening: Opening) -> bool:
    may = opening.clean and not opening.asked
    return may and scene.dice.uniform() < scene.manner.interruptions


def _barge(scene: Scene, floor: Floor) -> Floor:
    """Let the partner barge into the focal speaker's clause and take the floor::

    focal    |==================|          no candidate: the other spans its window
    partner        |=========================|t0
                    <2.01-2.9 s>
    """
    dice = scene.dice
    sole_ms = max(floor.opening.start_ms, scene.last_end_ms[floor.partner.speaker])
    barge_ms = sole_ms + BARGE_AFTER_MS + 10 * int(100 * dice.exponential())
    end_ms = barge_ms + dice.between(*OVERLAP_MS)
    _speak(scene, floor.focal, floor.opening, end_ms, intent=None, question=False)
    return Floor(floor.partner, floor.focal, Opening(barge_ms, clean=False))


def _intent(scene: Scene) -> str:
    shares = scene.manner.intents
    u = scene.dice.uniform() * sum(shares.values())
    names = list(shares)
    for name, above in zip(names, accumulate(shares.values()), strict=True):
        if u < above:
            return name
    return names[-1]


def _kind(scene: Scene, partner: Habits, intent: str) -> str:
    share = min(BACKCHANNEL_KIND[intent] * partner.backchannels, 0.95)
    return "backchannel" if scene.dice.uniform() < share else "turn"


def _resume(scene: Scene, floor: Floor, candidate: Candidate) -> int:
    """Choose when the focal speaker goes on: after a drawn silence, and after a backchannel."""
    dice = scene.dice
    silence_ms = 10 * int(100 * floor.focal.resume_s * 2.0 ** dice.normal())
    start_ms = candidate.t0_ms + max(RESUME_MIN_MS, min(silence_ms, HORIZON_MS))
    if candidate.response_ms is None:
        return start_ms
    onset_ms = candidate.t0_ms + candidate.response_ms
    _backchannel(scene, floor.partner, onset_ms)
    return max(start_ms, onset_ms + dice.between(200, 900))


def _backchannel(scene: Scene, partner: Habits, start_ms: int) -> None:
    tokens = scene.dice.pick(BACKCHANNELS)
    end_ms = start_ms + scene.dice.between(200, 400) + 200 * (len(tokens) - 1)
    words = place(tokens, start_ms, end_ms)
    scene.utterances.append(Utterance(partner.speaker, start_ms, end_ms, words, backchannel=True))
    scene.last_end_ms[partner.speaker] = end_ms


def _speak(
    scene: Scene,
    focal: Habits,
    opening: Opening,
    end_ms: int,
    *,
    intent: str | None,
    question: bool,
) -> None:
    tokens = compose(
        scene.dice,
        n_words=round(focal.words_per_s * (end_ms - opening.start_ms) / 1000),
        fillers=focal.fillers,
        intent=intent,
        question=question,
        settle=opening.asked,
    )
    words = place(tokens, opening.start_ms, end_ms)
    scene.utterances.append(
        Utterance(focal.speaker, opening.start_ms, end_ms, words, intent=intent)
    )
    scene.last_end_ms[focal.speaker] = end_ms
