"""How right and wrong sound lie on the scale by which the door holds channels against words.

    python benchmarks/door_words.py [WORDS.parquet] [DATA]

Made speech of two people, two minutes each, at 4 levels of noise and 6 of bleed, its words as they
are and as poor transcripts have them: 150 ms off at random, a third of the utterances missing, each
word held to the next. Then the talk of real meetings, whose levels are made from their words
(WORDS, the table `words` of `make ami`), and real recordings of 30 s with words (DATA), which are
shorter than what the door judges: it is let judge them here. Each as it is, late, with its channels
swapped, of another conversation, and played at 3/2 of its rate. Printed: quantiles of the
correlation of level and words, what the door says of how many conversations, and the share of right
ones turned away and of wrong ones let in. Last, how alike two channels and a delayed copy are.
"""

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import soundfile

from tact import config, frames, lags
from tact.door import FRAME_MS, KEPT, inspect, levels, measures
from tact.inspection import Meter
from tact.simulate import soundcheck

ROOT = Path(__file__).resolve().parents[1]
DOOR = config.load([ROOT / "config.yaml"]).door
INF = float("inf")
RATE = 8_000
N_TALKS = 6
SNRS_DB = (INF, 20.0, 10.0, 5.0)
BLEEDS_DB = (-INF, -30.0, -20.0, -15.0, -10.0, -6.0)
PER_SECOND = 1000 // FRAME_MS


class Talk(NamedTuple):
    """A conversation: its channels as measured, and the words of each speaker, spans in ms."""

    heard: list
    spans: list


def measured(samples, rate_hz):
    """Measure channels, (n, channels), as the door does."""
    found = []
    for column in samples.T:
        meter = Meter(rate_hz)
        meter.feed(column.astype(np.float32))
        found.append(meter.finish())
    return found


def of_power(heard, power):
    """Give a channel another level curve."""
    return replace(heard, power=power, n_samples=len(power) * heard.sample_rate_hz // PER_SECOND)


def made():
    """Give made talk by condition."""
    for snr_db in SNRS_DB:
        for bleed_db in BLEEDS_DB:
            talks = []
            for check in soundcheck.checks(
                [snr_db] * N_TALKS, rate_hz=RATE, bleed_db=bleed_db, n_utterances=60, seed=7
            ):
                spans = [
                    np.array([(w.start_ms, w.end_ms) for w in _words(check.talk, who)])
                    for who in check.talk.speakers
                ]
                talks.append(Talk(measured(check.sound, RATE), spans))
            yield f"made, {snr_db:.0f} dB, bleed {bleed_db:.0f}", talks


def _words(talk, who):
    return [word for part in talk.utterances if part.speaker == who for word in part.words]


def transcribed(talks):
    """Give talks with their words as poor transcripts have them."""
    rng = np.random.default_rng(5)
    for kind in ("as they are", "150 ms off", "a third missing", "held on"):
        yield (
            kind,
            [talk._replace(spans=[_poor(s, kind, rng) for s in talk.spans]) for talk in talks],
        )


def _poor(spans, kind, rng):
    spans = spans.copy()
    if kind == "150 ms off":
        return np.maximum(0, spans + rng.normal(0, 150, (len(spans), 1)).astype(int))
    if kind == "a third missing":
        begins = np.concatenate(([True], spans[1:, 0] > spans[:-1, 1]))
        return spans[(rng.random(begins.sum()) > 1 / 3)[begins.cumsum() - 1]]
    if kind == "held on":
        spans[:-1, 1] = np.minimum(spans[1:, 0], spans[:-1, 1] + 800)
    return spans


def meetings(table):
    """Give real talk: in their words speakers are 20 dB over the noise, bleed is at -15 dB."""
    rng = np.random.default_rng(6)
    said = pd.read_parquet(table).query("kind == 'word'")
    talks = []
    for _, own in said.groupby("conversation"):
        spans = [part[["start_ms", "end_ms"]].to_numpy() for _, part in own.groupby("speaker")]
        n_frames = max(int(part.max()) for part in spans) // FRAME_MS + 1
        inside = np.array([measures.touched(part, n_frames) for part in spans])
        power = 1e-5 + inside * 10 ** (rng.normal(-30, 6, inside.shape) / 10)
        power += 10**-1.5 * (power.sum(axis=0) - power)
        silent = measured(np.zeros((RATE, len(spans))), RATE)
        talks.append(Talk([of_power(h, p) for h, p in zip(silent, power, strict=True)], spans))
    return talks


def recorded(data):
    """Give the real recordings that have words: all speakers on one channel."""
    for name in ("dev00", "dev01", "trn08"):
        samples, rate_hz = soundfile.read(data / f"ami_audio_30s/{name}.wav", always_2d=True)
        table = pd.read_csv(data / f"ami_audio_30s/{name}.words.csv").query("tag == 'w'")
        spans = table[["start", "end"]].mul(1000).round().to_numpy(int)
        yield Talk(measured(samples[:, :1], rate_hz), [spans])


def spoilt(talks):
    """Give talks as they are, and wrong in each way; the sound of another is another talk's."""
    yield "right", talks
    for name, by_ms in (("0.5 s late", 500), ("2 s late", 2000)):
        yield name, [_leveled(talk, lambda p, n=by_ms // FRAME_MS: np.roll(p, n)) for talk in talks]
    if len(talks[0].heard) > 1:
        yield (
            "swapped",
            [
                talk._replace(heard=[talk.heard[k] for k in (1, 0, *range(2, len(talk.heard)))])
                for talk in talks
            ],
        )
    yield "other talk", [
        talk._replace(heard=_fill(other.heard, len(talk.spans)))
        for talk, other in zip(talks, [*talks[1:], talks[0]], strict=True)
    ]  # fmt: skip
    faster = [_leveled(t, lambda p: p[(np.arange(len(p) // 1.5) * 1.5).astype(int)]) for t in talks]
    yield "at 3/2", faster


def _leveled(talk, change):
    return talk._replace(heard=[of_power(h, change(h.power)) for h in talk.heard])


def _fill(heard, n):
    return [heard[k % len(heard)] for k in range(n)]


def judged(talk):
    """Let the door judge a talk; its rows, and its worst word."""
    mixed = len(talk.heard) < 2
    rows = [
        {
            "corpus": "b", "conversation": "b:c", "channel": k, "speaker": f"b:{k}", "path": "c",
            "sample_rate_hz": RATE, "n_samples": talk.heard[k].n_samples, "duration_ms": 1,
            "licence": "", "mixed": mixed, "language": "en", "split_group": "g",
        }
        for k in range(len(talk.heard))
    ]  # fmt: skip
    said = pd.DataFrame(
        [
            ("b:c", f"b:{k}", n, start, end, "so", "word", "manual")
            for k, spans in enumerate(talk.spans)
            for n, (start, end) in enumerate(spans)
        ],
        columns=list(frames.empty("words").columns),
    )
    recordings = frames.frame(rows, "recordings")
    found, faults = inspect(recordings, talk.heard, [None] * len(rows), said, settings=DOOR)
    named = {fault["reason"] for fault in faults}
    away = sorted(named - set(KEPT))
    hardly = "words hardly fit" in named
    return found, away[0] if away else "said to fit hardly" if hardly else "let in"


def show(condition, talks, totals):
    """Print what the door finds of talks, as they are and spoilt."""
    for kind, cases in spoilt(talks):
        told = [judged(case) for case in cases]
        rows = [row for found, _ in told for row in found if row["word_fit"] is not None]
        if not rows:
            continue
        fit, best = (np.array([row[name] for row in rows]) for name in ("word_fit", "word_best"))
        said = Counter(verdict for _, verdict in told)
        totals.setdefault(kind, Counter()).update(said)
        low, middle, high = np.quantile(fit, [0, 0.5, 1])
        print(
            f"{condition:44} {kind:10} {len(fit):3} channels: in place {low:5.2f} {middle:5.2f}"
            f" {high:5.2f}, best {best.min():5.2f} to {best.max():5.2f}  {dict(said)}"
        )


def pairs(conditions):
    """Print how alike two channels are at lags over one frame, and one and its delayed copy."""
    apart, copies = [], []
    for talks in conditions:
        for talk in talks:
            one, other = map(measures.curve, levels(talk.heard))
            like = lags.compare(one, other, furthest=measures.FURTHEST)
            apart.append(like.best if abs(like.lag) > 1 else 0.0)
    for talk in [talk for talks in conditions for talk in talks]:
        power = np.roll(talk.heard[0].power, 25) + talk.heard[1].power.min()
        halves = (power + np.roll(power, 1)) / 2  # a lag between two frames
        copy = measures.curve(10 * np.log10(np.maximum(halves, 1e-12)))
        first = measures.curve(levels(talk.heard[:1])[0])
        copies.append(lags.compare(first, copy, furthest=measures.FURTHEST).best)
    print(
        f"two people: at most {max(apart):.2f} over one frame of lag; a delayed copy, between two"
        f" frames: {min(copies):.2f} to {max(copies):.2f}; said from {DOOR.copy_fit:.2f}"
    )


def main(arguments):
    totals, conditions = {}, []
    for condition, talks in made():
        conditions.append(talks)
        for kind, poor in transcribed(talks):
            show(f"{condition}, {kind}", poor, totals)
    if arguments:
        show("real talk, made level", meetings(Path(arguments[0])), totals)
    pairs(conditions)
    for kind, said in totals.items():
        n = sum(said.values())
        away = n - said["let in"] - said["said to fit hardly"]
        silent = said["let in"]
        wrong = (
            f"turned away {away / n:.2%}" if kind == "right" else f"let in unsaid {silent / n:.2%}"
        )
        print(f"{kind:10} {n:5} conversations, {wrong}: {dict(said)}")
    if arguments[1:]:
        measures.LEAST, measures.FURTHEST = 20 * PER_SECOND, 8 * PER_SECOND
        show("real recordings, 30 s", list(recorded(Path(arguments[1]))), {})


if __name__ == "__main__":
    main(sys.argv[1:])
