"""What files a corpus needs before it can be read, and which of them lie below a root."""

import csv
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from tact.corpora import raw, sheets
from tact.errors import InputError

SOUND = "sound"
NEEDS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "candor": {
        "words": ("transcribe_output.json",),
        "who is who": ("channel_map.json", "metadata.json"),
        SOUND: ("*.mp3",),
    },
    "sssd": {
        "recordings": ("recordings.jsonl.gz",),
        "words": ("supervisions.jsonl.gz",),
        SOUND: ("*.wav", "*.flac"),
    },
    "otospeech": {"shards": ("*.tar",)},
    "seamless": {"transcripts": ("*.jsonl", "*.tar"), SOUND: ("*.wav", "*.tar")},
    "ami": {
        "meetings": ("meetings.xml",),
        "words": ("*.words.xml",),
        SOUND: ("*.Headset-*.wav",),
    },
    "probes": {"people": ("probes.json",), SOUND: ("*.wav",)},
    "generic": {},
}
"""Kind of file -> patterns of its name, any of which will do, by adapter."""


class Shape(NamedTuple):
    """What lies below a root.

    Attributes
    ----------
    n_files, n_bytes : all files but those of folders whose name starts with a dot
    lacking : kinds of which there is no file, each with the patterns sought
    """

    n_files: int
    n_bytes: int
    lacking: Mapping[str, str]


def look(root: Path, adapter: str) -> Shape:
    """Say what lies below a root, and what a corpus of this layout lacks."""
    needs = NEEDS[adapter]
    found: set[str] = set()
    n_files = n_bytes = 0
    for name, size in _files(root):
        n_files, n_bytes = n_files + 1, n_bytes + size
        for kind, patterns in needs.items():
            if kind not in found and any(fnmatchcase(name, pattern) for pattern in patterns):
                found.add(kind)
    lacking = {kind: " or ".join(names) for kind, names in needs.items() if kind not in found}
    if adapter == "generic":
        lacking = _unlisted(root)
    return Shape(n_files, n_bytes, lacking)


def _files(root: Path) -> Iterator[tuple[str, int]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            yield name, Path(folder, name).lstat().st_size


def _unlisted(root: Path) -> dict[str, str]:
    """Name what recordings.csv names and is not there."""
    try:
        listing = sheets.content(raw.File(root, sheets.RECORDINGS))
        rows = list(sheets.sheet(listing, sheets.RECORDINGS, wanted=sheets.WANTED))
    except (InputError, OSError, csv.Error):
        return {"list": sheets.RECORDINGS}
    named = {told[key] for _, told in rows for key in ("audio", "timing") if key in told}
    gone = sorted(path for path in named if not os.path.isfile(root / path))
    if not gone:
        return {}
    return {f"{len(gone)} of {len(named)} files of {sheets.RECORDINGS}": f"first: {gone[0]}"}
