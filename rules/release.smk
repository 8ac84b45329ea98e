# a finished run -> what of it may be shared


rule pack_release:
    """Pack what may be shared: tables, audio or recipes, and the pages that describe them."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        clips=lambda w: [
            path
            for corpus in RUNS[w.run].build
            for path in plan.clips(RUNS[w.run], corpus)
        ],
        history=lambda w: plan.per_corpus(
            RUNS[w.run], "episodes/{corpus}/history.parquet"
        ),
        profiles=lambda w: plan.per_corpus(
            RUNS[w.run], "profiles/{corpus}/profiles.parquet"
        ),
        posteriors="{run}/posteriors/posteriors.parquet",
        laws="{run}/reference/laws.parquet",
        composites="{run}/scores/composites.parquet",
    output:
        directory("{run}/release"),
    log:
        "{run}/logs/release.log",
    benchmark:
        "{run}/benchmarks/release.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.sharing"),
        settings=lambda w: RUNS[w.run].release.model_dump(mode="json"),
    shell:
        "python -m tact release --results {wildcards.run:q} --to {output:q} > {log:q} 2>&1"
