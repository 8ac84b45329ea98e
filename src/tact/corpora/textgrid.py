"""Praat's TextGrid as text, long or short: its intervals, tier by tier.

Read as Praat reads it: only texts in quotes and numbers that stand free count, everything else is
a comment. So both forms are one form::

    long     name = "A"   intervals: size = 1   intervals [1]:   xmin = 0   xmax = 1.5   text = "ja"
    short    "A"          1                                      0          1.5          "ja"
    read     "A"          1                                      0          1.5          "ja"

A point of a point tier is an interval without length.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from tact.errors import InputError

INTERVALS, POINTS = "IntervalTier", "TextTier"
# Possessive: nothing is tried twice, so no input makes the search slow.
TOKEN = re.compile(r'"[^"]*+(?:""[^"]*+)*+"|"|![^\n]*+|[^\s"]++')
NUMBER = re.compile(r"[+-]?+(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+")
LONGEST_NUMBER = 40
LONGEST_NAME = 200


class Interval(NamedTuple):
    """One interval: name of its tier, its number there from 1, s, what is written in it."""

    tier: str
    number: int
    start_s: float
    end_s: float
    mark: str


def intervals(text: str, name: str) -> Iterator[Interval]:
    """List the intervals of all tiers in the order of the file.

    Raises
    ------
    InputError
        It is no TextGrid, or is cut short; what lies before the break has been listed by then.
    """
    values = _Values(text, name)
    if not values.text("its type").startswith("ooTextFile") or values.text("class") != "TextGrid":
        raise InputError(f"{name} is no TextGrid; save it from Praat as a text or short text file")
    values.number("its start")
    values.number("its end")
    for _ in range(values.count("tiers")):
        kind, tier = values.text("a class of tier"), values.text("the name of a tier")
        if len(tier) > LONGEST_NAME:
            raise InputError(f"{name} is broken: a tier has a name of {len(tier)} letters")
        if kind not in (INTERVALS, POINTS):
            raise InputError(f"{name} is broken: tier {tier!r} is of class {kind[:20]!r}")
        values.number(f"the start of tier {tier!r}")
        values.number(f"the end of tier {tier!r}")
        what = f"tier {tier!r}"
        for number in range(1, values.count(f"intervals in {what}") + 1):
            start = values.number(what)
            end = values.number(what) if kind == INTERVALS else start
            yield Interval(tier, number, start, end, values.text(what))


class _Values:
    """The texts and numbers of a file, one after the other."""

    def __init__(self, text: str, name: str) -> None:
        self._tokens = TOKEN.finditer(text)
        self._name = name

    def text(self, what: str) -> str:
        """Give the next value, which has to be a text."""
        value = self._next(what)
        if isinstance(value, float):
            raise InputError(f"{self._name} is broken: the number {value:g} in place of {what}")
        return value

    def number(self, what: str) -> float:
        """Give the next value, which has to be a number."""
        value = self._next(what)
        if isinstance(value, str):
            raise InputError(f"{self._name} is broken: a text, not a number, in {what}")
        return value

    def count(self, what: str) -> int:
        """Give the next value, which has to be a number of things."""
        value = self.number(f"the number of {what}")
        if not (0 <= value < 1e9 and value == int(value)):
            raise InputError(f"{self._name} is broken: it has {value:g} {what}")
        return int(value)

    def _next(self, what: str) -> str | float:
        for found in self._tokens:
            token = found[0]
            if token == '"':
                raise InputError(f"{self._name} is broken: a quote is left open in {what}")
            if token[0] == '"':
                return token[1:-1].replace('""', '"')
            if len(token) <= LONGEST_NUMBER and NUMBER.fullmatch(token):
                return float(token)
        raise InputError(f"{self._name} is cut short in {what}")
