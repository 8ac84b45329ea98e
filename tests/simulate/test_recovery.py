"""From the files of a made corpus, the stages measure exactly what was drawn."""

import pandas as pd
import pytest

from made_world import SETTINGS, studio
from tact import activity, corpora, points, turns
from tact.simulate import truth
from tact.simulate.world import LAYOUTS

KEY = ["conversation", "focal", "t0_ms"]


def measure(tmp_path, corpus):
    """Give points, frame and truth of a made corpus."""
    size = {"conversations": 5, "minutes": 4.0, "speakers": 8, "interruptions": 0.1}
    if corpus == "ami":
        size |= {"conversations": 4, "minutes": 12.0}
    ledger = truth.Ledger(corpus)
    for talk in LAYOUTS[corpus](tmp_path / corpus, studio(corpus, **size)):
        ledger.add(talk)
    read = corpora.read(tmp_path / corpus, corpus=corpus, settings=SETTINGS.corpora[corpus])
    ipus = activity.ipus_from_words(read.words, settings=SETTINGS.activity)
    languages = read.recordings.set_index("conversation")["language"].to_dict()
    made = turns.take_turns(ipus, read.words, read.acts, languages, settings=SETTINGS.turns)
    found = points.find_points(
        corpus,
        read.recordings,
        ipus,
        made.backchannels,
        made.turns,
        read.words,
        settings=SETTINGS,
    )
    frame = points.sample_frame(found, settings=SETTINGS.labels, seed=SETTINGS.seed)
    drawn = ledger.table().to_pandas(integer_object_nulls=True)
    return found, frame, drawn.astype({"response_ms": "Int64"})


@pytest.mark.parametrize("corpus", [name for name in LAYOUTS if name != "ami"])
def test_every_candidate_of_two_people_is_found_with_its_response(tmp_path, corpus):
    found, frame, drawn = measure(tmp_path, corpus)
    both = found.merge(drawn, on=KEY, how="outer", suffixes=("", "_drawn"), indicator=True)
    extra = both["_merge"] == "left_only"
    same = both[~extra]

    assert (both["_merge"] != "right_only").all()
    # Goodbyes: their horizon lies past the end.
    assert both.loc[extra, "reasons"].str.contains("no_horizon").all()
    assert extra.sum() == drawn["conversation"].nunique()
    for name, drawn_name in zip(
        ["partner", "response_ms", "response_kind"],
        ["partner_drawn", "response_ms_drawn", "kind"],
        strict=True,
    ):
        pd.testing.assert_series_equal(
            same[name], same[drawn_name], check_names=False, check_dtype=False
        )
    assert set(same["scenario"]) >= {"pause", "smooth", "backchannel", "interruption"}
    train = same[same["split"] == "train"]
    assert set(frame["point"]) == set(train["point"])


def test_in_a_meeting_what_is_kept_has_its_response(tmp_path):
    found, _, drawn = measure(tmp_path, "ami")
    both = found.merge(drawn, on=KEY, how="inner", suffixes=("", "_drawn"))
    kept = both[~both["third_party"]]

    assert len(kept) > 0.7 * len(drawn)
    pd.testing.assert_series_equal(
        kept["response_ms"], kept["response_ms_drawn"], check_names=False
    )
