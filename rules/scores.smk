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
    params:
        code=source_digest("tact.cli.score"),
        settings=lambda w: RUNS[w.run].scores.model_dump(),
        seed=SETTINGS.seed,
        responses=lambda w, input: " ".join(
            f"--responses {path}" for path in input.responses
        ),
        overlaps=lambda w, input: " ".join(
            f"--overlaps {path}" for path in input.overlaps
        ),
        out=subpath(output.composites, parent=True),
    shell:
        "python -m tact --config {wildcards.run}/config.yaml"
        " score --laws {input.laws} --posteriors {input.posteriors}"
        " --episodes {input.episodes} --durations {input.durations} {params.responses}"
        " {params.overlaps} --out {params.out} > {log} 2>&1"
