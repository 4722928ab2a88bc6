"""The noise itself as a figure: the labels that boosters see, and where the wrong ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from boostbench import Experiment
from boostbench.cli import main
from boostbench.errors import BoostbenchError
from boostbench.experiments.running.execution import Problem, execute, prepare
from boostbench.reports.figures.wrong_labels import draw_noise, draw_wrong_labels

CONFIG = {
    "name": "noisy",
    "datasets": ["wine"],
    "split": {"holdout": 0.3, "stratify": True},
    "noise": ["none", {"model": "rater", "rate": [0.1, 0.3]}],
    "boosters": ["samme"],
    "rounds": 1,
    "seeds": 2,
}


def problem(X: np.ndarray, wrong: int, n_classes: int = 3) -> Problem:
    y = np.arange(len(X)) % n_classes
    seen = y.copy()
    seen[:wrong] = (y[:wrong] + 1) % n_classes
    return Problem(X, seen, y, X, y, n_classes, None)


def points(axes: Any) -> tuple[np.ndarray, np.ndarray]:
    pale, dark = axes.collections
    return np.asarray(pale.get_offsets()), np.asarray(dark.get_offsets())


def test_the_labels_are_those_that_the_boosters_of_the_first_seed_see(tmp_path: Path) -> None:
    noisy = Experiment.load(CONFIG, results=tmp_path)
    figure = draw_noise(noisy.runs)
    samples, more, confusion, other = figure.axes
    assert [axes.get_title(loc="left") for axes in (samples, more)] == [
        "wine, rater 0.1",
        "wine, rater 0.3",
    ]
    for above, below, rate in ((samples, confusion, 0.1), (more, other, 0.3)):
        run = next(r for r in noisy.runs if (r.noise.rate, r.seed) == (rate, 0))
        noise = execute(run)["noise"]
        expected = np.array(noise["confusion"])
        assert above.get_title(loc="right") == f"{noise['n_changed']} of {expected.sum()} wrong"
        assert len(points(above)[1]) == noise["n_changed"]
        shown = [text.get_text() for text in below.texts]
        percent = 100 * expected / expected.sum(axis=1, keepdims=True)
        assert shown == [f"{share:.0f}" if share else "" for share in percent.ravel()]


def test_two_features_are_the_plane_and_more_their_principal_components() -> None:
    rng = np.random.default_rng(0)
    two = rng.normal(size=(30, 2))
    figure = draw_wrong_labels([("plane", "some", problem(two, 6))])
    pale, dark = points(figure.axes[0])
    assert_allclose(dark, two[:6])
    assert_allclose(pale, two[6:])
    assert figure.axes[0].get_xlabel() == "feature 1"

    long = rng.normal(size=30)
    many = np.column_stack([long, -long, long, rng.normal(size=30)])
    figure = draw_wrong_labels([("space", "some", problem(many, 6))])
    first = np.concatenate(points(figure.axes[0])[::-1])[:, 0]
    assert abs(np.corrcoef(first, long)[0, 1]) > 0.99
    share = np.linalg.svd(np.corrcoef(many.T), compute_uv=False)[0] / 4
    assert figure.axes[0].get_xlabel() == f"component 1 ({100 * share:.0f} % of the variance)"


@pytest.mark.parametrize("X", [np.arange(9.0)[:, None], np.full((9, 3), np.nan), np.ones((9, 3))])
def test_any_features_can_be_drawn(X: np.ndarray) -> None:
    draw_wrong_labels([("odd", "some", problem(X, 2))]).canvas.draw()


def test_of_many_samples_a_thousand_are_shown_and_all_are_counted() -> None:
    figure = draw_wrong_labels(
        [("long", "some", problem(np.random.default_rng(0).random((5000, 2)), 500))]
    )
    assert [len(its) for its in points(figure.axes[0])] == [900, 100]
    assert figure.axes[0].get_title(loc="right") == "500 of 5000 wrong"


def test_without_wrong_labels_there_is_nothing_to_draw(tmp_path: Path) -> None:
    clean = Experiment.load({**CONFIG, "noise": "none"}, results=tmp_path)
    with pytest.raises(BoostbenchError, match="no run has wrong labels"):
        draw_noise(clean.runs)


def test_the_command_writes_what_the_suffix_says(tmp_path: Path, capsys: Any) -> None:
    words = [
        "noise",
        "quickstart",
        "--set",
        "noise={model: pair, rate: 0.2}",
        "--set",
        "datasets=[wine]",
    ]
    for suffix, begin in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        file = tmp_path / f"noise{suffix}"
        assert main([*words, "-o", str(file)]) == 0
        assert file.read_bytes().startswith(begin)
    assert main([*words, "-o", str(tmp_path / "noise.jpg")]) == 2
    assert "write to a .png, .svg, .pdf file" in capsys.readouterr().err


def test_a_run_is_left_as_it_was(tmp_path: Path) -> None:
    noisy = Experiment.load(CONFIG, results=tmp_path)
    before = prepare(noisy.runs[-1])
    draw_noise(noisy.runs)
    np.testing.assert_array_equal(prepare(noisy.runs[-1]).y, before.y)
