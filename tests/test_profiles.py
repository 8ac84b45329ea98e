"""Profiles: what evidence may be used of a speaker, and what is measured from it."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from drawing import draw
from made_world import SETTINGS, studio
from tact import activity, corpora, episodes, frames, points, profiles, separation, turns
from tact.profiles.events import Heard
from tact.simulate.world import LAYOUTS

LAW = ("fto_mu_ms", "fto_sigma_ms", "fto_tau_ms")
NO_PRIOR = "fewer than two train speakers with FTOs enough"
few = tries(max_examples=40, deadline=None)
ENTRY = SETTINGS.corpora["candor"]


def settings(**values):
    return SETTINGS.profiles.model_copy(update=values)


def rows_of(table, *rows):
    """Make a table from tuples in the order of its contract."""
    return frames.frame(rows, table)


def pauses(*rows):
    """Pauses: (conversation, speaker, start_ms, end_ms)."""
    return rows_of("pauses", *((*row, row[3] - row[2]) for row in rows))


def backchannels(*rows):
    """Backchannels: (conversation, speaker, start_ms, end_ms)."""
    return rows_of("backchannels", *((*row, row[3] - row[2], 1) for row in rows))


def transfers(*rows):
    """Floor transfers: (conversation, giver, taker, turn_end_ms, fto_ms)."""
    return rows_of("transfers", *((*row, "overlap" if row[4] < 0 else "gap") for row in rows))


def words(*rows):
    """Items: (conversation, speaker, start_ms, end_ms, text[, kind[, source]])."""
    full = [(*row, *("word", "manual")[len(row) - 5 :]) for row in rows]
    return rows_of("words", *((*row[:2], n, *row[2:]) for n, row in enumerate(full)))


def talk(ipus=None, *, pause=(), backchannel=(), transfer=(), word=()):
    return profiles.Talk(
        frames.empty("ipus") if ipus is None else ipus,
        pauses(*pause),
        backchannels(*backchannel),
        transfers(*transfer),
        words(*word),
        final_word_ms=200,
    )


def no_laws():
    """Laws of FTO where no train speaker says what they are like."""
    return profiles.FtoLaws(transfers(), [], settings=settings(), seed=1)


def measure(heard, *, laws=None, entry=ENTRY, settings=SETTINGS.profiles):
    return profiles.measure(
        heard, laws=laws or no_laws(), entry=entry, settings=settings, silence_min_ms=600
    )


def built_of(table, rows, made, *, entry=ENTRY, settings=SETTINGS.profiles):
    return profiles.build(
        table, rows, made, no_laws(), entry=entry, settings=settings, silence_min_ms=600, seed=1
    )


def asked(*rows):
    """Episodes as dicts of what differs from a test episode of A at 60 s in c1, clip 40-65 s."""
    full = []
    for number, row in enumerate(rows):
        t0_ms = row.get("t0_ms", 60_000)
        usual = {
            "episode": f"e{number}",
            "point": f"p{number}",
            "corpus": "t",
            "scenario": "pause",
            "split": "test",
            "split_group": "g",
            "conversation": "c1",
            "focal": "A",
            "partner": "B",
            "t0_ms": t0_ms,
            "context_start_ms": t0_ms - 20_000,
            "horizon_end_ms": t0_ms + 5_000,
            "history_start_ms": None,
            "strata": [("corpus", "t")],
            "rights": "recipe",
            "weight": 1.0,
        }
        full.append(usual | row)
    return frames.frame(full, "episodes")


def recordings(durations, company=("A", "B")):
    return frames.frame(
        [
            {
                "corpus": "t",
                "conversation": conversation,
                "channel": channel,
                "speaker": speaker,
                "duration_ms": duration_ms,
                "licence": "x",
                "mixed": False,
                "language": "en",
                "split_group": "g",
            }
            for conversation, duration_ms in durations.items()
            for channel, speaker in enumerate(company)
        ],
        "recordings",
    )


def spans(evidence, episode="e0"):
    names = ("conversation", "start_ms", "end_ms", "scope")
    rows = evidence[evidence["episode"] == episode]
    return list(zip(*(rows[name] for name in names), strict=True))


OTHER, SAME = "other_conversation", "same_conversation"


# --------------------------------------------------------------------- what is heard in a span


PICTURE = """
    A  #####     ####  ##      ####
    B       ##     ###      ###
    C                    #
"""
"""A 0-500, 1000-1400, 1600-1800, 2400-2800; B 500-700, 1200-1500, 2100-2400; C 1800-1900 ms."""


@pytest.mark.parametrize(
    ("start", "end", "speech"),
    [(0, 2800, 1500), (200, 400, 200), (400, 1100, 200), (500, 1000, 0), (1399, 2401, 202)],
)
def test_own_speech_is_counted_as_far_as_it_lies_in_the_span(start, end, speech):
    heard = talk(draw(PICTURE, conversation="c1")).heard([("c1", start, end)], "A")

    assert (heard.evidence_ms, heard.speech_ms) == (end - start, speech)


@pytest.mark.parametrize(
    ("start", "end", "inside"),
    [(500, 1000, True), (0, 2000, True), (501, 1000, False), (500, 999, False), (600, 700, False)],
)
@pytest.mark.parametrize("kind", ["pause", "late", "early", "produced", "solicited", "word"])
def test_an_event_counts_only_when_it_lies_wholly_in_the_span(start, end, inside, kind):
    """Each kind of event here fills 500 to 1000 ms."""
    made = {
        "pause": {"pause": [("c1", "A", 500, 1000)]},
        "late": {"transfer": [("c1", "B", "A", 500, 500)]},
        "early": {"transfer": [("c1", "B", "A", 1000, -500)]},
        "produced": {"backchannel": [("c1", "A", 500, 1000)]},
        "solicited": {"backchannel": [("c1", "B", 500, 1000)]},
        "word": {"word": [("c1", "A", 500, 1000, "yes")]},
    }[kind]

    heard = talk(draw(PICTURE, conversation="c1"), **made).heard([("c1", start, end)], "A")

    found = {
        "pause": heard.pause_ms.tolist(),
        "late": heard.fto_ms.tolist(),
        "early": heard.fto_ms.tolist(),
        "produced": [heard.produced],
        "solicited": [heard.solicited],
        "word": [*heard.words, *heard.timed, *heard.timed_ms, heard.word_ms],
    }[kind]
    want = {
        "pause": [500],
        "late": [500],
        "early": [-500],
        "produced": [1],
        "solicited": [1],
        "word": ["yes", "yes", 500, 500],
    }[kind]
    nothing = {"produced": [0], "solicited": [0], "word": [0]}.get(kind, [])
    assert found == (want if inside else nothing)


@pytest.mark.parametrize(
    ("start", "end", "unanswered"),
    [
        pytest.param(1800, 2400, False, id="C-starts-with-the-pause-and-B-in-it"),
        pytest.param(1801, 2100, True, id="B-starts-as-it-ends"),
        pytest.param(1801, 2101, False, id="B-starts-just-before-it-ends"),
        pytest.param(500, 1000, False, id="B-starts-with-it"),
        pytest.param(501, 1000, True, id="B-is-under-way"),
    ],
)
def test_a_pause_is_unanswered_when_nobody_else_starts_in_it(start, end, unanswered):
    made = talk(draw(PICTURE, conversation="c1"), pause=[("c1", "A", start, end)])

    assert made.heard([("c1", 0, 3000)], "A").unanswered.tolist() == [unanswered]


def test_only_the_conversation_of_a_span_is_heard():
    picture = pd.concat([draw(PICTURE, conversation="c1"), draw("A  ##", conversation="c2")])
    made = talk(
        picture,
        pause=[("c1", "A", 500, 1000), ("c2", "A", 500, 1100)],
        transfer=[("c1", "B", "A", 700, 300), ("c2", "B", "A", 700, 400)],
        backchannel=[("c1", "B", 500, 700), ("c2", "B", 500, 700)],
        word=[("c1", "A", 0, 100, "one"), ("c2", "A", 0, 100, "two")],
    )

    heard = made.heard([("c2", 0, 3000)], "A")

    assert heard.pause_ms.tolist() == [600]
    assert heard.fto_ms.tolist() == [400]
    assert heard.words == ["two"]
    assert heard.speech_ms == 200
    assert dict(made.present) == {"A": ["c1", "c2"], "B": ["c1"], "C": ["c1"]}


def test_words_without_true_times_are_said_but_not_timed():
    heard = talk(
        word=[
            ("c1", "A", 0, 400, "uh"),
            ("c1", "A", 400, 900, "so it", "word", "utterance"),
            ("c1", "A", 900, 950, "goes", "word", "asr"),
            ("c1", "A", 950, 960, ".", "punctuation"),
            ("c1", "A", 960, 990, "[cough]", "vocalsound"),
        ]
    ).heard([("c1", 0, 1000)], "A")

    assert heard.words == ["uh", "so it", "goes"]
    assert (heard.timed, heard.timed_ms.tolist(), heard.word_ms) == (["uh"], [400], 400)


def test_time_that_two_words_share_is_filled_once():
    heard = talk(word=[("c1", "A", 0, 400, "a"), ("c1", "A", 200, 600, "b")]).heard(
        [("c1", 0, 1000)], "A"
    )

    assert heard.word_ms == 600


@st.composite
def chatter(draw_):
    """Disjoint IPUs of three people in two conversations, with pauses and words of A."""
    ipus, silences, said, takes, nods = [], [], [], [], []
    for conversation in ("c1", "c2"):
        for speaker in "ABC":
            now = 0
            for _ in range(draw_(st.integers(0, 4))):
                start = now + draw_(st.integers(1, 9))
                end = start + draw_(st.integers(1, 9))
                ipus.append((conversation, speaker, start, end, "words", None))
                said.append((conversation, speaker, start, end, f"w{len(said)}"))
                silences.append((conversation, speaker, now, start))
                if draw_(st.booleans()):
                    nods.append((conversation, speaker, start, end))
                fto = draw_(st.integers(-5, 5))
                giver = "B" if speaker == "A" else "A"
                takes.append((conversation, giver, speaker, start + 5, fto))
                now = end
    return ipus, silences, said, takes, nods


SPANS = st.lists(st.integers(0, 60), min_size=2, max_size=6, unique=True).map(
    lambda edges: list(zip(sorted(edges)[::2], sorted(edges)[1::2], strict=False))
)


@few
@given(made=chatter(), one=SPANS, two=SPANS)
def test_what_is_heard_is_what_plain_loops_count(made, one, two):
    ipus, silences, said, takes, nods = made
    windows = [("c1", *span) for span in one] + [("c2", *span) for span in two]
    heard = talk(
        rows_of("ipus", *ipus), pause=silences, transfer=takes, backchannel=nods, word=said
    ).heard(windows, "A")

    def within(conversation, start, end):
        return any(c == conversation and a <= start and end <= b for c, a, b in windows)

    speech = {
        (c, ms)
        for c, who, start, end, *_ in ipus
        for ms in range(start, end)
        if who == "A" and within(c, ms, ms + 1)
    }
    assert heard.evidence_ms == sum(end - start for _, start, end in windows)
    assert heard.speech_ms == len(speech)
    own = [(c, a, b) for c, who, a, b in silences if who == "A" and within(c, a, b)]
    quiet = [not any(i[0] == c and i[1] != "A" and a <= i[2] < b for i in ipus) for c, a, b in own]
    assert sorted(zip(heard.pause_ms.tolist(), heard.unanswered.tolist(), strict=True)) == sorted(
        zip([b - a for _, a, b in own], quiet, strict=True)
    )
    assert sorted(heard.fto_ms) == sorted(
        fto
        for c, _, taker, end, fto in takes
        if taker == "A"
        and within(c, min(end, end + fto), max(end, end + fto))
        # A transfer without length at the very end of a span is the next span's.
        and (fto or any(x == c and a <= end < b for x, a, b in windows))
    )
    nodded = [who == "A" for c, who, a, b in nods if within(c, a, b)]
    assert (heard.produced, heard.solicited) == (sum(nodded), len(nodded) - sum(nodded))
    inside = [row for row in said if row[1] == "A" and within(row[0], row[2], row[3])]
    assert sorted(heard.words) == sorted(row[4] for row in inside)
    assert heard.word_ms == sum(row[3] - row[2] for row in inside)


# -------------------------------------------------------------------------------- the numbers


def heard(**values):
    usual = {
        "evidence_ms": 120_000,
        "speech_ms": 30_000,
        "fto_ms": np.array([500, -200, 0, 100]),
        "pause_ms": np.array([2000, 600, 1000]),
        "unanswered": np.array([True, False, True]),
        "produced": 3,
        "solicited": 5,
        "words": ["Uh,", "well", "UM", "yes."],
        "given_ms": np.array([700, -100, 599]),
        "timed": ["Uh,", "cat", "and", "horse", "UM", "so", "on", "we", "go", "yes."],
        "timed_ms": np.array([300, 300, 900, 500, 600, 400, 200, 200, 200, 300]),
        "final": np.array([False, False, True, False, True, True, False, False, False, False]),
        "word_ms": 4000,
    }
    return Heard(**usual | values)


def nothing(**values):
    none = np.zeros(0, np.int64)
    empty = dict.fromkeys(("fto_ms", "pause_ms", "given_ms", "timed_ms"), none)
    empty |= dict.fromkeys(("unanswered", "final"), none.astype(bool)) | {"words": [], "timed": []}
    counts = dict.fromkeys(("speech_ms", "produced", "solicited", "word_ms"), 0)
    return heard(**empty | counts | values)


def test_the_features_are_those_worked_out_by_hand():
    features, reasons = measure(heard(), entry=ENTRY)

    # Of four FTOs the 10 % quantile lies .3 of the way from -200 to 0, the 90 % one .7 from 100
    # to 500; of three pauses the 90 % one lies .8 from 1000 to 2000. Of three pauses and one gap
    # of 600 ms or more, those of 2000 and 1000 ms were filled by nobody. Of the three words before
    # a pause "um" is a filler: "and" and "so" take 1300 ms for 5 letters, the other 7 words that
    # are no filler (cat horse on we go yes) 1700 ms for 17.
    want = {
        "evidence_ms": 120_000,
        "speech_ms": 30_000,
        "n_transfers": 4,
        "fto_q10_ms": -140.0,
        "fto_median_ms": 50.0,
        "fto_q90_ms": 380.0,
        "overlap_share": 0.25,
        "n_pauses": 3,
        "pause_median_ms": 1000.0,
        "pause_q90_ms": 1800.0,
        "n_silences": 4,
        "abstention_share": 0.5,
        "abstention_wait_ms": 1500.0,
        "backchannels_produced_per_min": 1.5,
        "backchannels_solicited_per_min": 2.5,
        "articulation_rate": 2.5,
        "filler_share": 0.5,
        "n_final_words": 3,
        "final_stretch": 2.6,
        "connective_share": 2 / 3,
    }
    assert {name: features.pop(name) for name in LAW} == dict.fromkeys(LAW)
    assert features == pytest.approx(want)
    assert reasons == dict.fromkeys(LAW, NO_PRIOR)


@pytest.mark.parametrize(
    ("language", "share"), [("en", 2 / 5), ("en-GB", 2 / 5), ("nl", 2 / 5), ("nl-BE", 2 / 5)]
)
def test_fillers_are_those_of_the_language(language, share):
    entry = ENTRY.model_copy(update={"language": language})
    said = {"en": ["um", "Hmm.", "euh", "uhm", "no"], "nl": ["euh", "Eh,", "um", "er", "nee"]}

    features, _ = measure(heard(words=said[language[:2]]), entry=entry)

    assert features["filler_share"] == pytest.approx(share)


def test_without_evidence_every_feature_is_null_for_that_reason():
    features, reasons = measure(nothing(evidence_ms=0), entry=ENTRY)

    null = {name for name, value in features.items() if value is None}
    assert {name: features[name] for name in features if name not in null} == dict.fromkeys(
        ("evidence_ms", "speech_ms", "n_transfers", "n_pauses", "n_silences", "n_final_words"), 0
    )
    assert reasons == dict.fromkeys(null, "no evidence")


def test_a_silent_speaker_has_a_reason_for_each_null_and_gives_no_backchannel():
    features, reasons = measure(nothing(), entry=ENTRY)

    assert features["backchannels_produced_per_min"] == 0.0
    assert reasons == {
        "fto_q10_ms": "no floor transfer",
        "fto_median_ms": "no floor transfer",
        "fto_q90_ms": "no floor transfer",
        **dict.fromkeys(LAW, NO_PRIOR),
        "overlap_share": "no floor transfer",
        "pause_median_ms": "no pause",
        "pause_q90_ms": "no pause",
        "abstention_share": "no silence that long",
        "abstention_wait_ms": "none that nobody filled",
        "articulation_rate": "no timed words",
        "filler_share": "no words",
        "final_stretch": "no timed words",
        "connective_share": "no timed words",
    }


def test_words_that_abut_hide_pauses_and_rate_but_nothing_else():
    entry = ENTRY.model_copy(update={"contiguous_words": True})
    hidden = ("pause_median_ms", "pause_q90_ms", "abstention_share", "abstention_wait_ms",
              "articulation_rate", "final_stretch")  # fmt: skip

    features, reasons = measure(heard(), entry=entry)
    shown, _ = measure(heard(), entry=ENTRY)

    assert reasons == dict.fromkeys(LAW, NO_PRIOR) | dict.fromkeys(hidden, "contiguous words")
    assert features == shown | dict.fromkeys(hidden)


def test_silences_after_the_own_turn_count_where_another_takes_the_floor():
    made = talk(
        draw(PICTURE, conversation="c1"),
        transfer=[
            ("c1", "A", "B", 500, 700),
            ("c1", "B", "A", 500, 900),
            ("c1", "A", "C", 90, -90),
        ],
    )

    assert made.heard([("c1", 0, 3000)], "A").given_ms.tolist() == [-90, 700]
    assert made.heard([("c1", 0, 1199)], "A").given_ms.tolist() == [-90]


@pytest.mark.parametrize(
    ("end", "final"), [(800, True), (799, False), (1000, True), (1200, True), (1201, False)]
)
def test_the_last_word_before_a_pause_ends_near_its_start(end, final):
    """The pause starts at 1000 ms; the word at 700 starts last before it."""
    heard = talk(
        pause=[("c1", "A", 1000, 1900)],
        word=[("c1", "A", 0, 700, "a"), ("c1", "A", 700, end, "b"), ("c1", "A", 1900, 2000, "c")],
    ).heard([("c1", 0, 3000)], "A")

    assert heard.final.tolist() == [False, final, False]


@few
@given(made=chatter(), cut=st.integers(1, 59))
def test_two_spans_that_meet_lose_only_what_crosses_their_edge(made, cut):
    """What lies wholly in the parts is what lies in the whole, less what the edge cuts."""
    ipus, silences, said, takes, nods = made
    heard = talk(
        rows_of("ipus", *ipus), pause=silences, transfer=takes, backchannel=nods, word=said
    ).heard

    whole = heard([("c1", 0, 99)], "A")
    parts = heard([("c1", 0, cut), ("c1", cut, 99)], "A")

    crossing = [row for row in said if row[:2] == ("c1", "A") and row[2] < cut < row[3]]
    assert parts.speech_ms == whole.speech_ms
    assert len(whole.words) - len(parts.words) == len(crossing)
    assert len(parts.timed) == len(parts.timed_ms) == len(parts.final)


# -------------------------------------------------------------------------------- laws of FTO


def speakers_of_fto(rng, n, per_speaker):
    """Transfers of n speakers whose mu differ; give them and each speaker's mu, ms."""
    mu = rng.normal(200, 150, n)
    rows = []
    for i, own in enumerate(mu):
        fto = rng.normal(own, 100, per_speaker) + rng.exponential(250, per_speaker)
        rows += [(f"c{i}", "Z", f"s{i}", 10_000 * (k + 1), int(v)) for k, v in enumerate(fto)]
    return transfers(*rows), mu


def fto_laws(table, train, **values):
    return profiles.FtoLaws(table, train, settings=settings(**values), seed=1)


def test_a_law_of_few_ftos_is_nearer_the_truth_than_what_all_share(rng):
    table, _ = speakers_of_fto(rng, 30, 60)
    laws = fto_laws(table, table["conversation"].unique(), fto_law_min=10)
    fresh, mu = speakers_of_fto(rng, 30, 25)

    found = np.array(
        [
            laws.of(fresh.loc[fresh["taker"] == f"s{i}", "fto_ms"].to_numpy())[0]["fto_mu_ms"]
            for i in range(30)
        ]
    )

    shared = np.sqrt(np.mean((mu - mu.mean()) ** 2))
    assert np.sqrt(np.mean((found - mu) ** 2)) < 0.6 * shared
    assert abs(found.mean() - mu.mean()) < 40


def test_laws_of_fto_learn_from_train_conversations_alone(rng):
    table, _ = speakers_of_fto(rng, 20, 30)
    train = [f"c{i}" for i in range(10)]
    asked_ = table["fto_ms"].to_numpy()[:40]
    changed = table.assign(
        fto_ms=table["fto_ms"].where(table["conversation"].isin(train), table["fto_ms"] + 5000)
    )

    assert fto_laws(table, train).of(asked_) == fto_laws(changed[::-1], train[::-1]).of(asked_)
    assert fto_laws(table, train).of(asked_) != fto_laws(table, train[:5]).of(asked_)


@pytest.mark.parametrize(
    ("fto_ms", "reason"),
    [
        ([100] * 9 + [300], ""),
        ([100] * 9, "under 10 floor transfers"),
        ([100] * 9 + [5000], "under 10 floor transfers"),
        ([100] * 9 + [-2001], "under 10 floor transfers"),
        ([100] * 9 + [-2000], ""),
        ([100] * 9 + [4999], ""),
    ],
)
def test_only_ftos_inside_t_count_for_a_law(rng, fto_ms, reason):
    table, _ = speakers_of_fto(rng, 4, 30)

    law, why = fto_laws(table, table["conversation"].unique(), fto_law_min=10).of(np.array(fto_ms))

    assert why == reason
    assert (law["fto_mu_ms"] is None) == bool(reason)


# ---------------------------------------------------------------------------------- the swap


def profile_rows(speakers):
    """Profiles from speaker -> list of features that differ from those of anyone."""
    base, _ = measure(heard(fto_ms=np.arange(20)))
    usual = {"n_conversations": 1, "partners": "", "partner": "B", "partner_evidence_ms": 0,
             "synopsis": "", "synthetic": False, "reasons": ""}  # fmt: skip
    return frames.frame(
        [
            {**usual, **base, "speaker": who, "episode": f"{who}{i}", **one}
            for who, rows in speakers.items()
            for i, one in enumerate(rows)
        ],
        "profiles",
    )


def swapped(speakers, *, partner="P", evidence=(), change=None, margin_ms=30_000):
    """Swap the profiles of speakers, each in a conversation of its own name."""
    table = profile_rows(speakers)
    rows = asked(
        *(
            {"episode": row.episode, "focal": row.speaker, "conversation": row.speaker,
             "partner": partner, **(change or {}).get(row.episode, {})}
            for row in table.itertuples()
        )
    )  # fmt: skip
    lent = rows_of("evidence", *((*row, OTHER) for row in evidence))
    flipped = profiles.swap(
        table[::-1], lent[::-1], rows[::-1], settings=settings(margin_ms=margin_ms)
    )
    found = profiles.swap(table, lent, rows, settings=settings(margin_ms=margin_ms))
    pd.testing.assert_frame_equal(found, flipped[::-1].reset_index(drop=True))
    return found.set_index("episode")


def rates(**values):
    return {who: [{"articulation_rate": value}] for who, value in values.items()}


def test_each_speaker_gets_the_profile_of_the_most_opposite():
    found = swapped(rates(a=1.0, b=2.0, c=5.0))

    assert found["swapped_speaker"].to_dict() == {"a0": "c", "b0": "c", "c0": "a"}
    assert found["swapped_episode"].to_dict() == {"a0": "c0", "b0": "c0", "c0": "a0"}
    # 1, 2 and 5 have a standard deviation of root (26/9); of 10 features one differs.
    n_known = sum(profile_rows(rates(a=1.0))[name].notna().all() for name in profiles.FEATURES)
    assert found["distance"]["a0"] == pytest.approx(4 / np.sqrt(26 / 9) / np.sqrt(n_known))


def test_neither_the_partner_nor_a_speaker_with_few_transfers_is_given():
    many = rates(a=1.0, b=2.0, c=5.0, d=9.0)
    many["d"][0]["n_transfers"] = 9

    found = swapped(many, partner="c")

    assert found["swapped_speaker"]["a0"] == "b"
    assert found["swapped_speaker"]["d0"] == "a"


def test_what_is_not_known_counts_as_no_difference():
    found = swapped(
        {"a": [{}], "b": [{"articulation_rate": None}], "c": [{"articulation_rate": 9.0}]}
    )

    assert found["swapped_speaker"]["a0"] == "c"
    assert found["distance"]["b0"] == 0.0


def test_of_the_profiles_of_a_speaker_the_one_of_most_evidence_is_given():
    rows = rates(a=1.0) | {"b": [{"articulation_rate": 9.0, "evidence_ms": ms} for ms in (1, 3, 3)]}

    assert swapped(rows)["swapped_episode"]["a0"] == "b1"


def test_speakers_as_opposite_as_each_other_go_by_name():
    assert swapped(rates(a=1.0, c=5.0, b=5.0))["swapped_speaker"]["a0"] == "b"


@pytest.mark.parametrize(
    ("start", "end", "given"),
    [(0, 10_000, "c"), (0, 10_001, "b"), (95_000, 99_000, "c"), (94_999, 99_000, "b")],
)
def test_a_profile_from_near_the_history_or_clip_of_the_episode_is_not_given(start, end, given):
    """The clip of a0 is 40 to 65 s of conversation a; c was heard there too."""
    found = swapped(rates(a=1.0, b=2.0, c=5.0), evidence=[("c0", "a", start, end)])

    assert found["swapped_speaker"]["a0"] == given


def test_a_profile_of_another_language_is_not_given():
    other = {"c0": {"strata": [("language", "nl")]}}

    found = swapped(rates(a=1.0, b=2.0, c=5.0), change=other)

    assert found["swapped_speaker"]["a0"] == "b"
    assert pd.isna(found["swapped_speaker"]["c0"])
    assert found["reason"]["c0"] == "no profile of another speaker may be given"


# ------------------------------------------------------------------------------- the evidence


def draw_of(seed, speaker, conversation):
    text = "\x1f".join([str(seed), "evidence", speaker, conversation])
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16)


def test_other_conversations_come_first_then_the_own_one_beyond_the_margin():
    table = asked({"t0_ms": 100_000, "history_start_ms": 70_000})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000, "c2": 50_000}),
        {"A": ["c1", "c2"]},
        settings=settings(evidence_target_ms=999_000, margin_ms=30_000),
        seed=1,
    )

    assert spans(got) == [
        ("c2", 0, 50_000, OTHER),
        ("c1", 0, 40_000, SAME),
        ("c1", 135_000, 200_000, SAME),
    ]


@pytest.mark.parametrize(
    ("history_start_ms", "first_end_ms"), [(None, 70_000), (79_999, 69_999), (95_000, 70_000)]
)
def test_the_margin_is_kept_from_history_or_context_whichever_is_first(
    history_start_ms, first_end_ms
):
    table = asked({"t0_ms": 100_000, "history_start_ms": history_start_ms})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000}),
        {"A": ["c1"]},
        settings=settings(margin_ms=10_000),
        seed=1,
    )

    assert spans(got) == [("c1", 0, first_end_ms, SAME), ("c1", 115_000, 200_000, SAME)]


def test_the_last_interval_is_cut_at_the_target():
    table = asked({}, {"conversation": "c2", "t0_ms": 30_000})

    got = profiles.allot(
        table,
        recordings({"c1": 200_000, "c2": 50_000, "c3": 30_000}),
        {"A": ["c2"]},
        settings=settings(evidence_target_ms=14_000),
        seed=1,
    )

    # The clip of the other episode fills 10 to 35 s of c2.
    assert spans(got) == [("c2", 0, 10_000, OTHER), ("c2", 35_000, 39_000, OTHER)]


def test_only_clips_of_test_episodes_of_the_same_speaker_are_left_out():
    table = asked(
        {},
        {"conversation": "c2", "t0_ms": 30_000, "split": "dev"},
        {"conversation": "c2", "t0_ms": 70_000, "focal": "B", "partner": "A"},
        {"conversation": "c2", "t0_ms": 110_000},
        {"t0_ms": 120_000},
    )

    got = profiles.allot(
        table,
        recordings({"c1": 160_000, "c2": 150_000}),
        {"A": ["c1", "c2"]},
        settings=settings(margin_ms=10_000),
        seed=1,
    )

    # Of its own clip (40 to 65 s) each episode keeps the margin, of other clips their edges.
    assert spans(got, "e0") == [
        ("c2", 0, 90_000, OTHER),
        ("c2", 115_000, 150_000, OTHER),
        ("c1", 0, 30_000, SAME),
        ("c1", 75_000, 100_000, SAME),
        ("c1", 125_000, 160_000, SAME),
    ]


@st.composite
def worlds(draw_):
    """Episodes, durations and presence, all in whole seconds."""
    names = ["c1", "c2", "c3"]
    durations = {name: 1000 * draw_(st.integers(20, 60)) for name in names}
    rows = []
    for _ in range(draw_(st.integers(1, 5))):
        conversation = draw_(st.sampled_from(names))
        t0 = draw_(st.integers(3, durations[conversation] // 1000 - 5))
        start = draw_(st.integers(0, t0 - 1))
        rows.append(
            {
                "conversation": conversation,
                "focal": draw_(st.sampled_from("AB")),
                "split": draw_(st.sampled_from(["test", "test", "dev"])),
                "t0_ms": 1000 * t0,
                "context_start_ms": 1000 * start,
                "history_start_ms": draw_(
                    st.none() | st.integers(0, t0 - 1).map(lambda s: 1000 * s)
                ),
            }
        )
    present = {who: draw_(st.lists(st.sampled_from(names), unique=True)) for who in "AB"}
    return asked(*rows), durations, present


def allotted_by_seconds(table, durations, present, *, target, margin, seed):
    """Fill each episode's evidence second by second."""
    rows = table.to_dict("records")
    wanted = {}
    for row in rows:
        who, own = row["focal"], row["conversation"]
        others = sorted(set(present[who]) - {own}, key=lambda name: draw_of(seed, who, name))
        taken = []
        for name in [*others, own]:
            for ms in range(0, durations[name], 1000):
                clip = any(
                    other["split"] == "test"
                    and other["focal"] == who
                    and other["conversation"] == name
                    and other["context_start_ms"] <= ms < other["horizon_end_ms"]
                    for other in rows
                )
                first = row["context_start_ms"]
                if not pd.isna(row["history_start_ms"]):
                    first = min(first, row["history_start_ms"])
                near = name == own and first - margin <= ms < row["horizon_end_ms"] + margin
                if not clip and not near:
                    taken.append((name, ms))
        wanted[row["episode"]] = taken[: target // 1000]
    return wanted


@few
@given(
    world=worlds(),
    target=st.integers(1, 150),
    margin=st.integers(0, 20),
    seed=st.integers(0, 5),
)
def test_evidence_is_what_filling_it_second_by_second_gives(world, target, margin, seed):
    table, durations, present = world
    sought = settings(evidence_target_ms=1000 * target, margin_ms=1000 * margin)
    rows = recordings(durations)

    got = profiles.allot(table, rows, present, settings=sought, seed=seed)

    want = allotted_by_seconds(
        table, durations, present, target=1000 * target, margin=1000 * margin, seed=seed
    )
    seconds = {
        name: [
            (conversation, ms)
            for conversation, start, end, _ in spans(got, name)
            for ms in range(start, end, 1000)
        ]
        for name in table["episode"]
    }
    assert seconds == want
    assert (got["start_ms"] < got["end_ms"]).all()
    own = table.set_index("episode")["conversation"].reindex(got["episode"]).to_numpy()
    assert ((got["scope"] == SAME) == (got["conversation"] == own)).all()


@few
@given(world=worlds(), seed=st.integers(0, 5))
def test_the_order_of_the_rows_changes_no_evidence(world, seed):
    table, durations, present = world
    flipped = {who: where[::-1] for who, where in present.items()}
    key = ["episode", "conversation", "start_ms"]

    first = profiles.allot(
        table,
        recordings(durations),
        present,
        settings=settings(evidence_target_ms=40_000),
        seed=seed,
    )
    second = profiles.allot(
        table[::-1],
        recordings(durations)[::-1],
        flipped,
        settings=settings(evidence_target_ms=40_000),
        seed=seed,
    )

    pd.testing.assert_frame_equal(
        first.sort_values(key, ignore_index=True), second.sort_values(key, ignore_index=True)
    )


# ------------------------------------------------------------------------------- the sentences


def known(**values):
    features, _ = measure(heard(), entry=ENTRY)
    law = {"fto_mu_ms": -120.4, "fto_sigma_ms": 90.0, "fto_tau_ms": 210.0}
    where = {"n_conversations": 2, "partner_evidence_ms": 30_000}
    return {**where, **features, **law, **values}


WITH = "0.5 min of them with this partner."
HEARD = f"Heard for 2.0 min in 2 conversations, {WITH}"
FLOOR = (
    "Takes the floor 50 ms after the other ends (median of 4; 10 to 90 %: -140 to 380 ms), in"
    " overlap 25 % of the time. The law of these times is ex-Gaussian: mu -120, sigma 90, tau 210"
    " ms."
)
PAUSES = "Pauses 1000 ms inside a turn (median of 3; 90 %: 1800 ms)."
WAITS = "Of 4 long silences of their own goes on unprompted in 50 %, after 1500 ms (median)."
NODS = "Gives 1.5 backchannels a minute and gets 2.5."
SPEECH = "Speaks 2.5 words a second; 50.0 % of the words are fillers."


HOLDS = (
    "Before a pause the last word takes 2.6 times as long as others; 67 % of 3 last words are"
    " connectives."
)
ALL = (HEARD, FLOOR, PAUSES, WAITS, NODS, SPEECH, HOLDS)


@pytest.mark.parametrize(
    ("change", "gone", "instead"),
    [
        ({}, None, None),
        ({"n_conversations": 1}, HEARD, HEARD.replace("2 conversations", "1 conversation")),
        ({"fto_median_ms": None}, FLOOR, None),
        ({"fto_mu_ms": None}, FLOOR, FLOOR.split(" The law")[0]),
        ({"fto_median_ms": -120.0}, FLOOR, FLOOR.replace("50 ms after", "120 ms before")),
        ({"pause_median_ms": None}, PAUSES, None),
        ({"abstention_share": None}, WAITS, None),
        ({"abstention_wait_ms": None}, WAITS, WAITS.replace(", after 1500 ms (median)", "")),
        ({"articulation_rate": None}, SPEECH, "50.0 % of the words are fillers."),
        ({"filler_share": None}, SPEECH, "Speaks 2.5 words a second."),
        ({"filler_share": None, "articulation_rate": None}, SPEECH, None),
        ({"connective_share": None}, HOLDS, HOLDS.split(";")[0] + "."),
        ({"connective_share": None, "final_stretch": None}, HOLDS, None),
    ],
)
def test_the_synopsis_tells_the_numbers_and_is_silent_of_what_is_null(change, gone, instead):
    want = [instead if part == gone else part for part in ALL]

    assert profiles.describe(known(**change)) == " ".join(part for part in want if part)


def test_the_synopsis_of_a_speaker_without_evidence_says_that_nothing_is_known():
    assert profiles.describe(known(evidence_ms=0)) == "Nothing is known of this speaker."


# ---------------------------------------------------------------------------- the whole stage


def test_a_profile_is_measured_from_its_evidence_alone():
    # c1 is 100 s and holds the clip at 40-65 s; the margin of 10 s leaves 0-30 s and 75-100 s.
    ipus = rows_of(
        "ipus",
        ("c1", "A", 20_000, 35_000, "words", None),
        ("c1", "B", 36_000, 37_000, "words", None),
        ("c2", "A", 0, 4_000, "words", None),
        ("c2", "C", 4_500, 5_000, "words", None),
    )
    made = talk(
        ipus,
        pause=[("c1", "A", 50_000, 51_000), ("c2", "A", 4_000, 4_600), ("c2", "A", 6_000, 7_000)],
        transfer=[("c1", "B", "A", 60_000, -900), ("c2", "C", "A", 5_000, 300)],
        backchannel=[("c2", "C", 4_500, 5_000), ("c1", "A", 45_000, 45_500)],
        word=[("c1", "A", 41_000, 42_000, "uh"), ("c2", "A", 0, 500, "well")],
    )
    rows = pd.concat([recordings({"c1": 100_000}), recordings({"c2": 5_000}, company=("A", "C"))])
    table = asked({}, {"focal": "Z", "t0_ms": 30_000, "split": "dev"})

    built = built_of(
        table, rows, made, settings=settings(margin_ms=10_000, evidence_target_ms=50_000)
    )

    assert spans(built.evidence) == [
        ("c2", 0, 5_000, OTHER),
        ("c1", 0, 30_000, SAME),
        ("c1", 75_000, 90_000, SAME),
    ]
    row = built.profiles.set_index("episode").loc["e0"]
    assert (row["speaker"], row["n_conversations"], row["partners"]) == ("A", 2, "B,C")
    assert (row["partner"], row["partner_evidence_ms"]) == ("B", 45_000)
    assert (row["evidence_ms"], row["speech_ms"]) == (50_000, 14_000)
    assert (row["n_transfers"], row["n_pauses"]) == (0, 1)
    assert row["pause_median_ms"] == 600.0
    # The silence of 600 ms was filled by a backchannel; the word before it ended 3.5 s earlier.
    assert (row["n_silences"], row["abstention_share"], row["n_final_words"]) == (1, 0.0, 0)
    assert row["backchannels_produced_per_min"] == 0.0
    assert row["backchannels_solicited_per_min"] == pytest.approx(1.2)
    assert row["articulation_rate"] == 2.0
    assert row["filler_share"] == 0.0
    reasons = dict(part.split("=") for part in row["reasons"].split(";"))
    assert reasons == {
        **dict.fromkeys(("fto_q10_ms", "fto_median_ms", "fto_q90_ms"), "no floor transfer"),
        **dict.fromkeys(LAW, NO_PRIOR),
        "overlap_share": "no floor transfer",
        "abstention_wait_ms": "none that nobody filled",
        "final_stretch": "no timed words both before a pause and elsewhere",
        "connective_share": "no timed word before a pause",
    }
    assert row["synopsis"].startswith(
        "Heard for 0.8 min in 2 conversations, 0.8 min of them with this partner. Pauses 600 ms"
    )


@pytest.mark.parametrize(("corpus", "synthetic"), [("candor", False), ("probes", True)])
def test_only_a_probe_is_marked_synthetic(corpus, synthetic):
    built = built_of(asked({}), recordings({"c1": 70_000}), talk(), entry=SETTINGS.corpora[corpus])

    row = built.profiles.iloc[0]
    assert row["synthetic"] == synthetic
    # The margin of 30 s around 40 to 65 s leaves the first 10 s.
    assert row["evidence_ms"] == 10_000


def profiled(table, read, took, train, words):
    """Run the stage on a made corpus."""
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)
    return profiles.build(
        table,
        read.recordings,
        profiles.Talk(
            ipus, took.pauses, took.backchannels, took.transfers, words, final_word_ms=200
        ),
        profiles.FtoLaws(took.transfers, train, settings=SETTINGS.profiles, seed=1),
        entry=SETTINGS.corpora["candor"],
        settings=SETTINGS.profiles,
        silence_min_ms=600,
        seed=1,
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Episodes, recordings, talk and profiles of a small made corpus."""
    root = tmp_path_factory.mktemp("world") / "candor"
    for _ in LAYOUTS["candor"](root, studio("candor", conversations=8, minutes=6.0, speakers=4)):
        pass
    entry = SETTINGS.corpora["candor"]
    read = corpora.read(root, corpus="candor", settings=entry)
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)
    languages = read.recordings.set_index("conversation")["language"].to_dict()
    took = turns.take_turns(ipus, read.words, read.acts, languages, settings=SETTINGS.turns)
    found = points.find_points(
        "candor",
        read.recordings,
        ipus,
        took.backchannels,
        took.turns,
        read.words,
        settings=SETTINGS,
    )
    asked_ = episodes.build(
        found,
        read.recordings,
        read.speakers,
        read.words,
        took.turns,
        frames.empty("inspections"),
        corpus="candor",
        entry=entry,
        settings=SETTINGS.episodes,
        bands_db=SETTINGS.activity.calibration.bands_db,
        seed=1,
    )
    train = found.loc[found["split"] == "train", "conversation"].unique()
    built = profiled(asked_.episodes, read, took, train, read.words)
    separation.prove(
        "candor",
        asked_.episodes,
        asked_.history,
        built.evidence,
        built.swap,
        found,
        read.recordings,
        margin_ms=SETTINGS.profiles.margin_ms,
        unit="dyad",
    )
    return asked_.episodes, read, took, train, built


def test_no_evidence_of_a_made_corpus_touches_what_is_forbidden(made):
    table, _, _, _, built = made
    margin = SETTINGS.profiles.margin_ms
    rows = built.evidence.to_dict("records")

    assert set(built.evidence["scope"]) == {OTHER, SAME}
    for episode in table.to_dict("records"):
        own = [row for row in rows if row["episode"] == episode["episode"]]
        start = min(episode["history_start_ms"], episode["context_start_ms"])
        total = sum(row["end_ms"] - row["start_ms"] for row in own)
        assert 0 < total <= SETTINGS.profiles.evidence_target_ms
        for row in own:
            if row["conversation"] == episode["conversation"]:
                assert (
                    row["end_ms"] <= start - margin
                    or row["start_ms"] >= episode["horizon_end_ms"] + margin
                )
            for other in table.to_dict("records"):
                if (other["focal"], other["conversation"], other["split"]) == (
                    episode["focal"],
                    row["conversation"],
                    "test",
                ):
                    assert (
                        row["end_ms"] <= other["context_start_ms"]
                        or row["start_ms"] >= other["horizon_end_ms"]
                    )


def test_the_profiles_of_a_made_corpus_hold_the_transfers_that_lie_in_their_evidence(made):
    _, _, took, _, built = made
    takes = [
        (where, taker, min(end, end + fto), max(end, end + fto), fto)
        for where, _, taker, end, fto, _ in took.transfers.itertuples(index=False)
    ]

    for row in built.profiles.to_dict("records"):
        windows = spans(built.evidence, row["episode"])
        ftos = [
            fto
            for where, taker, first, last, fto in takes
            if taker == row["speaker"]
            and any(where == c and start <= first and last <= end for c, start, end, _ in windows)
        ]
        assert row["n_transfers"] == len(ftos) > 0
        assert row["fto_median_ms"] == pytest.approx(np.median(ftos))
        assert row["overlap_share"] == pytest.approx(sum(fto < 0 for fto in ftos) / len(ftos))


def test_the_profile_of_an_episode_does_not_change_with_the_words_in_its_clip(made):
    table, read, took, train, built = made
    first = table[table["split"] == "test"].iloc[0]
    inside = (
        (read.words["conversation"] == first["conversation"])
        & (read.words["end_ms"] > first["context_start_ms"])
        & (read.words["start_ms"] < first["horizon_end_ms"])
    )

    again = profiled(table, read, took, train, read.words[~inside])

    assert inside.sum() > 10
    own = built.profiles["episode"] == first["episode"]
    pd.testing.assert_frame_equal(built.profiles[own], again.profiles[own])
