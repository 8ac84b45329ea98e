# raw corpora -> recordings, speakers, words, acts, quarantine


rule simulate:
    """Write the made world of one corpus in its native layout; probes are made in every build."""
    output:
        done=f"{MAIN}/simulation/{{corpus}}.done",
    log:
        f"{MAIN}/logs/simulate/{{corpus}}.log",
    benchmark:
        f"{MAIN}/benchmarks/simulate/{{corpus}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.world"),
        config=f"{MAIN}/config.yaml",
        settings=lambda w: plan.made_from(SETTINGS, w.corpus),
        seed=SETTINGS.seed,
        out=lambda w: str(Path(SETTINGS.corpora[w.corpus].root).parent),
        truth=SETTINGS.simulation.truth,
    shell:
        "python -m tact --config {params.config:q}"
        " simulate --corpus {wildcards.corpus:q} --out {params.out:q}"
        " --truth {params.truth:q} > {log:q} 2>&1 && touch {output.done:q}"


rule fetch_corpus:
    """Fetch the raw files of one corpus; what could not be had is a row of its table."""
    output:
        quarantine=f"{MAIN}/fetch/{{corpus}}.parquet",
    log:
        f"{MAIN}/logs/fetch/{{corpus}}.log",
    benchmark:
        f"{MAIN}/benchmarks/fetch/{{corpus}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.fetching"),
        config=f"{MAIN}/config.yaml",
        sources=lambda w: [
            source.model_dump() for source in SETTINGS.corpora[w.corpus].sources
        ],
    shell:
        "python -m tact --config {params.config:q}"
        " fetch {wildcards.corpus:q} --quarantine {output.quarantine:q}"
        " > {log:q} 2>&1"


rule ingest:
    """Read one corpus as it lies on disk."""
    input:
        lambda w: (
            f"{MAIN}/simulation/{w.corpus}.done" if SETTINGS.made(w.corpus) else []
        ),
    output:
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        speakers=f"{MAIN}/corpora/{{corpus}}/speakers.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        acts=f"{MAIN}/corpora/{{corpus}}/acts.parquet",
        quarantine=f"{MAIN}/corpora/{{corpus}}/quarantine.parquet",
    log:
        f"{MAIN}/logs/ingest/{{corpus}}.log",
    benchmark:
        f"{MAIN}/benchmarks/ingest/{{corpus}}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.raw"),
        config=f"{MAIN}/config.yaml",
        settings=lambda w: SETTINGS.corpora[w.corpus].model_dump(),
        root=lambda w: SETTINGS.corpora[w.corpus].root,
        out=subpath(output.words, parent=True),
    shell:
        "python -m tact --config {params.config:q}"
        " ingest {wildcards.corpus:q} --root {params.root:q} --out {params.out:q}"
        " > {log:q} 2>&1"
