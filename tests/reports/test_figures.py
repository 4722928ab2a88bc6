"""Parts that figures share: legends, names in any script, remarks on what is left out."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise
from boostbench.experiments.store.record import Corruption
from boostbench.reports.experiment_report import make_report
from boostbench.reports.figures.panels import add_legend
from boostbench.reports.figures.style import drawing_of, drawing_style, print_names

from .synthetic import EXCHANGE, made, make_config, study_of, with_records


def test_a_figure_is_as_high_as_the_legend_beside_it():
    with drawing_style():
        figure = Figure(figsize=(3, 2), layout="constrained")
        (line,) = figure.add_subplot().plot([1], label="adaboost-mh")
        add_legend(figure, [line] * 30, note="means of 3 runs", beside=True)
        figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().height <= figure.bbox.height


def test_a_rate_drawn_by_the_problem_is_the_realised_one(tmp_path):
    config = make_config(tmp_path, datasets=["madelon"], noise=[Noise("exchange", "beta")])
    study = study_of(config)
    assert np.isnan(study.results[0].noise_rate)
    drawn_rate = with_records(study, lambda _: {"noise": Corruption.model_construct(rate=0.17)})
    assert drawn_rate.results[0].noise_rate == 0.17


def test_tick_labels_keep_their_printed_names_when_drawn():
    figure = Figure()
    axes = figure.add_subplot(xlabel="samme")
    axes.set_xticks([0, 1], ["adaboost-mh", "mine"])
    print_names(figure)
    drawing_of(figure)
    assert axes.get_xlabel() == "SAMME"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["AdaBoost.MH", "mine"]


def test_names_in_any_script_and_of_any_length_are_drawn_without_a_warning(tmp_path):
    names = ["随机森林提升", "مصنف معزز", "emoji 😀🚀", "x" * 120]
    boosters = [BoosterSpec("sm-boost", label=name) for name in names]
    parts = [("curves", {}), ("critical-difference", {})]
    config = make_config(tmp_path, boosters=boosters, datasets=["数据集", "dna"], report=parts)
    report = make_report(study_of(config))
    assert not report.undrawn
    drawing = report.drawings["curves"]
    assert drawing.caption.endswith("Names with … are cut.")
    assert drawing.chart[0]["title"] == "数据集"
    assert {line["label"].split(" · ")[0] for line in drawing.chart[0]["lines"]} == set(names)


@pytest.mark.parametrize("kind", ["curves", "noise"])
def test_of_many_boosters_the_best_are_drawn_and_of_many_sets_the_first(tmp_path, kind):
    config = make_config(
        tmp_path,
        datasets=[f"set-{i}" for i in range(30)],
        boosters=[f"mine-{i}" for i in range(20)],
        noise=[CLEAN, EXCHANGE] if kind == "noise" else [CLEAN],
        rounds=2,
        checkpoints=[2],
    )
    errors = {f"mine-{i}": 100 + i for i in range(20)}
    study = study_of(config, lambda run: [errors[run.booster.name]] * run.rounds)
    figure = made(kind, study)
    assert len(figure.axes) == 24
    names = {line.get_label().split(" · ")[0] for line in figure.axes[0].get_lines()}
    assert names == {f"mine-{i}" for i in range(12)}
    left_out = "Shown are the 12 best of 20 boosters and the first 24 of 30 data sets"
    assert left_out in figure.get_label()
