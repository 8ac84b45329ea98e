"""Cluster the voices of local speakers: how many people talk, and which voice is whose.

Voices heard alone for long enough are joined bottom up, while the means of the nearest two groups
are nearer than a threshold. Groups that are too small are no person: each joins the large one whose
mean is most like its own. Every voice, clustered or not, then goes to the person of the nearest
mean voice. It is what pyannote's own pipeline does (``AgglomerativeClustering``, by which a test
holds this).

The joining takes memory and time with the square of the number of voices, so no more than a given
number of them, evenly spread over the channel, take part.
"""

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from tact.clock import FloatArray
from tact.diarization.arrays import Heard, Indices, Vectors

NOBODY = -1


def cluster(
    vectors: Vectors, *, threshold: float, least: int, least_share: float, n_people: int | None
) -> Vectors:
    """Find the mean voice of each person.

    Parameters
    ----------
    vectors : float32 array, (n_voices, dimension)
        Of length 1, one for each local speaker that was heard well.
    threshold : float
        Groups whose means are further apart than this are two people.
    least : int
        Voices in a group, below which it is no person ...
    least_share : float
        ... unless there are so few voices that fewer are this share of them.
    n_people : int or None
        How many people there are; None = as many as the threshold makes. Where the tree has no cut
        with so many large groups, as near as it comes.

    Returns
    -------
    float32 array, (n_people, dimension)
        No row where there is no voice.
    """
    if len(vectors) < 2:
        return vectors
    tree = linkage(vectors.astype(np.float64), method="centroid")
    needed = min(least, max(1, round(least_share * len(vectors))))
    groups = fcluster(tree, threshold, criterion="distance")
    if n_people is not None and len(_large(groups, needed)) != n_people:
        groups = _so_many(tree, n_people, needed, threshold)
    groups = _without_small(groups, vectors, needed)
    means = _means(groups, vectors)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))


def spread(chosen: Indices, most: int) -> Indices:
    """Keep ``most`` of some indices, evenly spread."""
    if len(chosen) <= most:
        return chosen
    return chosen[(np.arange(most) * len(chosen)) // most]


def assign(heard: Heard, people: Vectors) -> Indices:
    """Tell whose the voices of local speakers are: of the person whose mean is most like each.

    Two speakers of a window may be one person, since the network now and then takes one for two.

    Returns
    -------
    int64 array, (n_windows, n_local)
        The person, or `NOBODY` where a local speaker has no voice.
    """
    whose = np.full((len(heard.classes), heard.members.shape[1]), NOBODY, dtype=np.int64)
    if len(people):
        whose[heard.window, heard.local] = np.argmax(heard.vectors @ people.T, axis=1)
    return whose


def _large(groups: Indices, needed: int) -> Indices:
    """Give the groups that are large enough; the first where none is."""
    names, sizes = np.unique(groups, return_counts=True)
    large = names[sizes >= needed]
    return np.asarray(large if len(large) else names[:1])


def _so_many(tree: FloatArray, n_people: int, needed: int, threshold: float) -> Indices:
    """Cut the tree where it has so many large groups, as near as can be to the threshold."""
    steps = tree.copy()
    steps[:, 2] = np.arange(len(tree))
    found, off = np.ones(len(tree) + 1, dtype=np.int64), n_people - 1
    for join in np.argsort(np.abs(tree[:, 2] - threshold), kind="stable"):
        # A join that makes no large group changes none of them.
        if tree[join, 3] < needed:
            continue
        groups = fcluster(steps, join, criterion="distance")
        now_off = abs(len(_large(groups, needed)) - n_people)
        if now_off < off:
            found, off = groups, now_off
        if not off:
            break
    return found


def _without_small(groups: Indices, vectors: Vectors, needed: int) -> Indices:
    """Let each small group join the large one whose mean is most like its own."""
    names, index = np.unique(groups, return_inverse=True)
    large = np.isin(names, _large(groups, needed))
    means = _means(groups, vectors)
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    nearest = np.argmax(means @ means[large].T, axis=1)
    joined: Indices = np.where(large, np.arange(len(names)), np.flatnonzero(large)[nearest])[index]
    return joined


def _means(groups: Indices, vectors: Vectors) -> Vectors:
    """Average the vectors of each group, in the order of their names."""
    return np.stack([vectors[groups == name].mean(axis=0) for name in np.unique(groups)])
