import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact import shards
from tact.errors import InputError


def recordings(lengths: dict[str, int]) -> pd.DataFrame:
    rows = [(name, channel, ms) for name, ms in lengths.items() for channel in (0, 1)]
    return pd.DataFrame(rows, columns=["conversation", "channel", "duration_ms"])


LENGTHS = st.dictionaries(st.text("abc", min_size=1), st.integers(1, 10_000), max_size=30)


def test_the_longest_goes_first_to_the_emptiest_shard_and_ties_go_by_id():
    dealt = shards.deal(recordings({"b": 50, "a": 50, "c": 60, "d": 10}), 2)

    assert dealt == {"c": 1, "a": 2, "b": 2, "d": 1}


@given(LENGTHS, st.integers(1, 5), st.randoms())
def test_every_conversation_is_in_one_shard_whatever_the_order_of_rows(lengths, n, random):
    rows = recordings(lengths)
    shuffled = rows.iloc[random.sample(range(len(rows)), len(rows))]

    picked = [set(shards.pick(shuffled, i, n)["conversation"]) for i in range(1, n + 1)]

    assert sorted(name for part in picked for name in part) == sorted(lengths)
    assert shards.deal(rows, n) == shards.deal(shuffled, n)


@given(LENGTHS, st.integers(1, 5))
def test_no_shard_outlasts_another_by_more_than_the_longest_conversation(lengths, n):
    dealt = shards.deal(recordings(lengths), n)
    loads = [sum(lengths[name] for name in dealt if dealt[name] == i) for i in range(1, n + 1)]

    assert max(loads) - min(loads) <= max(lengths.values(), default=0)


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "-1/2", "1/0"])
def test_a_shard_that_does_not_exist_is_refused(text):
    with pytest.raises(InputError, match="I/N"):
        shards.parse(text)


def test_a_shard_reads_as_number_and_count():
    assert shards.parse("2/16") == (2, 16)
