# ipus -> turns, pauses, backchannels, transfers -> points and the fitting frame


rule take_turns:
    """Tell backchannels from turns, and measure how the floor passes."""
    input:
        ipus=lambda w: plan.activity(RUNS[w.run], w.corpus),
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        acts=f"{MAIN}/corpora/{{corpus}}/acts.parquet",
    output:
        turns="{run}/turns/{corpus}/turns.parquet",
        pauses="{run}/turns/{corpus}/pauses.parquet",
        backchannels="{run}/turns/{corpus}/backchannels.parquet",
        transfers="{run}/turns/{corpus}/transfers.parquet",
        floor="{run}/turns/{corpus}/floor.parquet",
    log:
        "{run}/logs/turns/{corpus}.log",
    benchmark:
        "{run}/benchmarks/turns/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.talk"),
        settings=lambda w: RUNS[w.run].turns.model_dump(),
        out=subpath(output.turns, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " turns {input.ipus:q} --recordings {input.recordings:q} --words {input.words:q}"
        " --acts {input.acts:q} --out {params.out:q} > {log:q} 2>&1"


rule find_points:
    """List every candidate decision point, and sample the fitting frame."""
    input:
        ipus=lambda w: plan.activity(RUNS[w.run], w.corpus),
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        turns="{run}/turns/{corpus}/turns.parquet",
    output:
        points="{run}/points/{corpus}/points.parquet",
        frame="{run}/points/{corpus}/frame.parquet",
    log:
        "{run}/logs/points/{corpus}.log",
    benchmark:
        "{run}/benchmarks/points/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.talk"),
        settings=lambda w: RUNS[w.run].points.model_dump(),
        splits=lambda w: RUNS[w.run].splits.model_dump(),
        quota=lambda w: RUNS[w.run].episodes.model_dump(),
        train_points=lambda w: RUNS[w.run].labels.train_points,
        seed=SETTINGS.seed,
        turns=subpath(input.turns, parent=True),
        ipus=lambda w, input: plan.repeated("--ipus", input.ipus),
        out=subpath(output.points, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " points {wildcards.corpus:q} --recordings {input.recordings:q}"
        " --words {input.words:q} --turns {params.turns:q} {params.ipus} --out {params.out:q}"
        " > {log:q} 2>&1"
