# posteriors and outcomes of train points -> reference laws, kernels, weights, durations


rule fit_laws:
    """Fit the law of each slice and intent, and rebuild its kernel and weight."""
    input:
        points=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/points.parquet"),
        frames=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/frame.parquet"),
        posteriors="{run}/posteriors/point_posteriors.parquet",
        speakers=plan.per_corpus(SETTINGS, "corpora/{corpus}/speakers.parquet"),
        recordings=plan.per_corpus(SETTINGS, "corpora/{corpus}/recordings.parquet"),
        labels=lambda w: plan.labels(RUNS[w.run]),
    output:
        laws="{run}/reference/laws.parquet",
        kernels="{run}/reference/kernels.parquet",
        durations="{run}/reference/durations.parquet",
        speaker_priors="{run}/reference/speaker_priors.parquet",
    log:
        "{run}/logs/reference.log",
    benchmark:
        "{run}/benchmarks/reference.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.law"),
        settings=lambda w: RUNS[w.run].reference.model_dump(),
        seed=SETTINGS.seed,
        points=lambda w, input: plan.repeated("--points", input.points),
        frames=lambda w, input: plan.repeated("--frame", input.frames),
        speakers=lambda w, input: plan.repeated("--speakers", input.speakers),
        recordings=lambda w, input: plan.repeated("--recordings", input.recordings),
        labels=lambda w, input: plan.repeated("--labels", input.labels),
        out=subpath(output.laws, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " reference {params.points} {params.frames} --point-posteriors {input.posteriors:q}"
        " {params.speakers} {params.recordings} {params.labels} --out {params.out:q}"
        " > {log:q} 2>&1"
