"""A code change moves the digest of every stage that reaches it; a comment moves none."""

import pytest

from tact import provenance


@pytest.fixture
def package(tmp_path, monkeypatch):
    source = tmp_path / "tact"
    source.mkdir()
    (source / "__init__.py").write_text("")
    (source / "inner.py").write_text("VALUE = 1\n")
    (source / "outer.py").write_text("from tact import inner\n\nprint(inner.VALUE)\n")
    (source / "alone.py").write_text("print(3)\n")
    monkeypatch.setattr(provenance, "SOURCE", source)
    return source


def fresh(*modules):
    for cached in (provenance._tree, provenance._module_digest, provenance._imports):
        cached.cache_clear()
    return provenance.source_digest(*modules)


def test_a_change_in_an_imported_module_changes_the_digest(package):
    outer, alone = fresh("tact.outer"), fresh("tact.alone")

    (package / "inner.py").write_text("VALUE = 2\n")

    assert fresh("tact.outer") != outer
    assert fresh("tact.alone") == alone


def test_comments_docstrings_and_layout_change_nothing(package):
    before = fresh("tact.outer")

    (package / "inner.py").write_text('"""What it is."""\n\n# why\nVALUE   =   1\n')

    assert fresh("tact.outer") == before


def test_an_unknown_module_is_an_error(package):
    with pytest.raises(ValueError, match=r"no module tact\.nowhere"):
        fresh("tact.nowhere")


@pytest.fixture(autouse=True)
def _leave_no_cache():
    yield
    for cached in (provenance._tree, provenance._module_digest, provenance._imports):
        cached.cache_clear()
