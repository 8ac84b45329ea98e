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
        # kept until it is replaced, so that the new laws can be compared with the old
        laws=update("{run}/reference/laws.parquet"),
        kernels="{run}/reference/kernels.parquet",
        durations="{run}/reference/durations.parquet",
        speaker_priors="{run}/reference/speaker_priors.parquet",
        onsets="{run}/reference/onsets.parquet",
        changes="{run}/reference/changes.parquet",
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
        " 2>&1 | tee {log:q}"


rule draw_laws:
    """Draw data, law, kernel and weight of each intent, a panel a slice."""
    input:
        laws="{run}/reference/laws.parquet",
        kernels="{run}/reference/kernels.parquet",
        onsets="{run}/reference/onsets.parquet",
    output:
        report(
            expand("{{run}}/reference/plots/{intent}.svg", intent=INTENTS),
            caption="../workflow/report/laws.rst",
            category="Reference laws",
        ),
    log:
        "{run}/logs/draw_laws.log",
    benchmark:
        "{run}/benchmarks/draw_laws.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.law"),
        out=subpath(output[0], parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " draw --laws {input.laws:q} --kernels {input.kernels:q} --onsets {input.onsets:q}"
        " --out {params.out:q} > {log:q} 2>&1"
