"""The contract of every table: columns, units, meaning, key and row rules.

Units and meaning travel in the Parquet file's field metadata. ``CONTRACTS`` names them all.
"""

from tact.schemas import analyses, bench, concord, people, raw, score, sound, talk
from tact.schemas.contract import Column, Contract

CONTRACTS: dict[str, Contract] = {
    value.name: value
    for module in (raw, sound, talk, concord, people, bench, score, analyses)
    for value in vars(module).values()
    if isinstance(value, Contract)
}

__all__ = ["CONTRACTS", "Column", "Contract"]
