"""Evidence: the stretches of talk from which a profile may be measured.

::

    another conversation of the speaker, one test clip of the speaker in it
    evidence   |===========|..clip..|=================|
    the episode's own conversation: nothing within the margin of its history or clip
    evidence   |=====|. margin .|history|context t0 horizon|. margin .|=======|
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tact import frames, keys
from tact.clock import Interval, subtract
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
                start, end = forbidden(
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


def forbidden(history_start_ms: Any, context_start_ms: int, horizon_end_ms: int) -> Interval:
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
