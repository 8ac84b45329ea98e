"""Who spoke when, from windows that are drawn: one line per local speaker, ``#`` where it talks."""

import numpy as np
import pytest

from tact.diarization import Heard, assign, cluster, named, spans, spread, stitch

MEMBERS = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)


def unit(*numbers):
    vector = np.float32(numbers)
    return vector / np.linalg.norm(vector)


ANN, BEN, CLEO = unit(1, 0.1, 0), unit(0.1, 1, 0), unit(0, 0.1, 1)


def heard(windows, *, hop, n_frames, voices=()):
    """Read windows of two lines each; ``voices`` are (window, local speaker, vector)."""
    talks = np.array([[[c == "#" for c in line] for line in window] for window in windows])
    return Heard(
        classes=(talks[:, 0] + 2 * talks[:, 1]).astype(np.uint8),
        members=MEMBERS,
        start=hop * np.arange(len(windows)),
        n_frames=n_frames,
        vectors=np.array([vector for *_, vector in voices], dtype=np.float32).reshape(-1, 3),
        window=np.array([window for window, *_ in voices], dtype=np.int64),
        local=np.array([local for _, local, _ in voices], dtype=np.int64),
        alone=np.ones(len(voices), dtype=np.int64),
    )


def picture(speech):
    return ["".join("#" if talks else "." for talks in person) for person in speech]


def around(voice, n, rng, spread=0.1):
    return [unit(*(voice + rng.normal(0, spread, 3))) for _ in range(n)]


def test_windows_are_laid_over_one_another_with_their_speakers_named():
    windows = [
        ["####........", "......###..."],
        ["..###.......", "........####"],
    ]
    voices = [(0, 0, ANN), (0, 1, BEN), (1, 0, BEN), (1, 1, ANN)]
    channel = heard(windows, hop=4, n_frames=16, voices=voices)

    speech = stitch(channel, assign(channel, np.stack([ANN, BEN])), 2)

    assert picture(speech) == [
        "####........####",
        "......###.......",
    ]


def test_as_many_people_talk_in_a_frame_as_the_windows_hear_on_the_mean():
    windows = [["####", "####"], ["####", "...."], ["####", "...."]]
    voices = [(0, 0, ANN), (0, 1, BEN), (1, 0, ANN), (2, 0, ANN)]
    channel = heard(windows, hop=0, n_frames=4, voices=voices)

    speech = stitch(channel, assign(channel, np.stack([ANN, BEN])), 2)

    assert picture(speech) == ["####", "...."]


def test_a_local_speaker_without_a_voice_is_somebody_else_and_nobody_when_alone():
    channel = heard([["###..", ".##.#"]], hop=1, n_frames=5, voices=[(0, 0, ANN)])

    speech = stitch(channel, assign(channel, np.stack([ANN, BEN])), 2)

    assert picture(speech) == ["###..", ".##.."]


def test_frames_past_the_end_of_the_channel_are_cut():
    channel = heard([["####", "...."]], hop=1, n_frames=3, voices=[(0, 0, ANN)])

    assert picture(stitch(channel, assign(channel, ANN[None]), 1)) == ["###"]


def test_one_person_taken_for_two_is_one_and_two_who_talk_at_once_are_two():
    near = unit(1, 0.3, 0)
    voices = [(0, 0, near), (0, 1, ANN)]
    channel = heard([["###..", "..###"]], hop=1, n_frames=5, voices=voices)

    whose = assign(channel, np.stack([ANN, BEN]))

    assert whose.tolist() == [[0, 0]]
    assert picture(stitch(channel, whose, 2)) == ["#####", "..#.."]


def test_voices_make_as_many_people_as_they_are_far_apart(rng):
    voices = np.stack(around(ANN, 30, rng) + around(BEN, 20, rng) + around(CLEO, 10, rng))

    people = cluster(voices, threshold=0.5, least=3, least_share=0.0, n_people=None)

    assert len(people) == 3
    assert (np.max(people @ np.stack([ANN, BEN, CLEO]).T, axis=0) > 0.99).all()
    np.testing.assert_allclose(np.linalg.norm(people, axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize(
    ("least", "least_share"),
    [pytest.param(6, 0.5, id="too-few"), pytest.param(12, 0.2, id="too-small-a-share")],
)
def test_a_small_group_is_no_person(rng, least, least_share):
    voices = np.stack(around(ANN, 30, rng) + around(BEN, 5, rng))

    people = cluster(voices, threshold=0.5, least=least, least_share=least_share, n_people=None)

    assert len(people) == 1


@pytest.mark.parametrize("n_people", [1, 2, 3])
def test_the_number_of_people_may_be_told(rng, n_people):
    voices = np.stack(around(ANN, 20, rng) + around(BEN, 20, rng) + around(CLEO, 20, rng))

    people = cluster(voices, threshold=0.5, least=3, least_share=0.0, n_people=n_people)

    assert len(people) == n_people


def test_no_voice_makes_no_people_and_one_voice_one():
    none = np.zeros((0, 3), dtype=np.float32)

    assert len(cluster(none, threshold=0.5, least=3, least_share=0.0, n_people=2)) == 0
    assert len(cluster(ANN[None], threshold=0.5, least=3, least_share=0.0, n_people=2)) == 1


def test_a_channel_on_which_nobody_was_heard_has_no_speech():
    channel = heard([["....", "...."]], hop=1, n_frames=4)

    whose = assign(channel, np.zeros((0, 3), dtype=np.float32))

    assert stitch(channel, whose, 0).shape == (0, 4)


def test_those_that_are_clustered_lie_evenly_over_the_channel():
    chosen = np.arange(100, 200)

    assert spread(chosen, 4).tolist() == [100, 125, 150, 175]
    assert spread(chosen, 100).tolist() == chosen.tolist()


def test_whoever_talks_in_the_last_frame_that_has_an_answer_talks_to_the_end():
    channel = heard([["..##", "##.."]], hop=1, n_frames=6, voices=[(0, 0, ANN), (0, 1, BEN)])

    speech = stitch(channel, assign(channel, np.stack([ANN, BEN])), 2)

    assert picture(speech) == ["..####", "##...."]


@pytest.mark.parametrize(
    ("line", "duration_ms", "expected"),
    [
        pytest.param("##..#", 109, [[0, 65], [98, 109]], id="both-ends"),
        pytest.param("..##.", 120, [[65, 98]], id="inside"),
        pytest.param("##..#", 90, [[0, 65]], id="a-frame-past-the-end"),
        pytest.param("#####", 200, [[0, 200]], id="all"),
        pytest.param(".....", 109, [], id="nobody"),
    ],
)
def test_an_edge_lies_where_the_first_frame_unlike_the_one_before_stands(
    line, duration_ms, expected
):
    """Frames stand at 31, 48, 65, 81 and 98 ms."""
    speech = np.array([c == "#" for c in line])

    found = spans(speech, frame_ms=16.875, first_ms=30.96875, duration_ms=duration_ms)

    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param({}, [("a", "order"), ("b", "order")], id="no-voice-known"),
        pytest.param({"b": ANN}, [("b", "voice"), ("a", "rest")], id="one-known"),
        pytest.param({"a": BEN, "b": ANN}, [("b", "voice"), ("a", "voice")], id="both-known"),
        pytest.param({"a": CLEO}, [("a", "order"), ("b", "order")], id="known-but-not-alike"),
        pytest.param({"c": ANN}, [("a", "order"), ("b", "order")], id="known-but-not-here"),
    ],
)
def test_people_are_named_by_known_voices_and_else_by_order(known, expected):
    names = named(np.stack([ANN, BEN]), ["a", "b"], known, least=0.5)

    assert [(name.speaker, name.how) for name in names] == expected


def test_voices_are_given_out_together_as_they_fit_best():
    between = unit(1, 0.9, 0)
    names = named(np.stack([between, ANN]), ["a", "b"], {"a": ANN, "b": BEN}, least=0.5)

    assert [name.speaker for name in names] == ["b", "a"]
