"""Contracts of the analyses of scores, and of the ratings that they are held against."""

from tact.schemas.bench import EPISODE
from tact.schemas.contract import Contract, count, number, text
from tact.schemas.score import SYSTEM
from tact.vocabulary import SCENARIOS

SCENARIO = text("scenario", "", *SCENARIOS, "all")

RANKS = Contract(
    "ranks",
    ("scenario", "first", "second"),
    (
        SCENARIO,
        text("first", "metric of composites or binary, turned so that more is better"),
        text("second", "another"),
        number("rho", "Spearman's, over systems; null = under 3, or all alike", nullable=True),
        number("low", "lower end of its interval (Bonett and Wright)", nullable=True),
        number("high", "upper end", nullable=True),
        count("n", "systems that have both"),
    ),
)

MEMORY = Contract(
    "memory",
    ("system", "swapped", "scenario"),
    (
        SYSTEM,
        text("swapped", "name of the system that answered under swapped profiles"),
        SCENARIO,
        number("jsd", "Jensen-Shannon divergence of the two onset laws", "bit"),
        number("null_mean", "mean of it where profiles are exchanged at random", "bit"),
        number("null_high", "95 % of it there", "bit"),
        number("excess", "jsd less null_mean", "bit"),
        number("p", "share of permutations that diverge as much"),
        count("n", "episodes"),
    ),
)

RATINGS = Contract(
    "ratings",
    ("system", "episode", "rater"),
    (
        SYSTEM,
        EPISODE,
        text("rater", "pseudonymous id"),
        number("rating", "how good the timing was; more is better"),
    ),
)

VALIDITY = Contract(
    "validity",
    ("metric",),
    (
        text("metric", "column of composites"),
        number("rho", "Spearman's, of score and mean rating, over cells", nullable=True),
        number("fisher_low", "lower end of its interval, cells independent", nullable=True),
        number("fisher_high", "upper end", nullable=True),
        number("cluster_low", "lower end, drawing whole systems", nullable=True),
        number("cluster_high", "upper end", nullable=True),
        count("n_cells", "cells of system and scenario"),
        count("n_systems", "systems"),
        count("n_ratings", "ratings"),
    ),
)

ABLATIONS = Contract(
    "ablations",
    ("ablation", "system", "scenario", "metric"),
    (
        text("ablation", "what is left out: no_memory, no_calibration, no_prosody"),
        SYSTEM,
        SCENARIO,
        text("metric", "column of composites"),
        number("whole", "by the rule as it is"),
        number("without", "without the part"),
        number("difference", "without less whole"),
        number("rho", "Spearman's, of the order of the systems in both", nullable=True),
        count("n", "systems"),
    ),
)

FAIRNESS = Contract(
    "fairness",
    ("system", "scenario", "axis", "first", "second"),
    (
        SYSTEM,
        SCENARIO,
        text("axis", "slice axis, such as gender, or a crossing: gender,age"),
        text("first", "value of the axis"),
        text("second", "another"),
        number("score_first", "score of the slice", nullable=True),
        number("score_second", "score of the other slice", nullable=True),
        number("difference", "first less second", nullable=True),
        number("low", "lower end of its interval, by clusters", nullable=True),
        number("high", "upper end", nullable=True),
        count("n_first", "episodes"),
        count("n_second", "episodes"),
        count("clusters", "clusters of both"),
    ),
)
