# responses, laws and posteriors -> scores


rule score:
    """Score every system on every episode, and by scenario, slice and intent."""
    input:
        laws="{run}/reference/laws.parquet",
        durations="{run}/reference/durations.parquet",
        posteriors="{run}/posteriors/posteriors.parquet",
        episodes="{run}/episodes/episodes.parquet",
        responses=lambda w: plan.responses(RUNS[w.run], "responses"),
        overlaps=lambda w: plan.responses(RUNS[w.run], "overlaps"),
    output:
        episode_scores="{run}/scores/episode_scores.parquet",
        composites="{run}/scores/composites.parquet",
    log:
        "{run}/logs/scores.log",
    benchmark:
        "{run}/benchmarks/scores.tsv"
    conda:
        "../envs/tact.yaml"
    threads: 8
    params:
        code=source_digest("tact.cli.score"),
        settings=lambda w: RUNS[w.run].scores.model_dump(),
        seed=SETTINGS.seed,
        responses=lambda w, input: plan.repeated("--responses", input.responses),
        overlaps=lambda w, input: plan.repeated("--overlaps", input.overlaps),
        out=subpath(output.composites, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " score --laws {input.laws:q} --posteriors {input.posteriors:q}"
        " --episodes {input.episodes:q} --durations {input.durations:q} {params.responses}"
        " {params.overlaps} --cores {threads} --out {params.out:q} > {log:q} 2>&1"


rule score_binary:
    """Score every system by the field's binary metrics."""
    input:
        laws="{run}/reference/laws.parquet",
        posteriors="{run}/posteriors/posteriors.parquet",
        episodes="{run}/episodes/episodes.parquet",
        responses=lambda w: plan.responses(RUNS[w.run], "responses"),
    output:
        "{run}/scores/binary.parquet",
    log:
        "{run}/logs/binary.log",
    benchmark:
        "{run}/benchmarks/binary.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.peers"),
        settings=lambda w: [
            RUNS[w.run].binary.model_dump(),
            RUNS[w.run].scores.model_dump(),
        ],
        seed=SETTINGS.seed,
        responses=lambda w, input: plan.repeated("--responses", input.responses),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " binary --laws {input.laws:q} --posteriors {input.posteriors:q}"
        " --episodes {input.episodes:q} {params.responses} --out {output:q} > {log:q} 2>&1"
