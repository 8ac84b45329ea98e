"""Where the answering side speaks over the focal speaker, by one rule for people and systems.

::

    focal    ##########   ######|            focal           ###########|
    system        ###        ###t0 ###       system  ###############    t0
                  |-|        |--|                            |------|
                  both are overlaps          the first overlap of an interruption begins
                                             at the focal turn's onset

An overlap begins where the system begins to speak while the focal speaker does, inside the window
of responses to the point (in an interruption from the focal turn's onset on), and lasts until
either stops. Settled: in an interruption the first overlap begins at the focal turn's onset, lasts
as long as the system keeps speaking inside [focal onset, T_h], and its completion is 0.
"""

import numpy as np
import pandas as pd

from tact import frames
from tact.systems.protocol import points_of
from tact.vocabulary import T_A_S, T_H_S

FOCAL, SYSTEM = "focal", "system"
SPAN = ["start_ms", "end_ms"]


def windows(episodes: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Give what bounds the answers to each episode, ms from t0, with whom it is about.

    Columns: episode, scenario, conversation, focal, partner, t0_ms, context_start_ms,
    horizon_end_ms, turn_ms (start of the focal turn), closed_ms (h).
    """
    at = points_of(episodes, points).reset_index(drop=True)
    horizon = round(1000 * T_H_S)
    names = ["episode", "corpus", "scenario", "conversation", "focal", "partner", "t0_ms"]
    names += ["context_start_ms", "horizon_end_ms"]
    closed = at["focal_next_ms"].astype("Int64").fillna(horizon).clip(upper=horizon)
    return (
        episodes[names]
        .reset_index(drop=True)
        .assign(
            turn_ms=(at["turn_start_ms"] - at["t0_ms"]).astype("int64"),
            closed_ms=closed.astype("int64"),
        )
    )


def speech_of(runs: pd.DataFrame, ipus: pd.DataFrame, who: str, name: str) -> pd.DataFrame:
    """Take the IPUs of one side of each run's clip, ms from t0.

    Parameters
    ----------
    runs : rows of `windows` with a column ``talk``, the name of each run
    who : column of ``runs`` with the speaker
    name : what to call that side

    Returns
    -------
    DataFrame : conversation (the talk), speaker, start_ms, end_ms
    """
    columns = ["talk", "conversation", who, "t0_ms", "context_start_ms", "horizon_end_ms"]
    both = runs[columns].merge(
        ipus[["conversation", "speaker", *SPAN]],
        left_on=["conversation", who],
        right_on=["conversation", "speaker"],
    )
    start = both["start_ms"].clip(lower=both["context_start_ms"]) - both["t0_ms"]
    end = both["end_ms"].clip(upper=both["horizon_end_ms"]) - both["t0_ms"]
    cut = pd.DataFrame(
        {"conversation": both["talk"], "speaker": name, "start_ms": start, "end_ms": end}
    )
    return cut[cut["start_ms"] < cut["end_ms"]].reset_index(drop=True)


def overlaps(runs: pd.DataFrame, talk: pd.DataFrame) -> pd.DataFrame:
    """Find the overlaps of each run.

    Parameters
    ----------
    runs : rows of `windows` with a column ``talk``
    talk : conversation (the talk), speaker (focal or system), start_ms, end_ms, backchannel

    Returns
    -------
    DataFrame : talk, onset_ms, duration_ms, backchannel, settled (the first of an interruption)
    """
    own = talk[talk["speaker"] == SYSTEM].merge(
        runs[["talk", "scenario", "turn_ms", "closed_ms"]], left_on="conversation", right_on="talk"
    )
    barged = own["scenario"] == "interruption"
    held = barged & (own["start_ms"] <= own["turn_ms"]) & (own["turn_ms"] < own["end_ms"])
    first = own[held]
    settled = pd.DataFrame(
        {
            "talk": first["talk"],
            "onset_ms": first["turn_ms"],
            "duration_ms": first["end_ms"].clip(upper=round(1000 * T_H_S)) - first["turn_ms"],
            "backchannel": False,
            "settled": True,
        }
    )
    opened = own["turn_ms"].where(barged, own["turn_ms"].clip(lower=round(-1000 * T_A_S)))
    inside = (own["start_ms"] >= opened) & (own["start_ms"] < own["closed_ms"])
    found = pd.concat([settled, _over_focal(own[~held & inside], talk)], ignore_index=True)
    return found.astype({"onset_ms": "int64", "duration_ms": "int64"})


def _over_focal(own: pd.DataFrame, talk: pd.DataFrame) -> pd.DataFrame:
    """Keep what began while the focal speaker spoke, with how long both went on."""
    focal = talk.loc[talk["speaker"] == FOCAL, ["conversation", *SPAN]]
    focal = focal.rename(columns={"start_ms": "focal_start_ms", "end_ms": "focal_end_ms"})
    met = frames.last_before(own, focal, "start_ms", "focal_start_ms", "conversation")
    met = met[met["start_ms"] < met["focal_end_ms"]]
    until = np.minimum(met["end_ms"], met["focal_end_ms"])
    return pd.DataFrame(
        {
            "talk": met["talk"],
            "onset_ms": met["start_ms"],
            "duration_ms": until - met["start_ms"],
            "backchannel": met["backchannel"].astype(bool),
            "settled": False,
        }
    )


def partner_talk(
    runs: pd.DataFrame, ipus: pd.DataFrame, backchannels: pd.DataFrame
) -> pd.DataFrame:
    """Lay the real partner's speech beside the focal one's, as `overlaps` wants it."""
    partner = speech_of(runs, ipus, "partner", SYSTEM)
    groups = speech_of(runs, backchannels, "partner", SYSTEM)
    groups = groups.rename(columns={"start_ms": "group_start_ms", "end_ms": "group_end_ms"})
    groups = groups[["conversation", "group_start_ms", "group_end_ms"]]
    met = frames.last_before(partner, groups, "start_ms", "group_start_ms", "conversation")
    partner = met.assign(backchannel=met["start_ms"] < met["group_end_ms"])
    focal = speech_of(runs, ipus, "focal", FOCAL).assign(backchannel=False)
    return pd.concat(
        [partner.drop(columns=["group_start_ms", "group_end_ms"]), focal], ignore_index=True
    )


def moments(runs: pd.DataFrame, talk: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Give the moment at which each overlap begins, as `tact.completing` asks for it.

    All on the clock of the conversation but ``onset_ms``, which is from t0.
    """
    names = ["talk", "episode", "corpus", "conversation", "focal", "t0_ms", "turn_ms"]
    at = found[["talk", "onset_ms"]].merge(
        runs[[*names, "context_start_ms"]], on="talk", how="left", validate="many_to_one"
    )
    focal = talk.loc[talk["speaker"] == FOCAL, ["conversation", "start_ms"]]
    focal = focal.rename(columns={"conversation": "talk", "start_ms": "ipu_ms"})
    met = frames.last_before(at.reset_index(), focal, "onset_ms", "ipu_ms", "talk")
    ipu = met.set_index("index")["ipu_ms"]
    return pd.DataFrame(
        {
            "corpus": at["corpus"],
            "place": at["episode"],
            "episode": at["episode"],
            "onset_ms": at["onset_ms"],
            "conversation": at["conversation"],
            "speaker": at["focal"],
            "at_ms": at["t0_ms"] + at["onset_ms"],
            "turn_start_ms": at["t0_ms"] + at["turn_ms"],
            "ipu_start_ms": at["t0_ms"] + ipu.fillna(at["turn_ms"]).astype("int64"),
            "heard_from_ms": at["context_start_ms"],
        }
    )


def table(
    name: str,
    runs: pd.DataFrame,
    found: pd.DataFrame,
    completion: "pd.Series[float]",
    without_sound: "pd.Series[float]",
) -> pd.DataFrame:
    """Make table ``overlaps`` of what `overlaps` found, with psi of each row.

    Parameters
    ----------
    runs : columns talk, episode, run
    completion, without_sound : psi, one for each row of ``found``; that of a settled row is 0
    """
    psi = {"completion": completion, "completion_words": without_sound}
    known = {column: values.where(~found["settled"], 0.0) for column, values in psi.items()}
    rows = found.assign(**known, system=name).merge(runs[["talk", "episode", "run"]], on="talk")
    return frames.check(rows.drop(columns=["talk", "settled"]), "overlaps")


def psi_without_sound(overlaps: pd.DataFrame) -> pd.DataFrame:
    """Put psi by pauses and words alone in the place of psi, where it is known."""
    psi = overlaps["completion_words"].fillna(overlaps["completion"])
    return overlaps.assign(completion=psi)
