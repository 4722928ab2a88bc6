"""The figure ``curves``: what is drawn, and that it is drawn the same every time."""

import io
import math
import os
import subprocess
import sys
from datetime import date
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from PIL import Image

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.configs.shipped import shipped_configs
from boostbench.reports.experiment_report import thinned
from boostbench.reports.figures.panels import styles_of
from boostbench.reports.figures.style import drawing_of, drawing_style, method_styles, pdf_of

from .synthetic import made, make_config, study_of

ROOT = Path(__file__).resolve().parents[2]
DRAW = """
import hashlib, pathlib, sys
from tests.reports.synthetic import CLEAN, EXCHANGE, make_config, study_of
from boostbench.reports.figures.lines import draw_curves
from boostbench.reports.figures.style import drawing_of, drawing_style, pdf_of
config = make_config(pathlib.Path(sys.argv[1]), noise=[CLEAN, EXCHANGE], seeds=2)
with drawing_style():
    figure = draw_curves(study_of(config))
    for content in (drawing_of(figure).png, pdf_of(figure)):
        print(hashlib.sha256(content).hexdigest())
"""


def drawn(study, **options):
    with drawing_style():
        return made("curves", study, **options)


def test_the_same_bytes_whatever_the_hash_seed(tmp_path, monkeypatch, capsys):
    seed = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    done = subprocess.run(
        [sys.executable, "-c", DRAW, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        timeout=120,
    )
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path)])
    exec(DRAW, {})
    assert done.stdout == capsys.readouterr().out, done.stderr
    assert len(set(done.stdout.split())) == 2


def test_a_user_s_own_settings_change_no_figure():
    with matplotlib.rc_context({"font.size": 20, "svg.hashsalt": "x"}):
        with drawing_style():
            assert matplotlib.rcParams["font.size"] == 8
            assert matplotlib.rcParams["svg.hashsalt"] == "boostbench"
        assert matplotlib.rcParams["font.size"] == 20


def test_long_curves_keep_their_first_rounds_and_their_last(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], boosters=["samme"], rounds=5000)
    (axes,) = drawn(study_of(config), y="test_error").axes
    rounds = axes.lines[0].get_xdata()
    assert rounds[:10].tolist() == list(range(1, 11))
    assert rounds[-1] == 5000
    assert len(rounds) < 200


def test_a_method_looks_alike_whatever_is_beside_it(tmp_path):
    alone = method_styles(["mine"])
    among = method_styles(["x", "adaboost-mh", "mine", "sm-boost"])
    assert alone["mine"] == among["mine"]
    assert len({style["color"] for style in among.values()}) == 4
    config = make_config(tmp_path, boosters=["mine", "mine (2)", "mine (3)", "samme"])
    study = study_of(config)
    assert styles_of(study.only(boosters=["mine (3)"])).items() <= styles_of(study).items()


@pytest.mark.parametrize(
    "name",
    [
        "multiclass-theory/figure10",
        "softmax-boosting/figure7",
        "spl-boosting/figures4-5",
        "noise20",
    ],
)
def test_methods_of_a_paper_s_figure_differ_in_colour(name):
    config = load_config(shipped_configs()[name], ["claims="], check_parameters=False)
    styles = method_styles({booster.label.partition(" (")[0] for booster in config.boosters})
    for one, other in combinations(styles.values(), 2):
        assert math.dist(to_rgb(one["color"]), to_rgb(other["color"])) > 0.15


def test_variants_of_a_method_are_shades_of_one_colour():
    shades = method_styles([f"sm-boost ({i})" for i in range(3)])
    assert len({style["color"] for style in shades.values()}) == 3
    assert shades["sm-boost (0)"] == method_styles(["sm-boost"])["sm-boost"]


@pytest.mark.parametrize(
    "shape",
    [
        {"seeds": 2},
        {"rounds": 1, "checkpoints": [1]},
        {"datasets": ["dna"], "boosters": [f"mine-{i}" for i in range(25)]},
    ],
    ids=["errors of zero", "one round", "more boosters than colours"],
)
def test_unusual_curves_are_written(tmp_path, shape):
    config = make_config(tmp_path, **shape)
    study = study_of(config, lambda run: ([5] * 50 + [0] * 50)[: run.rounds])
    figure = drawn(study, y_scale="log")
    size = figure.bbox.size.tolist()
    png = drawing_of(figure).png
    assert png.startswith(b"\x89PNG")
    assert len(Image.open(io.BytesIO(png)).getcolors()) > 1  # not blank
    assert figure.bbox.size.tolist() == size  # as a notebook shows it
    assert pdf_of(figure).startswith(b"%PDF")


def test_lines_are_told_apart_without_colours(tmp_path):
    config = make_config(tmp_path, datasets=["dna"])
    (axes,) = drawn(study_of(config)).axes
    looks = {(line.get_marker(), str(line._unscaled_dash_pattern)) for line in axes.lines}
    assert len(looks) == len(axes.lines) == 6


def test_the_chart_of_a_page_has_the_lines_and_bands_of_the_figure(tmp_path):
    config = make_config(tmp_path, datasets=["dna"], seeds=3, rounds=20)
    study = study_of(config, lambda run: [100 + 10 * run.seed] * run.rounds)
    figure = drawn(study, y="test_error")
    chart = drawing_of(figure).chart
    (panel,) = chart
    (axes,) = figure.axes
    assert panel["x"]["log"]
    assert not panel["y"]["log"]
    for line, drawn_line in zip(panel["lines"], axes.lines, strict=True):
        assert line["x"] == drawn_line.get_xdata().tolist()
        assert np.allclose(line["y"], drawn_line.get_ydata(), rtol=1e-3)
        width = np.subtract(line["high"], line["low"])
        assert np.allclose(width, 2 * np.std([1, 1.1, 1.2], ddof=1) * line["y"][0] / 1.1, rtol=1e-2)
    assert panel["lines"][0]["label"] == "AdaBoost.MH · test"


def test_the_chart_of_a_page_has_equal_places_once():
    axes = (figure := Figure()).add_subplot()
    for label, x in (("a", [1, 2, 3]), ("b", [1, 2, 3]), ("c", [1, 2, 4]), ("d", [1, 2, 4])):
        axes.plot(x, x, label=label)
    for every, places in (
        (1, [[1, 2, 3], None, [1, 2, 4], None]),
        (2, [[1, 3], None, [1, 4], None]),
    ):
        (panel,) = thinned(drawing_of(figure).chart, every)
        assert [line.get("x") for line in panel["lines"]] == places


def test_a_figure_of_more_than_lines_has_no_chart():
    axes = (figure := Figure()).add_subplot()
    axes.plot([1, 2], [3, 4], label="a line")
    assert drawing_of(figure).chart
    axes.bar([1, 2], [3, 4])
    assert drawing_of(figure).chart is None


@pytest.mark.parametrize("draw", ["names", "dates", "across", "named ticks"])
def test_a_chart_shows_no_names_or_dates_as_numbers_and_no_line_across_the_axes(draw):
    axes = (figure := Figure()).add_subplot()
    days = [date(2020, 1, 1), date(2020, 2, 1)]
    x = {"names": ["u", "v"], "dates": days}.get(draw, [0, 1])
    axes.plot(x, [1, 2], label="a")
    if draw == "across":
        axes.axhline(1.5, label="chance")
    if draw == "named ticks":
        axes.set_xticks(x, ["u", "v"])
    assert drawing_of(figure).chart is None


def test_a_chart_leaves_out_empty_lines_and_keeps_all_parts_of_a_band():
    axes = (figure := Figure()).add_subplot()
    axes.plot([], [], label="proxy")
    x, low = np.arange(6.0), np.array([1, 1, np.nan, 2, 2, 2])
    axes.plot(x, x, label="a")
    axes.fill_between(x, low, low + 1, gid="a")
    ((line,),) = (panel["lines"] for panel in thinned(drawing_of(figure).chart, 1))
    assert line["low"] == [1, 1, None, 2, 2, 2]
