"""A dataset behind a gate, served on this machine."""

import random

import pytest

from hub import Hub
from mirror import Mirror, serving


@pytest.fixture
def hub(monkeypatch):
    """Serve a dataset behind a gate: its mirror, and the store where the bytes lie."""
    rng = random.Random(4)
    files = {f"data/train/shard-{k:06d}.tar": rng.randbytes(150_000) for k in range(5)}
    mirror = Mirror(files | {"README.md": b"# card\n"})
    with serving(mirror, Hub) as one, serving(Mirror({}), Hub) as other:
        # The bytes lie on another host, as the hub's do, so that the token must stay behind.
        other.files, other.fault = mirror.files, lambda path, n: mirror.fault(path, n)
        mirror.cdn = other.url.replace("127.0.0.1", "localhost")
        monkeypatch.setenv("HF_ENDPOINT", one.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield mirror, other
