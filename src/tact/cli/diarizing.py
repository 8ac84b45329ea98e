"""Commands diarize and voices: who spoke when, and with what voice."""

from pathlib import Path
from typing import Annotated

import typer

from tact import files, tables
from tact.cli.app import announce, app, corpus_entry, corpus_root, settings
from tact.cli.rows import Inspected, Name, Recordings, Shard, pick
from tact.diarizer import listener, mixed, own

Quarantine = Annotated[Path, typer.Option(help="Table quarantine to write.", writable=True)]


@app.command()
def diarize(
    corpus: Name,
    recordings: Recordings,
    out: Annotated[Path, typer.Option(help="Table ipus to write.", writable=True)],
    people: Annotated[Path, typer.Option(help="Table people to write.", writable=True)],
    quarantine: Quarantine,
    voices: Annotated[
        list[Path] | None, typer.Option(help="Table voices; may be repeated.")
    ] = None,
    inspected: Inspected = None,
    shard: Shard = "1/1",
) -> None:
    """Find who speaks when in the conversations whose speakers share a channel.

    Example: tact diarize ami --recordings R.parquet --voices V.parquet --out IPUS.parquet
    --people P.parquet --quarantine Q.parquet --shard 1/4
    """
    chosen = settings()
    rows = pick(recordings, shard, inspected)
    known = tables.read(voices, "voices") if voices else tables.empty("voices")
    found = mixed.diarize(
        rows,
        corpus_root(corpus_entry(corpus)),
        known,
        ears=listener.ears(chosen.activity.pyannote, chosen.diarization.embedding),
        settings=chosen.diarization,
        ipu=chosen.activity,
    )
    files.write_together(
        tables.output(found.ipus, out, "ipus"),
        tables.output(found.people, people, "people"),
        tables.output(found.quarantine, quarantine, "quarantine"),
    )
    announce(
        "diarize",
        conversations=found.ipus["conversation"].nunique(),
        ipus=len(found.ipus),
        people=len(found.people),
        quarantined=len(found.quarantine),
    )


@app.command("voices")
def find_voices(
    corpus: Name,
    recordings: Recordings,
    out: Annotated[Path, typer.Option(help="Table voices to write.", writable=True)],
    quarantine: Quarantine,
    shard: Shard = "1/1",
) -> None:
    """Find the voice of each speaker who has a channel, and how much of the channel is another's.

    Example: tact voices ami --recordings R.parquet --out V.parquet --quarantine Q.parquet
    --shard 1/4
    """
    chosen = settings()
    rows = pick(recordings, shard)
    # Windows that do not overlap much tell a voice as well, and cost less.
    apart = chosen.activity.pyannote.model_copy(update={"step_s": chosen.diarization.voice_step_s})
    found = own.voices(
        rows,
        corpus_root(corpus_entry(corpus)),
        ears=listener.ears(apart, chosen.diarization.embedding),
        settings=chosen.diarization,
    )
    files.write_together(
        tables.output(found.voices, out, "voices"),
        tables.output(found.quarantine, quarantine, "quarantine"),
    )
    announce("voices", channels=len(found.voices), quarantined=len(found.quarantine))
