"""Does a system's timing heed the profile that it is given?

Tables in: ``responses`` under the true profiles and under swapped ones. Table out: ``memory``. The
divergence of the two onset laws (base 2, bins over T plus no response) is too large by the noise of
both, so it stands beside a permutation null: within each episode the two are exchanged or not.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tact import frames, keys
from tact.clock import FloatArray, to_seconds
from tact.errors import TableError
from tact.scoring import jensen_shannon, onset_histogram
from tact.settings import Analyses

_CHUNK = 200
ALL = "all"


def memory(
    responses: pd.DataFrame,
    swapped: pd.DataFrame,
    episodes: pd.DataFrame,
    swap: pd.DataFrame | None,
    *,
    settings: Analyses,
    seed: int,
) -> pd.DataFrame:
    """Compare the onsets of one system under true and swapped profiles: table ``memory``.

    Parameters
    ----------
    responses, swapped : tables ``responses`` of the same runs of the same episodes
    swap : table of that name or None; it tells which episodes had a profile to swap

    Raises
    ------
    TableError
        A table is of several systems, or the two are not of the same runs.
    """
    names = [_one_system(table, name) for table, name in ((responses, "responses"),
                                                          (swapped, "swapped"))]  # fmt: skip
    both = responses.merge(swapped, on=["episode", "run"], how="outer", indicator=True,
                           suffixes=("", "_swapped"))  # fmt: skip
    if len(alone := both[both["_merge"] != "both"]):
        first = alone.iloc[0]
        raise TableError(
            f"memory: {len(alone)} of {len(both)} runs are in one of the two tables alone (first:"
            f" episode {first['episode']}, run {first['run']}); run both on the same episodes"
        )
    both = both[(both["status"] == "ok") & (both["status_swapped"] == "ok")]
    if swap is not None:
        had = swap.loc[swap["swapped_episode"].notna(), "episode"]
        both = both[both["episode"].isin(had)]
    both = both.merge(episodes[["episode", "scenario"]], on="episode", validate="many_to_one")
    rows = []
    for scenario in (ALL, *sorted(both["scenario"].unique())):
        own = both if scenario == ALL else both[both["scenario"] == scenario]
        if len(own):
            rows.append({"system": names[0], "swapped": names[1], "scenario": scenario,
                         **_compare(own, scenario, settings, seed)})  # fmt: skip
    return frames.frame(rows, "memory")


def _one_system(table: pd.DataFrame, name: str) -> str:
    systems = sorted(table["system"].unique())
    if len(systems) != 1:
        raise TableError(f"{name}: one system is wanted, not {len(systems)}; give its table alone")
    return str(systems[0])


def _compare(own: pd.DataFrame, scenario: str, settings: Analyses, seed: int) -> dict[str, object]:
    """Give the divergence of a cell with its null."""
    true = _counts(own, "onset_ms", settings.bin_s)
    other = _counts(own, "onset_ms_swapped", settings.bin_s)
    found = jensen_shannon(true.sum(axis=0), other.sum(axis=0))
    rng = keys.generator(seed, "memory", scenario, len(true))
    null = np.concatenate(list(_null(true, other, settings.permutations, rng)))
    return {
        "jsd": found,
        "null_mean": float(null.mean()),
        "null_high": float(np.quantile(null, 0.95)),
        "excess": found - float(null.mean()),
        "p": float((1 + (null >= found - 1e-12).sum()) / (1 + len(null))),
        "n": len(true),
    }


def _counts(own: pd.DataFrame, column: str, width_s: float) -> FloatArray:
    """Count the onsets of each episode in bins: (n_episodes, bins + 1), rows summing to 1."""
    onsets = to_seconds(own[column])
    episode = pd.factorize(own["episode"], sort=True)[0]
    rows = [onset_histogram(onsets[episode == one], width_s=width_s) for one in np.unique(episode)]
    counts = np.stack(rows)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _null(
    true: FloatArray, other: FloatArray, n: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Exchange the two within episodes at random, and give the divergence of each permutation."""
    whole = true.sum(axis=0) + other.sum(axis=0)
    for start in range(0, n, _CHUNK):
        kept = rng.random((min(_CHUNK, n - start), len(true))) < 0.5
        first = kept @ (true - other) + other.sum(axis=0)
        yield np.array([jensen_shannon(one, whole - one) for one in np.maximum(first, 0.0)])
