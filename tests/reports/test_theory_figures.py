"""The computed figures of the theory: a config without runs, its figures, values and claims."""

from pathlib import Path

import numpy as np
import pytest

from boostbench.api import Experiment

CONFIG = Path(__file__).resolve().parents[2] / "configs/multiclass-theory/figures1-6.yaml"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return Experiment.load(CONFIG, results=tmp_path_factory.mktemp("results")).report()


def test_degree_maps_show_every_pixel(report):
    for name, sides in (("figure3", (21, 101, 101)), ("figure6", (21, 21, 21, 21))):
        images = [axes.images[0].get_array() for axes in report.figures[name].axes]
        assert [image.shape for image in images] == [(side, side) for side in sides]
        assert len(report.values[name]) == sum(side**2 for side in sides)


def test_a_degree_map_has_x_along_the_horizontal_axis(report):
    shown = np.asarray(report.figures["figure3"].axes[0].images[0].get_array())
    for _, _, x, y, degree, both in report.values["figure3"].head(441).itertuples(index=False):
        assert shown[y + 10, x + 10] == (2 if both else degree - 2)
