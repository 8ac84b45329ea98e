"""Evidence: the stretches of talk from which a profile may be measured, and the proof of it.

::

    another conversation of the speaker, one test clip of the speaker in it
    evidence   |===========|..clip..|=================|
    the episode's own conversation: nothing within the margin of its history or clip
    evidence   |=====|. margin .|history|context t0 horizon|. margin .|=======|
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from tact import frames, keys
from tact.clock import Interval, subtract
from tact.errors import TableError
from tact.settings import Profiles

Clips = Mapping[tuple[str, str], list[Interval]]
CLIP = ("context_start_ms", "horizon_end_ms")


def allot(
    episodes: pd.DataFrame,
    recordings: pd.DataFrame,
    present: Mapping[str, list[str]],
    *,
    settings: Profiles,
    seed: int,
) -> pd.DataFrame:
    """Give each episode up to ``evidence_target_ms`` of its speaker's talk elsewhere.

    The speaker's other conversations come first, in an order drawn from their ids, each from its
    start; then the same conversation, outside history and clip by ``margin_ms``. No clip of a
    test episode of the speaker is touched; the last interval is cut at the target.

    Parameters
    ----------
    episodes, recordings : tables of those names
    present : mapping of speaker to conversations
        Where each speaker is heard.
    settings : Profiles
        Target and margin, ms.
    seed : int
        Seed of the run.

    Returns
    -------
    table ``evidence``
    """
    durations = recordings.groupby("conversation")["duration_ms"].max().to_dict()
    clips = _test_clips(episodes)
    order = {
        speaker: sorted(where, key=lambda name: (keys.draw(seed, "evidence", speaker, name), name))
        for speaker, where in present.items()
    }
    rows: list[tuple[object, ...]] = []
    for episode in episodes.itertuples(index=False):
        own = episode.conversation
        others = [name for name in order.get(episode.focal, []) if name != own]
        left = settings.evidence_target_ms
        for name in [*others, own]:
            holes = clips.get((episode.focal, name), [])
            if name == own:
                start, end = _forbidden(
                    episode.history_start_ms, episode.context_start_ms, episode.horizon_end_ms
                )
                holes = [*holes, (start - settings.margin_ms, end + settings.margin_ms)]
            scope = "same_conversation" if name == own else "other_conversation"
            for start, end in subtract([(0, int(durations[name]))], holes):
                end = min(end, start + left)
                if start < end:
                    rows.append((episode.episode, name, start, end, scope))
                    left -= end - start
    return frames.frame(rows, "evidence")


def check_disjoint(episodes: pd.DataFrame, evidence: pd.DataFrame) -> None:
    """Prove that no evidence touches what it must not.

    No interval of an episode's evidence shares time with the episode's own history or clip, nor
    with the clip of any test episode of the same focal speaker.

    Raises
    ------
    TableError
        One does, or evidence stands for no episode; the first culprit is named.
    """
    forbidden = intrusions(episodes, evidence)
    known = evidence["episode"].isin(episodes["episode"])
    if not known.all():
        first = evidence.loc[~known, "episode"].iloc[0]
        raise TableError(
            f"evidence: {int((~known).sum())} of {len(evidence)} rows stand for no episode"
            f" (first: {first}); rebuild profiles"
        )
    touching = forbidden[forbidden["distance_ms"] < 0]
    if len(touching):
        first = touching.iloc[0]
        n = len(touching.drop_duplicates(["episode", "conversation", "start_ms"]))
        raise TableError(
            f"evidence: {n} of {len(evidence)} intervals touch a history or clip (first: episode"
            f" {first['episode']}, {first['conversation']} from {first['start_ms']} ms, the"
            f" {first['what']}); rebuild profiles"
        )


def intrusions(episodes: pd.DataFrame, evidence: pd.DataFrame) -> pd.DataFrame:
    """Set each interval of evidence beside everything forbidden in its conversation.

    Returns
    -------
    DataFrame
        Columns episode, conversation, start_ms, end_ms, what (``own`` history and clip, or
        ``clip of`` a test episode), distance_ms: the silence between the two; below 0 = shared.
    """
    spans = pd.concat([_own_spans(episodes), _speaker_spans(episodes)], ignore_index=True)
    pairs = evidence.merge(spans, on=["episode", "conversation"])
    before = pairs["from_ms"] - pairs["end_ms"]
    after = pairs["start_ms"] - pairs["to_ms"]
    distance = before.where(before > after, after)
    columns = ["episode", "conversation", "start_ms", "end_ms", "what"]
    return pairs[columns].assign(distance_ms=distance)


def nearest(episodes: pd.DataFrame, evidence: pd.DataFrame) -> dict[str, int]:
    """Give the least distance, ms, of evidence from its episode's own span and from test clips.

    A kind with nothing in the same conversation is absent.
    """
    pairs = intrusions(episodes, evidence)
    kind = pairs["what"].where(pairs["what"] == "own", "clip")
    return {str(k): int(v) for k, v in pairs.groupby(kind)["distance_ms"].min().items()}


def _forbidden(history_start_ms: Any, context_start_ms: int, horizon_end_ms: int) -> Interval:
    """Give the span from history or context, whichever is first, to the horizon."""
    if pd.isna(history_start_ms):
        return context_start_ms, horizon_end_ms
    return min(int(history_start_ms), context_start_ms), horizon_end_ms


def _test_clips(episodes: pd.DataFrame) -> Clips:
    """Collect the clips of the test episodes of each focal speaker, by conversation."""
    clips: dict[tuple[str, str], list[Interval]] = {}
    test = episodes[episodes["split"] == "test"]
    columns = (test[name] for name in ("focal", "conversation", *CLIP))
    for focal, conversation, start, end in zip(*columns, strict=True):
        clips.setdefault((focal, conversation), []).append((start, end))
    return clips


def _own_spans(episodes: pd.DataFrame) -> pd.DataFrame:
    """Set out the history and clip of each episode as what its own evidence must not touch."""
    start = episodes["history_start_ms"].fillna(episodes["context_start_ms"]).astype("int64")
    return pd.DataFrame(
        {
            "episode": episodes["episode"],
            "conversation": episodes["conversation"],
            "from_ms": np.minimum(start, episodes["context_start_ms"]),
            "to_ms": episodes["horizon_end_ms"],
            "what": "own",
        }
    )


def _speaker_spans(episodes: pd.DataFrame) -> pd.DataFrame:
    """Set out the test clips of each episode's focal speaker."""
    test = episodes[episodes["split"] == "test"]
    clips = pd.DataFrame(
        {
            "focal": test["focal"],
            "conversation": test["conversation"],
            "from_ms": test["context_start_ms"],
            "to_ms": test["horizon_end_ms"],
            "what": "clip of " + test["episode"],
        }
    )
    return episodes[["episode", "focal"]].merge(clips, on="focal").drop(columns="focal")
