"""A conversation goes in whole or is left out whole; the tables keep their contracts."""

from dataclasses import replace

import pytest

from corpora.layouts import faults, settings_of
from tact.audio import Header
from tact.corpora.ledger import Ledger
from tact.corpora.places import Item
from tact.corpora.raw import Sound
from tact.corpora.reasons import Reason
from tact.corpora.told import Act, Channel, Conversation, Person, age_band, gender


@pytest.fixture
def ledger():
    return Ledger("candor", settings_of("candor"))


def channel(number, speaker, *items):
    return Channel(number, speaker, items, "asr")


def talk(name="c1", *channels, **more):
    return Conversation(
        name,
        channels or (channel(0, "ann", Item("w", 1.0, 2.0, "hi")), channel(1, "bob")),
        **more,
    )


def test_words_only_lasts_as_long_as_its_annotation_or_its_last_word(ledger):
    ledger.add(talk("short", duration_ms=500))
    ledger.add(talk("long", duration_ms=9_000))

    lengths = ledger.tables().recordings.set_index("conversation")["duration_ms"]

    assert set(lengths["candor:short"]) == {2_000}
    assert set(lengths["candor:long"]) == {9_000}


def test_the_split_group_of_a_dyad_is_its_two_people_in_either_order(ledger):
    ledger.add(talk("c1", channel(0, "ann"), channel(1, "bob")))
    ledger.add(talk("c2", channel(0, "bob"), channel(1, "ann")))
    ledger.add(talk("c3", channel(0, "bob"), channel(1, "ann"), split_group="series"))

    groups = ledger.tables().recordings.groupby("conversation")["split_group"].first()

    assert list(groups) == ["candor:ann+bob", "candor:ann+bob", "candor:series"]


@pytest.mark.parametrize(
    ("channels", "reason"),
    [
        pytest.param([channel(0, "ann")], Reason.SPEAKERS, id="one-person"),
        pytest.param([channel(0, "ann"), channel(1, "ann")], Reason.SPEAKERS, id="twice-the-same"),
        pytest.param([channel(0, "ann"), channel(1, "")], Reason.SPEAKERS, id="nameless"),
        pytest.param([channel(0, "ann"), channel(0, "bob")], Reason.CHANNELS, id="one-channel"),
        pytest.param([channel(0, "ann"), channel(10**30, "bob")], Reason.CHANNELS, id="no-channel"),
        pytest.param([channel(-1, "ann"), channel(0, "bob")], Reason.CHANNELS, id="below-0"),
    ],
)
def test_what_is_no_conversation_is_left_out_whole(ledger, channels, reason):
    assert not ledger.add(talk("c1", *channels))

    tables = ledger.tables()
    assert len(tables.recordings) == len(tables.words) == len(tables.speakers) == 0
    assert faults(tables) == [("candor:c1", reason)]


def test_the_second_conversation_of_an_id_is_left_out(ledger):
    assert ledger.add(talk())
    assert not ledger.add(talk())

    assert faults(ledger.tables()) == [("candor:c1", Reason.DUPLICATE)]


def test_only_people_who_are_heard_have_a_row(ledger):
    ledger.describe("ann", Person(gender="female", gender_source="survey"))
    ledger.describe("nobody", Person(gender="male", gender_source="survey"))
    ledger.add(talk())

    speakers = ledger.tables().speakers.set_index("speaker")

    assert sorted(speakers.index) == ["candor:ann", "candor:bob"]
    assert speakers.loc["candor:ann", "gender"] == "female"
    assert speakers["gender"].isna()["candor:bob"]


def test_a_later_statement_fills_gaps_and_a_contradiction_is_named(ledger):
    ledger.describe("ann", Person(gender="female", gender_source="first"))
    ledger.describe("ann", Person(gender="male", age="30-39", age_source="second"))
    ledger.add(talk())

    tables = ledger.tables()
    row = tables.speakers.set_index("speaker").loc["candor:ann"]
    assert (row["gender"], row["gender_source"], row["age"]) == ("female", "first", "30-39")
    assert faults(tables) == [("candor:ann", Reason.DEMOGRAPHICS)]


def test_the_second_act_of_an_id_is_left_out(ledger):
    ledger.add(talk())
    for start_ms in (0, 500):
        ledger.act("c1", Act("ann", "act1", start_ms, 900, "inf", False))

    tables = ledger.tables()
    assert list(tables.acts["start_ms"]) == [0]
    assert faults(tables) == [("act1", Reason.UNPLACED_ACT)]


@pytest.mark.parametrize(
    ("years", "band"),
    [(20.0, "20-29"), (29.9, "20-29"), (0, "0-9"), (None, None), (-1, None), (200, None)],
)
def test_ages_fall_into_decades(years, band):
    assert age_band(years) == band


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("F", "female"), (" Male ", "male"), ("non-binary", "other"), ("", None), ("unknown", None)],
)
def test_gender_is_what_was_stated_or_nothing(stated, expected):
    assert gender(stated) == expected


def sound(path, *, seconds=10, sha256=None):
    return Sound(path, Header(16_000, seconds * 16_000, 1), sha256 or path)


def heard(name, *sounds):
    """Make a conversation of two people of its own, each with a sound."""
    channels = (
        replace(channel(k, f"{name}-{k}", Item("w", 1.0, 2.0, "hi")), sound=one)
        for k, one in enumerate(sounds)
    )
    return Conversation(name, tuple(channels))


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_one_sound_under_two_conversations_is_kept_once_in_any_order(ledger, order):
    talks = [
        heard("c1", sound("a.wav"), sound("b.wav")),
        heard("c2", sound("c.wav"), sound("copy.wav", sha256="a.wav")),
        heard("c3", sound("d.wav"), sound("c.wav")),
    ]
    for k in order:
        ledger.add(talks[k])
        ledger.act(talks[k].name, Act(f"{talks[k].name}-0", "a", 0, 900, "inf", False))

    tables = ledger.tables()
    kept = {"candor:c1", "candor:c3"}  # c3 shares its sound only with c2, which is left out
    assert set(tables.recordings["conversation"]) == set(tables.words["conversation"]) == kept
    assert set(tables.acts["conversation"]) == kept
    assert len(tables.speakers) == 4
    assert faults(tables) == [("candor:c2", Reason.DUPLICATE)]
    assert tables.quarantine["detail"].tolist() == [
        "copy.wav holds the bytes of a.wav of candor:c1, which is kept"
    ]


def test_speakers_of_one_conversation_may_share_a_file(ledger):
    ledger.add(heard("c1", sound("a.wav"), sound("a.wav")))

    assert faults(ledger.tables()) == []


@pytest.mark.parametrize(("seconds", "said"), [(179, []), (175, [Reason.UNEVEN])])
def test_files_whose_lengths_differ_by_over_a_second_are_kept_with_a_row(ledger, seconds, said):
    assert ledger.add(heard("c1", sound("a.wav", seconds=180), sound("b.wav", seconds=seconds)))

    tables = ledger.tables()
    assert len(tables.recordings) == 2
    assert tables.quarantine["reason"].tolist() == said
    if said:
        detail = "180.0 and 175.0 s; words past the end of the shortest are left out"
        assert tables.quarantine["detail"].tolist() == [detail]
