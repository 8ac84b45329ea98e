"""Give the people who were found on a channel the names of those who are known to talk there."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from tact.diarization.arrays import Vectors

How = Literal["voice", "rest", "order"]


class Name(NamedTuple):
    """Who a found person is, how that was told, and the cosine of the two voices."""

    speaker: str
    how: How
    likeness: float | None


def named(
    people: Vectors, speakers: Sequence[str], voices: Mapping[str, Vectors], *, least: float
) -> list[Name]:
    """Name each found person, in their order.

    Known voices are given out first, together as they fit best, where they are alike enough. Of
    the others, one that is left is the one speaker left (``rest``); more are named in the order in
    which they were found (``order``), which is a guess.

    Parameters
    ----------
    people : float32 array, (n_people, dimension)
        Mean voice of each found person, of length 1, in the order of their first speech.
    speakers : sequence of str
        Who talks, as many as there are people.
    voices : mapping of speaker to float32 array, (dimension,)
        Voices known from elsewhere, of length 1.
    least : float
        Two voices of a lower cosine are not taken for one.
    """
    names: dict[int, Name] = {}
    known = [speaker for speaker in speakers if speaker in voices]
    if known:
        likeness = people @ np.stack([voices[speaker] for speaker in known]).T
        for person, k in zip(*linear_sum_assignment(likeness, maximize=True), strict=True):
            if likeness[person, k] >= least:
                names[int(person)] = Name(known[k], "voice", float(likeness[person, k]))
    given = {name.speaker for name in names.values()}
    left = [speaker for speaker in speakers if speaker not in given]
    how: How = "rest" if names and len(left) == 1 else "order"
    for person in range(len(people)):
        if person not in names:
            names[person] = Name(left.pop(0), how, None)
    return [names[person] for person in range(len(people))]
