"""Commands episodes, bind, profiles and check."""

from pathlib import Path
from typing import Annotated

import typer

from tact import episodes as episode_stage
from tact import files, separation, tables
from tact import profiles as profile_stage
from tact.cli.app import announce, app, corpus_entry, settings
from tact.frames import check_known
from tact.points.splits import split_of

Corpus = Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")]
Recordings = Annotated[Path, typer.Option("--recordings", help="Table of recordings.")]
Words = Annotated[Path, typer.Option("--words", help="Table of words.")]
TurnTables = Annotated[Path, typer.Option("--turns", help="Folder of the turn tables.")]
Folder = Annotated[Path, typer.Option("--out", help="Folder for the tables.", writable=True)]


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
    files.write_together(*tables.outputs(out, built._asdict()))
    short = (built.shortfalls["quota"] - built.shortfalls["chosen"]).sum()
    announce("episodes", episodes=len(built.episodes), turns_of_history=len(built.history),
             short=int(short))  # fmt: skip


@app.command()
def bind(
    episodes: Annotated[list[Path], typer.Option(help="Episodes of a corpus; repeat.")],
    out: Annotated[Path, typer.Option(help="The one table of episodes.", writable=True)],
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
    """Profile the focal speaker of each episode from evidence that lies elsewhere.

    Example: tact profiles ami --episodes E --turns DIR --words W --recordings R --ipus I --out DIR
    """
    entry = corpus_entry(corpus)
    asked, known = tables.read(episodes, "episodes"), tables.read(recordings, "recordings")
    check_known(asked, "episodes", known["conversation"], "conversation", "recordings")
    transfers = tables.read(turns / "transfers.parquet", "transfers")
    splits = split_of(known, corpus=corpus, settings=settings())
    laws = profile_stage.FtoLaws(
        transfers,
        [name for name, (split, _) in splits.items() if split == "train"],
        settings=settings().profiles,
        seed=settings().seed,
    )
    met = known.loc[known["speaker"].isin(asked["focal"]), "conversation"]
    talk = profile_stage.Talk(
        tables.read(ipus, "ipus"),
        tables.read(turns / "pauses.parquet", "pauses"),
        tables.read(turns / "backchannels.parquet", "backchannels"),
        transfers,
        tables.read(words, "words", conversations=met),
        final_word_ms=settings().profiles.final_word_ms,
    )
    built = profile_stage.build(
        asked,
        known,
        talk,
        laws,
        entry=entry,
        settings=settings().profiles,
        silence_min_ms=settings().points.pause_min_ms,
        seed=settings().seed,
    )
    files.write_together(*tables.outputs(out, built._asdict()))
    announce("profiles", profiles=len(built.profiles), intervals=len(built.evidence),
             swapped=int(built.swap["swapped_episode"].notna().sum()))  # fmt: skip


@app.command()
def check(
    corpus: Corpus,
    episodes: Annotated[Path, typer.Option(help="Table of episodes.")],
    history: Annotated[Path, typer.Option(help="Table of history.")],
    evidence: Annotated[Path, typer.Option(help="Table of evidence.")],
    swap: Annotated[Path, typer.Option(help="Table of swapped profiles.")],
    points: Annotated[Path, typer.Option(help="Table of points.")],
    recordings: Recordings,
    out: Annotated[Path, typer.Option(help="What was held apart, and by how much.", writable=True)],
) -> None:
    """Prove that profiles rest on nothing that is asked about, and that splits share no talk.

    Example: tact check ami --episodes E --history H --evidence V --swap S --points P
    --recordings R --out separation.parquet
    """
    corpus_entry(corpus)
    found = separation.prove(
        corpus,
        tables.read(episodes, "episodes"),
        tables.read(history, "history"),
        tables.read(evidence, "evidence"),
        tables.read(swap, "swap"),
        tables.read(points, "points"),
        tables.read(recordings, "recordings"),
        margin_ms=settings().profiles.margin_ms,
        unit=settings().splits.unit,
    )
    tables.write(found, out, "separation")
    announce("check", **dict(zip(found["what"], found["n"], strict=True)))
