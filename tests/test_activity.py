from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tact import activity, clock, config, frames

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = config.load([ROOT / "config.yaml"]).activity


def words(*rows: tuple[str, int, int], **columns: str) -> pd.DataFrame:
    table = [
        {
            "conversation": "toy:c",
            "speaker": f"toy:{speaker}",
            "position": position,
            "start_ms": start_ms,
            "end_ms": end_ms,
            "text": "so",
            "kind": columns.get("kind", "word"),
            "source": columns.get("source", "manual"),
        }
        for position, (speaker, start_ms, end_ms) in enumerate(rows)
    ]
    return frames.frame(table, "words")


def recordings(*channels: tuple[str, str], mixed: bool = False) -> pd.DataFrame:
    rows = [
        {
            "corpus": "toy",
            "conversation": conversation,
            "channel": channel,
            "speaker": speaker,
            "duration_ms": 10_000,
            "licence": "CC0",
            "mixed": mixed,
            "language": "en",
            "split_group": conversation,
        }
        for channel, (conversation, speaker) in enumerate(channels)
    ]
    return frames.frame(rows, "recordings")


def spans(ipus: pd.DataFrame) -> list[tuple[str, int, int]]:
    found = ipus[["speaker", "start_ms", "end_ms"]].itertuples(index=False, name=None)
    return [(speaker.removeprefix("toy:"), start, end) for speaker, start, end in found]


@pytest.mark.parametrize(
    ("silence_ms", "expected"),
    [
        pytest.param(0, [("A", 0, 600)], id="words-abut"),
        pytest.param(200, [("A", 0, 800)], id="200-ms-join"),
        pytest.param(201, [("A", 0, 300), ("A", 501, 801)], id="201-ms-do-not"),
        pytest.param(-100, [("A", 0, 500)], id="words-overlap"),
    ],
)
def test_an_ipu_joins_silences_up_to_200_ms(silence_ms, expected):
    second = 300 + silence_ms
    ipus = activity.ipus_from_words(
        words(("A", 0, 300), ("A", second, second + 300)), settings=SETTINGS
    )

    assert spans(ipus) == expected
    assert set(ipus["source"]) == {"words"}
    assert ipus["confidence"].isna().all()


def test_a_word_inside_another_neither_ends_nor_splits_the_ipu():
    """A  ##########          the long word ends at 1000
    A     ##                  the short one at 500
    A             ####        1150 is within 200 ms of 1000, not of 500"""
    ipus = activity.ipus_from_words(
        words(("A", 0, 1000), ("A", 300, 500), ("A", 1150, 1500)), settings=SETTINGS
    )

    assert spans(ipus) == [("A", 0, 1500)]


def test_speakers_are_joined_apart():
    ipus = activity.ipus_from_words(
        words(("A", 0, 300), ("B", 350, 500), ("A", 520, 700)), settings=SETTINGS
    )

    assert spans(ipus) == [("A", 0, 300), ("A", 520, 700), ("B", 350, 500)]


def test_only_words_with_length_count():
    nothing = [
        words(("A", 0, 300), kind="vocalsound"),
        words(("A", 0, 300), kind="other"),
        words(("A", 300, 300)),
    ]
    for table in nothing:
        ipus = activity.ipus_from_words(table, settings=SETTINGS)

        assert frames.check(ipus, "ipus").empty


def test_a_stretched_word_is_cut_but_an_utterance_is_not():
    assert spans(activity.ipus_from_words(words(("A", 0, 4000)), settings=SETTINGS)) == [
        ("A", 0, 1500)
    ]
    utterance = words(("A", 0, 4000), source="utterance")
    assert spans(activity.ipus_from_words(utterance, settings=SETTINGS)) == [("A", 0, 4000)]


SPANS = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 5000), st.integers(1, 900)), max_size=40
)


@given(SPANS, st.integers(0, 400), st.randoms())
def test_joining_agrees_with_the_interval_algebra_in_any_order(drawn, silence_ms, random):
    rows = [("c", speaker, start, start + length) for speaker, start, length in drawn]
    random.shuffle(rows)
    frame = pd.DataFrame(rows, columns=["conversation", "speaker", "start_ms", "end_ms"])
    expected = [
        (speaker, start, end)
        for speaker in "AB"
        for start, end in clock.merge(
            [(row[2], row[3]) for row in rows if row[1] == speaker], max_silence=silence_ms
        )
    ]

    assert spans(activity.join(frame, silence_ms=silence_ms)) == expected


def test_a_conversation_in_which_one_person_speaks_is_left_out_and_named():
    rows = recordings(("toy:c", "toy:A"), ("toy:c", "toy:B"))

    ipus, left_out = activity.from_words(rows, words(("A", 0, 300)), settings=SETTINGS)

    assert ipus.empty
    assert left_out[["item", "stage", "reason"]].to_numpy().tolist() == [
        ["toy:c", "activity", "empty transcript"]
    ]
    frames.check(left_out, "quarantine")


def test_a_conversation_without_any_word_is_left_out_beside_a_good_one():
    rows = recordings(
        ("toy:c", "toy:A"), ("toy:c", "toy:B"), ("toy:d", "toy:A"), ("toy:d", "toy:B")
    )

    ipus, left_out = activity.from_words(
        rows, words(("A", 0, 300), ("B", 400, 900)), settings=SETTINGS
    )

    assert spans(ipus) == [("A", 0, 300), ("B", 400, 900)]
    assert list(left_out["item"]) == ["toy:d"]


def test_speakers_on_one_channel_are_left_out():
    rows = recordings(("toy:c", "toy:A"), ("toy:c", "toy:B"), mixed=True)

    ipus, left_out = activity.from_words(
        rows, words(("A", 0, 300), ("B", 400, 900)), settings=SETTINGS
    )

    assert ipus.empty
    assert list(left_out["reason"]) == ["mixed channel"]
