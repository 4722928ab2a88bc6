"""The table of what runs took."""

from pathlib import Path

import pytest

from boostbench.inputs import load_plugin
from boostbench.reports.tables.table import to_markdown

from .synthetic import make_config, study_of, with_records

effort = load_plugin(Path(__file__).resolve().parents[2] / "configs/noise-study/effort.py").effort


@pytest.fixture
def study(tmp_path):
    config = make_config(tmp_path, boosters=["samme"], seeds=3)
    made = study_of(
        config,
        stopped={"dna/samme/clean/seed-0": 37, "dna/samme/clean/seed-1": 37},
        broken={
            "dna/samme/clean/seed-2": ("timeout", "exceeded 30 s"),
            **{f"letter/samme/clean/seed-{seed}": ("skipped", "no file") for seed in range(3)},
        },
    )
    return with_records(made, lambda result: {"seconds": {"fit": 1.0 + result.run.seed}})


def test_a_row_of_effort_has_the_number_of_runs_and_median_costs(study):
    text = to_markdown(effort(study))
    assert "| dna | SAMME | 2 of 3 | 2000 | 1186 | 37 | 1.50 |" in text
    assert "| letter | SAMME | 0 of 3 | skipped | skipped | skipped | skipped |" in text
