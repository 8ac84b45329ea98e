"""The real AMI annotations, counted; the counts are those published with the corpus's survey."""

import tarfile
from pathlib import Path

import pytest

from corpora.layouts import read
from tact.corpora.reasons import Reason

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
SUBSET = SHARED / "ami_nxt"
FULL = SHARED / "ami_nxt_full" / "ami_public_manual_1.6.2_words_segments_dialogueActs.tar.xz"
NAMED_BY_THE_README = {"ami:TS3009c", "ami:EN2002a", "ami:EN2002c", "ami:EN2003a"}

needs_subset = pytest.mark.skipif(not SUBSET.is_dir(), reason="no AMI subset beside the checkout")
needs_full = pytest.mark.skipif(not FULL.is_file(), reason="no AMI annotations beside the checkout")


@pytest.fixture(scope="module")
def subset():
    return read(SUBSET, "ami")


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    root = tmp_path_factory.mktemp("ami")
    with tarfile.open(FULL) as archive:
        # Python 3.11.3 and older know no filter.
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(root, **safely)
    return read(root, "ami")


def count(tables, reason):
    return int((tables.quarantine["reason"] == reason).sum())


@needs_subset
def test_the_fourteen_meetings_are_read_and_the_others_are_named(subset):
    read_names = set(subset.recordings["conversation"])

    assert len(read_names) == 14
    assert count(subset, Reason.UNREADABLE) == 171 - 14
    assert not read_names & set(
        subset.quarantine.loc[subset.quarantine["reason"] == Reason.UNREADABLE, "item"]
    )


@needs_subset
def test_a_place_in_a_real_meeting_is_as_the_file_has_it(subset):
    words = subset.words
    own = words[(words["conversation"] == "ami:ES2002a") & (words["speaker"] == "ami:FEE005")]
    first = own[own["kind"] == "word"].iloc[0]

    assert (first["text"], first["start_ms"], first["end_ms"]) == ("Okay", 50_420, 50_990)
    row = subset.recordings.query("conversation == 'ami:EN2002a' and channel == 3").iloc[0]
    assert row["split_group"] == "ami:EN2002"
    assert subset.recordings["path"].isna().all()


@needs_full
@pytest.mark.slow
def test_every_meeting_word_and_act_is_there_or_named(full):
    kinds = full.words["kind"].value_counts()
    lexical_faults = full.quarantine["detail"].str.startswith("word ")

    assert full.recordings["conversation"].nunique() == 171
    assert len(full.recordings) == 682
    assert kinds["word"] + int(lexical_faults.sum()) == 978_214
    assert kinds["punctuation"] + count_kind(full, "punctuation") == 169_569
    assert kinds["vocalsound"] + count_kind(full, "vocalsound") == 27_073
    assert (
        len(full.acts) + count(full, Reason.UNTYPED_ACT) + count(full, Reason.UNPLACED_ACT)
        == 117_915
    )
    assert int((full.acts["act"] == "bck").sum()) == 12_573
    assert full.acts["conversation"].nunique() == 139


def count_kind(tables, kind):
    return int(tables.quarantine["detail"].str.startswith(f"{kind} ").sum())


@needs_full
@pytest.mark.slow
def test_every_known_fault_is_named(full):
    words = full.quarantine[full.quarantine["detail"].str.startswith("word ")]
    by_reason = words.groupby("reason")["item"].apply(list)

    assert by_reason[Reason.UNTIMED] == ["ES2008a.A.words1315", "ES2008a.A.words1316"]
    assert by_reason[Reason.BACKWARDS] == ["EN2006a.C.words2558"]
    assert len(by_reason[Reason.NO_LENGTH]) == 8
    assert count(full, Reason.NO_ACTS) == 32
    assert count(full, Reason.UNTYPED_ACT) == 28
    known = full.quarantine[full.quarantine["reason"] == Reason.KNOWN_TIMING]
    assert set(known["item"]) == NAMED_BY_THE_README
    assert count(full, Reason.BAD_TIMING) == 0


@needs_full
@pytest.mark.slow
def test_the_speakers_are_who_the_corpus_says(full):
    speakers = full.speakers

    assert len(speakers) == 190
    assert dict(speakers["gender_source"].value_counts()) == {
        "participants.xml": 150,
        "from id": 40,
    }
    assert int(speakers["age"].notna().sum()) == 123
    assert int((speakers["first_language"] == "English").sum()) == 85
    assert full.recordings["split_group"].nunique() == 55


@needs_full
@pytest.mark.slow
def test_a_meeting_never_ends_before_its_last_word(full):
    ends = full.words.groupby("conversation")["end_ms"].max()
    lengths = full.recordings.groupby("conversation")["duration_ms"].min()

    assert (lengths >= ends.reindex(lengths.index)).all()
