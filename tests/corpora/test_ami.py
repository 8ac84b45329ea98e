"""AMI: who sits where, what is said, which acts answer; and every hazard of its files."""

import pytest

from corpora.layouts import act, ami, ami_files, faults, nxt, pair, put, read, said, wav
from tact.corpora.ami import Meeting, Seat, split_groups
from tact.corpora.reasons import Reason
from tact.errors import InputError

MEETING = "ES2002a"


def test_a_headset_is_known_by_its_channel_not_by_the_agent(tmp_path):
    for number in (0, 1, 2):
        wav(tmp_path / f"amicorpus/{MEETING}/audio/{MEETING}.Headset-{number}.wav", seconds=8)

    tables = read(ami(tmp_path), "ami")

    rows = tables.recordings.set_index("channel")
    assert rows.loc[1, "speaker"] == "ami:FEE005"
    assert rows.loc[0, "speaker"] == "ami:MEO007"
    assert rows.loc[0, "path"] == f"amicorpus/{MEETING}/audio/{MEETING}.Headset-0.wav"
    assert rows.loc[0, "annotation_path"] == f"ami/words/{MEETING}.C.words.xml"
    assert set(rows["duration_ms"]) == {8_000}
    assert set(rows["n_samples"]) == {128_000}
    assert set(rows["release"]) == {"1.7"}
    assert set(rows["split_group"]) == {"ami:ES2002"}


def test_words_marks_and_laughs_have_their_kinds(tmp_path):
    tables = read(ami(tmp_path), "ami")

    assert said(tables, f"ami:{MEETING}", "ami:FEE005") == [
        ("what", 1000, 1500, "word"),
        ("now", 1500, 2000, "word"),
        ("?", 2000, 2000, "punctuation"),
        ("laugh", 2500, 3000, "vocalsound"),
    ]
    assert said(tables, f"ami:{MEETING}", "ami:MED006") == [("café", 2200, 2800, "word")]
    assert set(tables.recordings["duration_ms"]) == {20_000}
    assert faults(tables) == []


def test_demographics_come_from_the_table_else_from_the_id_and_say_which(tmp_path):
    speakers = read(ami(tmp_path), "ami").speakers.set_index("speaker")

    columns = ["gender", "gender_source", "age", "first_language", "region"]
    stated = speakers.loc["ami:FEE005", columns]
    assert list(stated) == ["female", "participants.xml", "20-29", "English", "Scotland"]
    by_id = speakers.loc["ami:MED006"]
    assert (by_id["gender"], by_id["gender_source"]) == ("male", "from id")
    assert by_id[["age", "first_language", "region"]].isna().all()
    assert speakers.loc["ami:MEO007", ["first_language", "region"]].isna().all()


def test_an_act_spans_its_words_and_only_the_second_of_a_pair_answers(tmp_path):
    acts = read(ami(tmp_path), "ami").acts.set_index("speaker")

    question, answer, later = (acts.loc[f"ami:{who}"] for who in ("FEE005", "MED006", "MEO007"))
    assert (question["act"], question["start_ms"], question["end_ms"]) == ("el.inf", 1000, 2000)
    assert not question["answers"]
    assert (answer["act"], answer["answers"]) == ("inf", True)
    assert (later["act"], later["answers"]) == ("bck", False)


@pytest.mark.parametrize(
    ("pairs", "answering"),
    [
        pytest.param(pair("ES2002a.A", "ES2002a.B"), {"ami:MED006"}, id="second-part"),
        pytest.param(pair("ES2002a.C", "ES2002a.A"), set(), id="first-part-starts-later"),
        pytest.param(pair("ES2002a.A", "ES2002a.A"), set(), id="own-act"),
        pytest.param(pair("", "ES2002a.C"), {"ami:MEO007"}, id="first-part-not-annotated"),
        pytest.param(pair("ES2002a.A", ""), set(), id="nobody-answers"),
        pytest.param("", set(), id="no-pairs"),
    ],
)
def test_no_role_that_tells_of_the_future_is_used(tmp_path, pairs, answering):
    tables = read(ami(tmp_path, **{f"{MEETING}.adjacency-pairs.xml": nxt(pairs)}), "ami")

    assert set(tables.acts.loc[tables.acts["answers"], "speaker"]) == answering


def words_of(who, *rows):
    """Words by hand: (attributes, text)."""
    return nxt(
        "".join(
            f'<w nite:id="ES2002a.{who}.words{n}" {times}>{text}</w>'
            for n, (times, text) in enumerate(rows)
        )
    )


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        pytest.param("", Reason.UNTIMED, id="untimed"),
        pytest.param('starttime="3" endtime="2"', Reason.BACKWARDS, id="end-before-start"),
        pytest.param('starttime="3" endtime="3"', Reason.NO_LENGTH, id="no-length"),
        pytest.param('starttime="three" endtime="4"', Reason.UNTIMED, id="no-number"),
    ],
)
def test_a_bad_word_is_named_and_the_others_stay(tmp_path, times, reason):
    spoken = words_of("B", ('starttime="1" endtime="2"', "so"), (times, "Mm"))

    tables = read(ami(tmp_path, **{f"{MEETING}.B.words.xml": spoken}), "ami")

    assert faults(tables) == [("ES2002a.B.words1", reason)]
    assert said(tables, f"ami:{MEETING}", "ami:MED006") == [("so", 1000, 2000, "word")]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("B.words.xml", None, Reason.UNREADABLE, id="words-missing"),
        pytest.param("B.words.xml", "<nite", Reason.UNREADABLE, id="words-broken"),
        pytest.param("B.words.xml", "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>", Reason.UNREADABLE,
                     id="words-with-entities"),
    ],
)  # fmt: skip
def test_a_meeting_that_cannot_be_read_whole_is_left_out_whole(tmp_path, name, content, reason):
    path = f"words/{MEETING}.{name}"
    if content is None:
        tables = read(ami(tmp_path, leave_out=[path]), "ami")
    else:
        tables = read(ami(tmp_path, **{f"{MEETING}.{name}": content}), "ami")

    assert faults(tables) == [(f"ami:{MEETING}", reason)]
    assert len(tables.recordings) == len(tables.words) == len(tables.acts) == 0


def test_a_meeting_without_acts_keeps_its_words_and_one_row_says_so(tmp_path):
    acts = [path for path in ami_files() if path.startswith("dialogueActs")]

    tables = read(ami(tmp_path, leave_out=acts), "ami")

    assert faults(tables) == [(f"ami:{MEETING}", Reason.NO_ACTS)]
    assert len(tables.words) == 6
    assert len(tables.acts) == 0


@pytest.mark.parametrize(
    ("acts", "reason"),
    [
        pytest.param(act("ES2002a.B", 1, None, "words0"), Reason.UNTYPED_ACT, id="untyped"),
        pytest.param(act("ES2002a.B", 1, 99, "words0"), Reason.UNTYPED_ACT, id="unknown-type"),
        pytest.param(act("ES2002a.B", 1, 4, "words9"), Reason.UNPLACED_ACT, id="unknown-word"),
        pytest.param(act("ES2002a.B", 1, 4, ""), Reason.UNPLACED_ACT, id="no-word"),
    ],
)
def test_an_act_without_type_or_place_is_named(tmp_path, acts, reason):
    tables = read(ami(tmp_path, **{f"{MEETING}.B.dialog-act.xml": nxt(acts)}), "ami")

    assert faults(tables) == [("ES2002a.B.act1", reason)]
    assert set(tables.acts["speaker"]) == {"ami:FEE005", "ami:MEO007"}


def test_one_lost_act_file_is_told_apart_from_a_meeting_without_acts(tmp_path):
    lost = f"dialogueActs/{MEETING}.B.dialog-act.xml"

    tables = read(ami(tmp_path, leave_out=[lost]), "ami")

    assert faults(tables) == [(f"ami:{MEETING}", Reason.MISSING)]
    assert set(tables.acts["speaker"]) == {"ami:FEE005", "ami:MEO007"}


@pytest.mark.parametrize("seconds", [None, 0.5])
def test_a_headset_that_is_missing_leaves_words_and_one_that_is_broken_leaves_nothing(
    tmp_path, seconds
):
    for number in (0, 1):
        wav(tmp_path / f"{MEETING}.Headset-{number}.wav", seconds=8)
    if seconds is not None:
        wav(tmp_path / f"{MEETING}.Headset-2.wav", seconds=seconds)
        path = tmp_path / f"{MEETING}.Headset-2.wav"
        path.write_bytes(path.read_bytes()[:-1000])

    tables = read(ami(tmp_path), "ami")

    reason = Reason.NO_AUDIO if seconds is None else Reason.BAD_AUDIO
    assert faults(tables) == [(f"ami:{MEETING}", reason)]
    assert len(tables.recordings) == (3 if seconds is None else 0)


def segments(*edges):
    return nxt(
        "".join(
            f'<segment transcriber_start="{start}" transcriber_end="{end}"><nite:child'
            ' href="x.words.xml#id(ES2002a.A.words0)..id(ES2002a.A.words2)"/></segment>'
            for start, end in edges
        )
    )


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param([(1.2, 2.3), (1.0, 2.0), (4.0, 2.0)], [], id="one-edge-in-six"),
        pytest.param([(4.0, 2.0), (1.0, 6.0)], [(f"ami:{MEETING}", Reason.BAD_TIMING)], id="half"),
    ],
)
def test_words_that_lie_outside_their_segments_make_a_meeting_unfit(tmp_path, edges, expected):
    put(tmp_path / f"ami/segments/{MEETING}.A.segments.xml", segments(*edges))

    assert faults(read(ami(tmp_path), "ami")) == expected


def test_a_root_without_meetings_says_how_to_get_them(tmp_path):
    put(tmp_path / "notes.txt", "x")

    with pytest.raises(
        InputError, match=r"ami has no corpusResources/meetings\.xml in .*tact fetch ami"
    ):
        read(tmp_path, "ami")


def test_two_meetings_of_one_channel_or_one_person_do_not_meet_in_a_table(tmp_path):
    seat = '<speaker nxt_agent="{}" channel="{}" global_name="{}"/>'
    seats = seat.format("A", 0, "FEE005") + seat.format("B", 0, "MED006")
    meetings = nxt(f'<meeting observation="{MEETING}" duration="20">{seats}</meeting>')

    tables = read(ami(tmp_path, **{"meetings.xml": meetings}), "ami")

    assert faults(tables) == [(f"ami:{MEETING}", Reason.CHANNELS)]


def test_meetings_of_a_series_or_of_the_same_people_are_one_group():
    def meeting(name, *people):
        seats = (Seat("A", n, person) for n, person in enumerate(people))
        return Meeting(name, 0, tuple(seats))

    groups = split_groups(
        [
            meeting("IB4002", "b", "a"),
            meeting("IB4001", "a", "b"),
            meeting("ES2002b", "c", "d"),
            meeting("ES2002a", "c", "d", "e"),
            meeting("IN1001", "a", "d"),
        ]
    )

    assert groups == {
        "IB4001": "IB4001",
        "IB4002": "IB4001",
        "ES2002a": "ES2002",
        "ES2002b": "ES2002",
        "IN1001": "IN1001",
    }
