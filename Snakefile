# Raw corpora in, benchmark out. Rules are in rules/, in the order of the data; settings in config.yaml.
from snakemake.utils import min_version

min_version("9.27")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "rules/common.smk"
include: "rules/corpora.smk"
include: "rules/activity.smk"
include: "rules/diarize.smk"
include: "rules/concord.smk"
include: "rules/turns.smk"
include: "rules/episodes.smk"
include: "rules/profiles.smk"
include: "rules/posteriors.smk"
include: "rules/reference.smk"
include: "rules/systems.smk"
include: "rules/scores.smk"
include: "rules/analyses.smk"
include: "rules/report.smk"
include: "rules/release.smk"
include: "rules/targets.smk"


rule all:
    """The whole benchmark."""
    default_target: True
    input:
        EPISODES,
        PROFILES,
        KERNELS,
        SCORES,
        REPORT,
