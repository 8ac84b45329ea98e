# words or audio -> ipus, by shards of conversations


rule inspect_sound:
    """Hold the sound of one shard of one corpus against its tables."""
    input:
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
    output:
        inspections=f"{MAIN}/door/{{corpus}}/{{shard}}.parquet",
        quarantine=f"{MAIN}/door/{{corpus}}/{{shard}}.quarantine.parquet",
    log:
        f"{MAIN}/logs/door/{{corpus}}/{{shard}}.log",
    benchmark:
        f"{MAIN}/benchmarks/door/{{corpus}}/{{shard}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.sound"),
        config=f"{MAIN}/config.yaml",
        settings=SETTINGS.door.model_dump(),
        n=lambda w: SETTINGS.corpora[w.corpus].shards,
    shell:
        "python -m tact --config {params.config:q}"
        " inspect {wildcards.corpus:q} --recordings {input.recordings:q}"
        " --words {input.words:q} --shard {wildcards.shard:q}/{params.n:q}"
        " --out {output.inspections:q} --quarantine {output.quarantine:q} > {log:q} 2>&1"


rule find_repeats:
    """Name the conversations of all corpora that hold the same sound."""
    input:
        [
            path
            for corpus in SETTINGS.build
            for path in plan.inspections(SETTINGS, corpus)
        ],
    output:
        "{run}/repeats.parquet",
    log:
        "{run}/logs/repeats.log",
    benchmark:
        "{run}/benchmarks/repeats.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.sound"),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " repeats {input:q} --out {output:q} > {log:q} 2>&1"


rule calibrate:
    """Measure what a detector is early or late by."""
    input:
        lambda w: plan.trusted(RUNS[w.run], MAIN).values(),
    output:
        "{run}/calibration/{detector}.parquet",
    log:
        "{run}/logs/calibration/{detector}.log",
    benchmark:
        "{run}/benchmarks/calibration/{detector}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.measuring"),
        settings=lambda w: RUNS[w.run].activity.model_dump(),
        trusted=lambda w: plan.options(plan.trusted(RUNS[w.run], MAIN)),
        corpus=lambda w: plan.options(
            {"--corpus": RUNS[w.run].activity.calibration.corpus}
        ),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " calibrate {wildcards.detector:q} {params.corpus} {params.trusted} --out {output:q}"
        " > {log:q} 2>&1"


rule activity:
    """Find the inter-pausal units of one shard of one corpus."""
    input:
        inspected=f"{MAIN}/door/{{corpus}}/{{shard}}.quarantine.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        errors=lambda w: plan.errors(RUNS[w.run], w.corpus),
    output:
        ipus="{run}/activity/{corpus}/{shard}.parquet",
        quarantine="{run}/activity/{corpus}/{shard}.quarantine.parquet",
        heard="{run}/hearing/{corpus}/{shard}/heard.parquet",
        leaks="{run}/hearing/{corpus}/{shard}/leaks.parquet",
        crosstalk="{run}/hearing/{corpus}/{shard}/crosstalk.parquet",
    log:
        "{run}/logs/activity/{corpus}/{shard}.log",
    benchmark:
        "{run}/benchmarks/activity/{corpus}/{shard}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.hearing"),
        settings=lambda w: RUNS[w.run].activity.model_dump(),
        n=lambda w: RUNS[w.run].corpora[w.corpus].shards,
        errors=lambda w, input: plan.repeated("--errors", input.errors),
        evidence=lambda w, output: Path(output.heard).parent,
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " activity {wildcards.corpus:q} --recordings {input.recordings:q}"
        " --words {input.words:q} --shard {wildcards.shard:q}/{params.n:q} --out {output.ipus:q}"
        " --quarantine {output.quarantine:q} --inspected {input.inspected:q} {params.errors}"
        " --evidence {params.evidence:q} > {log:q} 2>&1"


rule quarantine:
    """Gather what every stage left out of one corpus."""
    input:
        lambda w: plan.left_out(RUNS[w.run], w.corpus, MAIN),
    output:
        "{run}/quarantine/{corpus}.parquet",
    log:
        "{run}/logs/quarantine/{corpus}.log",
    benchmark:
        "{run}/benchmarks/quarantine/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.parts"),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " gather quarantine {input:q} --out {output:q} > {log:q} 2>&1"
