"""NXT files of the AMI corpus: the words, segments and dialogue acts of one person in one meeting.

::

    words     <w id="ES2002a.B.words0" starttime= endtime=>Okay</w>  <w ... punc="true">.</w>
              <vocalsound type="laugh"/>  <disfmarker/>  <gap/>  <transformerror w=/>
    segments  <segment transcriber_start= transcriber_end=><child href="...#id(a)..id(b)"/>
    acts      <dact id=><pointer role="da-aspect" href="da-types.xml#id(ami_da_2)"/>
                        <child href="...words.xml#id(a)..id(b)"/></dact>
    pairs     <adjacency-pair><pointer role="source" href="...#id(first)"/>
                              <pointer role="target" href="...#id(second)"/></adjacency-pair>

Ranges are by position in the words file, both ends in. All times are s on the meeting's clock.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element

from tact.clock import to_ms
from tact.corpora.places import Item, seconds

NITE = "{http://nite.sourceforge.net/}"
ID = NITE + "id"
CHILD = NITE + "child"
POINTER = NITE + "pointer"
EDGE_MS = 500
_NAMED = re.compile(r"id\(([^()]*)\)")


@dataclass(frozen=True)
class Stream:
    """The words file of one person: items in order, and the place of each id."""

    items: list[Item]
    places: Mapping[str, int]

    def span_ms(self, href: str) -> tuple[int, int] | None:
        """Find the span of a range of words, ms: of its lexical words, else of its sounds.

        None where the range names no known item or none that has both times in order.
        """
        ends = [self.places.get(name) for name in _NAMED.findall(href)]
        if not ends or ends[0] is None or ends[-1] is None:
            return None
        sounds: list[tuple[float, float]] = []
        spoken: list[tuple[float, float]] = []
        for _, start, end, _, kind in self.items[ends[0] : ends[-1] + 1]:
            if start is not None and end is not None and start <= end:
                (spoken if kind == "word" else sounds).append((start, end))
        spans = spoken or sounds
        if not spans:
            return None
        return to_ms(min(spans)[0]), to_ms(max(end for _, end in spans))


class Dact(NamedTuple):
    """A dialogue act as annotated: id, type id (empty = untyped), words it spans."""

    name: str
    type_id: str
    words: str


class Pair(NamedTuple):
    """An adjacency pair: ids of its first and second part, empty where it names none."""

    first: str
    second: str


def words(root: Element) -> Stream:
    """Read a words file."""
    items = [_item(element) for element in root]
    return Stream(items, {item.name: place for place, item in enumerate(items)})


def misplaced(root: Element, stream: Stream) -> tuple[int, int]:
    """Compare a segments file with the words: how many edges differ by over 0.5 s, of how many.

    Segments were timed by hand, words by forced alignment inside them, so the two should agree.
    """
    apart = n_edges = 0
    for segment in root:
        start = seconds(segment.get("transcriber_start"))
        end = seconds(segment.get("transcriber_end"))
        span = stream.span_ms(_href(segment, CHILD, None))
        if span is not None and start is not None and end is not None:
            n_edges += 2
            apart += (abs(span[0] - to_ms(start)) > EDGE_MS) + (abs(span[1] - to_ms(end)) > EDGE_MS)
    return apart, n_edges


def dacts(root: Element) -> Iterator[Dact]:
    """Read a dialogue-act file."""
    for element in root.iter("dact"):
        named = _NAMED.search(_href(element, POINTER, "da-aspect"))
        type_id = named[1] if named else ""
        yield Dact(element.get(ID, ""), type_id, _href(element, CHILD, None))


def pairs(root: Element) -> Iterator[Pair]:
    """Read an adjacency-pairs file. The source comes first: it starts first in 98 % of AMI's."""
    for element in root.iter("adjacency-pair"):
        parts = (_NAMED.search(_href(element, POINTER, role)) for role in ("source", "target"))
        yield Pair(*(part[1] if part else "" for part in parts))


def act_types(root: Element) -> dict[str, str]:
    """Read the ontology of act types: id to name, classes of types left out."""
    leaves = (element for element in root.iter("da-type") if not len(element))
    return {leaf.get(ID, ""): leaf.get("name", "") for leaf in leaves}


def _href(element: Element, tag: str, role: str | None) -> str:
    for child in element.iter(tag):
        if role is None or child.get("role") == role:
            return child.get("href", "")
    return ""


def _item(element: Element) -> Item:
    kind, text = "other", element.get("w") or element.tag
    if element.tag == "w":
        kind = "punctuation" if element.get("punc") == "true" else "word"
        text = (element.text or "").strip()
    elif element.tag == "vocalsound":
        kind, text = "vocalsound", element.get("type") or element.tag
    return Item(
        element.get(ID, ""),
        seconds(element.get("starttime")),
        seconds(element.get("endtime")),
        text,
        kind,
    )
