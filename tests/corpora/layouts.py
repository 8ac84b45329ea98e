"""Hand-made corpora, a few lines each, written without the product's own writers."""

import csv
import gzip
import io
import json
import tarfile
import wave
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import yaml

from tact import corpora
from tact.settings import Corpus

CONFIG = Path(__file__).resolve().parents[2] / "config.yaml"


@cache
def settings_of(corpus):
    """Settings of a corpus as config.yaml has them."""
    return Corpus.model_validate(yaml.safe_load(CONFIG.read_text())["corpora"][corpus])


def read(root, corpus, **changes):
    settings = settings_of(corpus).model_copy(update=changes)
    return corpora.read(root, corpus=corpus, settings=settings)


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def faults(tables):
    """Item and reason of each quarantine row."""
    rows = tables.quarantine[["item", "reason"]]
    return sorted(rows.itertuples(index=False, name=None))


def said(tables, conversation, speaker):
    """What a speaker says: (text, start, end, kind) in the order of position."""
    words = tables.words
    own = words[(words["conversation"] == conversation) & (words["speaker"] == speaker)]
    own = own.sort_values("position")
    assert list(own["position"]) == list(range(len(own)))
    rows = own[["text", "start_ms", "end_ms", "kind"]]
    return list(rows.itertuples(index=False, name=None))


def wav(path, *, seconds=10.0, rate_hz=16_000, channels=1):
    """A soft tone; the size of the header tells the truth."""
    path.parent.mkdir(parents=True, exist_ok=True)
    samples = np.sin(np.arange(int(seconds * rate_hz)) / 7.0) * 3000
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(np.repeat(samples.astype("<i2"), channels).tobytes())


def encoded(form, *, seconds=10.0, rate_hz=48_000, channels=2):
    """A soft tone as FLAC or MP3."""
    tone = np.sin(np.arange(int(seconds * rate_hz)) / 7.0).astype(np.float32) * 0.1
    page = io.BytesIO()
    soundfile.write(page, np.repeat(tone[:, None], channels, axis=1), rate_hz, format=form)
    return page.getvalue()


def tar(path, members):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            header = tarfile.TarInfo(name)
            header.size = len(data)
            archive.addfile(header, io.BytesIO(data))


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


# --- CANDOR: Ann on the left says "hi there.", Bob on the right says "NA"

CANDOR_ID = "0020a0c5-1658-4747-99c1-2839e736b481"


def aws(text, start=None, end=None, kind="pronunciation"):
    times = {} if start is None else {"start_time": start, "end_time": end}
    return {"type": kind, "alternatives": [{"content": text, "confidence": "0.9"}], **times}


def candor_files():
    left = [aws("hi", "1.00", "1.20"), aws("there", "1.25", "1.60"), aws(".", kind="punctuation")]
    right = [aws("NA", "2.00", "2.40")]
    survey = io.StringIO()
    csv.writer(survey).writerows(
        [("user_id", "sex", "age", "race"), ("ann", "female", "34", ""), ("bob", "male", "NA", "")]
    )
    return {
        "metadata.json": {
            "id": CANDOR_ID,
            "speakers": [{"user_id": "ann", "channel": "L"}, {"user_id": "bob", "channel": "R"}],
        },
        "survey.csv": survey.getvalue(),
        "processed/channel_map.json": {"L": "ann", "R": "bob"},
        "transcription/transcribe_output.json": {
            "results": {
                "channel_labels": {
                    "channels": [
                        {"channel_label": "ch_1", "items": right},
                        {"channel_label": "ch_0", "items": left},
                    ]
                }
            }
        },
    }


def candor(root, *, folder=CANDOR_ID, leave_out=(), **changed):
    """Write one conversation; ``changed`` maps a file's stem to other content."""
    for path, content in candor_files().items():
        if path not in leave_out:
            put(root / folder / path, changed.get(Path(path).stem, content))
    return root


# --- SSSD: two channels, three supervisions


def sssd(root, recordings=None, supervisions=None):
    recording = {
        "id": "s1",
        "sources": [{"type": "file", "channels": [0, 1], "source": "/far/away/s1_mixed.flac"}],
        "sampling_rate": 48_000,
        "num_samples": 480_000,
        "duration": 10.0,
        "channel_ids": [0, 1],
    }
    folder = root / "lhotse_manifests_48"
    default = [label(2, 6.0, 1.0, 0, "later"), label(0, 1.0, 2.5, 0), label(1, 4.0, 1.0, [1])]
    for name, rows in (("recordings", recordings), ("supervisions", supervisions)):
        if rows is None:
            rows = [recording] if name == "recordings" else default
        put(folder / f"{name}.jsonl.gz", gzip.compress(lines(rows).encode()))
    return root


def label(number, start, duration, channel, text="so I was", **more):
    first = channel[0] if isinstance(channel, list) else channel
    return {
        "id": f"s1-{number}",
        "recording_id": "s1",
        "start": start,
        "duration": duration,
        "channel": channel,
        "text": text,
        "speaker": f"hash{first}",
        **more,
    }


# --- otoSpeech: one session of two people


def oto_json(**more):
    return {
        "duration": 10.0,
        "session_type": "casual",
        "topics": ["travel"],
        "redacted_segments": None,
        "speakers": [{"gender": "female", "profile_id": "p1"}, {"gender": "male"}],
        **more,
    }


OTO_WORDS = b"channel,start,end,text\n0,1.00,1.50,hello\n0,1.50,1.50,?\n1,2.00,2.30,yes\n"
OTO_RAW = "otoSpeech-full-duplex-280h/data/train/shard-000000.tar"
OTO_CLEAN = "otoSpeech-full-duplex-processed-141h/data/train/shard-000000.tar"


# --- Seamless: one interaction

SEAMLESS_ID = "V00_S0809_I00000582"


def segment(*words):
    rows = [{"word": text, "start": start, "end": end, "score": 0.9} for text, start, end in words]
    return {"words": rows, "start": words[0][1], "end": words[-1][2], "transcript": "..."}


SEAMLESS_WORDS = {
    "P0947": [segment(("hi,", 1.0, 1.2), ("you?", 1.3, 1.6))],
    "P1275A": [segment(("fine", 2.0, 2.4))],
}


def seamless(root, *, words=SEAMLESS_WORDS, vad=({"start": 1.0, "end": 2.0},), meta="metadata/"):
    base = root / "naturalistic" / "dev"
    for person, segments in words.items():
        name = f"{SEAMLESS_ID}_{person}"
        put(base / f"{meta}transcript/{name}.jsonl", lines(segments))
        put(base / f"{meta}vad/{name}.jsonl", lines(vad))
    return root


# --- probes: one conversation


def probe(**more):
    return {
        "conversation": "script001",
        "speakers": ["probe01", "probe02"],
        "duration_ms": 10_000,
        "audio": None,
        "words": [
            {"channel": 0, "start_ms": 1000, "end_ms": 1400, "text": "so", "punctuation": False},
            {"channel": 0, "start_ms": 1400, "end_ms": 1400, "text": "?", "punctuation": True},
            {"channel": 1, "start_ms": 2000, "end_ms": 2300, "text": "yes", "punctuation": False},
        ],
        "script": [{"channel": 0, "start_ms": 1000, "t0_ms": 1400, "intent": "ans"}],
        **more,
    }


PROBE_PEOPLE = {
    "made": True,
    "speakers": [
        {"speaker": "probe01", "gender": "female", "age": 41, "first_language": "English"},
        {"speaker": "probe02", "gender": "male", "age": 29, "first_language": "English"},
    ],
}


# --- AMI: a meeting of three, agents A B C on headsets 1 2 0

NITE = 'xmlns:nite="http://nite.sourceforge.net/"'


def nxt(body, name="x"):
    declaration = '<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>'
    return f'{declaration}\n<nite:root nite:id="{name}" {NITE}>{body}</nite:root>'


def ami_files(meeting="ES2002a"):
    a, b, c = (f"{meeting}.{agent}" for agent in "ABC")
    seats = "".join(
        f'<speaker nxt_agent="{agent}" channel="{channel}" global_name="{name}"/>'
        for agent, channel, name in (("A", 1, "FEE005"), ("B", 2, "MED006"), ("C", 0, "MEO007"))
    )
    word = '<w nite:id="{id}.words{n}" starttime="{start}" endtime="{end}"{punc}>{text}</w>'

    def spoken(who, *rows):
        return "".join(
            word.format(id=who, n=n, text=text, start=start, end=end, punc=punc)
            for n, (text, start, end, punc) in enumerate(rows)
        )

    mark = ' punc="true"'
    return {
        "00README_MANUAL.txt": "AMI Manual Annotations release 1.7\n",
        "corpusResources/meetings.xml": nxt(
            f'<meeting observation="{meeting}" duration="20">{seats}</meeting>'
        ),
        "corpusResources/participants.xml": nxt(
            '<participant nite:id="FEE005" sex="F" age_at_collection="20.0"'
            ' native_language="English"><english_language region="Scotland"/></participant>'
            '<participant nite:id="MEO007" sex="M" native_language=""/>'
        ),
        "ontologies/da-types.xml": (
            f'<da-type nite:id="root" {NITE}><da-type nite:id="ami_daclass_0" name="minor">'
            '<da-type nite:id="ami_da_1" name="bck"/></da-type>'
            '<da-type nite:id="ami_da_5" name="el.inf"/><da-type nite:id="ami_da_4" name="inf"/>'
            "</da-type>"
        ),
        f"words/{a}.words.xml": nxt(
            spoken(a, ("what", 1.0, 1.5, ""), ("now", 1.5, 2.0, ""), ("?", 2.0, 2.0, mark))
            + f'<vocalsound nite:id="{a}.words3" starttime="2.5" endtime="3.0" type="laugh"/>'
        ),
        f"words/{b}.words.xml": nxt(spoken(b, ("caf\xe9", 2.2, 2.8, ""))),
        f"words/{c}.words.xml": nxt(spoken(c, ("yes", 5.0, 5.25, ""))),
        f"dialogueActs/{a}.dialog-act.xml": nxt(act(a, 1, 5, "words0", "words2")),
        f"dialogueActs/{b}.dialog-act.xml": nxt(act(b, 1, 4, "words0")),
        f"dialogueActs/{c}.dialog-act.xml": nxt(act(c, 1, 1, "words0")),
        f"dialogueActs/{meeting}.adjacency-pairs.xml": nxt(pair(a, b)),
    }


def act(who, number, type_number, first, last=None):
    until = f"..id({who}.{last})" if last else ""
    pointer = f'<nite:pointer role="da-aspect" href="da-types.xml#id(ami_da_{type_number})"/>'
    return (
        f'<dact nite:id="{who}.act{number}">{pointer if type_number else ""}'
        f'<nite:child href="{who}.words.xml#id({who}.{first}){until}"/></dact>'
    )


def pair(first, second):
    pointers = "".join(
        f'<nite:pointer role="{role}" href="{who}.dialog-act.xml#id({who}.act1)"/>'
        for role, who in (("source", first), ("target", second))
        if who
    )
    return f"<adjacency-pair>{pointers}</adjacency-pair>"


def ami(root, *, leave_out=(), **changed):
    """Write one meeting; ``changed`` maps the name of a file to other content."""
    for path, content in ami_files().items():
        if path not in leave_out:
            text = changed.get(Path(path).name, content)
            put(root / "ami" / path, text if isinstance(text, bytes) else text.encode("iso-8859-1"))
    return root
