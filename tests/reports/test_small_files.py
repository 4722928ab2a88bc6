"""Small files of figures look like the large ones."""

import io
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from PIL import Image

from boostbench.reports.figures.small_files import small_png, small_svg


def saved(kind):
    """Return a figure with lines, marks, an area and text, as matplotlib writes it."""
    figure = Figure(figsize=(4, 3))
    axes = figure.add_subplot()
    axes.plot(np.arange(200), np.cos(np.arange(200) / 9), label="a line", color="#0072b2")
    axes.plot(np.arange(40), np.sin(np.arange(40)), "o", alpha=0.5, label="marks")
    axes.fill_between(np.arange(50), 0, np.arange(50) / 100, color="#009e73", alpha=0.3)
    axes.legend()
    file = io.BytesIO()
    figure.savefig(file, format=kind)
    return file.getvalue()


def ends_of(path):
    """Return where the steps of a path end, in hundredths."""
    found, at, start = [], np.zeros(2), np.zeros(2)
    for command, numbers in re.findall(r"([MLQCzmlqc])([^MLQCzmlqc]*)", path):
        if command == "z":
            at = start
            continue
        values = [float(text) for text in re.findall(r"-?\d*\.?\d+", numbers)]
        at = np.array(values[-2:]) + (at if command.islower() else 0)
        start = at if command in "Mm" else start
        found.append(at)
    return np.array(found)


def test_the_paths_of_a_small_svg_end_where_they_ended():
    large, small = (
        [ends_of(path.decode()) for path in re.findall(rb' d="([^"]*)"', svg)]
        for svg in (saved("svg"), small_svg(saved("svg")))
    )
    assert len(large) == len(small) > 10
    for old, new in zip(large, small, strict=True):
        assert np.allclose(old, new, atol=0.0051)


def test_everything_that_a_small_svg_refers_to_is_in_it():
    large = saved("svg")
    small = small_svg(large)
    assert len(small) < 0.7 * len(large)
    names = re.findall(rb' id="([^"]*)"', small)
    used = re.findall(rb'(?:"#|url\(#)([^")]*)', small)
    assert len(set(names)) == len(names)
    assert set(used) <= set(names)
    assert large.count(b"<use") == small.count(b"<use") == len(re.findall(b'"#', small))
    classes = re.findall(rb'class="([^"]*)"', small)
    assert len(classes) == len(re.findall(rb' style="', large))
    assert all(b".%b{" % name in small for name in classes)


def test_a_place_is_rounded_and_a_scale_is_not():
    svg = b'<svg><g transform="translate(1.23456 0.5) scale(0.015625 -0.07)" x="-0.25001"/></svg>'
    assert small_svg(svg) == (
        b'<svg><g transform="translate(1.23 .5) scale(0.015625 -0.07)" x="-.25"/></svg>'
    )


@given(st.lists(st.tuples(*[st.floats(-1e4, 1e4)] * 2), min_size=1, max_size=20))
def test_the_rounding_of_steps_does_not_add_up(points):
    text = " ".join(f"{'L' if i else 'M'} {x:.6f} {y:.6f}" for i, (x, y) in enumerate(points))
    small = small_svg(f'<svg><path d="{text}"/></svg>'.encode()).decode()
    assert np.allclose(ends_of(small), points, atol=0.006)


def test_a_small_png_looks_the_same():
    large = saved("png")
    small = small_png(large)
    assert len(small) < 0.7 * len(large)
    old, new = (
        np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int) for png in (large, small)
    )
    assert old.shape == new.shape
    assert np.mean(np.abs(old - new).max(axis=2) > 16) < 0.01
