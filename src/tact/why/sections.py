"""The sections of an explanation, in the order of the pipeline."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from tact import config, keys
from tact.settings import Settings
from tact.vocabulary import T_A_S, T_H_S
from tact.why import memory
from tact.why.lookup import NOT_BUILT, Results, Row


def explain(episode: str, folder: Path) -> dict[str, Any]:
    """Collect where every number of an episode came from.

    Parameters
    ----------
    episode : id of the episode
    folder : results of a run

    Raises
    ------
    InputError
        No such episode; the nearest id is named.
    """
    results = Results(folder)
    row = results.episode(episode)
    settings = config.load([folder / "config.yaml"])
    about: dict[str, Callable[[Results, Row, Settings], Any]] = {
        "episode": lambda _results, row, _settings: row,
        "sources": _sources,
        "split": _split,
        "point": _point,
        "speech": _speech,
        "words": _words,
        "history": _history,
        "hearing": _hearing,
        "rules": _rules,
        "draw": _draw,
        "profile": memory.profile,
        "evidence": memory.evidence,
        "swap": memory.swap,
        "separation": memory.separation,
        "labels": _labels,
        "posterior": _posterior,
        "laws": _laws,
        "responses": _responses,
        "scores": _scores,
        "digests": _digests,
    }
    return {name: tell(results, row, settings) for name, tell in about.items()}


def _sources(results: Results, row: Row, settings: Settings) -> Any:
    """Files, channels and rights of the conversation."""
    found = _of_corpus(results, row, "recordings", conversation=row["conversation"])
    left_out = results.rows(f"quarantine/{row['corpus']}.parquet", "quarantine") or []
    repeated = results.rows("repeats.parquet", "quarantine", item=row["conversation"]) or []
    native = row["conversation"].split(":", 1)[1]
    return {
        "root": settings.corpora[row["corpus"]].root,
        "recordings": found or NOT_BUILT,
        "quarantined": [*(q for q in left_out if native in q["item"]), *repeated],
    }


def _of_corpus(results: Results, row: Row, table: str, **where: Any) -> list[Row] | None:
    """Look in the run, else in the main run, whose ingested corpora a variant shares."""
    path = f"corpora/{row['corpus']}/{table}.parquet"
    found = results.rows(path, table, **where)
    if found or results.folder.parent.name != "sensitivity":
        return found
    return Results(results.folder.parents[1]).rows(path, table, **where)


def _split(_results: Results, row: Row, settings: Settings) -> Any:
    group = row["split_group"]
    return {
        "split": row["split"],
        "group": group,
        "unit": settings.splits.unit,
        "draw_train": keys.draw(settings.seed, "split", group),
        "train_share": settings.train_share(row["corpus"]),
        "draw_dev": keys.draw(settings.seed, "dev", group),
        "dev_share": settings.episodes.dev_share,
    }


def _point(results: Results, row: Row, _settings: Settings) -> Any:
    found = results.rows(f"points/{row['corpus']}/points.parquet", "points", point=row["point"])
    return found[0] if found else NOT_BUILT


def _speech(results: Results, row: Row, _settings: Settings) -> Any:
    """The IPUs from the start of the context to the horizon, and which are backchannels."""
    where = {"conversation": row["conversation"]}
    ipus = results.rows(f"activity/{row['corpus']}/*.parquet", "ipus", **where)
    if ipus is None:
        return NOT_BUILT
    groups = (
        results.rows(f"turns/{row['corpus']}/backchannels.parquet", "backchannels", **where) or []
    )
    taken = {(g["speaker"], g["start_ms"]): g["end_ms"] for g in groups}
    return [
        {
            **{name: ipu[name] for name in ("speaker", "start_ms", "end_ms", "source")},
            "backchannel": any(
                who == ipu["speaker"] and start <= ipu["start_ms"] < end
                for (who, start), end in taken.items()
            ),
        }
        for ipu in sorted(ipus, key=lambda ipu: (ipu["start_ms"], ipu["speaker"]))
        if ipu["end_ms"] > row["context_start_ms"] and ipu["start_ms"] < row["horizon_end_ms"]
    ]


def _words(results: Results, row: Row, _settings: Settings) -> Any:
    """What everyone says inside T."""
    found = _of_corpus(results, row, "words", conversation=row["conversation"])
    if found is None:
        return NOT_BUILT
    start, end = row["t0_ms"] - round(1000 * T_A_S), row["t0_ms"] + round(1000 * T_H_S)
    return [
        {name: word[name] for name in ("start_ms", "end_ms", "speaker", "text", "kind", "source")}
        for word in sorted(found, key=lambda word: (word["start_ms"], word["speaker"]))
        if word["end_ms"] >= start and word["start_ms"] <= end
    ]


def _history(results: Results, row: Row, settings: Settings) -> Any:
    """The transcript before t0, turn by turn; a text is null where there are no words."""
    path = f"episodes/{row['corpus']}/history.parquet"
    found = results.rows(path, "history", episode=row["episode"])
    if found is None:
        return NOT_BUILT
    turns = sorted(found, key=lambda turn: turn["turn"])
    return {
        "history_ms": settings.episodes.history_ms,
        "history_turns": settings.episodes.history_turns,
        "turns": [
            {name: turn[name] for name in ("start_ms", "end_ms", "speaker", "text")}
            for turn in turns
        ],
    }


def _hearing(results: Results, row: Row, settings: Settings) -> Any:
    """What the detector heard of the channels, and whose voice was cut out of the episode."""
    source = settings.corpora[row["corpus"]].activity
    if source == "words":
        return {"source": source, "transfer_error_ms": "not measured: edges are those of words"}
    where = {"conversation": row["conversation"]}
    folder = f"hearing/{row['corpus']}/*"
    heard = results.rows(f"{folder}/heard.parquet", "heard", **where)
    if heard is None:
        return NOT_BUILT
    cut = results.rows(f"{folder}/crosstalk.parquet", "crosstalk", **where) or []
    sides = [one for one in heard if one["speaker"] in (row["focal"], row["partner"])]
    told = [one for one in sides if one["error_low_ms"] is not None]
    return {
        "source": source,
        # A transfer has an end on either channel: the wider of the two bands is given.
        "transfer_error_ms": [
            min(one["error_low_ms"] for one in told),
            max(one["error_high_ms"] for one in told),
        ]
        if told
        else "not measured",
        "channels": heard,
        "leaks": results.rows(f"{folder}/leaks.parquet", "leaks", **where) or [],
        "crosstalk": [
            one
            for one in sorted(cut, key=lambda one: (one["start_ms"], one["speaker"]))
            if one["end_ms"] > row["context_start_ms"] and one["start_ms"] < row["horizon_end_ms"]
        ],
    }


def _rules(_results: Results, row: Row, settings: Settings) -> Any:
    backchannel = settings.turns.backchannel.model_dump(exclude={"lexicon"})
    return {
        "activity": settings.activity.model_dump(),
        "activity_source": settings.corpora[row["corpus"]].activity,
        "backchannel": backchannel,
        "points": settings.points.model_dump(),
        "horizon_s": T_H_S,
        "clip_target_s": settings.corpora[row["corpus"]].clip_target_s,
    }


def _draw(results: Results, row: Row, settings: Settings) -> Any:
    """The draw of the point, its pull, its place among the candidates of its cell, and the caps."""
    cell = results.rows(
        f"episodes/{row['corpus']}/shortfalls.parquet", "shortfalls", scenario=row["scenario"]
    )
    return {
        "draw": row["draw"],
        "pull": row["pull"],
        "rank_among_candidates": row["place"],
        "candidates_of_the_cell": cell[0]["candidates"] if cell else NOT_BUILT,
        "cell": cell[0] if cell else NOT_BUILT,
        "per_speaker": settings.episodes.most_of_a_speaker(row["corpus"]),
        "per_conversation": settings.episodes.per_conversation,
        "clip_overlap_ms": settings.episodes.clip_overlap_ms,
        "weight": row["weight"],
    }


def _labels(results: Results, row: Row, settings: Settings) -> Any:
    source = settings.corpora[row["corpus"]]
    if source.labels is not None and not settings.simulation.use:
        return {"file": source.labels, "judge_file": source.judge, "unit": row["point"]}
    labels = results.rows(f"labels/{row['corpus']}/labels.parquet", "labels", unit=row["point"])
    judge = results.rows(f"labels/{row['corpus']}/judge.parquet", "judge", unit=row["point"])
    return {"labels": NOT_BUILT if labels is None else labels, "judge": judge or []}


def _posterior(results: Results, row: Row, _settings: Settings) -> Any:
    found = results.rows("posteriors/posteriors.parquet", "posteriors", episode=row["episode"])
    if found is None:
        return NOT_BUILT
    modes: dict[str, dict[str, float]] = {}
    for part in found:
        modes.setdefault(part["mode"], {})[part["intent"]] = part["probability"]
    return modes


def _laws(results: Results, row: Row, _settings: Settings) -> Any:
    strata = dict(row["strata"])
    slices = ["all", *(f"{axis}={value}" for axis, value in strata.items() if value)]
    found = results.rows("reference/laws.parquet", "laws", slice=slices)
    return NOT_BUILT if found is None else found


def _responses(results: Results, row: Row, _settings: Settings) -> Any:
    found = results.rows("responses/*/responses.parquet", "responses", episode=row["episode"])
    return NOT_BUILT if found is None else found


def _scores(results: Results, row: Row, _settings: Settings) -> Any:
    found = results.rows("scores/episode_scores.parquet", "episode_scores", episode=row["episode"])
    return NOT_BUILT if found is None else found


def _digests(results: Results, _row: Row, settings: Settings) -> Any:
    """The config, the seed, and the code by stage as the run was planned."""
    content = (results.folder / "config.yaml").read_bytes()
    code = results.folder / "code.yaml"
    return {
        "config_sha256": hashlib.sha256(content).hexdigest(),
        "seed": settings.seed,
        "code": yaml.safe_load(code.read_text()) if code.is_file() else NOT_BUILT,
    }
