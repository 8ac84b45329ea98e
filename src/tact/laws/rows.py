"""Laws from the config, and to and from rows of table ``laws``."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tact.errors import TableError
from tact.laws.densities import Density, ExGaussian, ShiftedLogNormal
from tact.laws.law import Law
from tact.settings import PaperLaw


def paper_law(paper: PaperLaw) -> Law:
    """Make one law from its entry of the config."""
    if paper.family == "exgaussian":
        mu, sigma, tau = paper.mu, paper.sigma, paper.tau
        if mu is None or sigma is None or tau is None:
            raise ValueError("an ex-Gaussian needs mu, sigma and tau")
        return Law(ExGaussian(mu, sigma, tau), paper.no_response)
    median, log_sigma, shift = paper.median, paper.log_sigma, paper.shift
    if median is None or log_sigma is None or shift is None or median <= shift:
        raise ValueError("a shifted log-normal needs shift, log_sigma and a median above the shift")
    return Law(ShiftedLogNormal(math.log(median - shift), log_sigma, shift), paper.no_response)


def paper_laws(paper: Mapping[Any, PaperLaw]) -> dict[str, Law]:
    """Make the paper's laws from the config (settings.reference.paper), by intent."""
    return {str(intent): paper_law(entry) for intent, entry in paper.items()}


def parameters(law: Law) -> dict[str, float | str | None]:
    """Spread a law over the columns of table ``laws``; parameters of the other family are null."""
    density = law.density
    columns: dict[str, float | str | None] = dict.fromkeys(
        ("mu", "sigma", "tau", "shift", "log_median", "log_sigma")
    )
    if isinstance(density, ExGaussian):
        columns |= {"mu": density.mu, "sigma": density.sigma, "tau": density.tau}
    else:
        columns |= {"log_median": density.log_median, "log_sigma": density.log_sigma}
        columns |= {"shift": density.shift}
    return {"family": density.family, **columns, "no_response": law.no_response}


def from_row(row: Any) -> Law:
    """Make the law of one row of table ``laws`` (a named tuple, a Series or a mapping).

    Raises
    ------
    TableError
        A parameter of the row's family is missing or out of range.
    """
    get = row.__getitem__ if isinstance(row, Mapping | pd.Series) else lambda key: getattr(row, key)
    try:
        if get("family") == "exgaussian":
            density: Density = ExGaussian(*(float(get(key)) for key in ("mu", "sigma", "tau")))
        else:
            names = ("log_median", "log_sigma", "shift")
            density = ShiftedLogNormal(*(float(get(key)) for key in names))
        return Law(density, float(get("no_response")))
    except (TypeError, ValueError) as error:
        where = f"slice {get('slice')}, intent {get('intent')}"
        raise TableError(f"laws: the row of {where} is not a law ({error})") from None


def laws_of(table: pd.DataFrame, name: str) -> dict[str, Law]:
    """Read the laws of one slice from table ``laws``, by intent.

    Raises
    ------
    TableError
        The table has no such slice, or a row is not a law.
    """
    rows = table[table["slice"] == name]
    if rows.empty:
        known = ", ".join(sorted(table["slice"].unique())) or "none"
        raise TableError(f"laws: no slice {name!r}; known: {known}")
    return {str(row.intent): from_row(row) for row in rows.itertuples()}


def paper_rows(paper: Mapping[Any, PaperLaw]) -> list[dict[str, object]]:
    """Make the rows of table ``laws`` for the paper's laws, slice ``all``, source ``paper``."""
    ours = "log_sigma and shift are ours: the paper does not print them"
    return [
        {
            "slice": "all",
            "intent": intent,
            **parameters(law),
            "n_points": 0.0,
            "n_responses": 0.0,
            "source": "paper",
            "reason": ours if isinstance(law.density, ShiftedLogNormal) else None,
        }
        for intent, law in paper_laws(paper).items()
    ]
