"""Commands release and rebuild: what may be shared, and the rest made again from a recipe."""

from pathlib import Path
from typing import Annotated

import typer

from tact import config, corpora
from tact import release as sharing
from tact.cli.app import announce, app, corpus_entry, settings
from tact.errors import InputError


@app.command()
def release(
    to: Annotated[Path, typer.Option(help="New folder for the release.", writable=True)],
    results: Annotated[Path, typer.Option(help="Results of a run.")] = Path("results"),
    key_file: Annotated[
        Path | None, typer.Option(help="File with the key of ids; else TACT_RELEASE_KEY.")
    ] = None,
) -> None:
    """Pack what may be shared of a run: tables and audio, or a recipe, where audio may not be.

    Example: TACT_RELEASE_KEY=$(cat key) tact release --results results --to release
    """
    counts = sharing.pack(results, to, sharing.Namer(sharing.read_key(key_file)))
    day = config.load([results / "config.yaml"]).release.published
    note = "" if day else "no release.published, which RO-Crate demands: set it before you share"
    announce("release", note, **counts._asdict())


@app.command()
def rebuild(
    release: Annotated[Path, typer.Argument(help="A release.")],
    corpus: Annotated[str, typer.Option(help="Name of a corpus with a recipe.")],
    root: Annotated[Path, typer.Option(help="Folder of the raw corpus.")],
    to: Annotated[
        Path, typer.Option(help="Folder for the clips; it may not be shared.", writable=True)
    ],
) -> None:
    """Make the clips of a recipe again from a corpus on disk, byte for byte.

    Example: tact rebuild release --corpus candor --root data/candor --to clips
    """
    folder = root.expanduser()
    recordings = corpora.read(folder, corpus=corpus, settings=corpus_entry(corpus)).recordings
    made = sharing.rebuild(
        release, recordings, folder, to, corpus=corpus, most_mb=settings().release.clips_mb
    )
    announce("rebuild", clips=made.asked, same=made.same)
    if len(made.left_out):
        first = made.left_out.sort_values("item").iloc[0]
        raise InputError(
            f"rebuild: {len(made.left_out)} of {made.asked} clips are not those of the release"
            f" (first: {first['item']}: {first['reason']}, {first['detail']}); each is a row of"
            f" {to / 'quarantine.parquet'}"
        )
