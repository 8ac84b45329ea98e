"""What all tests share; its folder is importable, so helpers beside it are too."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """A generator of its own for each test, the same in each run."""
    return np.random.default_rng(20260927)
