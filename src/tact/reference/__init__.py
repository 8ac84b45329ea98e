"""Stage reference: train points and their posteriors -> laws, kernels, durations, speaker priors.

Laws are fitted on the fitting frame alone: train candidates of every scenario, whether or not
anyone responded. Each slice is fitted as one mixture, from its parent's laws::

    paper -> all -> corpus=, gender=, age=, region=, language= -> gender=,age= and other crossings

with an own, a shrunk or the parent's law by the number of responses (``fits``). Equation (2) and
section 5 of arXiv 2609.27372.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
import pandas as pd

from tact import frames
from tact.clock import FloatArray, IntArray
from tact.fitting import Component, Sample, cell_of, freed, horizon_cells, responsibilities
from tact.keys import generator
from tact.laws import Law, paper_laws, parameters
from tact.reference import habits, rows
from tact.reference.bands import band
from tact.reference.blind import fit_blind
from tact.reference.changes import changes
from tact.reference.doubt import Doubt
from tact.reference.fits import PARENT, Fitted, component_of, fit_slice, law_of
from tact.reference.goodness import ks_p
from tact.reference.siblings import Parent, shrink_siblings
from tact.reference.slices import ALL, PAPER, Slice, Train, cut, gather, unlabelled
from tact.settings import Reference as Settings
from tact.vocabulary import ANY_INTENT, INTENTS

__all__ = ["Reference", "build", "changes"]
Laws = dict[str, Law]


@dataclass(frozen=True)
class Reference:
    """The five tables of the stage."""

    laws: pd.DataFrame
    kernels: pd.DataFrame
    durations: pd.DataFrame
    speaker_priors: pd.DataFrame
    onsets: pd.DataFrame


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
    seed : of the bootstraps

    Returns
    -------
    Reference
        Slice ``all`` always has its six laws: the paper's where no point may be pooled.
    """
    train = gather(points, frame, posteriors, speakers, recordings, labels)
    stage = _Stage(train, settings, seed)
    whole, *parts = cut(train, axes=settings.axes, pooled=settings.pooled)
    made = [stage.whole(whole)]
    for _, siblings in groupby(parts, key=lambda part: part.axes):
        made += stage.axis(list(siblings))
    made += [stage.without_labels(part) for part in unlabelled(train)]
    laws = frames.frame([row for own in made for row in own.laws], "laws")
    bands = {key: found for own in made for key, found in own.bands.items()}
    onsets = [own.onsets for own in made if own.onsets is not None]
    return Reference(
        laws,
        frames.check(rows.kernel_table(laws, bands, settings=settings), "kernels"),
        frames.frame(stage.lengths(whole).to_dict("records"), "durations"),
        frames.frame(habits.speaker_priors(train).to_dict("records"), "speaker_priors"),
        frames.join([frames.check(part, "onsets") for part in onsets], "onsets"),
    )


@dataclass(frozen=True)
class _Made:
    """What a slice gives: rows of laws, bands by (slice, intent), its histogram of onsets."""

    laws: list[rows.Row]
    bands: rows.Bands
    onsets: pd.DataFrame | None


class _Stage:
    """Fits slice after slice, keeping the laws that later ones are drawn toward."""

    def __init__(self, train: Train, settings: Settings, seed: int) -> None:
        self.train, self.settings, self.seed = train, settings, seed
        self.paper = paper_laws(settings.paper)
        self.known: dict[str, Parent] = {PAPER: self._taken(self.paper)}

    def whole(self, part: Slice) -> _Made:
        """Fit slice ``all``, or take the paper's laws where no point may be pooled."""
        if part.chosen.any():
            return self.axis([part])[0]
        self.known[ALL] = self.known[PAPER]
        return _Made(list(rows.paper_rows(self.paper, part.pools or "")), {}, None)

    def axis(self, parts: Sequence[Slice]) -> list[_Made]:
        """Fit the slices of one axis or crossing, and shrink them together."""
        parents = [self.known[part.parent] for part in parts]
        fits = [
            fit_slice(
                [freed(law) for law in above.components],
                self._sample(part),
                self._cluster(part),
                settings=self.settings,
                rng=generator(self.seed, "draws of clusters", part.name),
            )
            for part, above in zip(parts, parents, strict=True)
        ]
        rngs = [generator(self.seed, "spread of slices", part.name) for part in parts]
        shrunk = shrink_siblings(parents, fits, rngs)
        for part, fitted in zip(parts, shrunk, strict=True):
            self.known[part.name] = Parent(fitted.components, fitted.doubt)
        return [self._made(part, fitted) for part, fitted in zip(parts, shrunk, strict=True)]

    def without_labels(self, part: Slice) -> _Made:
        """Give a corpus without labels its parent's laws, and an intent-blind one of its own."""
        mine, least = self.train.of(part.chosen), self.settings.shrink_min
        overall = dict(zip(INTENTS, map(law_of, self.known[ALL].components), strict=True))
        n = int(np.isfinite(mine.onsets).sum())
        if n < least:
            note = f"no labels; {n} responses, under {least}: no intent-blind law either"
            return _Made(list(rows.unlabelled_rows(part, overall, None, note)), {}, None)
        ones = np.ones((mine.onsets.size, 1))
        cells = horizon_cells(self.settings.resolution_ms)
        sample = Sample(ones, cell_of(mine.onsets, cells), cells)
        rng = generator(self.seed, "draws of clusters", part.name)
        component, doubt = fit_blind(
            mine.onsets, sample, self._cluster(part), settings=self.settings, rng=rng
        )
        limits, bands = self._limits(part, {ANY_INTENT: (component, doubt)})
        blind: rows.Row = {
            **parameters(law_of(component)),
            "n_points": float(mine.onsets.size),
            "n_responses": float(n),
            "intervals": limits[0],
            "reason": "no labels: one law for all intents, the family by AIC",
        }
        made = list(rows.unlabelled_rows(part, overall, blind, "no labels"))
        return _Made(made, bands, habits.onsets(part.name, [ANY_INTENT], mine, ones))

    def lengths(self, whole: Slice) -> pd.DataFrame:
        """Measure lengths of response by the laws of ``all``."""
        labelled = whole.chosen if whole.chosen.any() else self.train.labelled
        mine = self.train.of(labelled)
        r = mine.q
        if whole.chosen.any():
            r = responsibilities(self.known[ALL].components, self._sample(whole))
        return habits.durations(mine, r, least=self.settings.shrink_min)

    def _made(self, part: Slice, fitted: Fitted) -> _Made:
        laws = dict(zip(INTENTS, zip(fitted.components, fitted.doubt, strict=True), strict=True))
        limits, bands = self._limits(part, laws)
        tested = self._tested(part, fitted)
        told = rows.slice_rows(part, self.train, fitted, tested, limits)
        r = responsibilities(fitted.components, self._sample(part))
        onsets = habits.onsets(part.name, INTENTS, self.train.of(part.chosen), r)
        return _Made(list(told), bands, onsets)

    def _limits(
        self, part: Slice, laws: Mapping[str, tuple[Component, Doubt]]
    ) -> tuple[list[str | None], rows.Bands]:
        """Give the intervals of each law as JSON, and the bands of its kernel."""
        limits, bands = [], {}
        for intent, (law, doubt) in laws.items():
            ends = doubt.limits(law, level=self.settings.level)
            if ends and (found := band(law, doubt, settings=self.settings)):
                bands[part.name, intent] = found
                ends |= found.limits
            limits.append(rows.limits_json(ends, doubt.clusters, settings=self.settings))
        return limits, bands

    def _tested(self, part: Slice, fitted: Fitted) -> FloatArray:
        """Test the shapes that were fitted here: p by law, NaN elsewhere."""
        fits = np.array([source != PARENT for source in fitted.sources])
        if not (self.settings.ks_resamples and fits.any()):
            return np.full(len(INTENTS), np.nan)
        rng = generator(self.seed, "goodness of fit", part.name)
        n = self.settings.ks_resamples
        return np.where(fits, ks_p(fitted.fit, self._sample(part), resamples=n, rng=rng), np.nan)

    def _taken(self, laws: Laws) -> Parent:
        """Take laws as known."""
        settings = self.settings
        components = tuple(component_of(laws[z], shift_sd=settings.shift_sd) for z in INTENTS)
        sizes = (component.theta.size + 1 for component in components)
        return Parent(components, tuple(Doubt.none(n, settings.resamples) for n in sizes))

    def _sample(self, part: Slice) -> Sample:
        cells = horizon_cells(self.settings.resolution_ms)
        onsets = cell_of(self.train.onsets[part.chosen], cells)
        return Sample(self.train.q[part.chosen], onsets, cells)

    def _cluster(self, part: Slice) -> IntArray:
        names = self.train.points.loc[part.chosen, self.settings.cluster].to_numpy(object)
        return np.asarray(np.unique(names, return_inverse=True)[1], dtype=np.int64)
