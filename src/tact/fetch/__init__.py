"""Fetch raw corpora: lists of what a source has, and transfers that end whole or not at all.

::

    source of the config -> listing -> subset -> transfers -> files and receipts below the root
                                                           -> quarantine: what could not be had

Credentials come from the environment alone and are in no table, ledger or message.
"""

from tact.fetch.items import Item, Subset, subset
from tact.fetch.receipts import Receipt, Receipts
from tact.fetch.run import Fetched, Stopped, fetch
from tact.fetch.transfer import Policy

__all__ = [
    "Fetched",
    "Item",
    "Policy",
    "Receipt",
    "Receipts",
    "Stopped",
    "Subset",
    "fetch",
    "subset",
]
