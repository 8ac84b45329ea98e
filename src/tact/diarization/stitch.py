"""Lay the windows over one another: how many people talk in each frame, and who they are.

::

    window 0  aaaa..bb......            local speakers, each known by a voice
    window 1      ..dd..cccc            a and c are person 0, b and d person 1
    count     1111001100111100          rounded mean over the windows that hear a frame
    people    0000..11..0000            the most named ones, as many as talk

Where more talk than are named, people who are not take the rest: two who talk at once are two, even
if one voice fits both. Where nobody is named, nobody talks, whatever the count says.
"""

import numpy as np
import numpy.typing as npt

from tact.clock import Flags, IntArray, runs
from tact.diarization.arrays import Heard, Indices


def stitch(heard: Heard, whose: Indices, n_people: int) -> Flags:
    """Find in which frames each person talks.

    Parameters
    ----------
    heard : Heard
    whose : int64 array, (n_windows, n_local)
        Who each local speaker is, as `tact.diarization.assign` gives it.

    Returns
    -------
    bool array, (n_people, n_frames)
    """
    n_window = heard.classes.shape[1]
    n_laid = max(heard.n_frames, *(heard.start + n_window))
    talkers = heard.members.sum(axis=1).astype(np.int32)
    talking = np.zeros((2, n_laid), dtype=np.int32)
    named = np.zeros((n_people, n_laid), dtype=np.int32)
    for start, classes, persons in zip(heard.start, heard.classes, whose, strict=True):
        at = slice(start, start + n_window)
        talking[0, at] += talkers[classes]
        talking[1, at] += 1
        for person in np.unique(persons[persons >= 0]):
            talks = np.asarray(heard.members[:, persons == person].any(axis=1))
            named[person, at] += talks[classes]
    return _most_named(talking[:, : heard.n_frames], named[:, : heard.n_frames])


def _most_named(talking: npt.NDArray[np.int32], named: npt.NDArray[np.int32]) -> Flags:
    """Choose in each frame as many people as talk there on the mean, the most named first."""
    count = np.rint(talking[0] / np.maximum(talking[1], 1)).astype(np.int64)
    order = np.argsort(-named, axis=0, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(len(named))[:, None], axis=0)
    return np.asarray((rank < count) & named.any(axis=0))


def spans(speech: Flags, *, frame_ms: float, duration_ms: int) -> IntArray:
    """Find where one person talks.

    Returns
    -------
    int64 array, (n_spans, 2)
        Start and end, ms, in order and apart, inside [0, ``duration_ms``].
    """
    edges = np.stack(runs(speech), axis=1)
    times = np.minimum(np.rint(edges * frame_ms).astype(np.int64), duration_ms)
    return np.asarray(times[times[:, 0] < times[:, 1]])
