"""The figures ``bars`` and ``parameter``."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN, BoosterSpec, Data, Params
from boostbench.inputs import load_plugin
from boostbench.reports.figures.lines import draw_parameter
from boostbench.reports.values.frame import Study

from .synthetic import EXCHANGE, drawn, make_config, study_of

FOLDER = Path(__file__).resolve().parents[2] / "configs/multiclass-theory"
bars = load_plugin(FOLDER / "bars.py").bars


def sized(name, label, size, **more):
    params = Params({"weak_learner": {"greedy": {"max_leaf_nodes": size}}, **more})
    return BoosterSpec(name, params, label)


SIZES = [
    sized("adaboost-mm", "MM (like C4.5)", 50),
    *(sized("adaboost-mm", f"MM (size={size})", size) for size in (5, 10)),
    *(sized("adaboost-mm", f"MM (exact, size={size})", size, step="exact") for size in (5, 50)),
    sized("adaboost-m1", "M1", 10),
    BoosterSpec("samme", label="samme"),
]


def by_size(run):
    """Errors of a thousand that fall with the size of the trees."""
    size = run.booster.parameter("max_leaf_nodes") or 1
    return [min(1000 // size + 10 * run.seed, 1000)] * run.rounds


@pytest.fixture
def sizes(tmp_path):
    config = make_config(tmp_path, datasets=["toy", "car"], boosters=SIZES, seeds=2)
    broken = dict.fromkeys(ids(config, "car"), ("skipped", "no data"))
    return study_of(config, by_size, broken=broken)


def ids(config, dataset):
    labels = [booster.label for booster in config.boosters]
    return [f"{dataset}/{label}/clean/seed-{seed}" for label in labels for seed in config.seeds]


def test_boosters_that_differ_in_one_parameter_share_a_line(sizes):
    figure = drawn(draw_parameter, sizes, x="max_leaf_nodes", label="leaves")
    toy, car = figure.axes
    lines = {
        text.get_text(): line
        for text, line in zip(figure.legends[0].get_texts(), toy.lines, strict=True)
    }
    assert list(lines) == ["MM", "MM (exact)", "M1"]  # samme has no such parameter
    assert lines["MM"].get_xdata().tolist() == [5, 10, 50]
    assert lines["MM"].get_ydata().tolist() == pytest.approx([20.5, 10.5, 2.5])
    assert lines["MM (exact)"].get_xdata().tolist() == [5, 50]
    assert toy.get_xticks().tolist() == [50, 10, 5]
    assert [text.get_text() for text in car.texts] == ["no result: skipped"]
    assert [axes.get_xlabel() for axes in figure.axes] == ["leaves"] * 2


def test_a_booster_lies_where_its_parameter_of_each_data_set_is(sizes):
    smaller = sized("adaboost-mm", "MM (like C4.5)", 20)
    results = tuple(
        replace(result, run=replace(result.run, data=Data("car", label="car"), booster=smaller))
        if result.run.method == smaller.label and result.run.seed == 1
        else result
        for result in sizes.results
        if result.run.dataset == "toy"
    )
    figure = drawn(draw_parameter, Study(sizes.config, results), x="max_leaf_nodes")
    places = [axes.lines[0].get_xdata().tolist() for axes in figure.axes]
    assert places == [[5, 10, 50], [20]]


def test_a_parameter_has_a_panel_per_noise(tmp_path):
    config = make_config(tmp_path, datasets=["toy"], boosters=SIZES, noise=[CLEAN, EXCHANGE])
    figure = drawn(draw_parameter, study_of(config, by_size), x="max_leaf_nodes", x_scale="linear")
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["toy, clean", "toy, exchange 0.2"]


@pytest.mark.parametrize("x", ["max_depth", "step"])
def test_a_parameter_must_be_a_number_of_several_values(sizes, x):
    with pytest.raises(BoostbenchError, match=f"x must name a parameter.*'{x}': no run"):
        draw_parameter(sizes, x=x)


def test_a_parameter_of_zero_is_refused_on_a_log_axis(tmp_path):
    boosters = [BoosterSpec("mine", Params({"cap": cap}), f"mine {cap}") for cap in (0, 1)]
    study = study_of(make_config(tmp_path, datasets=["toy"], boosters=boosters))
    with pytest.raises(BoostbenchError, match="cap is 0 in some runs; 'x_scale"):
        draw_parameter(study, x="cap")


@pytest.fixture
def errors(tmp_path):
    config = make_config(
        tmp_path, datasets=["toy", "car", "gone"], boosters=["samme", "sm-boost"], seeds=2
    )
    broken = dict.fromkeys(ids(config, "gone"), ("skipped", "no data"))
    broken["car/samme/clean/seed-0"] = broken["car/samme/clean/seed-1"] = ("failed", "no luck")
    level = {"samme": 100, "sm-boost": 50}
    return study_of(
        config, lambda run: [level[run.method] + 20 * run.seed] * run.rounds, broken=broken
    )


def test_bars_are_means_in_groups_and_whiskers_one_standard_deviation(errors):
    (axes,) = drawn(bars, errors).axes
    assert [bar.get_height() for bar in axes.patches] == pytest.approx([11, 6, 6])
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert centres[0] < 0 < centres[1] < 0.5 < centres[2] < 1.5
    spread = np.std([10, 12], ddof=1)
    whisker = axes.collections[0].get_segments()[0][:, 1]
    assert whisker.tolist() == pytest.approx([11 - spread, 11 + spread])
    assert [text.get_text() for text in axes.texts] == ["11.0", "6.0", "6.0", "skipped"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["toy", "car", "gone"]


def test_bars_in_rows_of_noises(tmp_path):
    config = make_config(tmp_path, datasets=["toy"], noise=[CLEAN, EXCHANGE])
    figure = drawn(bars, study_of(config), y_scale="log")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["clean", "exchange 0.2"]
    assert [len(axes.texts) + len(axes.collections) for axes in figure.axes] == [3, 3]
