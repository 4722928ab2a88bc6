"""`boostbench site`: one folder whose pages lead to each other, and the leaderboard in it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from checks.links import dead_links
from tests.cli.conftest import CURVES, TINY

TWO_NOISES = "noise: [none, {model: exchange, rate: [0.2, 0.4]}]"
DOCUMENTATION = '<h1 id="top">Docs</h1><a href="../results/index.html">Results</a>'


@pytest.fixture
def reported(boostbench, tiny, results_of):
    """Return a config with two noises that was run and reported."""
    tiny.write_text(re.sub("noise: .*", TWO_NOISES, TINY) + CURVES)
    shutil.copytree(results_of(tiny.read_text()), tiny.parent / "results")
    assert boostbench("report", tiny).code == 0
    return tiny


def test_no_link_of_a_site_is_dead_with_and_without_documentation(boostbench, reported):
    assert boostbench("site", "-o", "public").code == 0
    assert list(dead_links(Path("public"))) == []
    built = Path("docs/_build/html/docs/index.html")
    built.parent.mkdir(parents=True)
    built.write_text(DOCUMENTATION)
    assert boostbench("site").code == 0
    assert Path("site/docs/index.html").exists()
    assert list(dead_links(Path("site"))) == []


def test_what_is_wrong_with_a_link_is_said(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a><a href="#z">4</a>'
        '<a href="https://example.org">5</a><img src="d.png">'
    )
    (tmp_path / "b.html").write_text('<p id="x"></p>')
    found = [line.rpartition("a.html: ")[2] for line in dead_links(tmp_path)]
    absent = ["b.html#y: no such place on the page", "#z: no such place on the page"]
    assert sorted(found) == sorted([*absent, "c.html: no such file", "d.png: no such file"])
    command = [sys.executable, "-m", "checks.links", tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ended.returncode == 1
    assert ended.stdout.endswith("2 pages, 4 dead links\n")


def test_a_leaderboard_holds_the_mean_of_every_cell(boostbench, reported):
    page = Path("results/tiny/leaderboard.html").read_text()
    board = json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page)[1])
    assert board["methods"] == ["AdaBoost.MH", "SAMME", "sm-boost"]
    assert board["sets"] == [{"name": "iris", "classes": 3}, {"name": "wine", "classes": 3}]
    assert [(each["model"], each["rate"]) for each in board["noises"]] == [
        ("none", 0.0),
        ("exchange", 0.2),
        ("exchange", 0.4),
    ]
    (error,) = (each for each in board["measures"] if each["words"] == "test error")
    boostbench("export", reported, "--at", "4", "-o", "rows.csv")
    rows = pd.read_csv("rows.csv").query("metric == 'test_error' and booster == 'samme'")
    rows = rows.sort_values(["dataset", "noise_rate"])
    means = 100 * rows["value"].to_numpy().reshape(2, 3, 1)
    assert error["values"][1] == np.vectorize(lambda mean: float(f"{mean:.4g}"))(means).tolist()
