"""Dialogue acts of AMI: their span, their type, and whether they answer somebody."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from tact.corpora import nxt
from tact.corpora.ledger import Ledger
from tact.corpora.reasons import Reason
from tact.corpora.told import Act
from tact.errors import InputError


class Agent(NamedTuple):
    """One person of a meeting and what they said."""

    letter: str
    person: str
    stream: nxt.Stream


class _Said(NamedTuple):
    """An act with a type and a span, not yet known to answer."""

    person: str
    name: str
    act: str
    start_ms: int
    end_ms: int


def read_acts(
    meeting: str,
    agents: Sequence[Agent],
    tree: Callable[..., Element],
    ledger: Ledger,
    *,
    types: Mapping[str, str],
) -> None:
    """Take in the dialogue acts of one meeting.

    An act *answers* when it is the second part of an adjacency pair whose first part is another
    person's and starts no later::

        A  [what do you think?]                 first part: its role is never used, since it
        B                        [I like it]    tells that somebody answered afterwards
                                 answers

    A second part whose first part is not annotated answers too. A meeting without any act file
    keeps its words and gets one quarantine row.

    Parameters
    ----------
    meeting : str
        Native id.
    agents : sequence of Agent
        Everyone in the meeting.
    tree : callable
        Parses the annotation file at the given path parts, or raises `InputError`.
    ledger : Ledger
        Where acts and faults go.
    types : mapping
        Type id to name.
    """
    name = ledger.id(meeting)
    said: dict[str, _Said] = {}
    lacking: list[str] = []
    for agent in agents:
        try:
            annotated = tree("dialogueActs", f"{meeting}.{agent.letter}.dialog-act.xml")
        except InputError as error:
            lacking.append(str(error))
            continue
        for act in _typed(annotated, agent, ledger, types=types):
            said[act.name] = act
    if lacking:
        whole = len(lacking) == len(agents)
        detail = f"{len(lacking)} of {len(agents)} people: {lacking[0]}"
        ledger.leave_out(name, Reason.NO_ACTS if whole else Reason.MISSING, detail)
        if whole:
            return
    try:
        answering = _answering(tree("dialogueActs", f"{meeting}.adjacency-pairs.xml"), said)
    except InputError as error:
        ledger.leave_out(name, Reason.UNREADABLE, error)
        answering = frozenset()
    for act in said.values():
        answers = act.name in answering
        ledger.act(meeting, Act(act.person, act.name, act.start_ms, act.end_ms, act.act, answers))


def _typed(
    annotated: Element, agent: Agent, ledger: Ledger, *, types: Mapping[str, str]
) -> Iterator[_Said]:
    for dact in nxt.dacts(annotated):
        span = agent.stream.span_ms(dact.words)
        if not types.get(dact.type_id):
            ledger.leave_out(dact.name, Reason.UNTYPED_ACT, dact.type_id or "names no type")
        elif span is None:
            ledger.leave_out(dact.name, Reason.UNPLACED_ACT, f"no timed words in {dact.words}")
        else:
            yield _Said(agent.person, dact.name, types[dact.type_id], *span)


def _answering(pairs: Element, said: Mapping[str, _Said]) -> frozenset[str]:
    answering: set[str] = set()
    for pair in nxt.pairs(pairs):
        first, second = said.get(pair.first), said.get(pair.second)
        if second is not None and (
            first is None or (first.person != second.person and first.start_ms <= second.start_ms)
        ):
            answering.add(second.name)
    return frozenset(answering)
