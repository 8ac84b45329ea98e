# scores, laws and counts -> a page to read and figures to look at


rule write_report:
    """Print the tables that a person reads first, and draw the laws."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        shortfalls=lambda w: plan.per_corpus(
            RUNS[w.run], "episodes/{corpus}/shortfalls.parquet"
        ),
        quarantine=lambda w: plan.per_corpus(RUNS[w.run], "quarantine/{corpus}.parquet"),
        repeats="{run}/repeats.parquet",
        profiles=lambda w: plan.per_corpus(
            RUNS[w.run], "profiles/{corpus}/profiles.parquet"
        ),
        separation=lambda w: plan.per_corpus(
            RUNS[w.run], "profiles/{corpus}/separation.parquet"
        ),
        laws="{run}/reference/laws.parquet",
        kernels="{run}/reference/kernels.parquet",
        onsets="{run}/reference/onsets.parquet",
        changes="{run}/reference/changes.parquet",
        agreement="{run}/posteriors/agreement.parquet",
        composites="{run}/scores/composites.parquet",
        binary="{run}/scores/binary.parquet",
        completion=lambda w: plan.per_corpus(
            RUNS[w.run], "completion/{corpus}/completion_check.parquet"
        ),
        errors=lambda w: plan.calibrations(RUNS[w.run]),
    output:
        summary=report(
            "{run}/report/summary.txt",
            caption="../workflow/report/summary.rst",
            category="Summary",
        ),
        figure=report(
            "{run}/report/laws.svg",
            caption="../workflow/report/laws.rst",
            category="Reference laws",
        ),
    log:
        "{run}/logs/report.log",
    benchmark:
        "{run}/benchmarks/report.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.results"),
        out=subpath(output.summary, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " report --results {wildcards.run:q} --out {params.out:q} > {log:q} 2>&1"


rule compare_variants:
    """Set the laws and the order of the anchors of each variant beside the main run's."""
    input:
        laws=expand("{run}/reference/laws.parquet", run=list(RUNS)),
        composites=expand("{run}/scores/composites.parquet", run=list(RUNS)),
    output:
        report(
            f"{MAIN}/report/sensitivity.txt",
            caption="../workflow/report/sensitivity.rst",
            category="Sensitivity",
        ),
    log:
        f"{MAIN}/logs/sensitivity.log",
    benchmark:
        f"{MAIN}/benchmarks/sensitivity.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.results"),
        config=f"{MAIN}/config.yaml",
        runs=list(RUNS),
    shell:
        "python -m tact --config {params.config:q}"
        " compare {params.runs:q} --out {output:q} > {log:q} 2>&1"
