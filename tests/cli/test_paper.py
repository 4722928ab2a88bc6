"""Reports for a paper of one's own: parts from a file, LaTeX, protocol."""

import contextlib
import io
import re
import shutil
import subprocess

import numpy as np
import pytest
from matplotlib.figure import Figure

from boostbench.cli import main
from boostbench.experiments.runs import BoosterSpec
from boostbench.reports.experiment_report import make_report
from boostbench.reports.manuscript import fit_column, for_paper
from tests.reports.synthetic import make_config, study_of, with_records

GAMMA = """\
from sklearn.tree import DecisionTreeClassifier

class Gamma(DecisionTreeClassifier):
    '''A tree of a depth.'''

    def __init__(self, gamma=1, random_state=None):
        super().__init__(max_depth=gamma, random_state=random_state)
        self.gamma = gamma
"""
STUDY = """\
name: study
title: "β and 中"
datasets: [iris, wine]
split: {folds: 3, validation: true, stratify: true}
noise: [none, {model: exchange, rate: 0.2}]
boosters: [{gamma.py:Gamma: {gamma: [1, 2, 3]}}, samme]
rounds: 3
report:
  - table: {columns: booster, at: end}
  - curves: {y: test_error}
  - noise
"""


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """Return the folder of the files for a paper of a small study."""
    study, printed = tmp_path_factory.mktemp("study"), io.StringIO()
    (study / "gamma.py").write_text(GAMMA)
    (study / "study.yaml").write_text(STUDY)
    with contextlib.chdir(study), contextlib.redirect_stdout(printed):
        assert main(["run", "study.yaml", "--executor", "inline"]) == 0
        assert main(["report", "study.yaml", "--paper"]) == 0
    folder = study / "results/study/paper"
    told = {study / word for word in printed.getvalue().split() if "/paper/" in word}
    assert told == {*folder.iterdir()}
    return folder


def test_tables_figures_and_protocol_for_a_paper(paper):
    names = {path.name for path in paper.iterdir()}
    figures = {f"{name}.{suffix}" for name in ("curves", "noise") for suffix in ("tex", "pdf")}
    assert names == {"table.tex", "protocol.tex", "paper.tex", *figures}
    table = (paper / "table.tex").read_text()
    captions = re.findall(r"\\caption\{.*?\((clean|20 \\% exchanged)\)", table)
    assert list(dict.fromkeys(captions)) == ["clean", r"20 \% exchanged"]
    for head in (r"$\gamma$=1", r"$\gamma$=3", "best by validation", "Gamma"):
        assert head in table
    words = (paper / "protocol.tex").read_text()
    for part in (
        "iris (50 training and 50 test samples, 4 features, 3 classes)",
        "3-fold cross-validation, in equal shares of the classes, one more fold for validation",
        r"corrupts the training labels at rates of 20 \%. Validation and test labels are never",
        "Boosters make 3 rounds.",
        "1 seed in each of 3 folds",
        "corrected resampled t test",
    ):
        assert part in words
    assert re.search(r"numpy \d+\.\d+", words)
    boxes = [re.search(rb"/MediaBox \[ *0 0 ([\d.]+)", f.read_bytes()) for f in paper.glob("*.pdf")]
    assert [float(box[1]) for box in boxes] == pytest.approx([3.3 * 72] * 2, abs=0.1)


def test_a_config_that_only_computes_has_no_protocol(tmp_path):
    config = make_config(tmp_path, datasets=[], boosters=[], report=[("curves", {})])
    files, remarks = for_paper(make_report(study_of(config)))
    assert [*files] == ["paper.tex"]
    assert len(remarks) == 1


def test_panels_higher_than_half_a_page_take_both_columns():
    figure = Figure()
    figure.subplots(5, 3)
    assert fit_column(figure) == "*"
    assert tuple(figure.get_size_inches()) == pytest.approx((6.75, 5.7), abs=0.5)


def test_the_paper_compiles_without_a_line_beyond_its_column(request):
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed")
    paper = request.getfixturevalue("paper")
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=paper, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (paper / "paper.log").read_bytes()
    assert not re.search(rb"Missing character|Overfull", log)


@pytest.mark.parametrize(("n", "columns"), [(5, "llrrrrrr"), (6, "llrr")])
def test_more_than_six_boosters_have_rows(tmp_path, n, columns):
    boosters = [BoosterSpec("samme", label=f"samme (gamma={k})") for k in range(n)]
    report = [("table", {"columns": "booster"})]
    config = make_config(
        tmp_path, datasets=["dna"], boosters=boosters, rounds=2, checkpoints=[1, 2], report=report
    )
    errors = {"validation_errors": np.array([9, 9])}
    study = with_records(
        study_of(config), lambda r: {"curves": {**r.record.curves, **errors}, "n_validation": 100}
    )
    files, _ = for_paper(make_report(study))
    assert f"{{@{{}}{columns}@{{}}}}" in files["table.tex"]
