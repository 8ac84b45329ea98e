from collections import Counter, defaultdict

import pytest

from tact.simulate.cast import dyads, series, uuid


@pytest.mark.parametrize(("conversations", "speakers"), [(16, 12), (1656, 1454), (24, 8), (3, 2)])
def test_nobody_talks_to_themselves_and_everyone_comes_about_as_often(conversations, speakers):
    made = dyads(conversations, speakers)
    times = Counter(person for meeting in made for person in meeting.people)

    assert len(made) == conversations
    assert all(len(set(meeting.people)) == 2 for meeting in made)
    assert max(times) < speakers
    assert max(times.values()) - min(times[person] for person in range(speakers)) <= 2


def test_people_return_with_several_partners_inside_their_circle():
    partners = defaultdict(set)
    for meeting in dyads(36, 12):
        first, second = meeting.people
        partners[first].add(second)
        partners[second].add(first)

    assert all(len(met) == 5 for met in partners.values())
    assert not partners[0] & partners[1]


def test_no_pair_meets_twice_before_every_pair_has_met_once():
    pairs = Counter(tuple(sorted(meeting.people)) for meeting in dyads(30, 12))

    assert set(pairs.values()) == {1}
    assert len(pairs) == 30


def test_a_series_is_four_meetings_of_the_same_four():
    made = series(8, 9)

    assert [meeting.people for meeting in made] == [(0, 1, 2, 3)] * 4 + [(4, 5, 6, 7)] * 4


def test_a_uuid_has_36_characters_and_comes_from_its_content():
    assert len(uuid("a")) == 36
    assert uuid("a") == uuid("a") != uuid("b")
