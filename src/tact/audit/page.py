"""Drawn points as one HTML page: timeline, words, player, and a verdict that the page saves."""

from html import escape
from itertools import groupby

from tact.audit.draw import Drawn, Span
from tact.audit.verdicts import VERDICTS

WIDTH, ROW, LEFT = 1000, 26, 130
STYLE = """
body{font:14px/1.4 sans-serif;max-width:1180px;margin:1em auto}
section{border-top:1px solid #999;padding:.6em 0} svg{display:block}
.words{font-family:monospace;font-size:12px;white-space:pre-wrap;margin:.3em 0}
label{margin-right:1em} input[type=text]{width:40em} audio{width:60%}
header{position:sticky;top:0;background:#fff;border-bottom:1px solid #999;padding:.4em 0}
"""
SCRIPT = """
const quoted = text => '"' + text.replaceAll('"', '""') + '"';
function save() {
  const rows = [...document.querySelectorAll('section')].map(one => {
    const said = one.querySelector('input[type=radio]:checked');
    const note = one.querySelector('input[type=text]').value;
    return [one.dataset.point, one.dataset.scenario, said ? said.value : '', note];
  });
  const csv = ['point,scenario,verdict,note', ...rows.map(row => row.map(quoted).join(','))];
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([csv.join('\\n') + '\\n'], {type: 'text/csv'}));
  link.download = 'verdicts.csv';
  link.click();
}
function count() {
  const said = document.querySelectorAll('input[type=radio]:checked').length;
  document.getElementById('count').textContent = said;
}
"""
RULES = {
    "pause": "the focal speaker is silent for 600 ms or more and goes on with the turn within 5 s;"
    " the partner takes no floor in between",
    "backchannel": "the first response to t0 is a backchannel",
    "smooth": "the partner takes the floor before the focal speaker's next IPU",
    "interruption": "the focal turn began 500 ms or more before the partner's IPU ended, in an"
    " unfinished clause of the partner, who held the floor; it took the floor",
}


def page(drawn: list[Drawn]) -> str:
    """Write the page of some points, with all that it needs inside."""
    sections = [
        f"<h2>{scenario}</h2><p>{RULES[scenario]}.</p>\n" + "\n".join(_section(one) for one in some)
        for scenario, some in groupby(drawn, key=lambda one: one.point["scenario"])
    ]
    head = (
        f"<header>{len(drawn)} points, <span id=count>0</span> judged."
        " <button onclick=save()>Save verdicts.csv</button>, then"
        " <code>tact audit --verdicts verdicts.csv</code></header>"
    )
    return (
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>TACT audit</title><style>{STYLE}"
        f"</style><script>{SCRIPT}</script><body onchange=count()>{head}\n"
        + "\n".join(sections)
        + "</body></html>\n"
    )


def _section(one: Drawn) -> str:
    point = one.point
    told = [f"{point[who]} ({who})" for who in ("focal", "partner")]
    told += [
        f"{name.removesuffix('_ms')} {_number(point[name])}"
        for name in ("response_ms", "floor_ms", "resume_ms", "focal_next_ms")
    ]
    told += [str(point["response_kind"] or "no response"), point["reasons"]]
    choices = "".join(
        f"<label><input type=radio name='{point['point']}' value={verdict}>{verdict}</label>"
        for verdict in VERDICTS
    )
    sound = (
        f"<audio controls preload=none src='data:audio/mpeg;base64,{one.sound}'></audio>"
        if one.sound
        else ""
    )
    return (
        f"<section data-point='{point['point']}' data-scenario='{point['scenario']}'>"
        f"<b>{point['point']}</b> {escape(point['conversation'])} at {point['t0_ms'] / 1000:.2f} s"
        f"<br>{escape('; '.join(told))}\n{timeline(one)}\n{sound}"
        f"<div class=words>{escape(transcript(one))}</div>"
        f"{choices}<input type=text placeholder=note></section>"
    )


def timeline(one: Drawn) -> str:
    """Draw who speaks as SVG, one row a speaker; backchannels are pale, the line is t0."""
    speakers = people(one)
    scale = WIDTH / (one.to_ms - one.from_ms)
    rows = {speaker: ROW * at for at, speaker in enumerate(speakers)}
    taken = {(span.speaker, span.start_ms, span.end_ms) for span in one.backchannels}
    bars = [_bar(one, span, rows, scale, taken) for span in one.ipus]
    names = [
        f"<text x=0 y={y + 16} font-size=12>{escape(speaker)}</text>" for speaker, y in rows.items()
    ]
    height = ROW * len(speakers)
    ticks = [
        f"<text x={LEFT + (at - one.from_ms) * scale:.1f} y={height + 14} font-size=10>"
        f"{at // 1000}</text>"
        for at in range(-(-one.from_ms // 1000) * 1000, one.to_ms, 1000)
    ]
    t0 = LEFT - one.from_ms * scale
    line = f"<line x1={t0:.1f} x2={t0:.1f} y1=0 y2={height} stroke=red></line>"
    return (
        f"<svg width={LEFT + WIDTH} height={height + 20}>{''.join([*names, *bars, *ticks])}"
        f"{line}</svg>"
    )


def people(one: Drawn) -> list[str]:
    """Name who is heard around a point: the focal speaker, the partner, then the others."""
    known = [one.point["focal"], one.point["partner"]]
    return known + sorted({span.speaker for span in one.ipus} - set(known))


def transcript(one: Drawn) -> str:
    """Write the words in stretches of one speaker, with their start in s from t0."""
    role = {speaker: f"other {at - 1}" for at, speaker in enumerate(people(one))}
    role |= {one.point["focal"]: "FOCAL", one.point["partner"]: "PARTNER"}
    lines: list[str] = []
    marked = False
    for speaker, words in groupby(_pieces(one), key=lambda piece: piece[0].speaker):
        for ipu, text in words:
            if not marked and ipu.start_ms >= 0:
                lines.append("         ---- t0 ----")
                marked = True
            times = f"{ipu.start_ms / 1000:7.2f} {ipu.end_ms / 1000:7.2f}"
            lines.append(f"{times} {role.get(speaker, speaker):8} {text}")
    return "\n".join(lines)


def _pieces(one: Drawn) -> list[tuple[Span, str]]:
    """Give each IPU the words whose middle lies in it."""
    pieces = []
    for ipu in sorted(one.ipus, key=lambda span: (span.start_ms, span.speaker)):
        inside = [
            word.text
            for word in one.words
            if word.speaker == ipu.speaker
            and ipu.start_ms <= (word.start_ms + word.end_ms) / 2 <= ipu.end_ms
        ]
        pieces.append((ipu, " ".join(inside)))
    return pieces


def _bar(
    one: Drawn, span: Span, rows: dict[str, int], scale: float, taken: set[tuple[str, int, int]]
) -> str:
    start, end = max(span.start_ms, one.from_ms), min(span.end_ms, one.to_ms)
    backchannel = any(
        who == span.speaker and first <= span.start_ms < last for who, first, last in taken
    )
    colour = "#9ecae1" if backchannel else "#2b6ca3"
    return (
        f"<rect x={LEFT + (start - one.from_ms) * scale:.1f} y={rows[span.speaker] + 3}"
        f" width={max(1.0, (end - start) * scale):.1f} height={ROW - 8} fill='{colour}'></rect>"
    )


def _number(value: object) -> str:
    return "none" if value is None or value != value or str(value) == "<NA>" else str(value)
