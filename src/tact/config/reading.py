"""One file of the config: its YAML, and what it must not say though YAML lets it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tact.errors import ConfigError, InputError

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Of libyaml where PyYAML has it: ten times as fast, and every job starts with the config."""

NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
ODD_NUMBER = re.compile(r"[-+]?0[0-9_]+$|[^:]+:")
LONGEST = 100
"""Characters of a value that an error repeats."""


class Fault(NamedTuple):
    """What is wrong in a line of a file, from 1, and the cure."""

    line: int
    what: str
    cure: str


def read(path: Path) -> dict[str, Any]:
    """Read one config file, whose keys are not checked yet.

    Raises
    ------
    InputError
        The file cannot be read.
    ConfigError
        It is no YAML, no mapping, has a key twice in one mapping, or a number in base 8 or 60.
    """
    try:
        loader = LOADER(path.read_text(encoding="utf-8"))
        root = loader.get_single_node()
        faults = [] if root is None else sorted([*_doubled(root), *_odd_numbers(root)])
        raw = None if faults or root is None else loader.construct_document(root)
    except OSError as error:
        raise InputError(f"config: cannot read {path} ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not YAML ({short(' '.join(str(error).split()))})") from None
    if faults:
        line, what, cure = faults[0]
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise ConfigError(f"{path}, line {line}: {what}{more}; {cure}")
    if not isinstance(raw, dict):
        what = "it holds none" if raw is None else f"not {short(repr(raw))}"
        raise ConfigError(
            f"{path}: a config is a mapping of sections, {what}; take one from config.yaml"
        )
    return raw


def _nodes(root: yaml.Node) -> Iterator[yaml.Node]:
    """Give every node of a document once, whatever its aliases, before ``<<`` is merged."""
    met: set[int] = set()
    left = [root]
    while left:
        node = left.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        yield node
        if isinstance(node, yaml.SequenceNode):
            left += node.value
        elif isinstance(node, yaml.MappingNode):
            left += [value for _, value in node.value]


def _doubled(root: yaml.Node) -> Iterator[Fault]:
    """Find keys that one mapping has twice; one may lie over one that is merged."""
    for node in _nodes(root):
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            name, line = (key.tag, str(key.value)), key.start_mark.line + 1
            if name in lines:
                what = f"key {short(repr(name[1]))} stands in line {lines[name]} already"
                yield Fault(line, what, "the last would win, so keep one")
            lines.setdefault(name, line)


def _odd_numbers(root: yaml.Node) -> Iterator[Fault]:
    """Find numbers that YAML reads in base 8 or 60: 0200 would be 128, and 3:20 200."""
    for node in _nodes(root):
        if node.tag in NUMBERS and ODD_NUMBER.match(node.value):
            read_as = yaml.safe_load(node.value)
            yield Fault(
                node.start_mark.line + 1,
                f"YAML reads {short(node.value)} as {short(str(read_as))}",
                "write a number without leading zeros and colons, or quote it if it is text",
            )


def short(text: str) -> str:
    """Cut what an error repeats."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}... ({len(text)} characters)"
