"""Probes: synthetic speakers with drawn habits, and conversations that follow a script.

Layout (ours)::

    probes.json                   {"made": true, "licence": "CC0", "speakers": [SPEAKER, ...]}
    <conversation>.json           CONVERSATION, one file each
    <conversation>.wav            16 kHz, 16 bit, channel k = speakers[k]; absent words-only

SPEAKER is ``{"speaker": id, "gender": "female" | "male", "age": years, "first_language":
"English", "words_per_s": .., "resume_s": .., "backchannels": .., "fillers": ..}``; the last four
are the drawn habits.

CONVERSATION is::

    {"conversation": id, "speakers": [id, id], "duration_ms": .., "audio": "<id>.wav" or null,
     "words":  [{"channel": 0, "start_ms": .., "end_ms": .., "text": "..", "punctuation": false}],
     "script": [{"channel": 0, "start_ms": .., "t0_ms": .., "intent": "ans"}]}

``script`` names the intent of each IPU end, t0, of the speaker on ``channel``; ``start_ms`` is the
start of that IPU. It is no hidden truth: it is what the speaker was told to do. What the other was
drawn to answer is not in it.

Each speaker is in several spoken conversations, from which episodes are chosen, and in some that
are words only (``talk<number>``), from which their profile comes. All intents and all four
scenarios occur, interruptions among them.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from tact import audio
from tact.simulate.cast import dyads
from tact.simulate.habits import Habits
from tact.simulate.studio import Studio, names
from tact.simulate.talk import Talk

RATE_HZ = 16_000


def make(root: Path, studio: Studio) -> Iterator[Talk]:
    """Write all probes below ``root``, conversation by conversation."""
    root.mkdir(parents=True, exist_ok=True)
    size = studio.size
    ids = [f"probe{number + 1:02d}" for number in range(size.speakers)]
    n_unspoken = -(-size.speakers * size.unspoken // 2)
    for meeting in dyads(n_unspoken + size.conversations, size.speakers):
        number = meeting.index + 1 - n_unspoken
        name = f"script{number:03d}" if number > 0 else f"talk{meeting.index + 1:03d}"
        talk = studio.dyad(name, names(meeting, ids))
        spoken = number > 0 and not studio.words_only
        (root / f"{talk.conversation}.json").write_text(_script(talk, spoken=spoken))
        if spoken:
            encoded = audio.wav(studio.sound(talk, RATE_HZ), RATE_HZ, depth="PCM_16")
            (root / f"{talk.conversation}.wav").write_bytes(encoded)
        yield talk
    speakers = [_speaker(studio.people[name]) for name in sorted(studio.people)]
    about = {"made": True, "licence": "CC0", "speakers": speakers}
    (root / "probes.json").write_text(json.dumps(about, indent=1))


def _script(talk: Talk, *, spoken: bool) -> str:
    channels = {speaker: index for index, speaker in enumerate(talk.speakers)}
    return json.dumps(
        {
            "conversation": talk.conversation,
            "speakers": talk.speakers,
            "duration_ms": talk.duration_ms,
            "audio": f"{talk.conversation}.wav" if spoken else None,
            "words": [
                {
                    "channel": channels[utterance.speaker],
                    "start_ms": word.start_ms,
                    "end_ms": word.end_ms,
                    "text": word.text,
                    "punctuation": word.punctuation,
                }
                for utterance in talk.utterances
                for word in utterance.words
            ],
            "script": [
                {
                    "channel": channels[utterance.speaker],
                    "start_ms": utterance.start_ms,
                    "t0_ms": utterance.end_ms,
                    "intent": utterance.intent,
                }
                for utterance in talk.utterances
                if utterance.intent is not None
            ],
        }
    )


def _speaker(person: Habits) -> dict[str, object]:
    return {
        "speaker": person.speaker,
        "gender": person.gender,
        "age": person.age,
        "first_language": "English",
        "words_per_s": round(person.words_per_s, 3),
        "resume_s": round(person.resume_s, 3),
        "backchannels": round(person.backchannels, 3),
        "fillers": round(person.fillers, 3),
    }
