"""The computed figures of the theory: a config without runs, its figures, values and claims."""

from pathlib import Path

import numpy as np
import pytest

from boostbench.api import Experiment

CONFIG = Path(__file__).resolve().parents[2] / "configs/multiclass-theory/figures1-6.yaml"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return Experiment.load(CONFIG, results=tmp_path_factory.mktemp("results")).report()


def test_a_config_without_runs_reports_what_it_computes(report):
    assert report.is_whole
    assert [*report.figures] == [f"figure{number}" for number in range(1, 7)]


def test_only_the_printed_bound_of_ten_rounds_is_not_reproduced(report):
    off = [verdict for verdict in report.verdicts if verdict.status != "reproduced"]
    assert [(v.status, v.cases[0].subject) for v in off] == [("not reproduced", "T = 10")]
    assert len(report.verdicts) == 15


def test_degree_maps_show_every_pixel(report):
    for name, sides in (("figure3", (21, 101, 101)), ("figure6", (21, 21, 21, 21))):
        images = [axes.images[0].get_array() for axes in report.figures[name].axes]
        assert [image.shape for image in images] == [(side, side) for side in sides]
        assert len(report.values[name]) == sum(side**2 for side in sides)


def test_a_degree_map_has_x_along_the_horizontal_axis(report):
    shown = np.asarray(report.figures["figure3"].axes[0].images[0].get_array())
    for _, _, x, y, degree, both in report.values["figure3"].head(441).itertuples(index=False):
        assert shown[y + 10, x + 10] == (2 if both else degree - 2)


def test_degrees_are_counted_as_specified(report):
    found = report.values["figure3"]
    counts = [
        (
            int(((part["degree"] == 3) & (part["both"] == 0)).sum()),
            int((part["degree"] == 2).sum()),
            int(part["both"].sum()),
        )
        for _, part in found.groupby(["T", "gamma"])
    ]
    assert counts == [(366, 34, 41), (6051, 1116, 3034), (6795, 2054, 1352)]
    by_eta = report.values["figure6"].groupby("eta")["degree"]
    assert [int((part == 2).sum()) for _, part in by_eta] == [0, 72, 210, 342]


def test_figure_5_draws_both_bounds(report):
    left, right = report.figures["figure5"].axes
    minimal, fixed = (line.get_ydata() for line in left.lines)
    assert minimal[10] == pytest.approx(0.918557, abs=1e-6)
    assert fixed[10] == pytest.approx(0.884883, abs=1e-6)
    assert len(right.lines[0].get_ydata()) == 19
