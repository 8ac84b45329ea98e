"""Values of an independent high-precision reference, where they are beside this checkout."""

import json
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[1].parent / "shared" / "golden" / "scoring.json"
needs_golden = pytest.mark.skipif(
    not GOLDEN.is_file(), reason="golden values are not beside this checkout"
)


def cases(function):
    """Give the cases of one function as parameters of a test, skipped where there are none."""
    if not GOLDEN.is_file():
        return [pytest.param(None, marks=needs_golden, id=function)]
    found = [case for case in json.loads(GOLDEN.read_text())["cases"] if case["fn"] == function]
    return [pytest.param(case, id=case["id"]) for case in found]


def case(name):
    """Give the inputs, output and tolerance of one golden case."""
    return {case["id"]: case for case in json.loads(GOLDEN.read_text())["cases"]}[name]
