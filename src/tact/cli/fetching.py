"""Commands fetch and doctor: raw corpora, and what stands between a person and them."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import files, tables
from tact.cli.app import announce, app, corpus_entry, corpus_root, settings
from tact.errors import InputError
from tact.fetch import Policy, Stopped, Subset
from tact.fetch import corpus as corpora
from tact.fetch import doctor as doctors


@app.command()
def fetch(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    to: Annotated[
        Path | None, typer.Option(help="Root of the corpus; else the config's.", writable=True)
    ] = None,
    source: Annotated[str | None, typer.Option(help="Release; else the first source.")] = None,
    urls: Annotated[Path | None, typer.Option(help="CSV of (signed) addresses to use.")] = None,
    listed: Annotated[
        Path | None, typer.Option("--list", help="File of names to fetch, one a line.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only this split of the corpus.")] = None,
    count: Annotated[int | None, typer.Option(min=1, help="Only so many, by name.")] = None,
    hours: Annotated[float | None, typer.Option(min=0, help="About so many hours.")] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Transfers at a time.")] = 4,
    quarantine: Annotated[
        Path | None, typer.Option(help="Table of what could not be had.", writable=True)
    ] = None,
) -> None:
    """Fetch a raw corpus, or a part: resumed, verified, each file whole or not there.

    A token for the hub is read from HF_TOKEN. Run it again after a kill, and it goes on.

    Example: tact fetch ami --to data/ami --count 3
    """
    entry = corpus_entry(corpus)
    root = to.expanduser() if to else corpus_root(entry)
    try:
        brought = corpora.bring(
            corpora.source_of(entry, corpus, source),
            root,
            corpus=corpus,
            wanted=Subset(_names(listed), split, count, hours),
            urls=urls,
            jobs=jobs,
            policy=Policy(),
        )
    except Stopped as stopped:
        _set_aside(stopped.quarantine, quarantine)
        raise
    _set_aside(brought.quarantine, quarantine)
    announce(
        f"fetch {corpus}",
        _lacks(brought.quarantine, quarantine),
        files=brought.files,
        new=brought.new,
        bytes=brought.n_bytes,
        missing=len(brought.quarantine),
    )


@app.command()
def doctor(
    corpus: Annotated[list[str] | None, typer.Argument(help="Corpora; else all.")] = None,
) -> None:
    """Say of each corpus whether it can be reached, is allowed, on disk and whole, and what next.

    Example: tact doctor ami candor
    """
    for name in corpus or settings().corpora:
        entry = corpus_entry(name)
        for source in doctors.sources(entry):
            found = asdict(doctors.examine(name, entry, source, corpus_root(entry)))
            print(f"{found.pop('corpus')} {found.pop('release')}")
            print(f"  licence: {entry.licence}; a release may hold: {entry.rights}")
            for what, answer in found.items():
                print(f"  {what.replace('_', ' ')}: {answer}")


def _set_aside(rows: pd.DataFrame, path: Path | None) -> None:
    if path is not None:
        tables.write(rows, path, "quarantine")


def _lacks(rows: pd.DataFrame, path: Path | None) -> str:
    """Name the first of what could not be had, and where all of it stands."""
    if rows.empty:
        return ""
    return (
        f"{corpora.first_of(rows)}; {path or '--quarantine'} {'has' if path else 'writes'} them all"
    )


def _names(path: Path | None) -> frozenset[str]:
    if path is None:
        return frozenset()
    if not path.is_file():
        raise InputError(f"fetch: {files.no_file(path, kind='a file with one name a line')}")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())
