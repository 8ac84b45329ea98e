"""Commands respond, hear and completion: what systems do, and how complete turns are."""

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from tact import completing, detectors, files, frames, systems, tables
from tact.cli.app import DetectorName, announce, app, corpus_entry, corpus_root, settings
from tact.cli.rows import AS_DETECTED, Errors, corrections
from tact.completing import Completion, Estimator, Marks
from tact.errors import ConfigError, InputError
from tact.systems import overlap

Episodes = Annotated[Path, typer.Option(help="Table episodes.")]
Points = Annotated[list[Path], typer.Option(help="Table points; repeat for each corpus.")]
Models = Annotated[
    list[Path] | None, typer.Option(help="Table completion, for psi of overlaps; repeatable.")
]
Clips = Annotated[Path | None, typer.Option(help="Folder of clips: psi then heeds the sound.")]
Said = Annotated[list[Path] | None, typer.Option(help="Table words, for psi; repeatable.")]
Judged = Annotated[
    Path | None, typer.Option(help="Table completion_marks: annotators go before the model.")
]
Folder = Annotated[Path, typer.Option(help="Folder for the tables.", writable=True)]


@app.command()
def respond(
    system: Annotated[str, typer.Argument(help="Name in systems of config.yaml.")],
    episodes: Episodes,
    points: Points,
    posteriors: Annotated[Path, typer.Option(help="Table posteriors.")],
    laws: Annotated[Path, typer.Option(help="Table laws.")],
    out: Folder,
    ipus: Annotated[
        list[Path] | None, typer.Option(help="Table ipus, for the human's overlaps; repeatable.")
    ] = None,
    backchannels: Annotated[
        list[Path] | None, typer.Option(help="Table backchannels, as ipus; repeatable.")
    ] = None,
    completion: Models = None,
    clips: Clips = None,
    words: Said = None,
    marks: Judged = None,
) -> None:
    """Let an anchor answer every episode, or take in the responses of a system of the config.

    Without --completion the only overlaps of the human are those of interruptions.

    Example: tact respond median --episodes E.parquet --points P.parquet --posteriors Q.parquet
    --laws L.parquet --out responses/median
    """
    known = settings().systems
    if system not in known:
        raise ConfigError(f"no system {system!r} in systems; known: {', '.join(known)}")
    setting, asked = known[system], tables.read(episodes, "episodes")
    at, outside = tables.read(points, "points"), ""
    overlaps, held = frames.empty("overlaps"), None
    if setting.kind == "recordings":
        raise ConfigError(f"systems.{system} is a folder of recordings; use tact hear")
    if setting.kind == "human" and ipus:
        ways = _ways(asked, completion, clips, words, marks)
        overlaps, held = _human(system, asked, at, ipus, backchannels or [], ways)
    if setting.path is not None:
        found = systems.measure(_answers(system, Path(setting.path)), asked, at)
        responses = found.responses
        overlaps = tables.read(Path(setting.path) / "overlaps.parquet", "overlaps")
        outside = found.said
    else:
        responses = systems.respond(
            system,
            systems.make(system, setting, held=held, seed=settings().seed),
            asked,
            at,
            tables.read(posteriors, "posteriors"),
            tables.read(laws, "laws"),
            settings=setting,
            mode=settings().scores.mode,
        )
        overlaps = overlaps[overlaps["episode"].isin(responses["episode"])]
    made = {"responses": responses, "overlaps": overlaps}
    files.write_together(*tables.outputs(out, made))
    silent = int(responses["onset_ms"].isna().sum())
    announce("respond", outside, responses=len(responses), silent=silent, overlaps=len(overlaps))


@app.command()
def hear(
    folder: Annotated[Path, typer.Argument(help="Recordings <episode>.<run>.wav of a system.")],
    system: Annotated[str, typer.Option(help="Name of the system, for the tables.")],
    episodes: Episodes,
    points: Points,
    ipus: Annotated[list[Path], typer.Option(help="Table ipus; repeat for each shard.")],
    completion: Annotated[list[Path], typer.Option(help="Table completion; repeatable.")],
    out: Folder,
    detector: Annotated[DetectorName, typer.Option(help="Who hears.")] = DetectorName.webrtc,
    errors: Errors = None,
    clips: Clips = None,
    words: Said = None,
    marks: Judged = None,
) -> None:
    """Hear a folder of recordings of a system: tables responses, overlaps and spoken.

    Each file runs on the input clock, from the start of its clip to where the system stopped, at
    least to the clip's end. One channel is the system's voice; of two the first is the input.

    Example: tact hear recordings/mine --system mine --episodes E --points P --ipus I
    --completion C --clips results/clips --errors T --out responses/mine
    """
    asked, at = tables.read(episodes, "episodes"), tables.read(points, "points")
    runs = systems.recordings.find(folder, asked)
    heard = systems.hear(
        system,
        folder,
        runs,
        asked,
        at,
        tables.read(ipus, "ipus"),
        detector=detectors.create(detector, settings().activity),
        corrections=corrections(errors, detector),
        settings=settings(),
    )
    ways = _ways(asked, completion, clips, words, marks)
    found = overlap.overlaps(heard.runs, heard.talk)
    overlaps = _scored(system, heard.runs, heard.talk, found, ways)
    made = {"responses": heard.responses, "overlaps": overlaps, "spoken": heard.spoken}
    files.write_together(*tables.outputs(out, made))
    status = heard.responses["status"].value_counts()
    announce(
        "hear",
        f"{heard.silent} files without any sound" + ("" if errors else f"; {AS_DETECTED}"),
        responses=len(heard.responses),
        silent=int(
            (heard.responses["onset_ms"].isna() & (heard.responses["status"] == "ok")).sum()
        ),
        faults=int(status.get("fault", 0)),
        incomplete=int(status.get("incomplete", 0)),
        overlaps=len(overlaps),
    )


@app.command("completion")
def fit_completion(
    corpus: Annotated[str, typer.Argument(help="Name of the corpus in config.yaml.")],
    recordings: Annotated[Path, typer.Option(help="Table recordings.")],
    ipus: Annotated[list[Path], typer.Option(help="Table ipus; repeat for each shard.")],
    turns: Annotated[Path, typer.Option(help="Table turns.")],
    words: Annotated[Path, typer.Option(help="Table words.")],
    out: Folder,
) -> None:
    """Fit how complete a turn is at a moment, on train dyads, and check it on others.

    Example: tact completion candor --recordings R --ipus I --turns T --words W --out DIR
    """
    fitted = completing.train(
        corpus,
        tables.read(recordings, "recordings"),
        tables.read(ipus, "ipus"),
        tables.read(turns, "turns"),
        tables.read(words, "words"),
        corpus_root(corpus_entry(corpus)),
        settings=settings(),
    )
    files.write_together(*tables.outputs(out, fitted._asdict()))
    best = fitted.completion_check.drop_duplicates("model")
    said = "; ".join(
        f"{row.model}: ECE {row.ece:.3f}, Brier {row.brier:.3f} (share alone"
        f" {row.brier_of_share:.3f}), {row.n_all} moments"
        for row in best.itertuples()
    )
    announce("completion", said, models=fitted.completion["model"].nunique())


def _ways(
    asked: pd.DataFrame,
    models: list[Path] | None,
    clips: Path | None,
    words: list[Path] | None,
    marks: Path | None,
) -> list[Completion]:
    """Order the ways to psi: annotators, then sound, then words."""
    if clips is not None and not clips.is_dir():
        cure = "run tact clips, or leave --clips out"
        raise InputError(f"clips: {files.no_folder(clips, cure=cure)}")
    ways: list[Completion] = []
    if marks is not None:
        ways.append(Marks(tables.read(marks, "completion_marks")))
    if models:
        fitted = tables.read(models, "completion")
        said = tables.read(words or [], "words")
        listen = completing.clipped(clips or Path(), asked[:0] if clips is None else asked)
        if settings().completion.model == "prosody" and clips is not None:
            ways.append(Estimator("prosody", fitted, said, listen))
        ways.append(Estimator("words", fitted, said, listen))
    return ways


def _human(
    system: str,
    asked: pd.DataFrame,
    at: pd.DataFrame,
    ipus: list[Path],
    backchannels: list[Path],
    ways: list[Completion],
) -> tuple[pd.DataFrame, set[str]]:
    """Give the overlaps of the real partner, and the interruptions in which it held the floor."""
    runs = overlap.windows(asked, at)
    runs = runs.assign(talk=runs["episode"], run=0)
    said = tables.read(ipus, "ipus")
    talk = overlap.partner_talk(runs, said, tables.read(backchannels, "backchannels"))
    found = overlap.overlaps(runs, talk)
    held = set(found.loc[found["settled"], "talk"])
    return _scored(system, runs, talk, found, ways), held


def _scored(
    system: str,
    runs: pd.DataFrame,
    talk: pd.DataFrame,
    found: pd.DataFrame,
    ways: list[Completion],
) -> pd.DataFrame:
    """Make table overlaps of what was found, psi by the first way that can tell."""
    if not ways:
        found = found[found["settled"]].reset_index(drop=True)
    psi, bare = pd.Series(0.0, index=found.index), pd.Series(0.0, index=found.index)
    if len(open_ := found[~found["settled"]]):
        moments = overlap.moments(runs, talk, open_)
        psi[open_.index] = completing.first_known(ways, moments).to_numpy()
        bare[open_.index] = completing.first_known(ways[-1:], moments).to_numpy()
    return overlap.table(system, runs, found, psi, bare)


def _answers(system: str, folder: Path) -> pd.DataFrame:
    """Read the responses of a system that answered elsewhere."""
    responses = tables.read(folder / "responses.parquet", "responses")
    if len(other := responses[responses["system"] != system]):
        raise InputError(
            f"{folder / 'responses.parquet'}: {len(other)} of {len(responses)} rows are of another"
            f" system (first: {other['system'].iloc[0]}); systems.{system} wants its own"
        )
    return responses
