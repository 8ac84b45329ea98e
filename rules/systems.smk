# episodes -> responses of each system


rule respond:
    """Let one system answer every episode."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        points=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/points.parquet"),
        posteriors="{run}/posteriors/posteriors.parquet",
        laws="{run}/reference/laws.parquet",
        answers=lambda w: plan.answers(RUNS[w.run], w.system),
    output:
        responses="{run}/responses/{system}/responses.parquet",
        overlaps="{run}/responses/{system}/overlaps.parquet",
    log:
        "{run}/logs/respond/{system}.log",
    benchmark:
        "{run}/benchmarks/respond/{system}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.score"),
        settings=lambda w: RUNS[w.run].systems[w.system].model_dump(),
        points=lambda w, input: plan.repeated("--points", input.points),
        out=subpath(output.responses, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " respond {wildcards.system:q} --episodes {input.episodes:q} {params.points}"
        " --posteriors {input.posteriors:q} --laws {input.laws:q} --out {params.out:q}"
        " > {log:q} 2>&1"
