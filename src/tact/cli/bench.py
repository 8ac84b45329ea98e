"""Commands episodes, bind and profiles."""

from pathlib import Path
from typing import Annotated

import typer

from tact import episodes as episode_stage
from tact import profiles as profile_stage
from tact import tables
from tact.cli.app import announce, app, corpus_entry, settings
from tact.frames import check_known

Corpus = Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")]
Recordings = Annotated[Path, typer.Option("--recordings", help="Table of recordings.")]
Words = Annotated[Path, typer.Option("--words", help="Table of words.")]
TurnTables = Annotated[Path, typer.Option("--turns", help="Folder of the turn tables.")]
Folder = Annotated[Path, typer.Option("--out", help="Folder for the tables.")]


@app.command(name="episodes")
def choose_episodes(
    corpus: Corpus,
    points: Annotated[Path, typer.Option(help="Table of points.")],
    recordings: Recordings,
    speakers: Annotated[Path, typer.Option(help="Table of speakers.")],
    words: Words,
    turns: TurnTables,
    out: Folder,
    inspections: Annotated[
        list[Path] | None, typer.Option(help="What the door found, for bands of SNR; repeat.")
    ] = None,
) -> None:
    """Fill one corpus's row of the quota table.

    Example: tact episodes ami --points P --recordings R --speakers S --words W --turns T --out O
    """
    candidates, known = tables.read(points, "points"), tables.read(recordings, "recordings")
    check_known(candidates, "points", known["conversation"], "conversation", "recordings")
    built = episode_stage.build(
        candidates,
        known,
        tables.read(speakers, "speakers"),
        tables.read(words, "words"),
        tables.read(turns / "turns.parquet", "turns"),
        tables.read(inspections or [], "inspections"),
        corpus=corpus,
        entry=corpus_entry(corpus),
        settings=settings().episodes,
        bands_db=settings().activity.calibration.bands_db,
        seed=settings().seed,
    )
    for name, table in built._asdict().items():
        tables.write(table, out / f"{name}.parquet", name)
    short = (built.shortfalls["quota"] - built.shortfalls["chosen"]).sum()
    announce("episodes", episodes=len(built.episodes), turns_of_history=len(built.history),
             short=int(short))  # fmt: skip


@app.command()
def bind(
    episodes: Annotated[list[Path], typer.Option(help="Episodes of a corpus; repeat.")],
    out: Annotated[Path, typer.Option(help="The one table of episodes.")],
    clips: Annotated[list[Path] | None, typer.Option(help="Clips of a shard; repeat.")] = None,
) -> None:
    """Make the one table of episodes, with their clips.

    Example: tact bind --episodes E --clips C --out episodes.parquet
    """
    bound = episode_stage.bind(tables.read(episodes, "episodes"), tables.read(clips or [], "clips"))
    tables.write(bound, out, "episodes")
    announce("bind", episodes=len(bound), clips=int(bound["clip"].notna().sum()))


@app.command(name="profiles")
def profile_speakers(
    corpus: Corpus,
    episodes: Annotated[Path, typer.Option(help="Table of episodes.")],
    turns: TurnTables,
    words: Words,
    recordings: Recordings,
    ipus: Annotated[list[Path], typer.Option(help="IPU table; repeat for each shard.")],
    out: Folder,
) -> None:
    """Profile the focal speaker of each episode from disjoint evidence, and prove it disjoint.

    Example: tact profiles ami --episodes E --turns DIR --words W --recordings R --ipus I --out DIR
    """
    asked, known = tables.read(episodes, "episodes"), tables.read(recordings, "recordings")
    check_known(asked, "episodes", known["conversation"], "conversation", "recordings")
    talk = profile_stage.Talk(
        tables.read(ipus, "ipus"),
        tables.read(turns / "pauses.parquet", "pauses"),
        tables.read(turns / "backchannels.parquet", "backchannels"),
        tables.read(turns / "transfers.parquet", "transfers"),
        tables.read(words, "words"),
    )
    built = profile_stage.build(
        asked,
        known,
        talk,
        entry=corpus_entry(corpus),
        settings=settings().profiles,
        seed=settings().seed,
    )
    profile_stage.check_disjoint(asked, built.evidence)
    for name, table in built._asdict().items():
        tables.write(table, out / f"{name}.parquet", name)
    announce("profiles", profiles=len(built.profiles), intervals=len(built.evidence))
