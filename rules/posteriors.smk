# labels and judge -> posteriors of episodes and points, agreement, calibration


if SETTINGS.simulation.use:

    rule annotate:
        """Let made annotators and a made judge label the points of a made corpus."""
        input:
            points="{run}/points/{corpus}/points.parquet",
            frame="{run}/points/{corpus}/frame.parquet",
            episodes="{run}/episodes/{corpus}/episodes.parquet",
        output:
            labels="{run}/labels/{corpus}/labels.parquet",
            judge="{run}/labels/{corpus}/judge.parquet",
        log:
            "{run}/logs/annotate/{corpus}.log",
        benchmark:
            "{run}/benchmarks/annotate/{corpus}.tsv"
        conda:
            "../envs/tact.yaml"
        params:
            code=source_digest("tact.cli.world"),
            settings=SETTINGS.simulation.model_dump(),
            truth=SETTINGS.simulation.truth,
            out=subpath(output.labels, parent=True),
        shell:
            "python -m tact --config {wildcards.run:q}/config.yaml"
            " annotate {wildcards.corpus:q} --points {input.points:q} --frame {input.frame:q}"
            " --episodes {input.episodes:q} --truth {params.truth:q} --out {params.out:q}"
            " > {log:q} 2>&1"

else:

    rule read_acts:
        """Read dialogue acts, or a probe's script, as the labels of a corpus."""
        input:
            points="{run}/points/{corpus}/points.parquet",
            frame="{run}/points/{corpus}/frame.parquet",
            acts=f"{MAIN}/corpora/{{corpus}}/acts.parquet",
        output:
            "{run}/labels/{corpus}/labels.parquet",
        log:
            "{run}/logs/acts/{corpus}.log",
        benchmark:
            "{run}/benchmarks/acts/{corpus}.tsv"
        conda:
            "../envs/tact.yaml"
        params:
            code=source_digest("tact.cli.talk"),
            settings=lambda w: RUNS[w.run].labels.model_dump(),
        shell:
            "python -m tact --config {wildcards.run:q}/config.yaml"
            " acts --points {input.points:q} --frame {input.frame:q} --acts {input.acts:q}"
            " --out {output:q} > {log:q} 2>&1"


rule posteriors:
    """Turn labels and judge into what each point may mean."""
    input:
        labels=lambda w: plan.labels(RUNS[w.run]),
        judges=lambda w: plan.judges(RUNS[w.run]),
        points=lambda w: plan.per_corpus(RUNS[w.run], "points/{corpus}/points.parquet"),
        episodes=lambda w: plan.per_corpus(
            RUNS[w.run], "episodes/{corpus}/episodes.parquet"
        ),
    output:
        posteriors="{run}/posteriors/posteriors.parquet",
        point_posteriors="{run}/posteriors/point_posteriors.parquet",
        agreement="{run}/posteriors/agreement.parquet",
        calibration="{run}/posteriors/calibration.parquet",
    log:
        "{run}/logs/posteriors.log",
    benchmark:
        "{run}/benchmarks/posteriors.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.law"),
        settings=lambda w: RUNS[w.run].posteriors.model_dump(),
        labels=lambda w, input: plan.repeated("--labels", input.labels),
        judges=lambda w, input: plan.repeated("--judge", input.judges),
        points=lambda w, input: plan.repeated("--points", input.points),
        episodes=lambda w, input: plan.repeated("--episodes", input.episodes),
        out=subpath(output.posteriors, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " posteriors {params.labels} {params.judges} {params.points}"
        " {params.episodes} --out {params.out:q} > {log:q} 2>&1"
