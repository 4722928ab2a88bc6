"""The figures of the study: means over data sets, and the fastest and best."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose

from boostbench.errors import BoostbenchError
from boostbench.experiments.runs import CLEAN, Noise, Params, Run
from boostbench.inputs import load_plugin
from boostbench.reports.values.frame import Study

from .synthetic import made, make_config, study_of, with_records

drawings = load_plugin(Path(__file__).resolve().parents[2] / "configs/noise-study/drawings.py")
NOISE = [CLEAN, *(Noise(model, rate) for model in ("pair", "exchange") for rate in (0.1, 0.3))]
SECONDS = {"adaboost-mh": 1.0, "samme": 2.0, "sm-boost": 4.0}
SETS = "abcdef"


def errors_of(run: Run) -> list[int]:
    """Return 100 errors of 10,000 for each step in the alphabet, class of booster and 10 %."""
    rate = float(run.noise.rate)
    of = {"adaboost-mh": 1 + 40 * rate, "samme": 3 + 10 * rate, "sm-boost": 5 + 20 * rate}
    return [round(100 * (of[run.method] + SETS.index(run.dataset)))] * run.rounds


def made_up(folder: Path, **more: Any) -> Study:
    config = make_config(folder, datasets=SETS, noise=NOISE, rounds=2, checkpoints=(2,), **more)
    study = study_of(config, errors_of)
    return with_records(study, lambda r: {"seconds": {"fit": SECONDS[r.run.method]}})


def lines_of(axis: Any) -> dict[str, Any]:
    return {line.get_label(): line for line in axis.lines}


def test_means_over_sets_are_drawn_in_the_panel_of_their_noise_model(tmp_path: Path) -> None:
    figure = made("noise", made_up(tmp_path), mean=True)
    assert [axis.get_title("left") for axis in figure.axes] == ["pair", "exchange"]
    for axis in figure.axes:
        x, y = lines_of(axis)["samme"].get_data()
        assert_allclose(x, [0, 10, 30])
        assert_allclose(y, np.array([3, 4, 6]) + 2.5)  # 2.5 is the mean over the sets
        (low, high) = axis.collections[1].get_datalim(axis.transData).intervaly
        assert 2.5 + 3 - 2.5 <= low < 5.5 < 6 + 2.5 < high <= 6 + 5


def test_parameters_of_a_noise_model_have_panels_of_their_own(tmp_path: Path) -> None:
    noise = [Noise("pair", 0.2, Params({"ring": ring})) for ring in (1, 2)]
    config = make_config(tmp_path, datasets=["dna"], noise=[CLEAN, *noise], rounds=2)
    titles = [axis.get_title("left") for axis in made("noise", study_of(config)).axes]
    assert titles == ["dna, pair (ring=1)", "dna, pair (ring=2)"]


@pytest.mark.parametrize("mean", [False, True])
def test_differences_from_a_booster_are_paired(tmp_path: Path, mean: bool) -> None:
    figure = made("noise", made_up(tmp_path), against="samme", mean=mean)
    assert len(figure.axes) == 2 * (1 if mean else len(SETS))
    for axis in figure.axes:
        lines = lines_of(axis)
        assert "samme" not in lines
        # The sets differ by 5 points, but the boosters by the same on each.
        assert_allclose(lines["adaboost-mh"].get_ydata(), [-2, 1, 7], atol=1e-12)
        low, high = axis.collections[0].get_datalim(axis.transData).intervaly
        assert -2.5 < low <= -2 < 7 <= high < 7.8


def test_differences_from_a_booster_outside_the_figure_are_refused(tmp_path: Path) -> None:
    study = made_up(tmp_path).only(boosters=["adaboost-mh", "sm-boost"])
    for part, against in ((study, "samme"), (study.only(boosters=["sm-boost"]), "sm-boost")):
        with pytest.raises(BoostbenchError, match="must name one of several boosters"):
            made("noise", part, against=against)


def test_the_pareto_front_of_error_and_time_is_joined(tmp_path: Path) -> None:
    figure = drawings.error_time(made_up(tmp_path), at=[0.0, 0.3])
    (clean, *_), (noisy, *_) = (axis.lines for axis in figure.axes)
    assert_allclose(clean.get_data(), [[1.0], [3.5]])
    assert_allclose(noisy.get_data(), [[1.0, 2.0], [15.5, 8.5]])


def test_a_data_set_may_lack_results_under_one_of_the_noises_of_a_rate(tmp_path: Path) -> None:
    study = made_up(tmp_path)
    kept = tuple(
        type(result)(result.run, "missing")
        if (result.run.dataset, result.run.noise) == ("a", Noise("pair", 0.3))
        else result
        for result in study.results
    )
    figure = drawings.error_time(Study(study.config, kept), at=[0.3])
    # 15.5 and 8.5 over all sets, half a point more under one of the two noises without the easiest
    assert_allclose(figure.axes[0].lines[0].get_data(), [[1.0, 2.0], [15.75, 8.75]])


def test_points_are_named_where_there_is_room() -> None:
    figure = Figure(figsize=(2.0, 2.0), layout="constrained")
    axes = figure.add_subplot(xlim=(0, 10), ylim=(0, 10))
    for label in "abcde":  # there is room for four names beside a point
        axes.plot([5.0], [2.0], "o", label=label)
    axes.plot([5.0], [8.0], "o", label="f")
    drawings.name_points(figure)
    assert [text.get_text() for text in axes.texts] == ["a", "b", "c", "d", "f"]


def test_a_booster_without_results_is_left_out(tmp_path: Path) -> None:
    study = made_up(tmp_path)
    kept = tuple(
        result if result.run.method != "samme" else type(result)(result.run, "missing")
        for result in study.results
    )
    figure = made("noise", Study(study.config, kept), mean=True)
    assert {*lines_of(figure.axes[0])} == {"adaboost-mh", "sm-boost"}
