"""The sections about memory: profile, its evidence, the profile given instead, what is apart."""

from typing import Any

from tact.settings import Settings
from tact.why.lookup import NOT_BUILT, Results, Row


def profile(results: Results, row: Row, _settings: Settings) -> Any:
    """What is known of the focal speaker from elsewhere."""
    found = results.rows(
        f"profiles/{row['corpus']}/profiles.parquet", "profiles", episode=row["episode"]
    )
    return found[0] if found else NOT_BUILT


def evidence(results: Results, row: Row, _settings: Settings) -> Any:
    """The evidence intervals, each with its distance to what it must not touch."""
    found = results.rows(
        f"profiles/{row['corpus']}/evidence.parquet", "evidence", episode=row["episode"]
    )
    if found is None:
        return NOT_BUILT
    clips = (
        results.rows("episodes/episodes.parquet", "episodes", focal=row["focal"], split="test")
        or []
    )
    forbidden = [
        (clip["conversation"], (clip["context_start_ms"], clip["horizon_end_ms"]), clip["episode"])
        for clip in clips
    ]
    start = row["history_start_ms"]
    start = row["context_start_ms"] if start is None else min(start, row["context_start_ms"])
    forbidden.append((row["conversation"], (start, row["horizon_end_ms"]), "own history and clip"))
    return [{**interval, "nearest_forbidden": _nearest(interval, forbidden)} for interval in found]


def swap(results: Results, row: Row, _settings: Settings) -> Any:
    """Whose profile the memory ablation gives instead, and what it says."""
    folder = f"profiles/{row['corpus']}"
    found = results.rows(f"{folder}/swap.parquet", "swap", episode=row["episode"])
    if not found:
        return NOT_BUILT
    name = found[0]["swapped_episode"] or []
    given = results.rows(f"{folder}/profiles.parquet", "profiles", episode=name)
    return {**found[0], "synopsis": given[0]["synopsis"] if given else None}


def separation(results: Results, row: Row, settings: Settings) -> Any:
    """What was proved apart in the whole corpus."""
    found = results.rows(f"profiles/{row['corpus']}/separation.parquet", "separation")
    if found is None:
        return NOT_BUILT
    named = ("what", "n", "least_ms")
    apart = [{name: proof[name] for name in named} for proof in found]
    return {"margin_ms": settings.profiles.margin_ms, "proved": apart}


def _nearest(interval: Row, forbidden: list[tuple[str, tuple[int, int], str]]) -> Any:
    apart = [
        {"what": what, "distance_ms": max(start - interval["end_ms"], interval["start_ms"] - end)}
        for conversation, (start, end), what in forbidden
        if conversation == interval["conversation"]
    ]
    return min(apart, key=lambda near: near["distance_ms"]) if apart else "another conversation"
