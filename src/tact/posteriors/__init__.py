"""Stage posteriors: labels and judge -> q(z | e) of episodes and points, agreement, calibration.

Modes of a posterior (section 4 of arXiv 2609.27372):

share       share of annotators; a weak source (dialogue acts, a TextGrid tier) where no person
            labelled the unit
judge       the judge, tempered on the development split
fused       (1 - lambda) share + lambda judge; where there is only one of the two, that one
script      the intent of a probe, as scripted
calibrated  from people's confusions and the judge as a soft source (``calibration.latent``), by
            labels that heard nothing after t0; else the row of a weak source as it stands, else
            the tempered judge. Only this one may fit laws.

Shares of intents are fitted by corpus, for the train frame and for other points apart: episodes
are chosen by their outcome, the frame is not.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tact import calibration, frames
from tact.clock import Flags, FloatArray, IntArray
from tact.posteriors.evidence import Evidence, gather, votes
from tact.posteriors.summary import Row, agreement_rows, judge_rows, latent_rows
from tact.settings import Posteriors as Settings
from tact.vocabulary import INTENTS

_JUDGED_MIN = 100
"""The judge is a source beside people only where at least this many units have both."""


@dataclass(frozen=True)
class Posteriors:
    """The four tables of the stage."""

    posteriors: pd.DataFrame
    point_posteriors: pd.DataFrame
    agreement: pd.DataFrame
    calibration: pd.DataFrame


def infer(
    labels: pd.DataFrame,
    judge: pd.DataFrame,
    points: pd.DataFrame,
    episodes: pd.DataFrame,
    *,
    settings: Settings,
) -> Posteriors:
    """Turn labels and judge into posteriors of intent.

    Parameters
    ----------
    labels, judge : tables ``labels`` and ``judge``, in any order; either may be empty
    points : table ``points`` of every corpus
    episodes : table ``episodes`` of every corpus
    settings : section ``posteriors``

    Returns
    -------
    Posteriors
        A unit that nothing speaks of has no row. Temperature and lambda come from the dev split;
        the calibration error is measured on the test split, on each label held out in turn.

    Raises
    ------
    TableError
        The labels or the judge cannot be used (see ``evidence.gather``).
    """
    evidence = gather(labels, judge, points)
    temperature, temperature_row = _temperature(evidence)
    tempered = calibration.temper(evidence.judge, temperature)
    weight, weight_row = _weight(evidence, tempered, settings)
    share = calibration.share(evidence.human)
    share = np.where(np.isnan(share), evidence.weak, share)
    calibrated, latent = _calibrated(evidence, tempered, settings)
    modes = {
        "share": share,
        "judge": tempered,
        "fused": calibration.fuse(share, tempered, weight),
        "script": evidence.script,
        "calibrated": calibrated,
    }
    by_point = pd.concat([_long(evidence, mode, q) for mode, q in modes.items()])
    by_episode = by_point.merge(episodes[["episode", "point"]], on="point").drop(columns="point")
    rows = [temperature_row, weight_row, *_errors(evidence, tempered, weight, settings), *latent]
    return Posteriors(
        frames.check(by_episode, "posteriors"),
        frames.check(by_point, "point_posteriors"),
        frames.frame(agreement_rows(evidence), "agreement"),
        frames.frame([*rows, *_remarks(evidence, calibrated)], "calibration"),
    )


def _long(evidence: Evidence, mode: str, q: FloatArray) -> pd.DataFrame:
    known = ~np.isnan(q[:, 0])
    return pd.DataFrame(
        {
            "point": np.repeat(evidence.units[known], len(INTENTS)).astype(str),
            "mode": mode,
            "intent": np.tile(np.array(INTENTS, dtype=object), int(known.sum())).astype(str),
            "probability": q[known].ravel(),
        }
    )


def _both(evidence: Evidence, split: str) -> Flags:
    """Which units of a split have labels by people and a judge."""
    spoken = ~np.isnan(evidence.judge[:, 0]) & (evidence.human.sum(axis=1) > 0)
    return np.asarray(spoken & (evidence.split == split))


def _temperature(evidence: Evidence) -> tuple[float, Row]:
    use = _both(evidence, "dev")
    n = int(use.sum())
    if n == 0:
        reason = "no dev unit has both labels by people and a judge: 1, as given"
        return 1.0, {"name": "temperature", "value": 1.0, "n": 0, "reason": reason}
    value = calibration.fit_temperature(evidence.judge[use], evidence.human[use])
    return value, {"name": "temperature", "value": value, "n": n, "reason": None}


def _weight(evidence: Evidence, tempered: FloatArray, settings: Settings) -> tuple[float, Row]:
    if settings.fused_lambda != "fit":
        value, reason = float(settings.fused_lambda), "set in the config"
        return value, {"name": "lambda", "value": value, "n": 0, "reason": reason}
    use = _both(evidence, "dev") & (evidence.human.sum(axis=1) >= 2)
    n = int(use.sum())
    if n == 0:
        reason = "no dev unit has two labels and a judge: 0, the labels alone"
        return 0.0, {"name": "lambda", "value": 0.0, "n": 0, "reason": reason}
    smoothing = settings.lambda_smoothing
    value = calibration.fit_lambda(evidence.human[use], tempered[use], smoothing=smoothing)
    return value, {"name": "lambda", "value": value, "n": n, "reason": "held-out labels"}


def _errors(
    evidence: Evidence, tempered: FloatArray, weight: float, settings: Settings
) -> Iterator[Row]:
    split = "test" if _both(evidence, "test").any() else "dev"
    use = _both(evidence, split)
    for name, judge in (("ece_before", evidence.judge), ("ece_after", tempered)):
        found = calibration.held_out(evidence.human[use], judge[use], weight)
        n = found[0].size
        value = calibration.ece(*found, bins=settings.ece_bins) if n else None
        reason = f"labels of the {split} split" if n else "no unit has labels and a judge"
        yield {"name": name, "value": value, "n": n, "reason": reason}


def _calibrated(
    evidence: Evidence, tempered: FloatArray, settings: Settings
) -> tuple[FloatArray, list[Row]]:
    """Give calibrated posteriors (n, K), NaN where nothing that is free of leaks is known."""
    labels = evidence.labels[evidence.whole()]
    labelled = np.zeros(evidence.units.size, dtype=bool)
    labelled[labels["at"].to_numpy(np.int64)] = True
    judged = ~np.isnan(evidence.judge[:, 0])
    unscripted = np.isnan(evidence.script[:, 0])
    q = np.where(np.isnan(evidence.weak), tempered, evidence.weak)
    q[~unscripted] = np.nan
    if not labelled.any():
        return q, []
    heeded = int((judged & labelled).sum()) >= _JUDGED_MIN
    use = labelled | (judged & np.isnan(evidence.weak[:, 0]) & unscripted & heeded)
    judge = evidence.judge if heeded else np.full_like(evidence.judge, np.nan)
    group, names = _groups(evidence)
    latent = calibration.fit_latent(
        votes(evidence, group, use, judge), pseudo_count=settings.dawid_skene_prior
    )
    q[use] = latent.posterior
    said = labels.groupby("annotator").size().sort_index()
    present, sizes = np.unique(group[use], return_counts=True)
    rows = list(
        latent_rows(
            latent,
            [str(who) for who in said.index],
            said.tolist(),
            [names[group] for group in present],
            sizes.tolist(),
        )
    )
    if heeded:
        rows += judge_rows(latent, int((judged & use).sum()))
    return q, rows


def _groups(evidence: Evidence) -> tuple[IntArray, list[str]]:
    place = np.where(evidence.split == "train", "train", "other")
    names = [f"{corpus}:{where}" for corpus, where in zip(evidence.corpus, place, strict=True)]
    unique, code = np.unique(np.array(names, dtype=object), return_inverse=True)
    return code.astype(np.int64), [str(name) for name in unique]


def _remarks(evidence: Evidence, calibrated: FloatArray) -> Iterator[Row]:
    """Say which labels were not used, and where one source stands for a calibrated posterior."""
    leaks = evidence.labels["saw_continuation"]
    n = int(leaks.sum())
    reason = "labels by people who heard on: never in calibrated posteriors"
    yield {"name": "saw_continuation", "value": None, "n": n, "reason": reason}
    reason = "labels and judge rows whose unit is no point of this run: not used"
    yield {"name": "unknown_units", "value": None, "n": evidence.n_unknown, "reason": reason}
    alone = evidence.human.sum(axis=1) == 0
    weak = alone & ~np.isnan(evidence.weak[:, 0])
    for corpus in np.unique(evidence.corpus[weak]):
        kinds = evidence.labels["kind"][evidence.corpus[evidence.labels["at"]] == corpus].unique()
        source = " and ".join(sorted(kind for kind in kinds if kind not in ("human", "script")))
        yield {
            "name": f"single_source:{corpus}",
            "value": None,
            "n": int((weak & (evidence.corpus == corpus)).sum()),
            "reason": f"{source} alone: its row is q, as it stands; nothing checks it",
        }
