"""Settings of the corpora."""

from typing import Annotated, Literal

from pydantic import Field

from tact.settings.base import Positive, Seconds, Section, doc


class Source(Section):
    """One place that a release of a corpus can be had from."""

    release: str = doc("name of the release, for --source")
    kind: Literal["hub", "ami", "seamless", "local"] = doc(
        "dataset of the hub, HTTP mirror of AMI, HTTP store of Seamless, or a folder of one's own"
    )
    address: str | None = doc("id of the dataset, or base URL; null = local")
    revision: str | None = doc("commit or tag of the dataset; null = the newest")
    files: list[str] = doc("patterns of the files that are needed; * matches / too")
    size_gb: Annotated[float, Field(gt=0)] | None = doc("size of those files, GB; null = unknown")
    hours: Annotated[float, Field(gt=0)] | None = doc("hours of talk; null = unknown")
    gate: str = doc("what a person does to pass the gate, or to get what has no address")


class Corpus(Section):
    """One corpus: where it is, what may be done with it, how its activity is found."""

    adapter: Literal["candor", "sssd", "otospeech", "seamless", "ami", "probes", "generic"] = doc(
        "layout that the files follow; generic = recordings.csv and timing files"
    )
    root: str = doc("folder of the raw corpus")
    language: str = doc("BCP 47 tag")
    licence: str = doc("licence name, copied to every row")
    rights: Literal["audio", "recipe"] = doc("what a release may hold")
    obtain: str = doc("how a person gets the corpus")
    link_speakers: bool = Field(
        True, description="otospeech: follow people by its profile ids; false = a session alone"
    )
    sources: list[Source] = Field([], description="where `tact fetch` gets it; the first is usual")
    activity: Literal["words", "webrtc", "silero", "pyannote", "diarization"] = doc(
        "where IPUs come from; diarization = channels that speakers share"
    )
    contiguous_words: bool = doc("words abut, so short silences are invisible (AMI)")
    clip_target_s: Seconds = doc("mean length of a clip, context plus horizon, s")
    shards: Positive = doc("activity and clip jobs of this corpus")
    labels: str | None = doc("CSV or Parquet of labels; null = none")
    judge: str | None = doc("CSV or Parquet of judge probabilities; null = none")

    @property
    def scripted(self) -> bool:
        """Tell whether it follows scripts: nobody answered there but a synthesiser."""
        return self.adapter == "probes"
