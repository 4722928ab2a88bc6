"""The table of data sets, and what all parts of a report share."""

from pathlib import Path

import numpy as np
import pytest

from boostbench.errors import BoostbenchError
from boostbench.inputs import load_plugin
from boostbench.reports.tables.error_table import build_table
from boostbench.reports.tables.table import to_csv, to_markdown

from .synthetic import make_config, study_of, with_records

sizes = load_plugin(Path(__file__).resolve().parents[2] / "configs/deep-boosting/sizes.py")
PAPER = (
    "dataset,n_train,n_test,n_features,n_classes,doubt\n"
    "dna,2000,1186,10,3,\nsegment,2000,2100,10,10,it has 7\n"
)


@pytest.fixture
def paper(tmp_path):
    path = tmp_path / "sizes.csv"
    path.write_text(PAPER)
    return str(path)


def test_sizes_are_those_of_the_records_beside_the_paper_s(tmp_path, paper):
    config = make_config(tmp_path, datasets=["dna", "segment"], boosters=["samme"])
    text = to_markdown(sizes.datasets(study_of(config), paper=paper))
    assert "| dna | 2000 | 2000 | 1186 | 1186 | 10 | 10 | 3 | 3 |" in text
    assert "| segment | 2000 | 2000 | 700‡ | 2100 \\[1\\] | 10 | 10 | 3‡ | 10 \\[1\\] |" in text
    assert "6 of 8 numbers are the paper's" in text
    assert "segment: it has 7" in text


def test_problems_of_several_sizes_show_the_range(tmp_path):
    study = study_of(make_config(tmp_path, datasets=["madelon"], boosters=["samme"], seeds=2))
    study = with_records(study, lambda result: {"n_train": 200 + result.run.seed})
    assert "200 – 201" in to_csv(sizes.datasets(study))


def test_absent_data_says_so(tmp_path):
    config = make_config(tmp_path, boosters=["samme"])
    broken = {"letter/samme/clean/seed-0": ("skipped", "no file: tried here and there")}
    text = to_markdown(sizes.datasets(study_of(config, broken=broken)))
    assert "skipped \\[1\\]" in text
    assert "\\[1\\] no file" in text


def test_costs_are_shown_as_they_are(tmp_path):
    study = study_of(make_config(tmp_path, datasets=["dna"], boosters=["samme"]))
    with pytest.raises(BoostbenchError, match=r"no run recorded test_cost; .* a 'cost'"):
        build_table(study, value="test_cost")
    curves = {**study.results[0].record.curves, "test_costs": np.full(100, 593.0)}
    table = build_table(with_records(study, lambda _: {"curves": curves}), value="test_cost")
    assert table.rows[0].cells[0].text == "0.5000"
    assert table.footers[0].startswith("Mean cost on test samples. Bold")


def test_all_samples_and_the_share_of_the_largest_class(tmp_path):
    path = tmp_path / "majorities.csv"
    path.write_text("dataset,n_samples,majority\ndna,3186,51.9\nletter,,4.1\n")
    study = study_of(make_config(tmp_path, boosters=["samme"]))
    study = with_records(study, lambda _: {"n_per_class": [500, 519, 981]})
    table = sizes.datasets(study, columns=["n_samples", "majority"], paper=str(path))
    text = to_markdown(table)
    assert "| dna | 3186 | 3186 | 49.0‡ | 51.9 |" in text
    assert "Samples and the share of the largest class as counted in the data." in text
