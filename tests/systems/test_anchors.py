"""The anchors, and the rule that measures an onset."""

import types

import numpy as np
import pandas as pd
import pytest

import bench
from tact import frames, systems
from tact.errors import ConfigError, InputError
from tact.scores import score
from tact.settings import System
from tact.systems import overlap
from tact.systems.anchors import median_ms
from tact.systems.protocol import measured


def setting(kind, onset_s=None, runs=1):
    return System(kind=kind, onset_s=onset_s, runs=runs, detector=None, path=None)


def answer(kind, of, points, posteriors, onset_s=None, runs=1, held=None):
    entry = setting(kind, onset_s, runs)
    system = systems.make(kind, entry, held=held, seed=1)
    return systems.respond(
        kind, system, of, points, posteriors, bench.laws(), settings=entry, mode="fused"
    )


@pytest.fixture
def of():
    return bench.episodes(4)


def test_never_is_silent(of):
    found = answer("never", of, bench.points(of), bench.posteriors(of, "ans"))

    assert found["onset_ms"].isna().all()
    assert found["status"].eq("ok").all()


def test_fixed_answers_at_its_onset_as_often_as_it_is_run(of):
    found = answer("fixed", of, bench.points(of), bench.posteriors(of, "ans"), 0.26, runs=3)

    assert found["onset_ms"].tolist() == [260] * 12
    assert found.groupby("episode")["run"].apply(list).tolist() == [[0, 1, 2]] * 4


def test_fixed_without_an_onset_is_refused():
    with pytest.raises(ConfigError, match=r"systems\.late: kind fixed needs onset_s"):
        systems.make("late", setting("fixed"), held=None, seed=1)


@pytest.mark.parametrize("intent", ["ans", "ref", "hold", "bck"])
def test_median_is_that_of_the_law_with_its_atom(of, intent):
    found = answer("median", of, bench.points(of), bench.posteriors(of, intent))

    exact = float(bench.LAWS[intent].quantile(0.5))
    if np.isinf(exact):
        assert found["onset_ms"].isna().all()
    else:
        assert found["onset_ms"].tolist() == [round(1000 * exact)] * 4


def test_median_of_a_mixture_halves_the_mixed_law(of):
    posterior = np.tile([0.6, 0.2, 0.0, 0.0, 0.2, 0.0], (4, 1))

    found = answer("median", of, bench.points(of), bench.posteriors(of, posterior))

    at = int(found["onset_ms"].iloc[0]) / 1000
    mixed = 0.6 * bench.LAWS["ans"].cdf([at - 0.001, at + 0.001])
    mixed = mixed + 0.2 * bench.LAWS["ref"].cdf([at - 0.001, at + 0.001])
    mixed = mixed + 0.2 * bench.LAWS["bck"].cdf([at - 0.001, at + 0.001])
    assert mixed[0] < 0.5 < mixed[1]


def test_median_without_a_posterior_is_silent(of):
    found = answer("median", of, bench.points(of), bench.posteriors(of[1:], "ans"))

    assert found["onset_ms"].isna().tolist() == [True, False, False, False]


def test_median_follows_the_script_of_a_probe(of):
    both = pd.concat([bench.posteriors(of, "ans"), bench.posteriors(of, "bck", "script")])

    found = answer("median", of, bench.points(of), both)

    assert found["onset_ms"].tolist() == [round(1000 * float(bench.LAWS["bck"].quantile(0.5)))] * 4


def test_median_of_a_law_that_starts_above_one_half_is_its_start():
    assert median_ms(np.full(7001, 0.7)) == -2000
    assert median_ms(np.full(7001, 0.5)) is None


def test_human_repeats_the_partner(of):
    points = bench.points(of, [-300, 120, None, 4999], [900, 1200, None, 700])

    found = answer("human", of, points, bench.posteriors(of, "ans"))

    assert found["onset_ms"].tolist()[:2] == [-300, 120]
    assert found["duration_ms"].tolist()[:2] == [900, 1200]
    assert pd.isna(found["onset_ms"].iloc[2])
    assert found["floor_held"].isna().all()


def test_human_leaves_out_the_probes():
    of = bench.episodes(4, corpus=["candor", "candor", "probes", "probes"])

    found = answer("human", of, bench.points(of, 300, 900), bench.posteriors(of, "ans"))

    assert found["episode"].tolist() == ["candor-00", "candor-01"]


def test_anchors_hold_no_floor_in_an_interruption(of):
    found = answer("fixed", of, bench.points(of), bench.posteriors(of, "ans"), 0.26)

    held = dict(zip(of["scenario"], found["floor_held"], strict=True))
    assert not held["interruption"]
    assert all(pd.isna(value) for name, value in held.items() if name != "interruption")


def test_episode_without_its_point_is_refused(of):
    with pytest.raises(InputError, match=r"2 of 4 episodes \(first: candor-00\)"):
        answer("never", of, bench.points(of[2:]), bench.posteriors(of, "ans"))


def test_human_overlap_of_an_interruption_runs_from_the_focal_onset_to_the_partner_s_end():
    """Two partners who go on, the second beyond the horizon, and one who was silent.

    focal           ########        ########        ########
    partner    #######          ###############...  ^ silent
                    |-|             |----------- T_h
    """
    of = bench.episodes(3, ["interruption"], t0_ms=[10_000, 30_000, 50_000])
    of = of.assign(context_start_ms=of["t0_ms"] - 8_000, horizon_end_ms=of["t0_ms"] + 5_000)
    points = bench.points(of, turn_start_ms=[8_000, 28_000, 48_000])
    spans = [(7_000, 8_700), (27_500, 39_000), (46_000, 47_900), (48_100, 49_000)]
    ipus = frames.frame(
        [
            {"conversation": "candor:c", "speaker": "candor:b", "start_ms": start, "end_ms": end,
             "source": "words"}
            for start, end in spans
        ],
        "ipus",
    )  # fmt: skip

    runs = overlap.windows(of, points)
    runs = runs.assign(talk=runs["episode"], run=0)
    talk = overlap.partner_talk(runs, ipus, frames.empty("backchannels"))
    found = overlap.overlaps(runs, talk)
    overlaps = overlap.table("human", runs, found, *[pd.Series(0.7, index=found.index)] * 2)
    responses = answer("human", of, points, bench.posteriors(of, "ans"), held=set(found["talk"]))

    assert dict(zip(found["talk"], found["duration_ms"], strict=True)) == {
        "candor-00": 700,
        "candor-01": 7_000,
    }
    assert responses["floor_held"].tolist() == [True, True, False]
    assert overlaps["onset_ms"].tolist() == [-2000, -2000]
    assert overlaps["completion"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("onset_ms", "kept"),
    [
        pytest.param(None, None, id="silence"),
        pytest.param(-501, None, id="before-the-focal-turn"),
        pytest.param(-500, -500, id="with-the-focal-turn"),
        pytest.param(1199, 1199, id="before-the-focal-speaker-goes-on"),
        pytest.param(1200, None, id="with-the-focal-speaker"),
    ],
)
def test_onset_counts_between_the_focal_turn_and_the_focal_speaker_s_next_ipu(onset_ms, kept):
    """Measure as people are measured.

    focal    #####            #####
             ^-500   t0       ^ 1200
    """
    point = types.SimpleNamespace(t0_ms=9000, turn_start_ms=8500, focal_next_ms=1200)

    assert measured(onset_ms, point) == kept


def test_onset_counts_up_to_the_horizon_where_the_focal_speaker_stays_silent():
    point = types.SimpleNamespace(t0_ms=9000, turn_start_ms=0, focal_next_ms=pd.NA)

    assert measured(4999, point) == 4999
    assert measured(5000, point) is None
    assert measured(-2000, point) == -2000
    assert measured(-2001, point) is None


def test_policies_rank_as_the_rule_says():
    # By episode score the median of the law beats people, who beat silence; people alone have
    # a population score of one.
    rng = np.random.default_rng(2)
    of = bench.episodes(1500, ["smooth"])
    posterior, onset = bench.draws(rng, 1500)
    points, posteriors = bench.points(of, onset, 900), bench.posteriors(of, posterior)
    kinds = (("never", None), ("fixed", 0.26), ("median", None), ("human", None))
    answers = pd.concat([answer(kind, of, points, posteriors, at) for kind, at in kinds])

    _, composites = score(
        bench.laws(), posteriors, answers, frames.empty("overlaps"), of, None,
        settings=bench.SETTINGS.scores.model_copy(update={"resamples": 50}),
        axes=(), gamma=0.7, epsilon=0.02, seed=1,
    )  # fmt: skip

    found = composites.query("scenario == 'smooth' and slice == 'all' and intent == 'all'")
    found = found.set_index("system")
    expected = {"never": 0.822, "fixed": 0.583, "human": 0.870, "median": 0.935}
    assert found["timing_episode"].to_dict() == pytest.approx(expected, abs=0.015)
    assert found.loc["human", "timing_population_fair"] == pytest.approx(1.0, abs=0.003)
    assert found["timing_population_fair"].idxmax() == "human"
