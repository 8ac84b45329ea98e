"""A small made world for tests, and an oracle that measures talk by the definitions alone."""

from pathlib import Path

from tact import config
from tact.laws import paper_laws
from tact.settings import SimulatedCorpus
from tact.simulate.studio import Studio

CONFIG = Path(__file__).resolve().parents[1] / "config.yaml"
SETTINGS = config.load([CONFIG])
PAPER = SETTINGS.reference.paper
LAWS = paper_laws(PAPER)
SHARES = {str(intent): entry.share for intent, entry in PAPER.items()}
LEXICON = frozenset(SETTINGS.turns.backchannel.lexicon["en"])


def studio(corpus="candor", *, seed=1, words_only=True, **size):
    whole = {"conversations": 4, "minutes": 3.0, "speakers": 6, "interruptions": 0.1} | size
    return Studio(
        corpus=corpus,
        size=SimulatedCorpus.model_validate(whole),
        laws=LAWS,
        intents=SHARES,
        seed=seed,
        words_only=words_only,
        snr_db=25.0,
        bleed_db=-30.0,
    )


def looks_like_a_backchannel(utterance):
    words = {word.text for word in utterance.words if not word.punctuation}
    return utterance.end_ms - utterance.start_ms <= 1000 and words <= LEXICON


def measured(talk):
    """Give (focal, t0, response) of every candidate of two-party talk.

    Plain loops over all utterances: slow, and independent of how the talk was made.
    """
    found = []
    for own in talk.utterances:
        if looks_like_a_backchannel(own):
            continue
        t0 = own.end_ms
        others = [u for u in talk.utterances if u.speaker != own.speaker]
        nexts = [
            u.start_ms
            for u in talk.utterances
            if u.speaker == own.speaker and u.start_ms > t0 and not looks_like_a_backchannel(u)
        ]
        start, end = t0 - 2000, min([*nexts, t0 + 5000])
        if any(u.start_ms < start and u.end_ms >= t0 for u in others):
            continue
        starts = [u.start_ms - t0 for u in others if start <= u.start_ms < end]
        found.append((own.speaker, t0, min(starts, default=None)))
    return sorted(found, key=lambda row: row[:2])
