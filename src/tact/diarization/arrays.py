"""What is kept of a channel once its windows have been heard."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tact.clock import Flags

Classes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]
Vectors = npt.NDArray[np.float32]


class Heard(NamedTuple):
    """One channel, window by window; with a window a second, about 2 kB a second.

    Attributes
    ----------
    classes : uint8 array, (n_windows, n_answers)
        Class of the powerset in each frame of a window.
    members : bool array, (n_classes, n_local)
        Which local speakers talk in a class.
    start : int64 array, (n_windows,)
        Frame of the channel on which the first answer to each window is laid.
    n_frames : int
        Frames of the channel; those of a window beyond it are of the zeros that fill it.
    vectors : float32 array, (n_voices, dimension)
        The voices of local speakers, of length 1.
    window, local : int64 arrays, (n_voices,)
        Whose they are.
    alone : int64 array, (n_voices,)
        Frames in which that local speaker talks and no other.
    """

    classes: Classes
    members: Flags
    start: Indices
    n_frames: int
    vectors: Vectors
    window: Indices
    local: Indices
    alone: Indices
