"""The soft-max paper's dna figures, through the whole pipeline: Table 2, T = 10 and 100."""

import os
from pathlib import Path

import pytest

from boostbench.experiments.configs.file import load_config
from boostbench.experiments.planning.grid import expand, select
from boostbench.experiments.running.execution import execute
from boostbench.resources import shipped

FOLDER = os.environ.get("BOOSTBENCH_DATA", "")

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(
        not any((Path(FOLDER) / f"dna{suffix}").is_file() for suffix in (".csv.gz", ".csv")),
        reason="BOOSTBENCH_DATA names no folder with dna.csv.gz",
    ),
]


@pytest.mark.parametrize(("booster", "errors"), [("adaboost-mh", [61, 47]), ("samme", [73, 55])])
def test_dna_has_exactly_the_printed_numbers_of_test_errors(booster, errors):
    path = shipped("configs") / "softmax-boosting" / "table2.yaml"
    config = load_config(path, ["rounds=100"], data_dirs=[FOLDER])
    (run,) = select(expand(config), [f"dna/{booster}/clean/seed-0"])
    outcome = execute(run, [FOLDER])
    assert outcome["n_test"] == 1186
    assert [outcome["curves"]["test_errors"][t - 1] for t in (10, 100)] == errors
