"""The figures of pairs, differences, noise levels and repeats."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN, BoosterSpec, Noise
from boostbench.experiments.store.record import Corruption
from boostbench.inputs import load_plugin
from boostbench.reports.experiment_report import make_report
from boostbench.reports.figures.lines import draw_noise
from boostbench.reports.figures.panels import add_legend
from boostbench.reports.figures.style import drawing_of, drawing_style, print_names
from boostbench.reports.values.paper import read_paper_values

from .synthetic import EXCHANGE, drawn, made, make_config, study_of, with_records

FOLDER = Path(__file__).resolve().parents[2] / "configs/softmax-boosting"
duels = load_plugin(FOLDER / "pairs.py")
draw_distribution = load_plugin(FOLDER / "repeats.py").distribution
RATES = [CLEAN, *(Noise("flip", rate) for rate in (0.1, 0.2, 0.3))]


def level(run):
    """Errors of a thousand test samples that tell booster, noise and seed apart."""
    base = {"samme": 100, "sm-boost": 90, "martiboost": 50}.get(run.booster.name, 120)
    rate = 0.25 if isinstance(run.noise.rate, str) else run.noise.rate
    return [int(base + 400 * rate + 10 * run.seed)] * run.rounds


@pytest.fixture
def pairs(tmp_path):
    config = make_config(tmp_path, datasets=["madelon"], boosters=["samme", "sm-boost"], seeds=8)
    # sm-boost is better on the first five problems, equal on one, worse on two
    errors = {"samme": [200] * 8, "sm-boost": [190, 180, 170, 160, 150, 200, 210, 230]}
    return study_of(config, lambda run: [errors[run.booster.name][run.seed]] * run.rounds)


@pytest.fixture
def rates(tmp_path):
    boosters = ["samme", BoosterSpec("martiboost", label="martiboost", rounds=30)]
    config = make_config(
        tmp_path, datasets=["toy"], boosters=boosters, noise=RATES, seeds=3, checkpoints=[100]
    )
    study = study_of(config, level)
    assert {r.run.rounds for r in study.results if r.run.method == "martiboost"} == {30}
    return study


def test_scatter_tells_who_is_better_how_often(pairs):
    figure = drawn(duels.scatter, pairs, value=["test_error"], at=[10, 100])
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["T = 10", "T = 100"]
    axes = figure.axes[0]
    equal, x_lower, y_lower = (c.get_offsets() for c in axes.collections)
    assert (len(equal), len(x_lower), len(y_lower)) == (1, 2, 5)
    assert y_lower[0].tolist() == [20.0, 19.0]
    words = [text.get_text() for text in axes.texts]
    assert words[0].startswith("samme lower: 25 % (")
    assert words[1].startswith("sm-boost lower: 62 % (")
    assert axes.get_xlim() == axes.get_ylim()


def test_differences_are_of_x_minus_y_and_never_mix_the_sides_of_zero(pairs):
    (axes,) = drawn(duels.differences, pairs, value=["test_error"], at=[100]).axes
    negative = sum(bar.get_height() for bar in axes.patches if bar.get_x() < -1e-9)
    positive = sum(bar.get_height() for bar in axes.patches if bar.get_x() > -1e-9)
    assert (negative, positive) == (2, 5)
    assert axes.texts[-1].get_text() == "median +1.5"
    (stem,) = axes.collections
    assert stem.get_segments()[0][:, 1].tolist() == [0, 1]  # one problem with equal errors


def test_a_problem_that_one_of_both_lacks_is_left_out(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme", "sm-boost"], seeds=3)
    study = study_of(config, broken={"dna/samme/clean/seed-1": ("failed", "no luck")})
    pairing = duels.pair_up(study, None, None, ["test_error"], 100)
    assert pairing.values["test_error", 100].shape == (2, 2)
    gone = {f"dna/samme/clean/seed-{seed}": ("missing", "") for seed in range(3)}
    with pytest.raises(BoostbenchError, match="no problem was done by both 'samme'"):
        duels.pair_up(study_of(config, broken=gone), "samme", "sm-boost", ["test_error"], 100)


def test_error_against_noise_is_mean_and_band_at_the_last_round_of_each(rates):
    (axes,) = (figure := drawn(draw_noise, rates, diagonal=True)).axes
    samme, martiboost, diagonal = axes.lines
    assert samme.get_xdata().tolist() == pytest.approx([0, 10, 20, 30])
    assert samme.get_ydata().tolist() == pytest.approx([11, 15, 19, 23])
    assert martiboost.get_ydata()[0] == pytest.approx(6)
    assert diagonal.get_ydata().tolist() == pytest.approx([0, 10, 20, 30])
    assert len(axes.collections) == 2
    legend = figure.legends[0]
    assert " ".join(legend.get_title().get_text().split()) == (
        "T = 100; 30 for martiboost; means of 3 runs, bands: one standard deviation on both sides"
    )
    assert figure.get_label().startswith("Test error (%) against the noise rate at T = 100")


def test_a_mean_over_data_sets_tells_how_many_had_a_result(tmp_path):
    config = make_config(tmp_path, boosters=["samme"], noise=RATES)
    absent = {"dna/samme/flip-0.1/seed-0": ("skipped", "no dna.csv")}
    figure = drawn(draw_noise, study_of(config, broken=absent), mean=True)
    assert ", mean over 1 to 2 data sets, at T = 100" in figure.get_label()


def test_a_figure_is_as_high_as_the_legend_beside_it():
    with drawing_style():
        figure = Figure(figsize=(3, 2), layout="constrained")
        (line,) = figure.add_subplot().plot([1], label="adaboost-mh")
        add_legend(figure, [line] * 30, note="means of 3 runs", beside=True)
        figure.draw_without_rendering()
    assert figure.legends[0].get_window_extent().height <= figure.bbox.height


def test_error_against_noise_needs_two_rates(pairs):
    with pytest.raises(BoostbenchError, match="needs noise at two rates"):
        draw_noise(pairs)


def test_every_repeat_is_a_point(rates):
    figure = drawn(draw_distribution, rates, perfect=True)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["samme", "martiboost"]
    axes = figure.axes[0]
    points = [c.get_offsets() for c in axes.collections if len(c.get_offsets()) == 3]
    assert len(points) == len(RATES)
    assert sorted(points[0][:, 1]) == pytest.approx([10, 11, 12])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "10", "20", "30"]
    assert [text.get_text() for text in axes.texts].count("0") == 4  # none is perfect


def test_points_of_one_height_stand_side_by_side(tmp_path):
    config = make_config(tmp_path, datasets=["toy"], boosters=["samme", "sm-boost"], seeds=9)
    (axes,) = drawn(draw_distribution, study_of(config, lambda run: [0] * run.rounds)).axes
    places = axes.collections[0].get_offsets()[:, 0]
    assert len(np.unique(places.round(6))) == 9
    assert abs(places.mean()) < 1e-9
    assert [text.get_text() for text in axes.get_xticklabels()] == ["samme", "sm-boost"]


def test_the_paper_s_value_is_a_hollow_diamond_beside_the_repeats(tmp_path):
    paper = tmp_path / "paper.csv"
    paper.write_text("dataset,method,T,noise,error,unit\ntoy,samme,100,0.2,31.5,percent\n")
    config = make_config(
        tmp_path, datasets=["toy"], boosters=["samme"], noise=[CLEAN, EXCHANGE], seeds=3
    )
    study = study_of(config, lambda run: [100] * run.rounds)
    figure = drawn(draw_distribution, study, paper=read_paper_values(paper))
    (axes,) = figure.axes
    (diamond,) = axes.lines
    assert (diamond.get_marker(), *diamond.get_xydata()[0]) == ("D", 1, 31.5)
    assert axes.get_ylim()[1] > 31.5
    assert "Hollow diamonds are the paper's values." in figure.get_label()


def test_a_rate_drawn_by_the_problem_is_the_realised_one(tmp_path):
    config = make_config(tmp_path, datasets=["madelon"], noise=[Noise("exchange", "beta")])
    study = study_of(config, level)
    assert np.isnan(study.results[0].noise_rate)
    drawn_rate = with_records(study, lambda _: {"noise": Corruption.model_construct(rate=0.17)})
    assert drawn_rate.results[0].noise_rate == 0.17


def test_a_set_without_a_result_says_so_in_its_panel(tmp_path):
    noises = [CLEAN, Noise("exchange", 0.2)]
    config = make_config(tmp_path, noise=noises, boosters=["samme"])
    labels = ("clean", "exchange-0.2")
    broken = {f"letter/samme/{label}/seed-0": ("skipped", "no file") for label in labels}
    figure = drawn(draw_noise, study_of(config, broken=broken))
    dna, letter = figure.axes
    assert dna.get_ylim()[0] > 0
    assert [text.get_text() for text in letter.texts] == ["no result: skipped"]


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
