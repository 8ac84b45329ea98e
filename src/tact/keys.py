"""Identity and randomness by content: the same thing gets the same id and the same draw, whatever
the number of cores, the order of jobs, or what else is in the run."""

import hashlib

import numpy as np


def digest(*parts: object) -> str:
    """Hash the parts, 64 hex digits of SHA-256 over their text with a separator."""
    return hashlib.sha256("\x1f".join(str(part) for part in parts).encode()).hexdigest()


def point_id(conversation: str, focal: str, t0_ms: int) -> str:
    """Name a decision point: 16 hex of SHA-256(conversation, focal, t0_ms)."""
    return digest(conversation, focal, t0_ms)[:16]


def episode_id(corpus: str, point: str) -> str:
    """Name an episode: ``<corpus>-<10 hex of the content key>``."""
    return f"{corpus}-{digest('episode', corpus, point)[:10]}"


def draw(*parts: object) -> float:
    """Draw a number in [0, 1) from the content of ``parts``."""
    return int(digest(*parts)[:13], 16) / 16.0**13


def generator(*parts: object) -> np.random.Generator:
    """Make a random generator seeded by the content of ``parts``."""
    return np.random.default_rng(int(digest(*parts)[:32], 16))
