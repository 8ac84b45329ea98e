"""How many spoilt inputs a fuzz test tries: few in each run, TACT_FUZZ of them when asked."""

import os


def runs(usual):
    return int(os.environ.get("TACT_FUZZ", usual))
