"""Whole random worlds, from words to profiles: nothing leaks, splits are apart, order is nothing.

The oracle marks every millisecond of a conversation that an episode may not know, and looks there.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from made_world import SETTINGS
from tact import activity, episodes, frames, points, profiles, separation, turns
from tact.schemas import CONTRACTS
from tact.vocabulary import SCENARIOS

SAID = {"turn": ("so", "well", "then", "because"), "backchannel": ("yeah", "mm")}
SEED = 3
few = tries(max_examples=10, deadline=None)

Worlds = st.builds(
    lambda **drawn: world(**drawn),
    seed=st.integers(0, 10**6),
    people=st.integers(3, 6),
    conversations=st.integers(2, 7),
    company=st.sampled_from([2, 2, 3]),
)
Units = st.sampled_from(["dyad", "speaker"])


class World(NamedTuple):
    """What is known of a corpus before anything is asked."""

    recordings: pd.DataFrame
    words: pd.DataFrame


class Asked(NamedTuple):
    """What a run makes of it."""

    points: pd.DataFrame
    episodes: pd.DataFrame
    history: pd.DataFrame
    profiles: pd.DataFrame
    evidence: pd.DataFrame
    swap: pd.DataFrame
    separation: pd.DataFrame


def settings(unit="dyad"):
    """Settings under which a few minutes of talk give many short episodes."""
    candor = SETTINGS.corpora["candor"].model_copy(update={"clip_target_s": 12.0})
    corpora = {"candor": candor}
    quota = {"candor": dict.fromkeys(SCENARIOS, 4)}
    own = {"quota": quota, "scale": 1.0, "dev_share": 0.3, "history_ms": 20_000}
    lent = {"margin_ms": 7_000, "evidence_target_ms": 150_000, "fto_law_min": 2}
    splits = {"unit": unit, "train_share": 0.3}
    parts = {"episodes": own, "profiles": lent, "splits": splits}
    return SETTINGS.model_copy(
        update={name: getattr(SETTINGS, name).model_copy(update=new) for name, new in parts.items()}
        | {"corpora": corpora, "seed": SEED}
    )


def world(seed, people, conversations, company):
    rng = np.random.default_rng(seed)
    told, words = [], []
    for k in range(conversations):
        name = f"candor:{k}"
        who = [f"p{p}" for p in rng.choice(people, company, replace=False)]
        duration_ms = int(rng.integers(50_000, 110_000))
        for channel, speaker in enumerate(who):
            told.append(
                {"corpus": "candor", "conversation": name, "channel": channel, "speaker": speaker,
                 "duration_ms": duration_ms, "licence": "x", "mixed": False, "language": "en",
                 "split_group": "candor:" + "+".join(sorted(who))}
            )  # fmt: skip
        words += [(name, *word) for word in talk(rng, who, duration_ms)]
    rows = frames.frame(words, "words")
    return World(frames.frame(told, "recordings"), rows)


def talk(rng, who, duration_ms):
    """Let them take turns, pause, overlap and nod: (speaker, position, start, end, text, ...)."""
    spoken, now, holder = {speaker: [] for speaker in who}, 0, 0
    while now < duration_ms - 9_000:
        for _ in range(int(rng.integers(1, 4))):
            end = now + int(rng.integers(300, 3_000))
            spoken[who[holder]].append((now, end, str(rng.choice(SAID["turn"]))))
            listener = who[(holder + 1) % len(who)]
            if rng.random() < 0.3:
                spoken[listener].append(
                    (end - 200, end + 150, str(rng.choice(SAID["backchannel"])))
                )
            now = end + int(rng.choice([100, 700, 1_500, 2_500]))
        now = max(0, now - int(rng.choice([0, 400, 1_400, 2_600])))
        holder = (holder + int(rng.integers(1, len(who)))) % len(who)
    for speaker, own in spoken.items():
        for position, word in enumerate(sorted(own)):
            yield (speaker, position, *word, "word", "manual")


def run(world, *, unit="dyad", order=None):
    """Run every stage; with ``order``, the rows of every table come mixed between any two."""
    own = settings(unit)
    rng = np.random.default_rng(order)

    def mixed(table):
        return table if order is None else table.sample(frac=1.0, random_state=rng)

    recordings, words = mixed(world.recordings), mixed(world.words)
    languages = recordings.set_index("conversation")["language"].to_dict()
    ipus = mixed(activity.ipus_from_words(words, settings=own.activity))
    took = turns.take_turns(ipus, words, frames.empty("acts"), languages, settings=own.turns)
    took = {name: mixed(table) for name, table in vars(took).items()}
    found = mixed(
        points.find_points(
            "candor", recordings, ipus, took["backchannels"], took["turns"], words, settings=own
        )
    )
    chosen = episodes.build(
        found,
        recordings,
        frames.empty("speakers"),
        words,
        took["turns"],
        frames.empty("inspections"),
        corpus="candor",
        entry=own.corpora["candor"],
        settings=own.episodes,
        bands_db=own.activity.calibration.bands_db,
        seed=SEED,
    )
    asked = mixed(chosen.episodes)
    tables = (ipus, took["pauses"], took["backchannels"], took["transfers"], words)
    built = profiles.build(
        asked,
        recordings,
        profiles.Talk(*tables, final_word_ms=own.profiles.final_word_ms),
        profiles.FtoLaws(took["transfers"], [], settings=own.profiles, seed=SEED),
        entry=own.corpora["candor"],
        settings=own.profiles,
        silence_min_ms=own.points.pause_min_ms,
        seed=SEED,
    )
    made = {"points": found, "episodes": asked, "history": mixed(chosen.history)}
    made |= {name: mixed(table) for name, table in built._asdict().items()}
    proved = separation.prove(
        "candor",
        made["episodes"],
        made["history"],
        made["evidence"],
        made["swap"],
        made["points"],
        recordings,
        margin_ms=own.profiles.margin_ms,
        unit=unit,
    )
    return Asked(**made, separation=proved)


def marked(spans):
    """Mark the milliseconds of a conversation that lie in some spans."""
    marks = np.zeros(200_000, bool)
    for start, end in spans:
        marks[max(start, 0) : end] = True
    return marks


def own_span(asked, episode):
    """The first millisecond that was told or heard of an episode, and the end of its horizon."""
    told = asked.history.loc[asked.history["episode"] == episode.episode, "start_ms"]
    return min([episode.context_start_ms, *told]), episode.horizon_end_ms


def distance(start, end, marks):
    """How many milliseconds lie between an interval and the nearest that is marked."""
    assert not marks[start:end].any()
    after, before = np.flatnonzero(marks[end:]), np.flatnonzero(marks[:start])
    return min([*after[:1].tolist(), *(start - 1 - before[-1:]).tolist()])


def forbidden(asked):
    """Every pair that must be apart: kind, interval of evidence, what it must not touch."""
    rows = {row.episode: row for row in asked.episodes.itertuples()}
    lent = dict(zip(asked.swap["episode"], asked.swap["swapped_episode"], strict=True))
    for episode in rows.values():
        for one in asked.evidence.itertuples():
            span = (one.start_ms, one.end_ms)
            if one.episode == episode.episode and one.conversation == episode.conversation:
                yield separation.OWN, span, own_span(asked, episode)
            if one.episode == lent[episode.episode] and one.conversation == episode.conversation:
                yield separation.SWAPPED, span, own_span(asked, episode)
            clip = (episode.focal, episode.conversation, episode.split)
            if clip == (rows[one.episode].focal, one.conversation, "test"):
                yield separation.CLIPS, span, (episode.context_start_ms, episode.horizon_end_ms)


@few
@given(world=Worlds)
def test_no_evidence_touches_what_its_episode_asks_and_the_report_counts_it_right(world):
    asked = run(world)
    margin = settings().profiles.margin_ms
    gaps = {separation.OWN: [], separation.CLIPS: [], separation.SWAPPED: []}

    for kind, (start, end), span in forbidden(asked):
        gaps[kind].append(distance(start, end, marked([span])))

    assert min([*gaps[separation.OWN], *gaps[separation.SWAPPED]], default=margin) >= margin
    told = asked.separation.set_index("what")
    for kind, found in gaps.items():
        assert told.loc[kind, "n"] == len(found)
        least_ms = told.loc[kind, "least_ms"]
        assert (None if pd.isna(least_ms) else least_ms) == min(found, default=None)


@few
@given(world=Worlds, unit=Units)
def test_nothing_that_a_split_holds_is_in_another(world, unit):
    asked = run(world, unit=unit)
    heard = world.recordings.groupby("conversation")["speaker"].agg(set)
    splits = {"conversation": {}, "split_group": {}, "speaker": {}}

    for row in [*asked.points.itertuples(), *asked.episodes.itertuples()]:
        splits["conversation"].setdefault(row.conversation, set()).add(row.split)
        splits["split_group"].setdefault(row.split_group, set()).add(row.split)
        for speaker in heard[row.conversation]:
            splits["speaker"].setdefault(speaker, set()).add(row.split)

    assert all(len(found) == 1 for found in splits["conversation"].values())
    assert all(len(found) == 1 for found in splits["split_group"].values())
    shared = sum(len(found) > 1 for found in splits["speaker"].values())
    told = asked.separation.set_index("what")["n"]
    assert told[separation.SHARED] == shared
    assert told["conversations"] == len(splits["conversation"])
    assert told["speakers"] == len(splits["speaker"])
    if unit == "speaker":
        assert shared == 0


@tries(max_examples=6, deadline=None)
@given(world=Worlds, order=st.integers(0, 10**6))
def test_the_order_of_rows_changes_no_table_of_a_run(world, order):
    first, second = run(world), run(world, order=order)

    for name, table in first._asdict().items():
        key = list(CONTRACTS[name].key)
        one, other = (
            rows.sort_values(key).reset_index(drop=True) for rows in (table, getattr(second, name))
        )
        pd.testing.assert_frame_equal(one, other)


def test_these_worlds_have_what_can_go_wrong():
    """Evidence in the own conversation, beside clips, of swapped profiles; shared speakers."""
    seen = set()
    for seed in range(4):
        asked = run(world(seed, 4, 7, company=2 + seed % 2))
        told = asked.separation.set_index("what")["n"]
        seen |= {kind for kind, *_ in forbidden(asked)} | set(asked.episodes["scenario"])
        seen |= {separation.SHARED} if told[separation.SHARED] else set()

    assert seen >= {separation.OWN, separation.CLIPS, separation.SWAPPED, separation.SHARED}
    assert seen >= {"pause", "backchannel", "smooth"}
