"""Settings from turns to episodes and profiles."""

from typing import Annotated, Literal

from pydantic import Field

from tact.settings.base import Count, IntentRow, Positive, Scenario, Section, Share, doc


class Backchannel(Section):
    """What counts as a backchannel."""

    exclude: bool = doc("take backchannels out before turns and transfers")
    group_gap_ms: Count = doc("own IPUs less than this apart form one group, ms")
    max_speech_ms: Count = doc("most speech in a group, ms")
    own_silence_ms: Count = doc("own silence on either side of a group, ms")
    question_acts: list[str] = doc("dialogue acts after which an answer is no backchannel")
    lexicon: dict[str, list[str]] = doc("words that may occur, by language")


class Turns(Section):
    """From IPUs to turns, pauses and floor transfers."""

    backchannel: Backchannel


class Points(Section):
    """Candidates and their scenarios."""

    pause_min_ms: Count = doc("an own silence of at least this is a pause, ms")
    interruption_min_ms: Count = doc("least overlap that makes an interruption, ms")
    context_tolerance_ms: Count = doc("context starts at an IPU boundary this near its target, ms")
    two_party: bool = doc("with more than two people: exactly two speak from context start to t0")


class Splits(Section):
    """Train conversations fit laws; dev and test conversations give episodes."""

    unit: Literal["dyad", "speaker"] = doc("what is never cut by a split")
    train_share: Share = doc("share of dyads or series in train")


class ActRows(Section):
    """What one type of dialogue act says of the intent, by how it stands to t0."""

    ends: IntentRow = doc("the act ends at t0")
    ends_answer: IntentRow = doc("it does, and it answers an earlier act")
    inside: IntentRow = doc("t0 lies inside the act")

    def row(self, case: str) -> dict[str, float]:
        """Give the row of a case, by the name of its field."""
        return {**getattr(self, case)}


class Labels(Section):
    """Labels of train points and the table that turns dialogue acts into intents."""

    train_points: Positive = doc("train points to label, by content hash")
    frame_window_ms: Positive = doc("no two frame points of one focal speaker closer than this, ms")
    act_end_tolerance_ms: Count = doc("an act ends at t0 when this near, ms")
    acts: dict[str, ActRows] = doc("act type -> rows of intents")


class Episodes(Section):
    """The quota table and the choice of episodes."""

    scale: Annotated[float, Field(gt=0)] = doc("factor on the quota table; controlled rounding")
    quota: dict[str, dict[Scenario, Count]] = doc("episodes by corpus and scenario")
    per_speaker: Positive = doc("most episodes of one focal speaker")
    per_speaker_of: dict[str, Positive] = doc("the same for corpora that have a cap of their own")
    per_conversation: Positive = doc("most episodes of one conversation")
    clip_overlap_ms: Count = doc("two clips of one conversation share at most this, ms")
    dev_share: Share = doc("share of dev among dev and test dyads or series")
    history_ms: Positive = doc("transcript history before t0, ms")
    history_turns: Positive = doc("most turns of history")

    def most_of_a_speaker(self, corpus: str) -> int:
        """Give the cap on the episodes of one focal speaker of a corpus."""
        return self.per_speaker_of.get(corpus, self.per_speaker)


class Profiles(Section):
    """What is known of a speaker from elsewhere."""

    evidence_target_ms: Positive = doc("conversation time of evidence sought, ms")
    margin_ms: Count = doc("distance of same-conversation evidence from clip and history, ms")
    fto_law_min: Annotated[int, Field(ge=2)] = doc(
        "least FTOs inside T for a law, and least transfers of a profile given to another"
    )
    fto_law_speakers: Annotated[int, Field(ge=2)] = doc(
        "train speakers, at most, that say what laws of FTO are like"
    )
    final_word_ms: Count = doc("a word that ends this near the start of a pause is its last, ms")
    fillers: dict[str, list[str]] = doc("fillers by language")
    connectives: dict[str, list[str]] = doc("words that hold the floor before a pause, by language")
