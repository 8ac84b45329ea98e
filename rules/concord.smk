# ipus by words and by each detector -> how far they agree; `snakemake concord`, no part of `all`


rule hear_by:
    """Find the inter-pausal units of one shard by a source that is not the corpus's own."""
    input:
        inspected=f"{MAIN}/door/{{corpus}}/{{shard}}.quarantine.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        errors=lambda w: plan.errors_of(SETTINGS, w.source),
    output:
        ipus=f"{MAIN}/concord/{{corpus}}/{{source}}/{{shard}}.parquet",
        quarantine=f"{MAIN}/concord/{{corpus}}/{{source}}/{{shard}}.quarantine.parquet",
    log:
        f"{MAIN}/logs/concord/{{corpus}}/{{source}}/{{shard}}.log",
    benchmark:
        f"{MAIN}/benchmarks/concord/{{corpus}}/{{source}}/{{shard}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.hearing"),
        config=f"{MAIN}/config.yaml",
        settings=SETTINGS.activity.model_dump(),
        n=lambda w: SETTINGS.corpora[w.corpus].shards,
        errors=lambda w, input: plan.repeated("--errors", input.errors),
    shell:
        "python -m tact --config {params.config:q}"
        " activity {wildcards.corpus:q} --source {wildcards.source:q}"
        " --recordings {input.recordings:q} --words {input.words:q}"
        " --shard {wildcards.shard:q}/{params.n:q} --inspected {input.inspected:q}"
        " {params.errors} --out {output.ipus:q} --quarantine {output.quarantine:q}"
        " > {log:q} 2>&1"


rule set_side_by_side:
    """Measure how far two sources agree on who spoke when in one corpus."""
    input:
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        reference=lambda w: plan.sourced(SETTINGS, w.corpus, w.reference),
        hypothesis=lambda w: plan.sourced(SETTINGS, w.corpus, w.hypothesis),
    output:
        concord=f"{MAIN}/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}/concord.parquet",
        edges=f"{MAIN}/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}/concord_edges.parquet",
        misses=f"{MAIN}/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}/concord_misses.parquet",
        page=f"{MAIN}/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}/concord.txt",
        figure=report(
            f"{MAIN}/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}/concord.svg",
            caption="../workflow/report/concord.rst",
            category="Who spoke when",
            labels={"corpus": "{corpus}", "pair": "{hypothesis} beside {reference}"},
        ),
    log:
        f"{MAIN}/logs/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}.log",
    benchmark:
        f"{MAIN}/benchmarks/concord/{{corpus}}/{{hypothesis}}-beside-{{reference}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.agreeing"),
        config=f"{MAIN}/config.yaml",
        settings=SETTINGS.concord.model_dump(),
        turns=SETTINGS.turns.model_dump(),
        abut=lambda w: SETTINGS.corpora[w.corpus].contiguous_words,
        reference=lambda w, input: plan.repeated("--reference", input.reference),
        hypothesis=lambda w, input: plan.repeated("--hypothesis", input.hypothesis),
        out=subpath(output.concord, parent=True),
    shell:
        "python -m tact --config {params.config:q}"
        " concord {wildcards.corpus:q} --recordings {input.recordings:q} {params.reference}"
        " {params.hypothesis} --out {params.out:q} > {log:q} 2>&1"


rule gather_concord:
    """Put the rows of every corpus and pair of sources into one table."""
    input:
        plan.concords(SETTINGS),
    output:
        f"{MAIN}/concord/concord.parquet",
    log:
        f"{MAIN}/logs/concord/concord.log",
    benchmark:
        f"{MAIN}/benchmarks/concord/concord.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.parts"),
        config=f"{MAIN}/config.yaml",
    shell:
        "python -m tact --config {params.config:q}"
        " gather concord {input:q} --out {output:q} > {log:q} 2>&1"
