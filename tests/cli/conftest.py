"""The small run that all tests of the command line share, and the folder they write to."""

import pytest

from small_run import make_world


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """A folder with a small run: every command has been given its sound options once."""
    folder = tmp_path_factory.mktemp("world")
    make_world(folder)
    return folder


@pytest.fixture
def to(tmp_path):
    """The folder where a test lets a command write; it is made empty."""
    folder = tmp_path / "to"
    folder.mkdir()
    return folder
