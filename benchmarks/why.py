"""How long `tact why` takes on a whole benchmark, beside reading the same tables with pandas.

    python benchmarks/why.py results-fullsize [EPISODES]

Each answer is a fresh process, start and imports included; its seconds of CPU are what it takes on
an idle machine. The peer reads the tables of the episode's corpus whole and picks its rows, which
is what one writes first.
"""

import random
import sys
from pathlib import Path
from statistics import median

import pyarrow.parquet as pq
from stages import timed

PEER = """
import sys, pandas as pd
results, corpus, episode = sys.argv[1:]
episodes = pd.read_parquet(f"{results}/episodes/episodes.parquet")
row = episodes[episodes["episode"] == episode].iloc[0]
for path, name in (("points", "points"), ("corpora", "words"), ("turns", "backchannels")):
    table = pd.read_parquet(f"{results}/{path}/{corpus}/{name}.parquet")
    print(len(table[table["conversation"] == row["conversation"]]))
for name in ("profiles", "evidence"):
    table = pd.read_parquet(f"{results}/profiles/{corpus}/{name}.parquet")
    print(len(table[table["episode"] == episode]))
"""


def main(results, n=12):
    names = pq.ParquetFile(results / "episodes/episodes.parquet").read(columns=["episode"])
    names = sorted(names["episode"].to_pylist())
    sizes = {
        table: sum(
            pq.ParquetFile(path).metadata.num_rows for path in results.glob(f"{table}.parquet")
        )
        for table in ("points/*/points", "corpora/*/words", "activity/*/*", "profiles/*/evidence")
    }
    print(f"{len(names)} episodes; rows: {', '.join(f'{v:,} {k}' for k, v in sizes.items())}")
    chosen = random.Random(1).sample(names, min(n, len(names)))
    ours, peers = [], []
    for name in chosen:
        ours.append(timed(sys.executable, "-m", "tact", "why", name, "--results", str(results)))
        corpus = name.rsplit("-", 1)[0]
        peers.append(timed(sys.executable, "-c", PEER, str(results), corpus, name))
    for who, found in (("tact why", ours), ("pandas", peers)):
        seconds, memory, spent = (sorted(values) for values in zip(*found, strict=True))
        print(
            f"{who:<9} median {median(seconds):.2f} s, of CPU {median(spent):.2f} s;"
            f" longest {seconds[-1]:.2f} s, of CPU {spent[-1]:.2f} s; {memory[-1]:.0f} MB at most"
        )
    ratio = sum(cpu for *_, cpu in peers) / sum(cpu for *_, cpu in ours)
    print(f"pandas takes {ratio:.1f} times as long (CPU)")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
