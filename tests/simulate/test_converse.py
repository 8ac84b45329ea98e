from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from made_world import LAWS, SHARES, looks_like_a_backchannel, measured, studio
from tact.vocabulary import INTENTS

few = settings(max_examples=20, deadline=None)
any_talk = given(st.integers(0, 10_000), st.sampled_from([0.0, 0.1, 0.4]))


def dyad(seed, interruptions):
    return studio(seed=seed, interruptions=interruptions).dyad("t", ("a", "b"))


@few
@any_talk
def test_what_the_definitions_measure_is_what_was_drawn(seed, interruptions):
    talk = dyad(seed, interruptions)

    drawn = [(c.focal, c.t0_ms, c.response_ms) for c in talk.candidates]

    goodbye = talk.utterances[-1]
    assert goodbye.end_ms > talk.duration_ms - 5000
    assert measured(talk) == sorted([*drawn, (goodbye.speaker, goodbye.end_ms, None)], key=_place)


@few
@any_talk
def test_no_window_holds_two_responses_or_earlier_speech_of_the_partner(seed, interruptions):
    talk = dyad(seed, interruptions)

    for candidate in talk.candidates:
        window = (candidate.t0_ms - 2000, candidate.t0_ms)
        speech = [u for u in talk.utterances if u.speaker == candidate.partner]
        inside = [u for u in speech if u.start_ms < window[1] and u.end_ms > window[0]]
        early = candidate.response_ms is not None and candidate.response_ms < 0

        assert len(inside) == early


@few
@any_talk
def test_backchannels_are_short_lexical_alone_and_within_the_talk_of_the_other(seed, interruptions):
    talk = dyad(seed, interruptions)

    said = [u for u in talk.utterances if u.backchannel]
    for utterance in said:
        own = [u for u in talk.utterances if u.speaker == utterance.speaker and u != utterance]
        others = [u for u in talk.utterances if u.speaker != utterance.speaker]

        assert looks_like_a_backchannel(utterance)
        assert all(
            u.end_ms + 1000 <= utterance.start_ms or utterance.end_ms + 1000 <= u.start_ms
            for u in own
        )
        spoken_over = any(
            u.start_ms < utterance.end_ms and utterance.start_ms < u.end_ms for u in others
        )
        if spoken_over:
            continue
        last = max((u for u in talk.utterances if u.end_ms <= utterance.start_ms), key=_end)
        first = min((u for u in talk.utterances if u.start_ms >= utterance.end_ms), key=_start)
        assert last in others
        assert first in others


@few
@any_talk
def test_a_backchannel_never_follows_a_question_of_the_other(seed, interruptions):
    talk = dyad(seed, interruptions)

    for utterance in (u for u in talk.utterances if u.backchannel):
        said = [
            word.text
            for u in talk.utterances
            if u.speaker != utterance.speaker
            for word in u.words
            if word.end_ms <= utterance.start_ms
        ]
        assert not said or said[-1] != "?"


@few
@any_talk
def test_words_fill_their_ipu_on_the_grid_and_ipus_stand_apart(seed, interruptions):
    talk = dyad(seed, interruptions)

    ends = defaultdict(lambda: -1000)
    for utterance in talk.utterances:
        words = [word for word in utterance.words if not word.punctuation]

        assert words[0].start_ms == utterance.start_ms
        assert words[-1].end_ms == utterance.end_ms
        assert all(a.end_ms == b.start_ms for a, b in pairwise(words))
        assert all(20 <= word.end_ms - word.start_ms <= 1500 for word in words)
        assert all(word.start_ms % 10 == 0 for word in words)
        assert utterance.start_ms - ends[utterance.speaker] > 200
        ends[utterance.speaker] = utterance.end_ms


@few
@any_talk
def test_windows_of_one_speaker_never_overlap_and_the_last_has_its_horizon(seed, interruptions):
    talk = dyad(seed, interruptions)

    for speaker in talk.speakers:
        own = [c.t0_ms for c in talk.candidates if c.focal == speaker]
        assert all(later - earlier >= 7000 for earlier, later in pairwise(own))
    assert talk.utterances[-1].end_ms >= talk.candidates[-1].t0_ms + 5000
    assert talk.duration_ms < talk.utterances[-1].end_ms + 5000


@few
@any_talk
def test_who_barges_in_cuts_a_clause_and_takes_the_floor(seed, interruptions):
    talk = dyad(seed, interruptions)

    for cut in (u for u in talk.utterances[:-1] if u.intent is None and not u.backchannel):
        (barging,) = [
            u
            for u in talk.utterances
            if u.speaker != cut.speaker and cut.start_ms < u.start_ms < cut.end_ms < u.end_ms
        ]
        assert cut.end_ms - barging.start_ms > 2000
        assert barging.start_ms - cut.start_ms >= 1000
        assert not {".", "?"} & {word.text for word in cut.words}
        assert barging.end_ms - cut.end_ms > 2000


def test_interruptions_come_at_about_the_rate_asked_for():
    talk = studio(minutes=60.0, interruptions=0.2).dyad("t", ("a", "b"))
    said = [u for u in talk.utterances if not u.backchannel]
    cut = [u for u in said if u.intent is None]

    assert 0.10 < len(cut) / len(said) < 0.22


@pytest.fixture(scope="module")
def many():
    """Give some 15,000 candidates of 200 speakers."""
    made = studio(minutes=15.0, interruptions=0.05)
    talks = [made.dyad(f"t{index}", (f"a{index}", f"b{index}")) for index in range(100)]
    return [candidate for talk in talks for candidate in talk.candidates]


def test_intents_come_in_their_shares(many):
    counts = [sum(c.intent == intent for c in many) for intent in INTENTS]
    shares = np.array([SHARES[intent] for intent in INTENTS])

    assert chisquare(counts, shares / shares.sum() * len(many)).pvalue > 0.001


@pytest.mark.parametrize("intent", INTENTS)
def test_pooled_responses_follow_the_reference_law(many, intent):
    drawn = [c.response_ms for c in many if c.intent == intent]
    onsets = np.array([y for y in drawn if y is not None]) / 1000
    law = LAWS[intent]
    # Onsets stand on a 10 ms grid: spread each over its cell.
    spread = onsets + np.random.default_rng(1).uniform(-0.005, 0.005, len(onsets))
    absent = 1 - len(onsets) / len(drawn)
    # 200 speakers with betas of concentration 40, and their draws.
    beta = law.no_response
    error = np.sqrt(beta * (1 - beta) * (1 / len(drawn) + 1 / (41 * 200)))

    assert abs(absent - beta) < 3.3 * error
    assert kstest(spread, law.onset_cdf).statistic < 1.95 / np.sqrt(len(onsets)) + 0.01


def _place(row):
    return row[:2]


def _start(utterance):
    return utterance.start_ms


def _end(utterance):
    return utterance.end_ms
