# what is known of a speaker from elsewhere -> profiles, with the evidence


rule profile_speakers:
    """Profile the focal speaker of each episode from disjoint evidence."""
    input:
        episodes="{run}/episodes/{corpus}/episodes.parquet",
        ipus=lambda w: plan.activity(RUNS[w.run], w.corpus),
        turns="{run}/turns/{corpus}/turns.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
    output:
        profiles="{run}/profiles/{corpus}/profiles.parquet",
        evidence="{run}/profiles/{corpus}/evidence.parquet",
        swap="{run}/profiles/{corpus}/swap.parquet",
    log:
        "{run}/logs/profiles/{corpus}.log",
    benchmark:
        "{run}/benchmarks/profiles/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.bench"),
        settings=lambda w: RUNS[w.run].profiles.model_dump(),
        splits=lambda w: RUNS[w.run].splits.model_dump(),
        silence_min_ms=lambda w: RUNS[w.run].points.pause_min_ms,
        turns=subpath(input.turns, parent=True),
        ipus=lambda w, input: plan.repeated("--ipus", input.ipus),
        out=subpath(output.profiles, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " profiles {wildcards.corpus:q} --episodes {input.episodes:q} --turns {params.turns:q}"
        " --words {input.words:q} --recordings {input.recordings:q} {params.ipus}"
        " --out {params.out:q} > {log:q} 2>&1"


rule check_apart:
    """Prove that profiles rest on nothing that is asked about, and that splits share no talk."""
    input:
        episodes="{run}/episodes/{corpus}/episodes.parquet",
        history="{run}/episodes/{corpus}/history.parquet",
        evidence="{run}/profiles/{corpus}/evidence.parquet",
        swap="{run}/profiles/{corpus}/swap.parquet",
        points="{run}/points/{corpus}/points.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
    output:
        "{run}/profiles/{corpus}/separation.parquet",
    log:
        "{run}/logs/check/{corpus}.log",
    benchmark:
        "{run}/benchmarks/check/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.separation"),
        margin_ms=lambda w: RUNS[w.run].profiles.margin_ms,
        unit=lambda w: RUNS[w.run].splits.unit,
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " check {wildcards.corpus:q} --episodes {input.episodes:q} --history {input.history:q}"
        " --evidence {input.evidence:q} --swap {input.swap:q} --points {input.points:q}"
        " --recordings {input.recordings:q} --out {output:q} > {log:q} 2>&1"
