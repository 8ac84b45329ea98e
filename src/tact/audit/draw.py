"""Draw candidates of each scenario by their content, and collect what is needed to judge them."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from tact import audio, clips, keys, plan, tables
from tact.errors import InputError
from tact.settings import Settings
from tact.vocabulary import SCENARIOS

BEFORE_MS, AFTER_MS = 8_000, 6_000
BEFORE_TURN_MS, MOST_BEFORE_MS = 4_000, 120_000


class Span(NamedTuple):
    """A stretch of a speaker, ms from t0: an IPU, a backchannel or a word."""

    speaker: str
    start_ms: int
    end_ms: int
    text: str


class Drawn(NamedTuple):
    """A point with the speech and words around it; times in ms from t0."""

    point: dict[str, Any]
    from_ms: int
    to_ms: int
    ipus: list[Span]
    backchannels: list[Span]
    words: list[Span]
    sound: str | None
    """MP3 in base64: left the focal speaker, right the partner."""


def draw(results: Path, settings: Settings, *, sample: int, corpora: list[str]) -> list[Drawn]:
    """Draw ``sample`` candidates of each scenario among those of the named corpora.

    Points with a third party are dropped, as they never become episodes.

    The draw goes by a hash of the point, so more of a scenario are the same and then some.

    Raises
    ------
    InputError
        A table of a corpus is not there.
    """
    points = pd.concat(
        [tables.read(results / f"points/{name}/points.parquet", "points") for name in corpora]
    )
    order = points["point"].map(lambda point: keys.draw(settings.seed, "audit", point))
    chosen = points.assign(order=order).sort_values(["order", "point"])
    labelled = chosen["scenario"].isin(SCENARIOS) & ~chosen["third_party"]
    chosen = chosen[labelled].groupby("scenario").head(sample)
    drawn = [
        one
        for name, rows in chosen.drop(columns="order").groupby("corpus")
        for one in _of_corpus(results, str(name), rows, settings)
    ]
    place = {point: at for at, point in enumerate(chosen["point"])}
    rank = {name: at for at, name in enumerate(SCENARIOS)}
    return sorted(drawn, key=lambda one: (rank[one.point["scenario"]], place[one.point["point"]]))


def _of_corpus(
    results: Path, corpus: str, rows: pd.DataFrame, settings: Settings
) -> Iterator[Drawn]:
    raw = results / f"corpora/{corpus}"
    spoken = {
        "ipus": [results / path for path in plan.activity_of(settings, corpus)],
        "backchannels": [results / f"turns/{corpus}/backchannels.parquet"],
        "words": [raw / "words.parquet"],
    }
    wanted = set(rows["conversation"])
    by_conversation = {
        name: dict(iter(tables.read(paths, name, conversations=wanted).groupby("conversation")))
        for name, paths in spoken.items()
    }
    recordings = tables.read(raw / "recordings.parquet", "recordings", conversations=wanted)
    root = Path(settings.corpora[corpus].root).expanduser()
    sources = clips.find_sources(recordings, root)
    for row in rows.to_dict("records"):
        talk = {name: of.get(row["conversation"]) for name, of in by_conversation.items()}
        yield _around(row, talk, sources)


def _around(
    point: dict[str, Any],
    talk: dict[str, pd.DataFrame | None],
    sources: dict[tuple[str, str], clips.Source],
) -> Drawn:
    t0 = point["t0_ms"]
    before = max(BEFORE_MS, t0 - point["turn_start_ms"] + BEFORE_TURN_MS)
    start, end = max(0, t0 - min(before, MOST_BEFORE_MS)), t0 + AFTER_MS
    spans = {name: _spans(rows, start, end, t0) for name, rows in talk.items()}
    sound = _sound(point, sources, start, end)
    return Drawn(point, start - t0, end - t0, sound=sound, **spans)


def _spans(rows: pd.DataFrame | None, start_ms: int, end_ms: int, t0_ms: int) -> list[Span]:
    if rows is None:
        return []
    met = rows[(rows["end_ms"] > start_ms) & (rows["start_ms"] < end_ms)]
    met = met.sort_values("start_ms")
    texts = met["text"] if "text" in met else [""] * len(met)
    return [
        Span(row.speaker, row.start_ms - t0_ms, row.end_ms - t0_ms, text)
        for row, text in zip(met.itertuples(), texts, strict=True)
    ]


def _sound(
    point: dict[str, Any], sources: dict[tuple[str, str], clips.Source], start_ms: int, end_ms: int
) -> str | None:
    """Give the sound around a point, or None where there is none or it does not reach so far."""
    focal, partner = (
        sources.get((point["conversation"], point[who])) for who in ("focal", "partner")
    )
    if focal is None or partner is None:
        return None
    try:
        both, rate_hz = clips.samples(focal, partner, start_ms=start_ms, end_ms=end_ms)
    except InputError:
        return None
    heard = (both / audio.FULL_SCALE).astype("float32")
    return base64.b64encode(audio.mp3(heard, rate_hz)).decode()
