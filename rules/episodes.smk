# points -> episodes with history and clips


rule choose_episodes:
    """Fill one corpus's row of the quota table."""
    input:
        points="{run}/points/{corpus}/points.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        speakers=f"{MAIN}/corpora/{{corpus}}/speakers.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
        turns="{run}/turns/{corpus}/turns.parquet",
        inspections=lambda w: plan.inspections(SETTINGS, w.corpus),
    output:
        episodes="{run}/episodes/{corpus}/episodes.parquet",
        history="{run}/episodes/{corpus}/history.parquet",
        shortfalls="{run}/episodes/{corpus}/shortfalls.parquet",
    log:
        "{run}/logs/episodes/{corpus}.log",
    benchmark:
        "{run}/benchmarks/episodes/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.bench"),
        settings=lambda w: RUNS[w.run].episodes.model_dump(),
        bands_db=SETTINGS.activity.calibration.bands_db,
        seed=SETTINGS.seed,
        turns=subpath(input.turns, parent=True),
        inspections=lambda w, input: plan.repeated("--inspections", input.inspections),
        out=subpath(output.episodes, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " episodes {wildcards.corpus:q} --points {input.points:q}"
        " --recordings {input.recordings:q} --speakers {input.speakers:q} --words {input.words:q}"
        " --turns {params.turns:q} {params.inspections} --out {params.out:q} > {log:q} 2>&1"


rule cut_clips:
    """Cut the clips of one shard of one corpus and pack them."""
    input:
        episodes="{run}/episodes/{corpus}/episodes.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
    output:
        table="{run}/clips/{corpus}/{shard}.parquet",
        pack="{run}/clips/{corpus}/{shard}.tar",
    log:
        "{run}/logs/clips/{corpus}/{shard}.log",
    benchmark:
        "{run}/benchmarks/clips/{corpus}/{shard}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.sound"),
        n=lambda w: RUNS[w.run].corpora[w.corpus].shards,
        out=subpath(output.table, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " clips {wildcards.corpus:q} --episodes {input.episodes:q}"
        " --recordings {input.recordings:q} --shard {wildcards.shard:q}/{params.n:q}"
        " --out {params.out:q} > {log:q} 2>&1"


rule bind_episodes:
    """Make the one table of episodes, with their clips."""
    input:
        episodes=lambda w: plan.per_corpus(
            RUNS[w.run], "episodes/{corpus}/episodes.parquet"
        ),
        clips=lambda w: [
            path
            for corpus in RUNS[w.run].build
            for path in plan.clips(RUNS[w.run], corpus)
        ],
    output:
        "{run}/episodes/episodes.parquet",
    log:
        "{run}/logs/episodes/bind.log",
    benchmark:
        "{run}/benchmarks/episodes/bind.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.bench"),
        episodes=lambda w, input: plan.repeated("--episodes", input.episodes),
        clips=lambda w, input: plan.repeated("--clips", input.clips),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " bind {params.episodes} {params.clips} --out {output:q} > {log:q} 2>&1"
