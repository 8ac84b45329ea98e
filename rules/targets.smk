# the targets a user names, beside `all`

EPISODES = [
    f"{MAIN}/episodes/episodes.parquet",
    *plan.per_corpus(SETTINGS, "episodes/{corpus}/history.parquet"),
]
PROFILES = plan.per_corpus(
    SETTINGS, "profiles/{corpus}/profiles.parquet"
) + plan.per_corpus(SETTINGS, "profiles/{corpus}/separation.parquet")
KERNELS = [
    f"{MAIN}/reference/kernels.parquet",
    f"{MAIN}/reference/laws.parquet",
    *expand("{run}/reference/plots/{intent}.svg", run=MAIN, intent=INTENTS),
]
SCORES = [f"{MAIN}/scores/composites.parquet", f"{MAIN}/scores/binary.parquet"]
REPORT = f"{MAIN}/report/summary.txt"


rule fetch:
    """The raw files of every corpus that has an address."""
    input:
        [
            f"{MAIN}/fetch/{name}.parquet"
            for name in SETTINGS.build
            if any(source.address for source in SETTINGS.corpora[name].sources)
        ],


rule episodes:
    """The episodes, with history and clips."""
    input:
        EPISODES,


rule profiles:
    """The profiles, with their evidence, and the proof that it lies apart."""
    input:
        PROFILES,


rule kernels:
    """The reference laws, kernels and weights."""
    input:
        KERNELS,


rule scores:
    """The scores of every system."""
    input:
        SCORES,


rule report:
    """The page to read first."""
    input:
        REPORT,


rule analyses:
    """What follows from the scores: ranks, groups, ablations, memory, validity."""
    input:
        plan.analyses(SETTINGS),


rule concord:
    """How far words and detectors agree on who spoke when."""
    input:
        f"{MAIN}/concord/concord.parquet",


rule release:
    """What may be shared of the run; it wants the key of ids in TACT_RELEASE_KEY."""
    input:
        f"{MAIN}/release",


rule sensitivity:
    """The laws and the order of the anchors under other definitions."""
    input:
        f"{MAIN}/report/sensitivity.txt",


for name in SETTINGS.build:

    rule:
        name:
            name
        input:
            f"{MAIN}/episodes/{name}/episodes.parquet",
            f"{MAIN}/profiles/{name}/separation.parquet",
            f"{MAIN}/quarantine/{name}.parquet",
