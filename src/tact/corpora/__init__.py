"""One adapter per corpus: raw layout to recordings, speakers, words, acts and quarantine."""

from pathlib import Path

from tact.corpora import ami, candor, generic, otospeech, probes, seamless, sssd
from tact.corpora.ledger import Tables
from tact.settings import Corpus

ADAPTERS = {
    "candor": candor.read,
    "sssd": sssd.read,
    "otospeech": otospeech.read,
    "seamless": seamless.read,
    "ami": ami.read,
    "probes": probes.read,
    "generic": generic.read,
}

__all__ = ["ADAPTERS", "Tables", "read"]


def read(root: Path, *, corpus: str, settings: Corpus) -> Tables:
    """Read a raw corpus by the adapter that its settings name.

    Raises
    ------
    InputError
        The root is missing, empty, or not laid out as the adapter expects.
    """
    return ADAPTERS[settings.adapter](root, corpus=corpus, settings=settings)
