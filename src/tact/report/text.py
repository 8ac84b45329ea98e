"""Tables as text."""

import pandas as pd


def text_of(table: pd.DataFrame, *, index: bool = False, digits: int = 3) -> str:
    """Lay out a table in columns."""
    return str(table.to_string(index=index, float_format=lambda value: f"{value:.{digits}f}"))
