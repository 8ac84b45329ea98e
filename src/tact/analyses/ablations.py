"""What does each part of the rule, and memory, do to the scores?

Tables in: ``composites`` of the rule as it is and of it without a part. Table out: ``ablations``. A
system without its memory is a system of its own in the main table, paired by name.
"""

from collections.abc import Mapping

import pandas as pd

from tact import frames
from tact.analyses.ranks import headline
from tact.correlation import spearman
from tact.errors import TableError

METRICS = ("timing_population_fair", "overlap", "score")
NO_MEMORY = "no_memory"


def ablations(
    composites: pd.DataFrame,
    without: Mapping[str, pd.DataFrame],
    bare: Mapping[str, str],
) -> pd.DataFrame:
    """Set each score beside the same without a part: table ``ablations``.

    Parameters
    ----------
    composites : of the rule as it is
    without : name of an ablation -> composites of the rule without that part
    bare : system -> the system that is the same without memory

    Raises
    ------
    TableError
        A system of ``bare`` has no scores.
    """
    main = _main(composites)
    parts = {name: _main(table) for name, table in without.items()}
    if bare:
        names = set(main.index.get_level_values("system"))
        if lost := sorted({*bare, *bare.values()} - names):
            raise TableError(f"composites: no row of system {lost[0]!r}; known: {sorted(names)}")
        back = {less: whole for whole, less in bare.items()}
        less = main[main.index.get_level_values("system").isin(back)]
        parts[NO_MEMORY] = less.rename(index=back, level="system")
    rows = []
    for name, table in parts.items():
        for metric in METRICS:
            both = pd.DataFrame({"whole": main[metric], "without": table[metric]})
            both = both[both.index.isin(table.index)].dropna()
            for scenario, cell in both.groupby(level="scenario"):
                rho = spearman(cell["whole"].to_numpy(), cell["without"].to_numpy())
                rows += [
                    (name, system, scenario, metric, whole, less, less - whole, rho, len(cell))
                    for (system, _), whole, less in cell.itertuples()
                ]
    return frames.frame(rows, "ablations")


def _main(composites: pd.DataFrame) -> pd.DataFrame:
    return headline(composites).set_index(["system", "scenario"])
