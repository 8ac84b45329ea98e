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
    log:
        "{run}/logs/profiles/{corpus}.log",
    benchmark:
        "{run}/benchmarks/profiles/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.bench"),
        settings=lambda w: RUNS[w.run].profiles.model_dump(),
        turns=subpath(input.turns, parent=True),
        ipus=lambda w, input: plan.repeated("--ipus", input.ipus),
        out=subpath(output.profiles, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " profiles {wildcards.corpus:q} --episodes {input.episodes:q} --turns {params.turns:q}"
        " --words {input.words:q} --recordings {input.recordings:q} {params.ipus}"
        " --out {params.out:q} > {log:q} 2>&1"
