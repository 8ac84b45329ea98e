"""The layout of CANDOR: one folder per conversation, AWS Transcribe words in 10 ms steps.

::

    <uuid>/metadata.json  survey.csv  audio_video_features.csv
           processed/<uuid>.mp3  channel_map.json
           transcription/transcribe_output.json  transcript_{audiophile,backbiter,cliffhanger}.csv

With audio, one more conversation has lost its word timings and its sound.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from tact import audio
from tact.simulate.cast import dyads, hexadecimal, uuid
from tact.simulate.habits import Habits
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk, Utterance, Word

SIDES = ("L", "R")
TURN_COLUMNS = (
    "turn_id", "speaker", "start", "stop", "utterance", "interval", "delta", "questions",
    "end_question", "overlap", "n_words",
)  # fmt: skip
BACKBITER_COLUMNS = (
    "backchannel", "backchannel_count", "backchannel_speaker", "backchannel_start",
    "backchannel_stop",
)  # fmt: skip
SURVEY_COLUMNS = (
    "user_id", "partner_id", "convo_id", "sex", "age", "race", "edu", "employ", "politics",
)  # fmt: skip
RATE_HZ = 48_000
CREATED_MS = 1_580_000_000_000

Turn = list[Utterance]


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write the whole corpus below ``root``, conversation by conversation."""
    size, key = studio.size, (studio.seed, studio.corpus)
    ids = [hexadecimal(24, *key, "speaker", number) for number in range(size.speakers)]
    for meeting in dyads(size.conversations, size.speakers):
        conversation = uuid(*key, "conversation", meeting.index)
        talk = studio.dyad(conversation, names(meeting, ids))
        write(root / conversation, talk, studio.people)
        if not studio.words_only:
            _sound(root / conversation, talk, studio)
        yield talk
    if not studio.words_only:
        _lose_words(root / uuid(*key, "incomplete"), talk, studio)


def _lose_words(folder: Path, talk: Talk, studio: Studio) -> None:
    """Write one more conversation, whose word timings and sound are missing."""
    write(folder, replace(talk, conversation=folder.name), studio.people)
    (folder / "transcription/transcribe_output.json").unlink()


def write(folder: Path, talk: Talk, people: dict[str, Habits]) -> None:
    """Write the text files of one conversation; sound is written beside them."""
    for part in ("processed", "transcription"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    sides = dict(zip(SIDES, talk.speakers, strict=True))
    (folder / "processed/channel_map.json").write_text(json.dumps(sides))
    (folder / "metadata.json").write_text(json.dumps(_metadata(talk, sides)))
    (folder / "survey.csv").write_text(_survey(talk, people))
    transcription = folder / "transcription"
    (transcription / "transcribe_output.json").write_text(transcribed(talk))
    audiophile = list(_turns(talk, swallow=False))
    backbiter = list(_turns(talk, swallow=True))
    sentences = [[u] for u in talk.utterances if not u.backchannel]
    (transcription / "transcript_audiophile.csv").write_text(_transcript(audiophile))
    (transcription / "transcript_cliffhanger.csv").write_text(_transcript(sentences))
    (transcription / "transcript_backbiter.csv").write_text(_transcript(backbiter, talk))


def transcribed(talk: Talk) -> str:
    """Write words as AWS Transcribe does in channel mode: times are strings, marks have none."""
    channels = []
    for index, speaker in enumerate(talk.speakers):
        items = ",".join(
            _item(word) for u in talk.utterances if u.speaker == speaker for word in u.words
        )
        channels.append(f'{{"channel_label":"ch_{index}","items":[{items}]}}')
    job = f'"jobName":"{talk.conversation}","status":"COMPLETED"'
    labels = f'"channel_labels":{{"channels":[{",".join(channels)}],"number_of_channels":2}}'
    return f'{{{job},"results":{{{labels}}}}}'


def _item(word: Word) -> str:
    content = f'"alternatives":[{{"confidence":"1.0","content":"{word.text}"}}]'
    if word.punctuation:
        return f'{{"type":"punctuation",{content}}}'
    times = f'"start_time":"{word.start_ms / 1000:.2f}","end_time":"{word.end_ms / 1000:.2f}"'
    return f'{{{times},"type":"pronunciation",{content}}}'


def _sound(folder: Path, talk: Talk, studio: Studio) -> None:
    samples = studio.sound(talk, RATE_HZ)
    (folder / f"processed/{talk.conversation}.mp3").write_bytes(audio.mp3(samples, RATE_HZ))
    _write_features(folder, talk)


def _write_features(folder: Path, talk: Talk) -> None:
    """Write the flag of speech per second and speaker, too coarse to time anything."""
    rows: list[tuple[object, ...]] = [("timedelta", "user_id", "is_speaking")]
    for speaker in talk.speakers:
        own = [u for u in talk.utterances if u.speaker == speaker]
        busy = {s for u in own for s in range(u.start_ms // 1000, u.end_ms // 1000 + 1)}
        for second in range(talk.duration_ms // 1000):
            clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
            rows.append((clock, speaker, second in busy))
    (folder / "audio_video_features.csv").write_text(_csv(rows))


def _metadata(talk: Talk, sides: dict[str, str]) -> dict[str, object]:
    return {
        "id": talk.conversation,
        "sessionId": talk.conversation[:8],
        "createdAt": CREATED_MS,
        "speakers": [{"user_id": user, "channel": side} for side, user in sides.items()],
        "files": [{"filename": f"{talk.conversation}.mp3"}],
    }


def _survey(talk: Talk, people: dict[str, Habits]) -> str:
    rows: list[tuple[object, ...]] = [SURVEY_COLUMNS]
    for user, partner in zip(talk.speakers, reversed(talk.speakers), strict=True):
        person = people[user]
        rows.append((user, partner, talk.conversation, person.gender, person.age, "", "", "", ""))
    return _csv(rows)


def _turns(talk: Talk, *, swallow: bool) -> Iterator[Turn]:
    """Join IPUs until the other speaks (or, when ``swallow``, speaks more than a backchannel)."""
    turn: Turn = []
    for utterance in talk.utterances:
        if swallow and utterance.backchannel:
            continue
        if turn and turn[-1].speaker != utterance.speaker:
            yield turn
            turn = []
        turn.append(utterance)
    if turn:
        yield turn


def _transcript(turns: list[Turn], talk: Talk | None = None) -> str:
    backchannels = [u for u in talk.utterances if u.backchannel] if talk else []
    rows: list[tuple[object, ...]] = [TURN_COLUMNS + (BACKBITER_COLUMNS if talk else ())]
    stop_ms: int | None = None
    heard = 0
    for number, turn in enumerate(turns):
        row, stop_ms = _row(number, turn, stop_ms)
        if talk:
            first = heard
            while heard < len(backchannels) and backchannels[heard].start_ms < turn[-1].end_ms:
                heard += 1
            row += _swallowed(backchannels[first:heard])
        rows.append(row)
    return _csv(rows)


def _row(number: int, turn: Turn, before_ms: int | None) -> tuple[tuple[object, ...], int]:
    start_ms, stop_ms = turn[0].start_ms, max(u.end_ms for u in turn)
    words = [word for u in turn for word in u.words]
    marks = [word for word in words if word.punctuation]
    interval = "" if before_ms is None else f"{(start_ms - before_ms) / 1000:.2f}"
    row = (
        number, turn[0].speaker, f"{start_ms / 1000:.2f}", f"{stop_ms / 1000:.2f}", text_of(words),
        interval, f"{(stop_ms - start_ms) / 1000:.2f}", [word.text for word in words].count("?"),
        words[-1].text == "?", interval.startswith("-"), len(words) - len(marks),
    )  # fmt: skip
    return row, stop_ms


def _swallowed(heard: list[Utterance]) -> tuple[object, ...]:
    if not heard:
        return ("", 0, "", "", "")
    said = " ".join(text_of(u.words) for u in heard)
    start, stop = f"{heard[0].start_ms / 1000:.2f}", f"{heard[-1].end_ms / 1000:.2f}"
    return (said, len(heard), heard[0].speaker, start, stop)


def text_of(words: Iterable[Word]) -> str:
    """Join words; a mark stands at the word before it."""
    text = " ".join([word.text for word in words])
    return text.replace(" ,", ",").replace(" .", ".").replace(" ?", "?")


def _csv(rows: list[tuple[object, ...]]) -> str:
    page = io.StringIO()
    csv.writer(page, lineterminator="\n").writerows(rows)
    return page.getvalue()
