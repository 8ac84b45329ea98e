"""NXT files of one meeting: words, segments, dialogue acts, adjacency pairs.

A dialogue act spans one IPU; where the speaker holds the floor and goes on, it spans the next one
as well, so that the point lies inside the act::

    intent  ans     ref            rhe  hold          bck  abn  barged into  backchannel
    act     el.inf  el.ass or sug  ass  inf (inside)  inf  fra  fra          bck
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from tact.simulate.talk import Talk, Utterance

DECLARATION = '<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n'
NAMESPACE = 'xmlns:nite="http://nite.sourceforge.net/"'
ACTS = {
    "bck": (1, "Backchannel"), "stl": (2, "Stall"), "fra": (3, "Fragment"), "inf": (4, "Inform"),
    "el.inf": (5, "Elicit-Inform"), "sug": (6, "Suggest"), "off": (7, "Offer"),
    "el.sug": (8, "Elicit-Offer-Or-Suggestion"), "ass": (9, "Assess"),
    "el.ass": (11, "Elicit-Assessment"), "und": (12, "Comment-About-Understanding"),
    "el.und": (13, "Elicit-Comment-Understanding"), "be.pos": (14, "Be-Positive"),
    "be.neg": (15, "Be-Negative"), "oth": (16, "Other"),
}  # fmt: skip
ACT_OF = {
    "ans": "el.inf", "ref": "sug", "rhe": "ass", "hold": "inf", "bck": "inf", "abn": "fra",
    None: "fra",
}  # fmt: skip
LAUGH_EVERY = 40
HOLDS_MS = 5_000
ELABORATION = "apt_5"


@dataclass(frozen=True)
class AgentFile:
    """What one agent of one meeting said: IPUs, each with the numbers of its words.

    ``spans`` holds the first and last IPU of each dialogue act. ``spoil`` adds a word without times
    and one without length after the last IPU.
    """

    meeting: str
    agent: str
    utterances: tuple[Utterance, ...]
    firsts: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]
    spoil: bool

    @classmethod
    def of(cls, talk: Talk, agent: str, speaker: str, *, spoil: bool) -> "AgentFile":
        """Number the words of one speaker."""
        own = tuple(u for u in talk.utterances if u.speaker == speaker)
        held = {
            candidate.t0_ms
            for candidate in talk.candidates
            if (candidate.focal, candidate.intent) == (speaker, "hold") and candidate.kind != "turn"
        }
        firsts, count = [], 0
        for number, utterance in enumerate(own):
            firsts.append(count)
            count += len(utterance.words) + (number % LAUGH_EVERY == LAUGH_EVERY - 1)
        return cls(talk.conversation, agent, own, tuple(firsts), tuple(_spans(own, held)), spoil)

    def words(self) -> str:
        """Write the words file."""
        lines: list[str] = []
        for number, utterance in enumerate(self.utterances):
            for word in utterance.words:
                mark = ' punc="true"' if word.punctuation else ""
                times = _times(word.start_ms, word.end_ms)
                lines.append(f"   <w {self._id(len(lines))}{times}{mark}>{word.text}</w>")
            if number % LAUGH_EVERY == LAUGH_EVERY - 1:
                times = _times(utterance.end_ms, utterance.end_ms)
                lines.append(f'   <vocalsound {self._id(len(lines))}{times} type="laugh"/>')
        if self.spoil and self.utterances:
            end_ms = self.utterances[-1].end_ms
            lines.append(f"   <w {self._id(len(lines))}>hm</w>")
            lines.append(f"   <w {self._id(len(lines))}{_times(end_ms, end_ms)}>so</w>")
        return document(f"{self.meeting}.{self.agent}.words", "\n".join(lines))

    def segments(self, channel: int) -> str:
        """Write the segments file, one segment per IPU."""
        lines = []
        for number, utterance in enumerate(self.utterances):
            start, end = utterance.start_ms / 1000, utterance.end_ms / 1000
            lines.append(
                f'   <segment nite:id="{self.meeting}.sync.{self.agent}.{number}"'
                f' channel="{channel}" transcriber_start="{start:.3f}"'
                f' transcriber_end="{end:.3f}">\n{self._child(number, number)}\n   </segment>'
            )
        return document(f"{self.meeting}.{self.agent}.segs", "\n".join(lines))

    def acts(self) -> str:
        """Write the dialogue acts file."""
        lines = []
        for first, last in self.spans:
            utterance = self.utterances[last]
            act = _act(utterance)
            lines.append(
                f'   <dact nite:id="{self.act_id(first)}">\n      <nite:pointer role="da-aspect"'
                f'  href="da-types.xml#id(ami_da_{ACTS[act][0]})"/>\n'
                f"{self._child(first, last)}\n   </dact>"
            )
        return document(f"{self.meeting}.{self.agent}.dialog-act", "\n".join(lines))

    def act_id(self, first: int) -> str:
        """Name the act that starts with an IPU of this agent."""
        return f"{self.meeting}.{self.agent}.dialog-act.made.{first + 1}"

    def _id(self, number: int) -> str:
        return f'nite:id="{self.meeting}.{self.agent}.words{number}"'

    def _child(self, first: int, last: int) -> str:
        stem = f"{self.meeting}.{self.agent}"
        a, b = self.firsts[first], self.firsts[last] + len(self.utterances[last].words) - 1
        until = f"..id({stem}.words{b})" if b > a else ""
        return f'      <nite:child href="{stem}.words.xml#id({stem}.words{a}){until}"/>'


def adjacency(talk: Talk, files: Sequence[AgentFile]) -> str:
    """Pair each question that a turn answers with that turn: the source comes first."""
    starts: dict[tuple[str, int], str] = {}
    ends: dict[tuple[str, int], str] = {}
    for file in files:
        for first, last in file.spans:
            own, name = file.utterances, f"{file.meeting}.{file.agent}.dialog-act.xml#id("
            name += f"{file.act_id(first)})"
            starts[own[first].speaker, own[first].start_ms] = name
            ends[own[last].speaker, own[last].end_ms] = name
    lines: list[str] = []
    for candidate in talk.candidates:
        if candidate.intent in ("ans", "ref") and candidate.response_ms is not None:
            source = ends[candidate.focal, candidate.t0_ms]
            target = starts[candidate.partner, candidate.t0_ms + candidate.response_ms]
            lines.append(_pair(f"{talk.conversation}.adjacency-pairs", len(lines), source, target))
    return document(f"{talk.conversation}.adjacency-pairs", "\n".join(lines))


def _act(utterance: Utterance) -> str:
    if utterance.backchannel:
        return "bck"
    asks = utterance.words[-1].text == "?"
    return "el.ass" if utterance.intent == "ref" and asks else ACT_OF[utterance.intent]


def _pair(name: str, number: int, source: str, target: str) -> str:
    pointers = "\n".join(
        f'      <nite:pointer role="{role}"  href="{href}"/>'
        for role, href in (
            ("type", f"ap-types.xml#id({ELABORATION})"),
            ("source", source),
            ("target", target),
        )
    )
    return (
        f'   <adjacency-pair nite:id="{name}.made.{number + 1}">\n{pointers}\n   </adjacency-pair>'
    )


def _spans(own: tuple[Utterance, ...], held: Collection[int]) -> list[tuple[int, int]]:
    """Join the IPUs of one speaker into acts: one that ends in a held floor goes on in the next."""
    spans: list[tuple[int, int]] = []
    first: int | None = None
    for number, (utterance, after) in enumerate(zip_longest(own, own[1:])):
        start = number if first is None else first
        held_on = utterance.end_ms in held and after is not None and not after.backchannel
        goes_on = held_on and after.start_ms - utterance.end_ms < HOLDS_MS
        first = start if goes_on else None
        if not goes_on:
            spans.append((start, number))
    return spans


def act_types() -> str:
    """Write the ontology of act types."""
    leaves = "\n".join(
        f'   <da-type nite:id="ami_da_{number}" name="{name}" gloss="{gloss}"/>'
        for name, (number, gloss) in ACTS.items()
    )
    return (
        f'{DECLARATION}<da-type nite:id="cmrda" name="da-type" {NAMESPACE}>\n{leaves}\n</da-type>\n'
    )


def document(name: str, body: str) -> str:
    """Wrap lines in an NXT root."""
    return f'{DECLARATION}<nite:root nite:id="{name}" {NAMESPACE}>\n{body}\n</nite:root>\n'


def _times(start_ms: int, end_ms: int) -> str:
    return f' starttime="{start_ms / 1000:.2f}" endtime="{end_ms / 1000:.2f}"'
