"""What code made a table: a digest of a module and of every tact module that it reaches.

Snakemake sees a rule's shell command, not the code behind it. Each rule carries
``code=source_digest("tact.turns")`` as a parameter, so a change of code reruns the rule and a
change of a comment or a docstring does not.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parent


def source_digest(*modules: str) -> str:
    """Digest the modules and everything of tact that they import, 16 hex digits."""
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting.extend(_imports(module))
    text = "".join(f"{module}={_module_digest(module)};" for module in sorted(seen))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _path(module: str) -> Path | None:
    base = SOURCE.parent.joinpath(*module.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def _tree(module: str) -> ast.Module:
    path = _path(module)
    if path is None:
        raise ValueError(f"no module {module} below {SOURCE}")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            _drop_docstring(node)
    return tree


def _drop_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> None:
    if ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


@cache
def _module_digest(module: str) -> str:
    return hashlib.sha256(ast.dump(_tree(module)).encode()).hexdigest()


@cache
def _imports(module: str) -> frozenset[str]:
    return frozenset(name for name in _named(_tree(module)) if _path(name) is not None)


def _named(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("tact."))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "tact":
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
