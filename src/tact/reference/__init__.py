"""Stage reference: train points and their posteriors -> laws, kernels, durations, speaker priors.

Laws are fitted on the fitting frame alone: train candidates of every scenario, whether or not
anyone responded. Each slice is fitted as one mixture, from its parent's laws::

    paper  ->  all  ->  corpus=, gender=, age=, region=, language=

with an own, a shrunk or the parent's law by the number of responses (``fits``). Equation (2) and
section 5 of arXiv 2609.27372.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import IntArray
from tact.fitting import Sample, cell_of, horizon_cells, responsibilities
from tact.keys import generator
from tact.laws import Law, paper_laws, parameters
from tact.reference import habits, rows
from tact.reference.blind import fit_blind
from tact.reference.fits import Fitted, component_of, fit_slice, law_of, shrink_siblings
from tact.reference.goodness import ks_p
from tact.reference.slices import Slice, Train, cut, gather, unlabelled
from tact.settings import Reference as Settings
from tact.vocabulary import INTENTS

Laws = dict[str, Law]


@dataclass(frozen=True)
class Reference:
    """The four tables of the stage."""

    laws: pd.DataFrame
    kernels: pd.DataFrame
    durations: pd.DataFrame
    speaker_priors: pd.DataFrame


def build(
    points: pd.DataFrame,
    frame: pd.DataFrame,
    posteriors: pd.DataFrame,
    speakers: pd.DataFrame,
    recordings: pd.DataFrame,
    labels: pd.DataFrame,
    *,
    settings: Settings,
    seed: int,
) -> Reference:
    """Fit the reference laws of every slice and intent.

    Parameters
    ----------
    points, frame, speakers, recordings, labels : tables of those names, all corpora, any order
    posteriors : table ``point_posteriors``; only mode ``calibrated`` is used
    settings : section ``reference``
    seed : of the goodness-of-fit bootstrap, the only randomness

    Returns
    -------
    Reference
        Slice ``all`` always has its six laws: the paper's where no point may be pooled.
    """
    train = gather(points, frame, posteriors, speakers, recordings, labels)
    whole, *parts = cut(train, axes=settings.axes, pooled=settings.pooled)
    paper = paper_laws(settings.paper)
    made, overall, lengths = _whole(whole, train, paper, settings, seed)
    for axis in dict.fromkeys(part.axis for part in parts):
        siblings = [part for part in parts if part.axis == axis]
        made += _axis(siblings, train, overall, settings, seed)
    for part in unlabelled(train):
        made += _without_labels(part, train, overall, settings)
    laws = frames.frame(made, "laws")
    return Reference(
        laws,
        frames.check(rows.kernel_table(laws, settings=settings), "kernels"),
        frames.frame(lengths.to_dict("records"), "durations"),
        frames.frame(habits.speaker_priors(train).to_dict("records"), "speaker_priors"),
    )


def _whole(
    part: Slice, train: Train, paper: Laws, settings: Settings, seed: int
) -> tuple[list[rows.Row], Laws, pd.DataFrame]:
    """Fit slice ``all``: its rows, its laws by intent, and its lengths of response."""
    labelled = part.chosen if part.chosen.any() else train.labelled
    mine = train.of(labelled)
    if not part.chosen.any():
        lengths = habits.durations(mine, mine.q, least=settings.shrink_min)
        return list(rows.paper_rows(paper, part.pools or "")), paper, lengths
    parents = [component_of(paper[intent]) for intent in INTENTS]
    fitted = fit_slice(
        parents, _sample(mine, settings), _cluster(mine, settings), settings=settings
    )
    (fitted,) = shrink_siblings(parents, [fitted], settings=settings)
    laws = _laws(fitted)
    r = responsibilities(fitted.components, _sample(mine, settings))
    lengths = habits.durations(mine, r, least=settings.shrink_min)
    return _rows(part, train, fitted, settings, seed), laws, lengths


def _axis(
    parts: list[Slice], train: Train, overall: Laws, settings: Settings, seed: int
) -> list[rows.Row]:
    """Fit the slices of one axis, and shrink them together."""
    parents = [component_of(overall[intent]) for intent in INTENTS]
    fits = []
    for part in parts:
        mine = train.of(part.chosen)
        cluster = _cluster(mine, settings)
        fits.append(fit_slice(parents, _sample(mine, settings), cluster, settings=settings))
    shrunk = shrink_siblings(parents, fits, settings=settings)
    return [
        row
        for part, fitted in zip(parts, shrunk, strict=True)
        for row in _rows(part, train, fitted, settings, seed)
    ]


def _rows(
    part: Slice, train: Train, fitted: Fitted, settings: Settings, seed: int
) -> list[rows.Row]:
    tested: dict[int, float] = {}
    if settings.ks_resamples:
        rng = generator(seed, "goodness of fit", part.name)
        sample = _sample(train.of(part.chosen), settings)
        p = ks_p(fitted.fit, sample, resamples=settings.ks_resamples, rng=rng)
        tested = {z: float(p[z]) for z in range(len(INTENTS)) if fitted.sources[z] == "own"}
    return list(rows.slice_rows(part, train, fitted, tested, settings=settings))


def _without_labels(part: Slice, train: Train, overall: Laws, settings: Settings) -> list[rows.Row]:
    mine = train.of(part.chosen)
    n = int(np.isfinite(mine.onsets).sum())
    if n < settings.shrink_min:
        note = f"no labels; {n} responses, under {settings.shrink_min}: no intent-blind law either"
        return list(rows.unlabelled_rows(part, overall, None, note))
    ones = np.ones((mine.onsets.size, 1))
    cells = horizon_cells(settings.resolution_ms)
    sample = Sample(ones, cell_of(mine.onsets, cells), cells)
    component, limits = fit_blind(mine.onsets, sample, _cluster(mine, settings), settings=settings)
    blind: rows.Row = {
        **parameters(law_of(component)),
        "n_points": float(mine.onsets.size),
        "n_responses": float(n),
        "intervals": rows.limits_json(limits, settings=settings),
        "reason": "no labels: one law for all intents, the family by AIC",
    }
    return list(rows.unlabelled_rows(part, overall, blind, "no labels"))


def _sample(train: Train, settings: Settings) -> Sample:
    cells = horizon_cells(settings.resolution_ms)
    return Sample(train.q, cell_of(train.onsets, cells), cells)


def _cluster(train: Train, settings: Settings) -> IntArray:
    names = train.points[settings.cluster].to_numpy(object)
    return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)


def _laws(fitted: Fitted) -> Laws:
    return {
        intent: law_of(component)
        for intent, component in zip(INTENTS, fitted.components, strict=True)
    }
