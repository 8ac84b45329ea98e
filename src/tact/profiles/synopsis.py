"""A profile in plain English, with its numbers, to stand in a prompt."""

from collections.abc import Mapping
from typing import Any


def describe(known: Mapping[str, Any]) -> str:
    """Say what is known of a speaker in a few sentences.

    Parameters
    ----------
    known : columns of the table ``profiles``; what is null is not spoken of
    """
    if not known["evidence_ms"]:
        return "Nothing is known of this speaker."
    minutes = known["evidence_ms"] / 60_000
    conversations = known["n_conversations"]
    parts = [
        f"Heard for {minutes:.1f} min in {conversations} conversation"
        f"{'' if conversations == 1 else 's'}.",
        _floor(known),
        _pauses(known),
        f"Gives {known['backchannels_produced_per_min']:.1f} backchannels a minute and gets"
        f" {known['backchannels_solicited_per_min']:.1f}.",
        _speech(known),
    ]
    return " ".join(part for part in parts if part)


def _floor(known: Mapping[str, Any]) -> str:
    if known["fto_median_ms"] is None:
        return ""
    late = known["fto_median_ms"] >= 0
    when = "after the other ends" if late else "before the other ends"
    return (
        f"Takes the floor {abs(known['fto_median_ms']):.0f} ms {when} (median of"
        f" {known['n_transfers']}; 10 to 90 %: {known['fto_q10_ms']:.0f} to"
        f" {known['fto_q90_ms']:.0f} ms), in overlap {100 * known['overlap_share']:.0f} % of"
        " the time."
    )


def _pauses(known: Mapping[str, Any]) -> str:
    if known["pause_median_ms"] is None:
        return ""
    return (
        f"Pauses {known['pause_median_ms']:.0f} ms inside a turn (median of {known['n_pauses']};"
        f" 90 %: {known['pause_q90_ms']:.0f} ms), and {100 * known['unanswered_share']:.0f} % of"
        " the pauses stay unanswered."
    )


def _speech(known: Mapping[str, Any]) -> str:
    said = []
    if known["articulation_rate"] is not None:
        said.append(f"speaks {known['articulation_rate']:.1f} words a second")
    if known["filler_share"] is not None:
        said.append(f"{100 * known['filler_share']:.1f} % of the words are fillers")
    text = "; ".join(said)
    return text[:1].upper() + text[1:] + "." if text else ""
