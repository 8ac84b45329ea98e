"""Timing files as other programs write them, made without the product, and the corpora of tests."""

import csv
import io
from xml.sax.saxutils import escape, quoteattr

from corpora.layouts import put
from tact import corpora
from tact.settings import Corpus

ENTRY = {
    "adapter": "generic", "root": "data/nl", "language": "nl", "licence": "CC0",
    "rights": "audio", "obtain": "record people who talk", "activity": "words",
    "contiguous_words": False, "clip_target_s": 20.0, "shards": 1, "labels": None, "judge": None,
}  # fmt: skip
HEADER = ("conversation", "speaker", "channel", "audio", "timing", "duration_s")


def read(root, **more):
    return corpora.read(root, corpus="nl", settings=Corpus.model_validate(ENTRY | more))


def table(header, rows):
    page = io.StringIO()
    csv.writer(page).writerows([header, *rows])
    return page.getvalue()


def listed(root, *rows, header=HEADER):
    """Write recordings.csv."""
    put(root / "recordings.csv", table(header, rows))
    return root


def dyad(root, timing, content, *, audio="", duration="10", timing_b=None):
    """Write a corpus of Ann and Ben, conversation c1, who share one timing file, or have two."""
    put(root / timing, content)
    return listed(
        root,
        ("c1", "Ann", 0, audio, timing, duration),
        ("c1", "Ben", 1, audio, timing if timing_b is None else timing_b, duration),
    )


def filled(spans, xmax):
    """Put the silences between spans (start, end, mark), as an interval tier has them."""
    at = 0.0
    for start, end, mark in spans:
        if start > at:
            yield at, start, ""
        yield start, end, mark
        at = end
    if at < xmax:
        yield at, xmax, ""


def quoted(mark):
    return '"' + mark.replace('"', '""') + '"'


def long_textgrid(tiers, xmax=10.0):
    """Write tiers, name to spans, as Praat's `Save as text file`."""
    page = (
        f'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0 \nxmax = {xmax} \n'
        f"tiers? <exists> \nsize = {len(tiers)} \nitem []: \n"
    )
    for k, (name, spans) in enumerate(tiers.items(), start=1):
        rows = list(filled(spans, xmax))
        page += (
            f'    item [{k}]:\n        class = "IntervalTier" \n        name = {quoted(name)} \n'
        )
        page += f"        xmin = 0 \n        xmax = {xmax} \n"
        page += f"        intervals: size = {len(rows)} \n"
        for n, (start, end, mark) in enumerate(rows, start=1):
            page += f"        intervals [{n}]:\n            xmin = {start} \n"
            page += f"            xmax = {end} \n            text = {quoted(mark)} \n"
    return page


def short_textgrid(tiers, xmax=10.0):
    """Write tiers as Praat's `Save as short text file`."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", str(xmax)]
    lines += ["<exists>", str(len(tiers))]
    for name, spans in tiers.items():
        rows = list(filled(spans, xmax))
        lines += ['"IntervalTier"', quoted(name), "0", str(xmax), str(len(rows))]
        for start, end, mark in rows:
            lines += [str(start), str(end), quoted(mark)]
    return "\n".join(lines) + "\n"


def eaf(tiers):
    """Write tiers as ELAN does: time slots in ms, annotations that point to them."""
    slots, body = [], ""
    for name, spans in tiers.items():
        body += f"<TIER LINGUISTIC_TYPE_REF='default-lt' TIER_ID={quoteattr(name)}>"
        for start, end, mark in spans:
            first, last = len(slots) + 1, len(slots) + 2
            slots += [round(start * 1000), round(end * 1000)]
            body += (
                f"<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID='a{first}'"
                f" TIME_SLOT_REF1='ts{first}' TIME_SLOT_REF2='ts{last}'>"
                f"<ANNOTATION_VALUE>{escape(mark)}</ANNOTATION_VALUE>"
                "</ALIGNABLE_ANNOTATION></ANNOTATION>"
            )
        body += "</TIER>"
    order = "".join(
        f"<TIME_SLOT TIME_SLOT_ID='ts{k}' TIME_VALUE='{ms}'/>" for k, ms in enumerate(slots, 1)
    )
    return (
        "<?xml version='1.0' encoding='UTF-8'?><ANNOTATION_DOCUMENT FORMAT='3.0'>"
        f"<HEADER MEDIA_FILE='' TIME_UNITS='milliseconds'/><TIME_ORDER>{order}</TIME_ORDER>{body}"
        "</ANNOTATION_DOCUMENT>"
    )


def rttm(tiers):
    return "".join(
        f"SPEAKER c1 1 {start:.3f} {end - start:.3f} <NA> <NA> {name} <NA> <NA>\n"
        for name, spans in tiers.items()
        for start, end, *_ in spans
    )


def timing_csv(tiers):
    rows = [(*span, name) for name, spans in tiers.items() for span in spans]
    return table(("start_s", "end_s", "text", "speaker"), rows)
