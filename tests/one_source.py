"""A config whose corpus has one source, and what a fetch from it left below its root."""

import yaml

from made_world import CONFIG

GATE = "accept the terms, then set HF_TOKEN"


def settings(tmp_path, corpus, kind, address, files=(), size_gb=None, hours=None):
    """Write a config of one source over the project's own; give the options that name both."""
    source = {
        "release": "r", "kind": kind, "address": address, "revision": None, "files": list(files),
        "size_gb": size_gb, "hours": hours, "gate": GATE,
    }  # fmt: skip
    path = tmp_path / "top.yaml"
    entry = {"root": str(tmp_path / "root"), "sources": [source]}
    path.write_text(yaml.safe_dump({"corpora": {corpus: entry}}))
    return ["--config", str(CONFIG), "--config", str(path)]


def there(root):
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".fetch" not in path.parts
    }
