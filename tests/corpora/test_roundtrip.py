"""A made corpus, read back, says what was drawn: no time, word or person is lost on the way."""

import pandas as pd
import pytest
import yaml

from corpora.layouts import CONFIG, faults, read
from tact.cli import main
from tact.corpora.reasons import Reason

CORPORA = ["candor", "sssd", "otospeech", "seamless", "ami", "probes"]
SMALL = {"conversations": 4, "minutes": 1.0, "speakers": 4, "interruptions": 0.05}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("made")
    overlay = root / "small.yaml"
    overlay.write_text(yaml.safe_dump({"simulation": {"corpora": dict.fromkeys(CORPORA, SMALL)}}))
    arguments = ["--config", str(CONFIG), "--config", str(overlay), "simulate", "--words-only"]
    arguments += ["--out", str(root / "raw"), "--truth", str(root / "truth")]
    assert main([*arguments, *(part for name in CORPORA for part in ("--corpus", name))]) == 0
    return root


@pytest.mark.parametrize("corpus", CORPORA)
def test_every_point_ends_a_word_and_every_response_starts_one(made, corpus):
    words = read(made / "raw" / corpus, corpus).words
    spoken = words[words["kind"] == "word"]
    truth = pd.read_parquet(made / "truth" / corpus / "candidates.parquet")
    answered = truth.dropna(subset="response_ms")
    starts = answered["t0_ms"] + answered["response_ms"].astype(int)

    assert len(truth) > 20
    assert triples(truth["conversation"], truth["focal"], truth["t0_ms"]) <= triples(
        spoken["conversation"], spoken["speaker"], spoken["end_ms"]
    )
    assert triples(answered["conversation"], answered["partner"], starts) <= triples(
        spoken["conversation"], spoken["speaker"], spoken["start_ms"]
    )


@pytest.mark.parametrize("corpus", CORPORA)
def test_only_planted_faults_are_found(made, corpus):
    planted = {
        "otospeech": {Reason.DUPLICATE, Reason.REDACTED},
        "ami": {Reason.UNTIMED, Reason.NO_LENGTH},
    }

    found = {reason for _, reason in faults(read(made / "raw" / corpus, corpus))}

    assert found <= planted.get(corpus, set())


def triples(*columns):
    return set(zip(*columns, strict=True))
