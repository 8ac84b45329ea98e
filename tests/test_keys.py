"""Ids and draws depend on content alone."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from tact import keys


def test_a_point_id_is_the_first_16_hex_of_the_hash_of_its_content():
    expected = hashlib.sha256(b"ami:ES2002a\x1fami:MEE006\x1f77456").hexdigest()[:16]

    assert keys.point_id("ami:ES2002a", "ami:MEE006", 77456) == expected


def test_parts_do_not_run_into_each_other():
    assert keys.digest("ab", "c") != keys.digest("a", "bc")


def test_an_episode_id_is_its_corpus_and_ten_hex():
    corpus, tail = keys.episode_id("candor", "0123456789abcdef").split("-")

    assert corpus == "candor"
    assert len(tail) == 10
    assert set(tail) <= set("0123456789abcdef")


@given(st.text(), st.integers())
def test_a_draw_lies_in_the_unit_interval_and_repeats(text, number):
    value = keys.draw(text, number)

    assert 0 <= value < 1
    assert value == keys.draw(text, number)


def test_draws_are_spread_evenly():
    draws = [keys.draw("spread", i) for i in range(20_000)]
    tenths = [sum(i / 10 <= d < (i + 1) / 10 for d in draws) for i in range(10)]

    assert max(abs(n - 2000) for n in tenths) < 5 * (2000 * 0.9) ** 0.5


def test_generators_of_the_same_content_agree_and_others_differ():
    a, b, c = (keys.generator(7, name).random(4).tolist() for name in ("x", "x", "y"))

    assert a == b != c
