"""Lay the windows over one another: how many people talk in each frame, and who they are.

::

    window 0  aaaa..bb..                local speakers, each known by a voice
    window 1      ..dd..cccc            a and c are person 0, b and d person 1
    count     11110011001111            rounded mean over the windows that hear a frame
    people    0000..11..0000            the most named ones, as many as talk

Where more talk than are named, people who are not take the rest: two who talk at once are two, even
if one voice fits both. Where nobody is named, nobody talks, whatever the count says.

Frames and edges lie where pyannote's own pipeline has them; but at the ends of a channel, where no
answer is, whoever talks in the nearest frame that has one talks on.
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
        Frames after the last that has an answer are as that one.
    """
    n_window = heard.classes.shape[1]
    n_laid = max(heard.start, default=0) + n_window
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
    answered = np.minimum(np.arange(heard.n_frames), n_laid - 1)
    return _most_named(talking[:, answered], named[:, answered])


def _most_named(talking: npt.NDArray[np.int32], named: npt.NDArray[np.int32]) -> Flags:
    """Choose in each frame as many people as talk there on the mean, the most named first."""
    count = np.rint(talking[0] / np.maximum(talking[1], 1)).astype(np.int64)
    order = np.argsort(-named, axis=0, kind="stable")
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(len(named))[:, None], axis=0)
    return np.asarray((rank < count) & named.any(axis=0))


def spans(speech: Flags, *, frame_ms: float, first_ms: float, duration_ms: int) -> IntArray:
    """Find where one person talks.

    A start or an end lies where the first frame stands that is unlike the one before; who talks in
    the first or last frame talks from the begin or to the end of the channel::

        ms        0       31      48      65      81      98    109
        speech            #       #       .       .       #
        spans     |-----------------------|               |-----|

    Parameters
    ----------
    speech : bool array, (n_frames,)
    frame_ms : float
        From one frame to the next, ms.
    first_ms : float
        Where the first frame stands, ms.
    duration_ms : int
        Length of the channel, ms.

    Returns
    -------
    int64 array, (n_spans, 2)
        Start and end, ms, in order and apart, inside [0, ``duration_ms``].
    """
    edges = np.stack(runs(speech), axis=1)
    times = np.rint(first_ms + edges * frame_ms).astype(np.int64)
    times[edges == 0] = 0
    times[edges == len(speech)] = duration_ms
    times = np.minimum(times, duration_ms)
    return np.asarray(times[times[:, 0] < times[:, 1]])
