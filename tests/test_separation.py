"""The proof that evidence lies apart and splits share nothing: what it lets pass, what it names."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from tact import frames, profiles, separation, tables
from tact.cli import main
from tact.errors import TableError
from test_profiles import asked, recordings, rows_of, worlds
from test_profiles import settings as sought

few = tries(max_examples=40, deadline=None)
OTHER = "other_conversation"

CHECKED = asked(
    {"history_start_ms": 20_000},
    {"conversation": "c2", "t0_ms": 30_000},
    {"conversation": "c2", "t0_ms": 90_000, "split": "test"},
    {"conversation": "c3", "focal": "B", "partner": "A"},
    {"conversation": "c4", "split": "dev", "history_start_ms": 50_000},
)
"""e0 owns 20-65 s of c1, e4 40-65 s of c4; A has test clips in c1 (40-65 s) and c2 (10-35 s)."""

OWN, CLIP, LENT = "own history and clip", "clips of the speaker", "swapped intervals"


def evidence(*rows):
    return rows_of("evidence", *((*row, OTHER) for row in rows))


def history(*rows):
    """Turns told: (episode, number, start_ms, end_ms)."""
    return rows_of("history", *((e, n, "A", start, end, None) for e, n, start, end in rows))


def points(table, *rows):
    """Points of the conversations of episodes, and more: (conversation, group, split)."""
    told = [tuple(row) for row in table[["conversation", "split_group", "split"]].values]
    names = ("conversation", "split_group", "split")
    return pd.DataFrame([*told, *rows], columns=names)


def groups_apart(table):
    return table.assign(split_group=table["conversation"])


def swapped(*rows):
    """Rows (episode, speaker, swapped_episode, swapped_speaker)."""
    return frames.frame([(*row, 1.0, None) for row in rows], "swap")


def prove(table, lent=(), *, margin_ms=0, unit="dyad", swap=(), told=(), more=(), company=("A",)):
    table = groups_apart(table)
    named = points(table, *more)
    rows = recordings(dict.fromkeys(named["conversation"].unique(), 999_000), company=company)
    return separation.prove(
        "t",
        table,
        history(*told),
        evidence(*lent),
        swapped(*swap),
        named,
        rows,
        margin_ms=margin_ms,
        unit=unit,
    ).set_index("what")


@pytest.mark.parametrize(
    ("row", "culprit"),
    [
        (("e0", "c1", 0, 20_000), None),
        (("e0", "c1", 0, 20_001), OWN),
        (("e0", "c1", 65_000, 99_000), None),
        (("e0", "c1", 64_999, 99_000), OWN),
        (("e0", "c1", 30_000, 31_000), OWN),
        (("e0", "c2", 0, 10_000), None),
        (("e0", "c2", 0, 10_001), CLIP),
        (("e0", "c2", 34_999, 36_000), CLIP),
        (("e0", "c2", 35_000, 70_000), None),
        (("e0", "c3", 0, 99_000), None),
        (("e4", "c1", 20_000, 40_000), None),
        (("e4", "c1", 20_000, 40_001), CLIP),
        (("e3", "c1", 0, 99_000), None),
        (("e4", "c4", 0, 40_000), None),
        (("e4", "c4", 0, 40_001), OWN),
    ],
)
def test_evidence_that_touches_a_history_or_clip_is_named(row, culprit):
    lent = [("e0", "c9", 0, 1000), row]

    if culprit is None:
        assert prove(CHECKED, lent)["least_ms"].dropna().ge(0).all()
        return
    where = re.escape(f"(first: episode {row[0]}, {row[1]} from {row[2]} to {row[3]} ms")
    with pytest.raises(TableError, match=f"separation: .*{culprit}.* {where}"):
        prove(CHECKED, lent)


@pytest.mark.parametrize(("start", "passes"), [(75_000, True), (74_999, False)])
def test_in_its_own_conversation_evidence_keeps_the_margin(start, passes):
    lent = [("e0", "c1", start, 99_000)]

    if passes:
        found = prove(CHECKED, lent, margin_ms=10_000)
        assert found["least_ms"][separation.OWN] == 10_000
        return
    with pytest.raises(TableError, match=r"1 of 1 intervals .* under 10000 ms apart .* 9999 ms"):
        prove(CHECKED, lent, margin_ms=10_000)


def test_a_turn_of_the_history_table_is_forbidden_whatever_the_episode_says():
    """e1 names no start of history, but was told a turn from 8 s on."""
    lent = [("e1", "c2", 5_000, 9_000)]

    assert prove(CHECKED, lent)["least_ms"][separation.OWN] == 1_000
    with pytest.raises(TableError, match=OWN):
        prove(CHECKED, lent, told=[("e1", 0, 8_000, 9_500)])


@pytest.mark.parametrize(("end", "passes"), [(20_000, True), (20_001, False)])
def test_evidence_of_a_swapped_profile_keeps_off_the_episode_it_is_lent_to(end, passes):
    lent = [("e3", "c1", 0, end)]
    told = {"swap": [("e0", "A", "e3", "B")]}
    table = CHECKED.assign(partner="C")

    if passes:
        assert prove(table, lent, **told)["least_ms"][separation.SWAPPED] == 0
        return
    with pytest.raises(TableError, match=LENT):
        prove(table, lent, **told)


@pytest.mark.parametrize(
    "row", [("e0", "A", "e1", "A"), ("e0", "A", "e3", "B"), ("e0", "A", "e3", "C")]
)
def test_nobody_is_lent_their_own_profile_their_partners_or_one_of_no_name(row):
    with pytest.raises(TableError, match=r"1 of 1 rows of swap .* \(first: episode e0"):
        prove(CHECKED, swap=[row])


def test_evidence_of_no_episode_is_an_error_that_names_it():
    with pytest.raises(TableError, match=r"1 of 2 rows of evidence .* \(first: gone\)"):
        prove(CHECKED, [("e0", "c9", 0, 1), ("gone", "c9", 0, 1)])


def test_a_conversation_in_two_splits_is_an_error():
    with pytest.raises(TableError, match=r"1 of 4 conversations are in two splits \(first: c2\)"):
        prove(CHECKED, more=[("c2", "g", "train")])


def test_a_group_in_two_splits_is_an_error():
    with pytest.raises(TableError, match=r"1 of 5 split groups are in two splits \(first: c3\)"):
        prove(CHECKED, more=[("c8", "c3", "train"), ("c9", "c9", "train")])


@pytest.mark.parametrize("unit", ["dyad", "speaker"])
def test_speakers_in_two_splits_are_counted_or_forbidden(unit):
    """A is recorded in every conversation: c1 to c3 are test, c4 dev, c9 train."""
    more = [("c9", "c9", "train")]

    if unit == "dyad":
        found = prove(CHECKED, more=more)["n"]
        assert found[separation.SHARED] == found["speakers in train and test"] == 1
        assert found["conversations"] == found["split groups"] == 5
        return
    with pytest.raises(TableError, match=r"1 of 1 speakers are in two splits \(first: A\)"):
        prove(CHECKED, more=more, unit=unit)


@few
@given(world=worlds(), margin=st.integers(0, 20), target=st.integers(1, 150))
def test_what_is_allotted_in_any_world_passes_and_a_second_more_may_not(world, margin, target):
    """Evidence by the stage passes; stretched over a test clip of its speaker it does not."""
    table, durations, present = world
    apart = sought(evidence_target_ms=1000 * target, margin_ms=1000 * margin)
    table = table.assign(split="test")
    lent = profiles.allot(table, recordings(durations), present, settings=apart, seed=1)
    told = list(lent.drop(columns="scope").itertuples(index=False, name=None))

    found = prove(table, told, margin_ms=apart.margin_ms)

    assert found["least_ms"].dropna().ge(0).all()
    for clip in table.itertuples():
        leak = (clip.episode, clip.conversation, clip.t0_ms, clip.t0_ms + 1)
        with pytest.raises(TableError, match="separation: "):
            prove(table, [*told, leak], margin_ms=apart.margin_ms)


def test_a_planted_leak_stops_the_command_with_one_line(tmp_path, capsys):
    table = groups_apart(CHECKED)
    made = {
        "episodes": table,
        "history": history(),
        "evidence": evidence(("e0", "c9", 0, 1000), ("e0", "c2", 12_000, 13_000)),
        "swap": swapped(),
        "points": frames.empty("points"),
        "recordings": recordings({"c1": 99_000}),
    }
    line = ["check", "ami"]
    for name, rows in made.items():
        tables.write(rows, tmp_path / f"{name}.parquet", name)
        line += [f"--{name}", str(tmp_path / f"{name}.parquet")]

    code = main([*line, "--out", str(tmp_path / "out.parquet")])

    said = capsys.readouterr().err.strip()
    assert code == 2
    assert said.count("\n") == 0
    assert "first: episode e0, c2 from 12000 to 13000 ms, -3000 ms from 10000 to 35000 ms" in said
    assert not (tmp_path / "out.parquet").exists()
