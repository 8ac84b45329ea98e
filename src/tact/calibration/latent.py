"""Posterior of intent from annotators who err, each in their own way, and a judge who may be
overconfident.

The intent z of a unit is latent. Annotator a says l with probability C_a(z, l), independently given
z (Dawid and Skene 1979, doi:10.2307/2346806); each unit is labelled by some of them. Before any
label, z has the shares of its group of units; where a judge spoke it has instead

    s(z) = softmax_z(sharpness * log p_J(z) + bias(z)),

so the judge is a soft source whose confidence is learned from the annotators, never taken at its
word (a latent class model with covariates: Dayton and Macready 1988, doi:10.2307/2288938). EM from
the majority; each row of a confusion, and each share, has a Dirichlet prior.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tact.clock import FloatArray, IntArray

_ROUNDS = 1000
_STILL = 1e-6
_LEAST = 1e-12
_RIDGE = 1.0
_SHARPNESS_MAX = 20.0


@dataclass(frozen=True)
class Votes:
    """Labels: vote i says ``intent[i]`` of ``unit[i]``, by ``annotator[i]``; all (m,), from 0.

    ``group`` (n,) puts each unit in a group that has shares of its own. ``judge`` (n, K) is NaN
    where the judge did not speak.
    """

    unit: IntArray
    annotator: IntArray
    intent: IntArray
    group: IntArray
    judge: FloatArray


@dataclass(frozen=True)
class Latent:
    """What EM found.

    Attributes
    ----------
    posterior : (n, K) q(z | labels, judge)
    shares : (G, K) of each group
    confusion : (A, K, K) C_a(z, l)
    sharpness, bias : float and (K,), of the judge
    log_likelihood : (rounds,) the penalised log likelihood, which never falls
    """

    posterior: FloatArray
    shares: FloatArray
    confusion: FloatArray
    sharpness: float
    bias: FloatArray
    log_likelihood: FloatArray


def fit_latent(votes: Votes, *, pseudo_count: float) -> Latent:
    """Fit confusions, shares and the judge, and give each unit its posterior.

    Parameters
    ----------
    votes : Votes
        At least one unit.
    pseudo_count : labels added to every cell of a confusion and to every share

    Notes
    -----
    The start is the share of labels, so intents keep their names as long as annotators are right
    more often than wrong. A unit without labels starts at its judge or its group's labels.
    """
    judged = ~np.isnan(votes.judge[:, 0])
    log_judge = np.log(np.maximum(np.where(judged[:, None], votes.judge, 1.0), _LEAST))
    q = _majority(votes, judged)
    sharpness, bias = 1.0, np.zeros(q.shape[1])
    history: list[float] = []
    for _ in range(_ROUNDS):
        shares = _shares(q, votes.group, pseudo_count)
        confusion = _confusion(q, votes, pseudo_count)
        sharpness, bias = _listen(q[judged], log_judge[judged], sharpness, bias)
        log_base = np.log(shares)[votes.group]
        log_base[judged] = _log_softmax(sharpness * log_judge[judged] + bias)
        moved, log_likelihood = _expect(log_base, confusion, votes)
        history.append(
            log_likelihood
            + pseudo_count * float(np.log(confusion).sum() + np.log(shares).sum())
            - 0.5 * _RIDGE * float(bias @ bias)
        )
        change = float(np.abs(moved - q).max())
        q = moved
        if change < _STILL:
            break
    return Latent(q, shares, confusion, sharpness, bias, np.array(history))


def _majority(votes: Votes, judged: npt.NDArray[np.bool_]) -> FloatArray:
    n, k = votes.judge.shape
    flat = np.bincount(votes.unit * k + votes.intent, minlength=n * k).reshape(n, k)
    groups = int(votes.group.max()) + 1
    counts = np.stack([np.bincount(votes.group, column, groups) for column in flat.T], axis=1)
    usual = (counts + 1.0) / (counts + 1.0).sum(axis=1, keepdims=True)
    # A little of what is known beside the labels breaks ties and fills units without any.
    start = flat + 0.1 * np.where(judged[:, None], votes.judge, usual[votes.group])
    return np.asarray(start / start.sum(axis=1, keepdims=True))


def _shares(q: FloatArray, group: IntArray, pseudo_count: float) -> FloatArray:
    size = int(group.max()) + 1
    counts = np.stack([np.bincount(group, column, size) for column in q.T], axis=1) + pseudo_count
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _confusion(q: FloatArray, votes: Votes, pseudo_count: float) -> FloatArray:
    k = q.shape[1]
    annotators = int(votes.annotator.max()) + 1 if votes.annotator.size else 0
    cell = votes.annotator * k + votes.intent
    counts = np.stack(
        [np.bincount(cell, column[votes.unit], annotators * k).reshape(-1, k) for column in q.T],
        axis=1,
    )
    smoothed = np.asarray(counts, dtype=np.float64) + pseudo_count
    return np.asarray(smoothed / smoothed.sum(axis=2, keepdims=True))


def _expect(log_base: FloatArray, confusion: FloatArray, votes: Votes) -> tuple[FloatArray, float]:
    said = np.log(confusion)[votes.annotator, :, votes.intent]
    n = log_base.shape[0]
    joint = log_base + np.stack([np.bincount(votes.unit, column, n) for column in said.T], axis=1)
    top = joint.max(axis=1, keepdims=True)
    q = np.exp(joint - top)
    total = q.sum(axis=1, keepdims=True)
    return q / total, float((top + np.log(total)).sum())


def _listen(
    q: FloatArray, log_judge: FloatArray, sharpness: float, bias: FloatArray
) -> tuple[float, FloatArray]:
    """Step toward the sharpness and bias under which the judge foretells q (Newton, halved)."""
    if not q.size:
        return sharpness, bias
    k = bias.size
    before = _judge_loss(q, log_judge, sharpness, bias)
    s = np.exp(_log_softmax(sharpness * log_judge + bias))
    miss = q - s
    gradient = np.append((miss * log_judge).sum(), miss.sum(axis=0) - _RIDGE * bias)
    mean = (s * log_judge).sum(axis=1)
    cross = (s * (log_judge - mean[:, None])).sum(axis=0)
    hessian = np.zeros((k + 1, k + 1))
    hessian[0, 0] = (s * log_judge**2).sum() - (mean**2).sum() + 1e-9
    hessian[0, 1:] = hessian[1:, 0] = cross
    hessian[1:, 1:] = np.diag(s.sum(axis=0) + _RIDGE) - s.T @ s
    step = np.linalg.solve(hessian, gradient)
    for _ in range(20):
        tried = float(np.clip(sharpness + step[0], 0.0, _SHARPNESS_MAX)), bias + step[1:]
        if _judge_loss(q, log_judge, *tried) <= before:
            return tried
        step *= 0.5
    return sharpness, bias


def _judge_loss(q: FloatArray, log_judge: FloatArray, sharpness: float, bias: FloatArray) -> float:
    fit = float((q * _log_softmax(sharpness * log_judge + bias)).sum())
    return 0.5 * _RIDGE * float(bias @ bias) - fit


def _log_softmax(x: FloatArray) -> FloatArray:
    x = x - x.max(axis=1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(axis=1, keepdims=True)))
