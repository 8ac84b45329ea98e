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
        f"{'' if conversations == 1 else 's'}, {known['partner_evidence_ms'] / 60_000:.1f} min of"
        " them with this partner.",
        _floor(known),
        _pauses(known),
        _abstention(known),
        f"Gives {known['backchannels_produced_per_min']:.1f} backchannels a minute and gets"
        f" {known['backchannels_solicited_per_min']:.1f}.",
        _speech(known),
        _holding(known),
    ]
    return " ".join(part for part in parts if part)


def _floor(known: Mapping[str, Any]) -> str:
    if known["fto_median_ms"] is None:
        return ""
    late = known["fto_median_ms"] >= 0
    when = "after the other ends" if late else "before the other ends"
    law = (
        f" The law of these times is ex-Gaussian: mu {known['fto_mu_ms']:.0f}, sigma"
        f" {known['fto_sigma_ms']:.0f}, tau {known['fto_tau_ms']:.0f} ms."
        if known["fto_mu_ms"] is not None
        else ""
    )
    return (
        f"Takes the floor {abs(known['fto_median_ms']):.0f} ms {when} (median of"
        f" {known['n_transfers']}; 10 to 90 %: {known['fto_q10_ms']:.0f} to"
        f" {known['fto_q90_ms']:.0f} ms), in overlap {100 * known['overlap_share']:.0f} % of"
        f" the time.{law}"
    )


def _pauses(known: Mapping[str, Any]) -> str:
    if known["pause_median_ms"] is None:
        return ""
    return (
        f"Pauses {known['pause_median_ms']:.0f} ms inside a turn (median of {known['n_pauses']};"
        f" 90 %: {known['pause_q90_ms']:.0f} ms)."
    )


def _abstention(known: Mapping[str, Any]) -> str:
    if known["abstention_share"] is None:
        return ""
    wait = known["abstention_wait_ms"]
    after = f", after {wait:.0f} ms (median)" if wait is not None else ""
    return (
        f"Of {known['n_silences']} long silences of their own goes on unprompted in"
        f" {100 * known['abstention_share']:.0f} %{after}."
    )


def _speech(known: Mapping[str, Any]) -> str:
    said = []
    if known["articulation_rate"] is not None:
        said.append(f"speaks {known['articulation_rate']:.1f} words a second")
    if known["filler_share"] is not None:
        said.append(f"{100 * known['filler_share']:.1f} % of the words are fillers")
    text = "; ".join(said)
    return text[:1].upper() + text[1:] + "." if text else ""


def _holding(known: Mapping[str, Any]) -> str:
    said = []
    if known["final_stretch"] is not None:
        said.append(f"the last word takes {known['final_stretch']:.1f} times as long as others")
    if known["connective_share"] is not None:
        share = 100 * known["connective_share"]
        said.append(f"{share:.0f} % of {known['n_final_words']} last words are connectives")
    return f"Before a pause {'; '.join(said)}." if said else ""
