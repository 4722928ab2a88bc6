"""The computed figures: what is drawn, and that pages and values tell the same."""

import csv

import numpy as np
import pytest

from boostbench.reports.figures.style import drawing_style
from boostbench.reports.theory.contents import FIGURES
from boostbench.reports.theory.pages import Finding, write_theory_figure


@pytest.fixture(scope="module")
def figures():
    return {number: content() for number, content in FIGURES.items()}


def drawn(figure):
    with drawing_style():
        return figure.draw()


@pytest.mark.parametrize("number", FIGURES)
def test_every_figure_says_where_its_settings_come_from(figures, number):
    figure = figures[number]
    assert figure.text.settings
    assert figure.findings
    for grid in (figure.table, figure.values):
        assert grid.rows
        assert {len(row) for row in grid.rows} == {len(grid.columns)}


def test_degree_maps_show_every_pixel(figures):
    for number, sides in ((3, (21, 101, 101)), (6, (21, 21, 21, 21))):
        images = [axes.images[0].get_array() for axes in drawn(figures[number]).axes]
        assert [image.shape for image in images] == [(side, side) for side in sides]
        assert len(figures[number].values.rows) == sum(side**2 for side in sides)


def test_a_degree_map_has_x_along_the_horizontal_axis(figures):
    image = drawn(figures[3]).axes[0].images[0]
    shown = np.asarray(image.get_array())
    for _, _, x, y, degree, both in figures[3].values.rows[:441]:
        assert shown[y + 10, x + 10] == (2 if both else degree - 2)


def test_degrees_are_counted_as_specified(figures):
    assert [row[2:] for row in figures[3].table.rows] == [
        (366, 34, 41),
        (6051, 1116, 3034),
        (6795, 2054, 1352),
    ]
    assert [row[1:3] for row in figures[6].table.rows] == [
        (441, 0),
        (369, 72),
        (231, 210),
        (99, 342),
    ]


def test_figure_5_draws_both_bounds(figures):
    left, right = drawn(figures[5]).axes
    minimal, fixed = (line.get_ydata() for line in left.lines)
    assert minimal[10] == pytest.approx(0.918557, abs=1e-6)
    assert fixed[10] == pytest.approx(0.884883, abs=1e-6)
    assert len(right.lines[0].get_ydata()) == 19


def test_the_page_and_the_values_lie_beside_the_picture(figures, tmp_path):
    paths = write_theory_figure(figures[6], tmp_path)
    assert [path.name for path in paths] == [f"figure6.{s}" for s in ("png", "svg", "csv", "md")]
    page = paths[-1].read_text(encoding="utf-8")
    assert page.startswith("# Figure 6: degrees of the exponential loss\n")
    assert "![Figure 6](figure6.png)" in page
    assert "- **holds** (not claimed by the paper): the band narrows as eta grows." in page
    with paths[2].open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4 * 441
    assert sum(row["degree"] == "2" for row in rows) == 72 + 210 + 342


@pytest.mark.parametrize(
    ("holds", "by_paper", "verdict"),
    [
        (True, True, "reproduced"),
        (False, True, "not reproduced"),
        (True, False, "holds"),
        (False, False, "fails"),
    ],
)
def test_only_the_paper_s_claims_are_reproduced(holds, by_paper, verdict):
    assert Finding("it is so", holds, "seen", by_paper).verdict == verdict
