"""The stage: answers in, scores by run and by cell out."""

import numpy as np
import pandas as pd
import pytest

import bench
from tact import frames
from tact.bootstrap import bca
from tact.errors import TableError
from tact.scores import score
from tact.scoring import composite, episode_scores, integrate, population
from tact.vocabulary import INTENTS, SCENARIOS

NO_OVERLAPS = frames.empty("overlaps")


def run(
    responses,
    of=None,
    posteriors=None,
    overlaps=NO_OVERLAPS,
    durations=None,
    laws=None,
    axes=(),
    cores=1,
    **changes,
):
    settings = bench.SETTINGS.scores.model_copy(update={"resamples": 200, **changes})
    episode_scores, composites = score(
        bench.laws() if laws is None else laws,
        posteriors,
        responses,
        overlaps,
        of,
        durations,
        settings=settings,
        axes=axes,
        gamma=0.7,
        epsilon=0.02,
        seed=1,
        cores=cores,
    )
    return frames.check(episode_scores, "episode_scores"), frames.check(composites, "composites")


def row(composites, scenario="all", name="all", intent="all", system="mine"):
    found = composites[
        (composites["scenario"] == scenario)
        & (composites["slice"] == name)
        & (composites["intent"] == intent)
        & (composites["system"] == system)
    ]
    assert len(found) == 1
    return found.iloc[0]


def lengths(*t_ms, scenarios=SCENARIOS, intents=INTENTS):
    """Table durations: in every cell people speak for the given lengths."""
    rows = [
        {"slice": "all", "intent": intent, "scenario": scenario, "t_ms": at,
         "cdf": (place + 1) / len(t_ms)}
        for intent in intents for scenario in scenarios for place, at in enumerate(sorted(t_ms))
    ]  # fmt: skip
    return frames.frame(rows, "durations")


@pytest.fixture(scope="module")
def people():
    """240 episodes, people's own answers, soft posteriors, lengths, strata."""
    rng = np.random.default_rng(3)
    strata = [{"gender": value} for value in rng.choice(["female", "male"], 240)]
    of = bench.episodes(240, strata=strata)
    posterior, onset = bench.draws(rng, 240, soft=True)
    answers = bench.responses(
        of, onset, rng.integers(300, 3000, 240), floor_held=of["scenario"] == "interruption"
    )
    return of, bench.posteriors(of, posterior), answers


def test_episode_scores_are_those_of_the_rule():
    of = bench.episodes(3, ["smooth"])
    posterior = np.array([[1, 0, 0, 0, 0, 0], [0.5, 0.5, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]])
    law_tables = integrate(bench.LAWS, gamma=0.7, epsilon=0.02)

    by_run, _ = run(bench.responses(of, [260, 1400, None]), of, bench.posteriors(of, posterior))

    expected = episode_scores(law_tables, posterior, np.array([0.26, 1.4, np.inf]))
    assert by_run["timing"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert by_run["overlap"].tolist() == [1.0, 1.0, 1.0]
    assert by_run["length"].isna().all()


def test_people_score_one_and_never_responding_far_less(people):
    of, posteriors, answers = people
    never = bench.responses(of, None, system="never")

    _, composites = run(pd.concat([answers, never]), of, posteriors)

    human, silent = row(composites), row(composites, system="never")
    assert human["timing_population_fair"] == pytest.approx(1.0, abs=0.004)
    assert human["low"] < 1.0
    assert silent["timing_population_fair"] < 0.9
    assert silent["high"] < human["low"]


def test_composite_is_the_fixed_combination_and_all_is_the_mean_of_the_categories(people):
    of, posteriors, answers = people

    _, composites = run(answers, of, posteriors, durations=lengths(500, 1500, 2500))

    categories = []
    for scenario in SCENARIOS:
        found = row(composites, scenario)
        parts = {"timing": found["timing_population_fair"], "length": found["length"],
                 "overlap": found["overlap"]}  # fmt: skip
        coefficients = bench.SETTINGS.scores.coefficients[scenario].model_dump()
        assert found["score"] == pytest.approx(composite(parts, coefficients))
        categories.append(found["score"])
    assert row(composites)["score"] == pytest.approx(np.mean(categories))
    assert row(composites)["length"] == pytest.approx(
        np.mean([row(composites, scenario)["length"] for scenario in SCENARIOS])
    )


def test_length_of_a_cell_compares_the_lengths_of_those_who_responded():
    of = bench.episodes(4, ["smooth"])
    answers = bench.responses(of, [200, 300, None, 5000], [1000, 3000, None, 9000])

    by_run, composites = run(answers, of, bench.posteriors(of, "ans"), durations=lengths(2000))

    # half of the lengths end 1 s before, half 1 s after: .25 s + .25 s of 30 s
    assert row(composites, "smooth")["length"] == pytest.approx(1 - 0.5 / 30)
    assert by_run["length"].tolist()[:2] == pytest.approx([1 - 1 / 30, 1 - 1 / 30])
    # an onset at the horizon is no response, whatever its length
    assert by_run["length"].isna().tolist() == [False, False, True, True]


def test_cell_without_response_has_no_length_and_says_so():
    of = bench.episodes(8)

    _, composites = run(
        bench.responses(of, None), of, bench.posteriors(of, "hold"), durations=lengths(900)
    )

    pause = row(composites, "pause")
    assert np.isnan(pause["length"])
    assert "no_length" in pause["flags"].split(",")
    assert pause["score"] == pytest.approx(
        (0.70 * pause["timing_population_fair"] + 0.15 * 1.0) / 0.85
    )
    assert "no_length" in row(composites)["flags"].split(",")


def test_overlap_is_scored_by_run_and_backchannels_are_exempt():
    of = bench.episodes(2, ["pause"])
    rows = [
        ("mine", "candor-00", 0, 300, 500, 0.2, False, None),
        ("mine", "candor-00", 0, 900, 900, 0.0, True, None),
    ]

    by_run, composites = run(
        bench.responses(of, 300), of, bench.posteriors(of, "ans"), frames.frame(rows, "overlaps")
    )

    assert by_run["overlap"].tolist() == pytest.approx([np.exp(-1.2 * 0.8 * 0.5), 1.0])
    assert row(composites, "pause")["overlap"] == pytest.approx(by_run["overlap"].mean())


def test_overlap_of_an_interruption_needs_the_floor():
    of = bench.episodes(2, ["interruption"])

    by_run, composites = run(
        bench.responses(of, 300, floor_held=[True, False]), of, bench.posteriors(of, "ans")
    )

    assert by_run["overlap"].tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    assert "floor_held:0.500" in row(composites, "interruption")["flags"]


def test_without_overlaps_the_weight_goes_to_the_other_parts():
    of = bench.episodes(4, ["smooth"])

    _, composites = run(
        bench.responses(of, [100, 200, 300, 400]), of, bench.posteriors(of, "ans"), overlaps=None
    )

    found = row(composites, "smooth")
    assert np.isnan(found["overlap"])
    assert found["score"] == pytest.approx(found["timing_population_fair"])
    assert {"no_overlap", "no_length"} <= set(found["flags"].split(","))


def test_faults_are_left_out_and_counted_and_flag_the_row():
    of = bench.episodes(8, ["smooth"])
    good = bench.responses(of, 300)
    broken = good.assign(status=["fault"] + ["ok"] * 7, onset_ms=bench.whole([None] + [300] * 7, 8))
    posteriors = bench.posteriors(of, "ans")

    by_run, composites = run(broken, of, posteriors)
    _, without = run(good[1:], of[1:], posteriors)

    found, clean = row(composites, "smooth"), row(without, "smooth")
    assert np.isnan(by_run["timing"].iloc[0])
    assert (found["n"], found["n_fault"]) == (7, 1)
    assert found["score"] == pytest.approx(clean["score"])
    floor = f"score_with_faults_as_0:{clean['score'] * 7 / 8:.4f}"
    assert {"incomplete", floor} <= set(found["flags"].split(","))
    assert "incomplete" not in clean["flags"]


def test_a_system_that_only_fails_has_no_score():
    of = bench.episodes(4, ["smooth"])

    _, composites = run(bench.responses(of, None, status="fault"), of, bench.posteriors(of, "ans"))

    found = row(composites, "smooth")
    assert (found["n"], found["n_fault"]) == (0, 4)
    assert np.isnan(found["score"])
    assert "incomplete" in found["flags"]


def test_every_run_counts_and_each_episode_weighs_one():
    of = bench.episodes(3, ["smooth"])
    posteriors = bench.posteriors(of, "ans")
    onsets = [[100, 200, None], [400, 900, 10], [250, 250, 2000]]
    runs = [bench.responses(of, onset, run=n) for n, onset in enumerate(onsets)]

    by_run, composites = run(pd.concat(runs), of, posteriors)

    found = row(composites, "smooth")
    assert (found["n"], found["runs"]) == (3, 3)
    assert found["timing_episode"] == pytest.approx(by_run["timing"].mean())


def test_median_of_three_scores_the_run_in_the_middle():
    of = bench.episodes(2, ["smooth"])
    posteriors = bench.posteriors(of, "ans")
    onsets = [[100, None], [900, 300], [250, 200]]
    runs = pd.concat([bench.responses(of, onset, run=n) for n, onset in enumerate(onsets)])

    by_run, composites = run(runs, of, posteriors, run_rule="median_of_three")
    _, middle = run(bench.responses(of, [250, 300]), of, posteriors)

    assert len(by_run) == 6
    expected = row(middle, "smooth")["timing_episode"]
    assert row(composites, "smooth")["timing_episode"] == pytest.approx(expected)


def test_weights_of_episodes_count():
    of = bench.episodes(4, ["smooth"], weight=[1.0, 1.0, 1.0, 5.0])

    by_run, composites = run(
        bench.responses(of, [300, 300, 300, None]), of, bench.posteriors(of, "ans")
    )

    expected = np.average(by_run["timing"], weights=[1, 1, 1, 5])
    assert row(composites, "smooth")["timing_episode"] == pytest.approx(expected)


def test_rows_by_intent_weigh_episodes_by_their_posterior():
    of = bench.episodes(4, ["smooth"])
    posterior = np.array([[1, 0, 0, 0, 0, 0]] * 2 + [[0, 1, 0, 0, 0, 0]] * 2)

    by_run, composites = run(
        bench.responses(of, [200, 400, 1500, 2500]), of, bench.posteriors(of, posterior)
    )

    ans, ref = (row(composites, "smooth", intent=intent) for intent in ("ans", "ref"))
    assert (ans["n"], ref["n"]) == (2, 2)
    assert ans["timing_episode"] == pytest.approx(by_run["timing"][:2].mean())
    assert ref["timing_episode"] == pytest.approx(by_run["timing"][2:].mean())
    assert np.isnan(row(composites, "smooth", intent="bck")["score"])


def test_one_episode_of_an_intent_is_taken_with_its_bias_and_flagged():
    of = bench.episodes(3, ["smooth"])
    posterior = np.eye(6)[[0, 0, 1]]

    _, composites = run(bench.responses(of, [200, 400, 1500]), of, bench.posteriors(of, posterior))

    ref = row(composites, "smooth", intent="ref")
    assert ref["timing_population_fair"] == ref["timing_population"]
    assert "plug_in" in ref["flags"].split(",")
    assert "plug_in" not in row(composites, "smooth", intent="ans")["flags"]


def test_a_score_of_one_dyad_alone_has_no_interval_and_says_so():
    """Two episodes to a dyad: one dyad in smooth, three in pause, of which one alone has ref."""
    of = bench.episodes(8).assign(scenario=["smooth"] * 2 + ["pause"] * 6)
    onset = [100, 300, 200, 900, 150, 400, 1200, 2400]
    _, composites = run(
        bench.responses(of, onset), of, bench.posteriors(of, np.eye(6)[[0] * 6 + [1] * 2])
    )
    flagged = composites["flags"].str.split(",").map(lambda flags: "one_dyad" in flags)
    cells = composites[flagged].groupby("scenario")["intent"].agg(set).to_dict()

    assert composites["system"].unique() == ["mine"]
    assert cells == {"smooth": {"ans", "all"}, "pause": {"ref"}, "all": {"ans", "ref", "all"}}
    known = composites["score"].notna()
    assert known[flagged].all()
    assert composites.loc[flagged, ["low", "high"]].isna().all(axis=None)
    others = composites[known & ~flagged]
    assert (others["low"] < others["high"]).all()
    assert {("pause", "ans"), ("pause", "all")} <= set(
        others[["scenario", "intent"]].itertuples(index=False, name=None)
    )


def test_an_interval_stays_what_it_was_beside_a_cell_of_one_dyad():
    of = bench.episodes(8).assign(scenario=["pause"] * 6 + ["smooth"] * 2)
    given = bench.responses(of, [100, 300, 200, 900, 150, 400, 50, 80])
    _, beside = run(given, of, bench.posteriors(of, "ans"))
    # A dyad more in smooth changes no estimate of pause; both slices have four clusters.
    of = of.assign(split_group=["dyad-0"] * 2 + ["dyad-1"] * 2 + ["dyad-2"] * 2 + ["x", "dyad-0"])
    _, two = run(given, of, bench.posteriors(of, "ans"))

    columns = ["score", "low", "high"]
    assert row(beside, "pause")[columns].tolist() == row(two, "pause")[columns].tolist()
    assert "one_dyad" in row(beside, "smooth")["flags"]
    assert "one_dyad" not in row(two, "smooth")["flags"]
    assert row(two, "smooth")["low"] < row(two, "smooth")["high"]


def test_slices_are_the_strata_and_corpora(people):
    of, posteriors, answers = people

    _, composites = run(answers, of, posteriors)

    assert sorted(composites["slice"].unique()) == [
        "all", "corpus=candor", "gender=female", "gender=male",
    ]  # fmt: skip
    female = [value["gender"] == "female" for value in map(dict, of["strata"])]
    assert row(composites, name="gender=female")["n"] == sum(female)
    assert "law:all" in row(composites, name="gender=female")["flags"]


def test_a_slice_is_scored_by_its_own_law_where_there_is_one(people):
    of, posteriors, answers = people
    own = bench.laws().assign(slice="gender=female")
    own.loc[own["intent"] == "ans", "mu"] = 1.5
    both = frames.check(pd.concat([bench.laws(), own]), "laws")

    _, composites = run(answers, of, posteriors, laws=both)
    _, common = run(answers, of, posteriors)

    female, same = (row(c, name="gender=female") for c in (composites, common))
    assert "law:all" not in female["flags"]
    assert female["timing_population_fair"] < same["timing_population_fair"] - 0.02
    assert row(composites)["score"] == pytest.approx(row(common)["score"])


def crossed():
    """Eighty episodes of two corpora, genders and ages; the age of the last eight is unknown."""
    ages = ["20-29", "20-29", "30-39"]
    strata = [
        {"gender": ["female", "male"][i % 2], "age": None if i >= 72 else ages[i % 3]}
        for i in range(80)
    ]
    corpora = ["ami" if i % 5 == 0 else "candor" for i in range(80)]
    return bench.episodes(80, ["smooth"], strata=strata, corpus=corpora)


def test_a_crossing_of_the_config_is_scored_on_the_episodes_that_have_both_values():
    of, rng = crossed(), np.random.default_rng(8)
    posterior, onset = bench.draws(rng, 80)
    posteriors, answers = bench.posteriors(of, posterior), bench.responses(of, onset)

    _, composites = run(
        answers, of, posteriors, axes=["gender", ["gender", "corpus"], ["gender", "age"]]
    )
    _, single = run(answers, of, posteriors)

    strata = pd.DataFrame([dict(value) for value in of["strata"]]).assign(corpus=of["corpus"])
    counts = {
        f"{one}={a},{other}={b}": n
        for one, other in (("gender", "corpus"), ("gender", "age"))
        for (a, b), n in strata.groupby([one, other]).size().items()
    }
    found = composites.query("scenario == 'smooth' and intent == 'all' and slice.str.contains(',')")
    assert len(counts) == 8
    assert found.set_index("slice")["n"].to_dict() == counts
    # what is scored is exactly what a run on those episodes alone scores
    chosen = ((strata["gender"] == "male") & (strata["corpus"] == "ami")).to_numpy()
    alone = of[chosen].reset_index(drop=True)
    keep = set(alone["episode"])
    _, few = run(
        answers[answers["episode"].isin(keep)], alone, posteriors[posteriors["episode"].isin(keep)]
    )
    metrics = ["timing_population", "timing_population_fair", "timing_episode", "overlap", "score"]
    crossing = row(composites, "smooth", name="gender=male,corpus=ami")
    assert crossing[metrics].tolist() == pytest.approx(row(few, "smooth")[metrics].tolist())
    # and the rows of the other slices are as without it
    rest = composites[~composites["slice"].str.contains(",")].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, single)


def test_a_crossing_is_scored_by_its_own_law_where_there_is_one():
    of = crossed()
    posteriors, answers = bench.posteriors(of, "ans"), bench.responses(of, 300)
    own = bench.laws().assign(slice="gender=female,corpus=candor")
    own.loc[own["intent"] == "ans", "mu"] = 1.5
    laws = frames.check(pd.concat([bench.laws(), own]), "laws")

    _, composites = run(answers, of, posteriors, laws=laws, axes=[["gender", "corpus"]])

    with_own, without = (
        row(composites, name=f"gender={gender},corpus=candor") for gender in ("female", "male")
    )
    assert "law:all" not in with_own["flags"]
    assert "law:all" in without["flags"]
    assert with_own["timing_population"] < without["timing_population"] - 0.2


def with_probes():
    of = bench.episodes(12, ["smooth"], corpus=["candor"] * 8 + ["probes"] * 4)
    scripted = bench.posteriors(of[8:], "bck", mode="script")
    labelled = bench.posteriors(of[:8], "ans")
    return of, pd.concat([scripted, labelled, bench.posteriors(of[8:], "ans")])


def test_probes_use_their_script_and_stand_in_no_slice_but_all():
    of, posteriors = with_probes()

    by_run, composites = run(bench.responses(of, 0), of, posteriors)

    law_tables = integrate(bench.LAWS, gamma=0.7, epsilon=0.02)
    ans, bck = episode_scores(law_tables, np.eye(6)[[0, 4]], np.zeros(2))
    assert by_run["timing"].tolist() == pytest.approx([ans] * 8 + [bck] * 4, abs=1e-12)
    assert set(composites["slice"]) == {"all", "synthetic=no", "corpus=candor"}
    assert row(composites, name="synthetic=no")["n"] == 8


def test_a_system_may_leave_out_all_probes_but_not_some():
    of, posteriors = with_probes()

    _, composites = run(bench.responses(of[:8], 200), of, posteriors)

    assert "no_probes" in row(composites)["flags"]
    with pytest.raises(TableError, match=r"fewer than 1 runs for 2 of 12 episodes"):
        run(bench.responses(of[:10], 200), of, posteriors)


def test_episode_without_posterior_is_left_out_and_counted():
    of = bench.episodes(5, ["smooth"])

    by_run, composites = run(bench.responses(of, 300), of, bench.posteriors(of[1:], "ans"))

    assert np.isnan(by_run["timing"].iloc[0])
    assert row(composites, "smooth")["n"] == 4
    assert "no_posterior:1" in row(composites, "smooth")["flags"]


def test_posterior_of_another_mode_is_not_used():
    of = bench.episodes(4, ["smooth"])
    both = pd.concat([bench.posteriors(of, "ans"), bench.posteriors(of, "hold", mode="share")])

    fused, share = (
        run(bench.responses(of, 300), of, both, mode=mode)[0] for mode in ("fused", "share")
    )

    assert (fused["timing"] > 0.8).all()
    assert (share["timing"] < 0.3).all()


def test_without_episodes_there_is_one_cell_and_no_combination():
    of = bench.episodes(6)

    by_run, composites = run(bench.responses(of, 300), None, bench.posteriors(of, "ans"))

    found = row(composites)
    assert set(composites["scenario"]) == {"all"}
    assert found["n"] == found["clusters"] == 6
    assert found["timing_episode"] == pytest.approx(by_run["timing"].mean())
    assert np.isnan(found["score"])


def test_clusters_are_dyads(people):
    of, posteriors, answers = people

    _, composites = run(answers, of, posteriors)
    _, wide = run(answers, of.assign(split_group=of["conversation"]), posteriors)

    assert row(composites)["clusters"] == 120
    assert row(wide)["clusters"] == 1
    assert np.isnan(row(wide)["low"])


def test_order_of_rows_leaves_no_trace(people):
    of, posteriors, answers = people
    shuffled = [t.sample(frac=1, random_state=4) for t in (answers, of, posteriors)]

    one, two = run(answers, of, posteriors), run(*shuffled)

    for a, b, key in zip(one, two, (["episode"], ["scenario", "slice", "intent"]), strict=True):
        pd.testing.assert_frame_equal(
            a.sort_values(key, ignore_index=True), b.sort_values(key, ignore_index=True),
            check_exact=True,
        )  # fmt: skip


def test_adding_a_system_changes_no_other(people):
    of, posteriors, answers = people
    other = bench.responses(of, 260, system="other")

    _, alone = run(answers, of, posteriors)
    _, beside = run(pd.concat([answers, other]), of, posteriors)

    mine = beside[beside["system"] == "mine"].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone.reset_index(drop=True), mine)


def test_systems_scored_side_by_side_score_as_one_by_one(people):
    of, posteriors, answers = people
    systems = [answers.assign(system=name) for name in "abcde"]
    late = [own.assign(onset_ms=own["onset_ms"] + 10 * k) for k, own in enumerate(systems)]

    one, four = (run(pd.concat(late), of, posteriors, cores=cores) for cores in (1, 4))

    for alone, beside in zip(one, four, strict=True):
        pd.testing.assert_frame_equal(alone, beside, check_exact=True)


def test_interval_covers_a_system_s_own_score():
    # A system that answers by the law of `ans` everywhere: its score over many episodes is known.
    rng = np.random.default_rng(8)

    def world(n, resamples):
        of = bench.episodes(n, ["smooth"])
        posterior, _ = bench.draws(rng, n)
        onset = [None if np.isinf(y) else round(1000 * y) for y in bench.LAWS["ans"].sample(n, rng)]
        answers, posteriors = bench.responses(of, onset), bench.posteriors(of, posterior)
        _, composites = run(answers, of, posteriors, resamples=resamples)
        return row(composites, "smooth")

    truth = world(4000, resamples=1)["score"]
    ends = [world(100, resamples=200) for _ in range(15)]

    assert sum(found["low"] <= truth <= found["high"] for found in ends) >= 12


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda r: r[1:], r"has fewer than 1 runs for 1 of 4 episodes \(first: candor-00\)"),
        (lambda r: r.assign(episode=["candor-99", *r["episode"][1:]]), "not in episodes .*-99"),
        (lambda r: r.assign(onset_ms=[-2001, 0, 0, 0]), "more than 2 s before t0"),
        (lambda r: r[:0], "no row"),
        (lambda r: pd.concat([r, r[:1].assign(run=1)]), "fewer than 2 runs for 3 of 4"),
        (lambda r: r.assign(run=1), "4 of 4 rows of system mine have runs not numbered from 0"),
        (lambda r: r.assign(onset_ms=[None, 0, 0, 0], duration_ms=900),
         "1 of 4 rows of system mine have a duration and no onset"),
    ],
)  # fmt: skip
def test_answers_that_do_not_fit_are_refused_in_one_line(spoil, message):
    of = bench.episodes(4, ["smooth"])

    with pytest.raises(TableError, match=message) as refused:
        run(spoil(bench.responses(of, 300)), of, bench.posteriors(of, "ans"))
    assert "\n" not in str(refused.value)


def test_an_onset_at_the_start_of_the_domain_is_inside():
    of = bench.episodes(2, ["smooth"])

    by_run, _ = run(bench.responses(of, -2000), of, bench.posteriors(of, "bck"))

    assert by_run["timing"].notna().all()


def test_onsets_on_the_clock_of_the_clip_are_refused():
    of = bench.episodes(12, ["smooth"])
    posteriors = bench.posteriors(of, "ans")

    with pytest.raises(TableError, match=r"12 of 12 rows of system mine, all that have an onset"):
        run(bench.responses(of, 21_300), of, posteriors)
    with pytest.raises(TableError, match=r"1 of 12 rows of system mine have an onset over 35 s"):
        run(bench.responses(of, [300] * 11 + [35_001]), of, posteriors)


def test_onsets_in_seconds_are_refused_and_a_system_that_always_starts_at_t0_is_not():
    of = bench.episodes(12, ["smooth"])
    posteriors = bench.posteriors(of, "ans")

    run(bench.responses(of, 0), of, posteriors)
    with pytest.raises(TableError, match=r"12 of 12 rows .* within 5 ms of t0; seconds\?"):
        run(bench.responses(of, [0, 1, 2] * 4), of, posteriors)


@pytest.mark.parametrize("weight", [0.0, -1.0, np.inf, np.nan])
def test_a_weight_that_is_not_above_0_is_refused(weight):
    of = bench.episodes(2, ["smooth"]).assign(weight=[1.0, weight])

    with pytest.raises(TableError, match=rf"1 of 2 rows .* not above 0 \(first: .*-01, {weight}"):
        run(bench.responses(of, 300), of, bench.posteriors(of, "ans"))


def test_lengths_that_are_no_cdf_are_refused():
    of = bench.episodes(2, ["smooth"])
    falling = lengths(500, 900)
    falling["cdf"] = 1.5 - falling["cdf"]

    with pytest.raises(TableError, match="have a cdf that falls or leaves"):
        run(bench.responses(of, 300, 900), of, bench.posteriors(of, "ans"), durations=falling)


def test_what_began_late_or_never_stopped_is_counted_in_the_flags():
    of = bench.episodes(4, ["smooth"])
    answers = bench.responses(of, [300, 5000, 9000, 400], [30_000, 900, 900, 40_000])

    _, composites = run(answers, of, bench.posteriors(of, "ans"))

    flags = row(composites, "smooth")["flags"].split(",")
    assert {"past_horizon:2", "still_speaking:2"} <= set(flags)


def test_a_posterior_that_is_no_distribution_is_refused():
    of = bench.episodes(2, ["smooth"])
    half = bench.posteriors(of, np.full((2, 6), 0.1))

    with pytest.raises(TableError, match="2 of 2 episodes do not sum to 1 in mode fused"):
        run(bench.responses(of, 300), of, half)


@pytest.mark.parametrize(
    ("overlap", "message"),
    [
        (("mine", "candor-00", 0, 0, -5, 0.1, False, None), "duration_ms below 0"),
        (("mine", "candor-00", 0, 0, 5, 1.5, False, None), "outside 0..1"),
        (("mine", "candor-77", 0, 0, 5, 0.5, False, None), "belong to no response"),
        (("mien", "candor-00", 0, 0, 5, 0.5, False, None), "a system that responses lacks"),
    ],
)
def test_an_impossible_overlap_is_refused(overlap, message):
    of = bench.episodes(2, ["smooth"])

    with pytest.raises(TableError, match=message):
        run(
            bench.responses(of, 300),
            of,
            bench.posteriors(of, "ans"),
            frames.frame([overlap], "overlaps"),
        )


def test_laws_without_an_intent_are_refused():
    of = bench.episodes(2, ["smooth"])

    with pytest.raises(TableError, match="5 of 6 intents"):
        run(bench.responses(of, 300), of, bench.posteriors(of, "ans"), laws=bench.laws()[1:])


def test_the_interval_of_a_score_is_that_of_resamples_scored_one_by_one():
    rng = np.random.default_rng(12)
    of = bench.episodes(60, ["smooth"], split_group=[f"dyad-{i // 4}" for i in range(60)])
    posterior, onset = bench.draws(rng, 60, soft=True)
    late = [None if y is None else min(y + 40 * (i // 4), 4_990) for i, y in enumerate(onset)]
    seconds = np.array([np.inf if y is None else y / 1000 for y in late])
    law_tables = integrate(bench.LAWS, gamma=0.7, epsilon=0.02)

    def fair(times):
        """Score the dyads, each as often as drawn."""
        weight = times[np.arange(60) // 4]
        kept = weight > 0
        own = population(
            law_tables, posterior[kept], weight[kept].astype(float), np.arange(kept.sum()),
            seconds[kept],
        )  # fmt: skip
        return 1 - float(own.share @ own.fair)

    once = np.ones(15, dtype=int)
    drawn = np.array([fair(np.bincount(rng.integers(0, 15, 15), minlength=15))
                      for _ in range(1_500)])  # fmt: skip
    # a sample of a sample lies further off the law than the sample does
    centred = drawn - drawn.mean() + fair(once)
    want = bca(centred, fair(once), np.array([fair(once - own) for own in np.eye(15, dtype=int)]),
               level=0.95)  # fmt: skip

    _, composites = run(
        bench.responses(of, late), of, bench.posteriors(of, posterior), None, resamples=1_500
    )

    found = row(composites, "smooth")
    assert found["score"] == pytest.approx(fair(once))
    assert (found["low"], found["high"]) == pytest.approx(
        (want.low, want.high), abs=0.12 * (want.high - want.low)
    )
