"""Ranks over cases: the statistics against scipy and a table, the figures by what they show."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import friedmanchisquare

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise
from boostbench.inputs import load_plugin
from boostbench.reports.figures.rank_figures import (
    case_errors,
    compare_ranks,
    draw_critical_difference,
)

from .synthetic import drawn, make_config, study_of, with_records

FOLDER = Path(__file__).resolve().parents[2] / "configs/spl-boosting"
draw_ranks = load_plugin(FOLDER / "rank_shares.py").ranks
NOISY = Noise("flip", 0.2)
#: Errors per mille by booster and data set; noise adds 50 to all but the last booster.
ERRORS = {"one": (50, 60, 70), "two": (50, 70, 80), "three": (60, 50, 90)}


def errors_of(run):
    base = ERRORS[run.booster.name]["xyz".index(run.data.name)]
    more = 50 * (run.noise != CLEAN) * (run.booster.name != "three")
    return [base + more + run.seed] * run.rounds


def study(folder, **more):
    config = make_config(
        folder,
        datasets=list("xyz"),
        boosters=[BoosterSpec(name, label=name) for name in ERRORS],
        noise=(CLEAN, NOISY),
        rounds=10,
        checkpoints=(10,),
        seeds=2,
    )
    return study_of(config, errors_of, **more)


def test_friedman_s_statistic_is_that_of_scipy_with_and_without_ties():
    rng = np.random.default_rng(0)
    errors = rng.normal(size=(12, 5)) + np.arange(5) / 3
    for values in (errors, errors.round(0)):
        assert_allclose(compare_ranks(values)[0], friedmanchisquare(*values.T).statistic)


@pytest.mark.parametrize(
    ("value", "best"), [("test_error", "lowest error"), ("test_auc", "highest AUC")]
)
def test_the_caption_says_what_the_first_rank_is(tmp_path, value, best):
    world = with_records(
        study(tmp_path),
        lambda r: {
            "curves": {**r.record.curves, "test_auc": 1 - r.record.curves["test_errors"] / 1e3}
        },
    )
    figure = drawn(draw_critical_difference, world, value=value)
    assert f"3 data sets, 1 is the {best}. " in figure.get_label()


def test_nemenyi_s_critical_difference_is_that_of_the_table():
    # Demsar 2006, Table 5(a): q for k = 4 and 9 is 2.569 and 3.102
    four, nine = (compare_ranks(np.eye(*size))[2] for size in ((14, 4), (85, 9)))
    assert_allclose(four, 2.569 * np.sqrt(4 * 5 / (6 * 14)), rtol=1e-3)
    assert_allclose(nine, 3.102 * np.sqrt(9 * 10 / (6 * 85)), rtol=1e-3)


def test_cases_are_means_over_the_repeats_that_all_have(tmp_path):
    broken = {
        "x/one/clean/seed-1": ("timeout", "30 s"),
        **{f"y/two/flip 0.2/seed-{seed}": ("missing", "") for seed in (0, 1)},
    }
    its_study = study(
        tmp_path, broken={k.replace("flip 0.2", "flip-0.2"): v for k, v in broken.items()}
    )
    errors, words = case_errors(its_study, "test_error")
    assert len(errors) == 5
    assert ("flip 0.2", "y") not in errors.index
    assert errors.loc["clean", "x"].tolist() == [0.05, 0.05, 0.06]
    assert words == "5 cases of 6 with a result, means of 1 to 2 repeats"


def test_the_rank_figure_shows_shares_of_cases(tmp_path):
    figure = drawn(draw_ranks, study(tmp_path))
    shares = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].lines}
    assert_allclose(shares["three"], [4 / 6 * 100, 4 / 6 * 100, 100])
    assert_allclose(shares["one"], [2 / 6 * 100, 100, 100])
    panels = drawn(draw_ranks, study(tmp_path), panels="noise").axes
    assert [axes.get_title(loc="left") for axes in panels] == ["clean", "flip 0.2"]


def test_the_diagram_names_every_booster_with_its_mean_rank(tmp_path):
    figure = drawn(draw_critical_difference, study(tmp_path))
    (axes,) = figure.axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    ranks = [float(text.get_text()) for text in axes.texts]
    assert sorted(names) == sorted(ERRORS)
    assert ranks == sorted(ranks)
    # Noises of one data set are no cases of their own.
    assert "3 data sets; 6 cases" in figure.get_supxlabel()


def test_what_cannot_be_ranked_is_said(tmp_path):
    its_study = study(tmp_path)
    with pytest.raises(BoostbenchError, match="results of two boosters"):
        draw_ranks(its_study.only(boosters=["one"]))
    sets = dict.fromkeys(r.run.dataset for r in its_study.results)
    # on every set another one has no result
    apart = {*zip(sets, itertools.cycle(its_study.boosters), strict=False)}
    nothing = {
        r.run.id: ("missing", "")
        for r in its_study.results
        if (r.run.dataset, r.run.method) in apart
    }
    with pytest.raises(BoostbenchError, match="no case in which every booster"):
        draw_ranks(study(tmp_path, broken=nothing))


def test_a_booster_without_any_result_is_left_out_of_ranks(tmp_path):
    its_study = study(tmp_path)
    nothing = {r.run.id: ("skipped", "") for r in its_study.results if r.run.method == "one"}
    figure = drawn(draw_critical_difference, study(tmp_path, broken=nothing))
    names = {text.get_text() for text in figure.axes[0].get_yticklabels()}
    assert names == {*its_study.boosters} - {"one"}
