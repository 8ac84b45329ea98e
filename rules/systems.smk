# episodes -> responses of each system


rule fit_completion:
    """Fit how complete a turn is at a moment, on the train dyads of one corpus."""
    input:
        ipus=lambda w: plan.activity(RUNS[w.run], w.corpus),
        turns="{run}/turns/{corpus}/turns.parquet",
        recordings=f"{MAIN}/corpora/{{corpus}}/recordings.parquet",
        words=f"{MAIN}/corpora/{{corpus}}/words.parquet",
    output:
        models="{run}/completion/{corpus}/completion.parquet",
        check="{run}/completion/{corpus}/completion_check.parquet",
    log:
        "{run}/logs/completion/{corpus}.log",
    benchmark:
        "{run}/benchmarks/completion/{corpus}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.answering"),
        settings=lambda w: [
            RUNS[w.run].completion.model_dump(),
            RUNS[w.run].splits.model_dump(),
        ],
        ipus=lambda w, input: plan.repeated("--ipus", input.ipus),
        out=subpath(output.models, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " completion {wildcards.corpus:q} --recordings {input.recordings:q} {params.ipus}"
        " --turns {input.turns:q} --words {input.words:q} --out {params.out:q} > {log:q} 2>&1"


rule respond:
    """Let one anchor answer every episode, or take in the responses of a system."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        points=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/points.parquet"),
        posteriors="{run}/posteriors/posteriors.parquet",
        laws="{run}/reference/laws.parquet",
        answers=lambda w: plan.answers(RUNS[w.run], w.system),
        speech=lambda w: sum(
            plan.speech(RUNS[w.run], w.system, MAIN).values(), start=[]
        ),
    output:
        responses="{run}/responses/{system}/responses.parquet",
        overlaps="{run}/responses/{system}/overlaps.parquet",
    log:
        "{run}/logs/respond/{system}.log",
    benchmark:
        "{run}/benchmarks/respond/{system}.tsv"
    wildcard_constraints:
        system=rf"(?!(?:{plan.heard(SETTINGS)})/)[^/]+",
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.answering"),
        settings=lambda w: RUNS[w.run].systems[w.system].model_dump(),
        model=SETTINGS.completion.model,
        points=lambda w, input: plan.repeated("--points", input.points),
        speech=lambda w: plan.psi(RUNS[w.run], w.system, MAIN),
        out=subpath(output.responses, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " respond {wildcards.system:q} --episodes {input.episodes:q} {params.points}"
        " --posteriors {input.posteriors:q} --laws {input.laws:q} {params.speech}"
        " --out {params.out:q} > {log:q} 2>&1"


rule hear_system:
    """Hear the recordings of one system."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        points=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/points.parquet"),
        speech=lambda w: sum(
            plan.speech(RUNS[w.run], w.system, MAIN).values(), start=[]
        ),
        errors=lambda w: plan.errors_of(
            RUNS[w.run], RUNS[w.run].systems[w.system].detector
        ),
    output:
        responses="{run}/responses/{system}/responses.parquet",
        overlaps="{run}/responses/{system}/overlaps.parquet",
        spoken="{run}/responses/{system}/spoken.parquet",
    log:
        "{run}/logs/hear/{system}.log",
    benchmark:
        "{run}/benchmarks/hear/{system}.tsv"
    wildcard_constraints:
        system=plan.heard(SETTINGS),
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.answering"),
        settings=lambda w: [
            RUNS[w.run].activity.model_dump(),
            RUNS[w.run].turns.model_dump(),
        ],
        folder=lambda w: RUNS[w.run].systems[w.system].path,
        detector=lambda w: RUNS[w.run].systems[w.system].detector,
        points=lambda w, input: plan.repeated("--points", input.points),
        speech=lambda w: plan.psi(RUNS[w.run], w.system, MAIN),
        errors=lambda w, input: plan.repeated("--errors", input.errors),
        out=subpath(output.responses, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " hear {params.folder:q} --system {wildcards.system:q} --detector {params.detector:q}"
        " --episodes {input.episodes:q} {params.points} {params.speech} {params.errors}"
        " --out {params.out:q} > {log:q} 2>&1"
