"""The card of a release: a page of the hub, whose front matter tells `datasets` what to load."""

from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from tact.schemas import CONTRACTS
from tact.settings import Settings
from tact.vocabulary import SCENARIOS

CLIPS = "episodes"
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LOADING = """```python
from datasets import load_dataset
episodes = load_dataset("{path}", split="test")  # streaming=True reads as it goes
```

Audio comes as FLAC bytes: `soundfile.read(io.BytesIO(episodes[0]["audio"]["bytes"]))`, channel 0
the focal speaker, channel 1 the partner; `cast_column("audio", datasets.Audio())` decodes it where
torchcodec is installed. The decision point lies `t0_ms - context_start_ms` ms after the start.
"""
MEANING = """## What may be shared

Ids of speakers, conversations, groups, points and episodes are keyed hashes (HMAC-SHA256); the key
is in no file, and no attempt to identify anyone is allowed. `licence` stands in each row.

Of a corpus whose `rights` are `recipe` this release holds times, hashes, scenario and split, and
`recipes/`: no audio, no word, no strata, no profile, no evidence, no outcome{posteriors}. Who
has the corpus makes the same clips, byte for byte:

```
tact rebuild RELEASE --corpus NAME --root DIR --to CLIPS
```

A recipe names a conversation by SHA-256 and a speaker by channel. Statistics (laws, kernels,
durations, composites) pool all corpora; rows about a recipe corpus alone are left out.
"""


def page(folder: Path, episodes: pd.DataFrame, settings: Settings) -> str:
    """Write the card of a release that stands in ``folder`` but for its pages."""
    front = _front(folder, len(episodes), "TACT", settings)
    posteriors = "" if settings.release.posteriors_of_recipes else ", no posterior"
    return "\n".join(
        [
            f"---\n{front}---\n",
            "# TACT: turn-taking episodes\n",
            "Each episode is a stretch of two-party talk up to a decision point, 5 s of what came"
            " next,\nand what is needed to score a system's timing on it.\n",
            LOADING.format(path="RELEASE"),
            _counts(episodes),
            MEANING.format(posteriors=posteriors),
            _corpora(settings),
            _columns(),
        ]
    )


def published(settings: Settings) -> dict[str, str]:
    """Give the address and the day of the release, as schema.org names them; no more than known."""
    day = settings.release.published
    told = {"url": settings.release.url, "datePublished": day and day.isoformat()}
    return {name: value for name, value in told.items() if value}


def rebuilt(folder: Path, corpus: str, licence: str) -> str:
    """Write the card of clips that were made again, which are not to be shared."""
    front = yaml.safe_dump({"configs": _configs(folder)}, sort_keys=False)
    return (
        f"---\n{front}---\n\n# Clips of {corpus}, rebuilt\n\nLicence: {licence}. They may not be"
        f" shared.\n\n{LOADING.format(path='CLIPS')}"
    )


def _front(folder: Path, n: int, name: str, settings: Settings) -> str:
    languages = {settings.corpora[corpus].language.split("-")[0] for corpus in settings.build}
    size = next((label for most, label in SIZES if n < most), "100K<n<1M")
    told: dict[str, Any] = {
        "pretty_name": name,
        "license": "other",
        "license_name": "by-row",
        "license_link": "README.md",
        "language": sorted(languages),
        "size_categories": [size],
        "tags": ["audio", "turn-taking", "full-duplex", "spoken-dialogue"],
        "configs": _configs(folder),
    }
    return yaml.safe_dump(told, sort_keys=False)


def _configs(folder: Path) -> list[dict[str, Any]]:
    splits = sorted({path.name.rsplit("-", 1)[0] for path in folder.glob("clips/*.parquet")})
    clips = {
        "config_name": CLIPS,
        "default": True,
        "data_files": [{"split": one, "path": f"clips/{one}-*.parquet"} for one in splits],
    }
    rest = [
        {
            "config_name": path.stem,
            "data_files": [{"split": "full", "path": f"{path.parent.name}/{path.name}"}],
        }
        for path in sorted([*folder.glob("tables/*.parquet"), *folder.glob("recipes/*.parquet")])
        if path.stem != CLIPS
    ]
    return [clips, *rest]


def _counts(episodes: pd.DataFrame) -> str:
    counts = pd.crosstab(episodes["corpus"], episodes["scenario"])
    counts = counts.reindex(columns=list(SCENARIOS), fill_value=0)
    lines = [f"| corpus | {' | '.join(SCENARIOS)} |", f"|---|{'---|' * len(SCENARIOS)}"]
    lines += [f"| {corpus} | {' | '.join(map(str, row))} |" for corpus, *row in counts.itertuples()]
    return "\n".join(["## Episodes\n", *lines, ""])


def _corpora(settings: Settings) -> str:
    lines = ["## Licences\n", "| corpus | licence | rights | how to get it |", "|---|---|---|---|"]
    for name in settings.build:
        entry = settings.corpora[name]
        obtain = " ".join(entry.obtain.split()).replace("|", "/")
        lines.append(f"| {name} | {entry.licence} | {entry.rights} | {obtain} |")
    return "\n".join([*lines, ""])


def _columns() -> str:
    lines = ["## Columns of an episode\n", "| column | unit | meaning |", "|---|---|---|"]
    lines += [
        f"| `{column.name}` | {column.unit} | {column.meaning.replace('|', '/')} |"
        for column in CONTRACTS["episodes"].columns
    ]
    return "\n".join([*lines, ""])
