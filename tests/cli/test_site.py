"""`boostbench site`: one folder whose pages lead to each other, and the leaderboard in it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

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


def board_of(page):
    return json.loads(re.search(r'<script id="data"[^>]*>(.*?)</script>', page.read_text())[1])


def test_a_site_has_overview_report_and_leaderboard_and_no_dead_link(boostbench, reported):
    outcome = boostbench("site", "-o", "public")
    assert (outcome.code, outcome.out) == (0, "public/index.html\n")
    made = {str(path.relative_to("public")) for path in Path("public").rglob("*") if path.is_file()}
    pages = {f"results/{name}.html" for name in ("index", "tiny/report", "tiny/leaderboard")}
    assert made == {"index.html", ".nojekyll", "results/tiny/curves.png", *pages}
    assert list(dead_links(Path("public"))) == []
    assert 'href="tiny/leaderboard.html"' in Path("public/results/index.html").read_text()
    for page in ("report", "leaderboard"):
        text = Path(f"public/results/tiny/{page}.html").read_text()
        assert 'href="../index.html">All results<' in text
        assert "Documentation" not in text


def test_documentation_and_results_lead_to_each_other(boostbench, reported):
    built = Path("docs/_build/html/docs/index.html")
    built.parent.mkdir(parents=True)
    built.write_text(DOCUMENTATION)
    assert boostbench("site").code == 0
    assert Path("site/docs/index.html").read_text() == DOCUMENTATION
    for page, up in (("index", ""), ("tiny/report", "../"), ("tiny/leaderboard", "../")):
        text = Path(f"site/results/{page}.html").read_text()
        assert f'href="{up}../docs/index.html">Documentation<' in text
    assert list(dead_links(Path("site"))) == []


def test_a_page_that_cannot_be_written_is_named(refused, reported):
    built = Path("docs/_build/html/docs/index.html")
    built.parent.mkdir(parents=True)
    built.write_text(DOCUMENTATION)
    Path("site").mkdir()
    Path("site/docs").touch()
    assert "File exists: 'site/docs'" in refused("site")


def test_what_is_wrong_with_a_link_is_said(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x">1</a><a href="b.html#y">2</a><a href="c.html">3</a><a href="#z">4</a>'
        '<a href="https://example.org">5</a><img src="d.png">'
    )
    (tmp_path / "b.html").write_text('<p id="x"></p>')
    found = [line.rpartition("a.html: ")[2] for line in dead_links(tmp_path)]
    missing, absent = "no such file", "no such place on the page"
    assert found == [
        f"b.html#y: {absent}",
        f"c.html: {missing}",
        f"#z: {absent}",
        f"d.png: {missing}",
    ]
    command = [sys.executable, "-m", "checks.links", tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert ended.returncode == 1
    assert ended.stdout.endswith("2 pages, 4 dead links\n")


def test_a_site_needs_reports(refused):
    assert "no report is here; `boostbench report CONFIG` writes one" in refused(
        "site", "--results", "nothing"
    )


def test_a_leaderboard_holds_the_mean_of_every_cell(boostbench, reported):
    board = board_of(Path("results/tiny/leaderboard.html"))
    assert board["methods"] == ["AdaBoost.MH", "SAMME", "sm-boost"]
    assert board["sets"] == [{"name": "iris", "classes": 3}, {"name": "wine", "classes": 3}]
    assert [(each["model"], each["rate"]) for each in board["noises"]] == [
        ("none", 0.0),
        ("exchange", 0.2),
        ("exchange", 0.4),
    ]
    (error,) = (each for each in board["measures"] if each["words"] == "test error")
    rows = [line.split(",") for line in boostbench("export", reported, "--at", "4").out.split()[1:]]
    checked = 0
    for row in rows:
        if "test_error" in row and row[1] == "samme":
            d = [each["name"] for each in board["sets"]].index(row[0])
            n = [each["rate"] for each in board["noises"]].index(float(row[-6]))
            value = float(row[row.index("test_error") + 1])
            assert error["values"][1][d][n] == [float(f"{100 * value:.4g}")]
            checked += 1
    assert checked == 6


def test_one_option_adds_a_booster_to_those_of_a_config(boostbench, reported, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from sklearn.tree import DecisionTreeClassifier\n"
        "class Mine(DecisionTreeClassifier):\n    'A tree.'\n"
    )
    more = ("--set", "boosters+=[mine.py:Mine]")
    assert boostbench("report", reported, "--pack").code == 0
    shutil.rmtree("results/runs")  # as in a clone, whose results are packed
    ran = boostbench("run", reported, "--executor", "inline", "--only", "Mine", *more)
    assert (ran.code, "6 runs" in ran.out) == (0, True)
    assert boostbench("report", reported, *more).code == 0
    assert board_of(Path("results/tiny/leaderboard.html"))["methods"][-1] == "Mine"


def test_a_report_of_one_noise_has_no_leaderboard(boostbench, done):
    assert boostbench("report", done).code == 0
    assert not Path("results/tiny/leaderboard.html").exists()
    assert "leaderboard" not in Path("results/tiny/report.html").read_text()
