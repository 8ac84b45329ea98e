# audio -> who spoke when on channels that speakers share; voices of those who have their own


rule find_voices:
    """Find the voice of each speaker who has a channel, in one shard of one corpus."""
    input:
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
    output:
        voices=f"{MAIN}/voices/{{corpus}}/{{shard}}.parquet",
        quarantine=f"{MAIN}/voices/{{corpus}}/{{shard}}.quarantine.parquet",
    log:
        f"{MAIN}/logs/voices/{{corpus}}/{{shard}}.log",
    benchmark:
        f"{MAIN}/benchmarks/voices/{{corpus}}/{{shard}}.tsv"
    conda:
        "../envs/diarize.yaml"
    params:
        code=source_digest("tact.cli.diarizing"),
        config=f"{MAIN}/config.yaml",
        networks=SETTINGS.activity.pyannote.model_dump(),
        settings=SETTINGS.diarization.model_dump(),
        n=lambda w: SETTINGS.corpora[w.corpus].shards,
    shell:
        "python -m tact --config {params.config:q}"
        " voices {wildcards.corpus:q} --recordings {input.recordings:q}"
        " --shard {wildcards.shard:q}/{params.n:q} --out {output.voices:q}"
        " --quarantine {output.quarantine:q} > {log:q} 2>&1"


rule diarize:
    """Find who speaks when on the shared channels of one shard of one corpus."""
    input:
        inspected=f"{MAIN}/door/{{corpus}}/{{shard}}.quarantine.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        voices=lambda w: [
            f"{MAIN}/voices/{w.corpus}/{shard}.parquet"
            for shard in plan.shards(SETTINGS, w.corpus)
        ],
    output:
        ipus="{run}/diarization/{corpus}/{shard}.parquet",
        people="{run}/diarization/{corpus}/{shard}.people.parquet",
        quarantine="{run}/diarization/{corpus}/{shard}.quarantine.parquet",
    log:
        "{run}/logs/diarization/{corpus}/{shard}.log",
    benchmark:
        "{run}/benchmarks/diarization/{corpus}/{shard}.tsv"
    conda:
        "../envs/diarize.yaml"
    params:
        code=source_digest("tact.cli.diarizing"),
        activity=lambda w: RUNS[w.run].activity.model_dump(),
        settings=lambda w: RUNS[w.run].diarization.model_dump(),
        n=lambda w: RUNS[w.run].corpora[w.corpus].shards,
        voices=lambda w, input: plan.repeated("--voices", input.voices),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " diarize {wildcards.corpus:q} --recordings {input.recordings:q} {params.voices}"
        " --inspected {input.inspected:q} --shard {wildcards.shard:q}/{params.n:q}"
        " --out {output.ipus:q} --people {output.people:q} --quarantine {output.quarantine:q}"
        " > {log:q} 2>&1"
