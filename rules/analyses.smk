# scores -> what follows from them; no part of `all`


rule rank_metrics:
    """Tell whether two ways to score put the systems in the same order."""
    input:
        composites="{run}/scores/composites.parquet",
        binary="{run}/scores/binary.parquet",
    output:
        "{run}/analyses/ranks.parquet",
    log:
        "{run}/logs/analyses/ranks.log",
    benchmark:
        "{run}/benchmarks/analyses/ranks.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.analysing"),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " ranks --composites {input.composites:q} --binary {input.binary:q} --out {output:q}"
        " > {log:q} 2>&1"


rule compare_groups:
    """Compare the scores of systems between groups of speakers."""
    input:
        laws="{run}/reference/laws.parquet",
        durations="{run}/reference/durations.parquet",
        posteriors="{run}/posteriors/posteriors.parquet",
        episodes="{run}/episodes/episodes.parquet",
        responses=lambda w: plan.responses(RUNS[w.run], "responses"),
        overlaps=lambda w: plan.responses(RUNS[w.run], "overlaps"),
    output:
        "{run}/analyses/fairness.parquet",
    log:
        "{run}/logs/analyses/fairness.log",
    benchmark:
        "{run}/benchmarks/analyses/fairness.tsv"
    conda:
        "../envs/tact.yaml"
    threads: 8
    params:
        code=source_digest("tact.cli.score"),
        settings=lambda w: RUNS[w.run].scores.model_dump(),
        seed=SETTINGS.seed,
        responses=lambda w, input: plan.repeated("--responses", input.responses),
        overlaps=lambda w, input: plan.repeated("--overlaps", input.overlaps),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " fairness --laws {input.laws:q} --posteriors {input.posteriors:q}"
        " --episodes {input.episodes:q} --durations {input.durations:q} {params.responses}"
        " {params.overlaps} --cores {threads} --out {output:q} > {log:q} 2>&1"


rule score_without:
    """Score every system without one part of the rule."""
    input:
        laws="{run}/reference/laws.parquet",
        durations="{run}/reference/durations.parquet",
        posteriors="{run}/posteriors/posteriors.parquet",
        episodes="{run}/episodes/episodes.parquet",
        responses=lambda w: plan.responses(RUNS[w.run], "responses"),
        overlaps=lambda w: plan.responses(RUNS[w.run], "overlaps"),
    output:
        episode_scores="{run}/analyses/{ablation}/episode_scores.parquet",
        composites="{run}/analyses/{ablation}/composites.parquet",
    log:
        "{run}/logs/analyses/{ablation}.log",
    benchmark:
        "{run}/benchmarks/analyses/{ablation}.tsv"
    wildcard_constraints:
        ablation="|".join(plan.ABLATIONS),
    conda:
        "../envs/tact.yaml"
    threads: 8
    params:
        code=source_digest("tact.cli.score"),
        settings=lambda w: RUNS[w.run].scores.model_dump(),
        seed=SETTINGS.seed,
        change=lambda w: plan.ABLATIONS[w.ablation],
        responses=lambda w, input: plan.repeated("--responses", input.responses),
        overlaps=lambda w, input: plan.repeated("--overlaps", input.overlaps),
        out=subpath(output.composites, parent=True),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " score --laws {input.laws:q} --posteriors {input.posteriors:q}"
        " --episodes {input.episodes:q} --durations {input.durations:q} {params.responses}"
        " {params.overlaps} {params.change} --cores {threads} --out {params.out:q} > {log:q} 2>&1"


rule ablate:
    """Set the scores beside those without a part of the rule, or without memory."""
    input:
        composites="{run}/scores/composites.parquet",
        no_calibration="{run}/analyses/no_calibration/composites.parquet",
        no_prosody="{run}/analyses/no_prosody/composites.parquet",
    output:
        "{run}/analyses/ablations.parquet",
    log:
        "{run}/logs/analyses/ablations.log",
    benchmark:
        "{run}/benchmarks/analyses/ablations.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.analysing"),
        bare=lambda w: plan.repeated(
            "--bare",
            [f"{whole}={less}" for whole, less in RUNS[w.run].analyses.bare.items()],
        ),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " ablations --composites {input.composites:q} --no-calibration {input.no_calibration:q}"
        " --no-prosody {input.no_prosody:q} {params.bare} --out {output:q} > {log:q} 2>&1"


rule swap_memory:
    """Tell how far the onsets of one system move when its profiles are swapped."""
    input:
        episodes="{run}/episodes/episodes.parquet",
        responses="{run}/responses/{system}/responses.parquet",
        swapped=lambda w: (
            f"{w.run}/responses/{RUNS[w.run].analyses.swapped[w.system]}/responses.parquet"
        ),
        swap=lambda w: plan.per_corpus(RUNS[w.run], "profiles/{corpus}/swap.parquet"),
    output:
        "{run}/analyses/memory/{system}.parquet",
    log:
        "{run}/logs/analyses/memory/{system}.log",
    benchmark:
        "{run}/benchmarks/analyses/memory/{system}.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.analysing"),
        settings=lambda w: RUNS[w.run].analyses.model_dump(),
        seed=SETTINGS.seed,
        swap=lambda w, input: plan.repeated("--swap", input.swap),
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " memory --responses {input.responses:q} --swapped {input.swapped:q}"
        " --episodes {input.episodes:q} {params.swap} --out {output:q} > {log:q} 2>&1"


rule validate:
    """Tell whether scores agree with people's ratings."""
    input:
        ratings=lambda w: RUNS[w.run].analyses.ratings,
        composites="{run}/scores/composites.parquet",
        episodes="{run}/episodes/episodes.parquet",
    output:
        "{run}/analyses/validity.parquet",
    log:
        "{run}/logs/analyses/validity.log",
    benchmark:
        "{run}/benchmarks/analyses/validity.tsv"
    conda:
        "../envs/tact.yaml"
    params:
        code=source_digest("tact.cli.analysing"),
        settings=lambda w: RUNS[w.run].scores.model_dump(),
        seed=SETTINGS.seed,
    shell:
        "python -m tact --config {wildcards.run:q}/config.yaml"
        " validity --ratings {input.ratings:q} --composites {input.composites:q}"
        " --episodes {input.episodes:q} --out {output:q} > {log:q} 2>&1"
