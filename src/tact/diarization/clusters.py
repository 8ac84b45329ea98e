"""Cluster the voices of local speakers: how many people talk, and which voice is whose.

Voices heard alone for long enough are joined bottom up, while the nearest two groups are nearer
than a threshold (cosine distance, average linkage). Groups that are too small are no person. Every
voice, clustered or not, then goes to the person of the nearest mean voice; no two speakers of one
window go to the same.

The joining takes memory and time with the square of the number of voices, so no more than a given
number of them, evenly spread over the channel, take part.
"""

from itertools import pairwise

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment

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
        Groups further apart than this, in cosine distance, are two people.
    least, least_share : int, float
        Voices in a group, and their share in all, below which it is no person.
    n_people : int or None
        How many people there are; None = as many as the threshold makes.

    Returns
    -------
    float32 array, (n_people, dimension)
        The largest group first; no row where there is no voice.
    """
    if len(vectors) < 2:
        return vectors
    tree = linkage(vectors.astype(np.float64), method="average", metric="cosine")
    tree[:, 2] = np.maximum(tree[:, 2], 0.0)
    needed = max(least, int(np.ceil(least_share * len(vectors))))
    # Of a short channel there may be fewer voices than make a group: the largest still counts.
    groups = _large(fcluster(tree, threshold, criterion="distance"), needed)
    if n_people is not None and len(groups) != n_people:
        groups = _so_many(tree, n_people, needed)
    means = [vectors[group].mean(axis=0) for group in groups]
    return np.stack([mean / np.linalg.norm(mean) for mean in means])


def spread(chosen: Indices, most: int) -> Indices:
    """Keep ``most`` of some indices, evenly spread."""
    if len(chosen) <= most:
        return chosen
    return chosen[(np.arange(most) * len(chosen)) // most]


def assign(heard: Heard, people: Vectors) -> Indices:
    """Tell whose the voices of local speakers are.

    In one window two voices are two people: together they get the people that fit them best.

    Returns
    -------
    int64 array, (n_windows, n_local)
        The person, or `NOBODY` where a local speaker has no voice or too many have one.
    """
    n_local = heard.members.shape[1]
    whose = np.full((len(heard.classes), n_local), NOBODY, dtype=np.int64)
    if not len(people):
        return whose
    likeness = heard.vectors @ people.T
    bounds = np.searchsorted(heard.window, np.arange(len(heard.classes) + 1))
    for window, (first, last) in enumerate(pairwise(bounds)):
        voices, persons = linear_sum_assignment(likeness[first:last], maximize=True)
        whose[window, heard.local[first:last][voices]] = persons
    return whose


def _large(labels: Indices, needed: int) -> list[Indices]:
    """Give the members of the groups that are large enough, largest first; at least one group."""
    _, index, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    large = [group for group in order if sizes[group] >= needed] or [order[0]]
    return [np.flatnonzero(index == group) for group in large]


def _so_many(tree: FloatArray, n_people: int, needed: int) -> list[Indices]:
    """Cut the tree where it first has so many large groups, else so many groups of any size."""
    for n_groups in range(n_people, len(tree) + 2):
        groups = _large(fcluster(tree, n_groups, criterion="maxclust"), needed)
        if len(groups) == n_people:
            return groups
    return _large(fcluster(tree, n_people, criterion="maxclust"), 1)
