"""Golden lists of expressions.

refusals.txt has the words of errors, values.txt the values of calls, readings.txt what is read
from the files of users, and plugin_checks.txt what the common tests of plugins find. The files of
an entry, each below a line ``--- NAME``, lie in the folder where its expression is evaluated.
``python -m tests.test_golden_lists`` writes what comes of them today, to be read before a commit.
"""

import bz2
import csv
import datetime
import decimal
import gzip
import importlib
import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import ensemble
from sklearn.datasets import load_iris

from boostbench import Experiment
from boostbench.boosters import make_booster
from boostbench.compare_boosters import comparison_experiment
from boostbench.data.catalog import catalog
from boostbench.data.dataset import Dataset
from boostbench.data.loading import load
from boostbench.plugin_checks import check_plugin
from boostbench.weak_learners import Forest
from tests.golden import lay_out, matches, read_cases, rewrite

NAMES_OF_LISTS = ("refusals", "values", "readings", "plugin_checks")
LISTS = [Path(__file__).with_name(f"{name}.txt") for name in NAMES_OF_LISTS]
X, y = load_iris(return_X_y=True)
two = (X[y < 2], y[y < 2])
PLANTS = ["train,1,2,x", "train,3,4,y", "train,5,6,x", "train,7,8,y", "test,1,3,x", "test,2,4,y"]
PLANT = "\n".join(["split,a,b,target", *PLANTS, ""])
ARFF = "@relation toy\n@attribute a numeric\n@attribute b real\n@attribute class {x,y}\n@data\n"

#: Modules of boostbench whose public names entries may use.
MODULES = (
    *("quantities", "quantities.predictions", "reports.text", "reports.values.paper"),
    *("source", "experiments.runs", "experiments.configs.file", "experiments.planning.selection"),
    *("experiments.store.records", "data.encoding"),
    *("inputs", "resources", "registry", "noise", "portable", "api", "compare_boosters"),
    *("data.generators", "data.loading", "data.dataset", "data.catalog", "data.splits"),
    *("theory.spaces", "theory.conditions", "theory.potentials", "theory.bounds"),
    *("theory.minimal", "theory.layout", "theory.codewords", "theory.gaussians"),
    *("baselines.robust_focal_loss", "weak_learners", "weak_learners.scoring", "boosters"),
    *("reports.values.frame", "models"),
)
NAMES = {}
for module in MODULES:
    owner = importlib.import_module(f"boostbench.{module}")
    NAMES |= {name: getattr(owner, name) for name in getattr(owner, "__all__", dir(owner))}
NAMES |= {"bz2": bz2, "gzip": gzip, "os": os, "ensemble": ensemble}
NAMES |= vars(datetime) | vars(decimal)


def names_in(folder):
    """Return what entries may use besides the names of modules."""
    rng = np.random.default_rng(0)

    def fit(name, X=X, y=y, sample_weight=None, **parameters):
        return make_booster(name, n_estimators=5, **parameters).fit(X, y, sample_weight)

    def read(content, name="f.csv", missing="keep", encode="ordinal", **entry):
        """Load a file; `entry` is what a catalog says of it."""
        content = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(content)
        stem = name.partition(".")[0]
        if entry:  # with another file, all catalogs are read again
            (folder / "entries.yaml").write_text(f"{stem}: {entry}")
        return load(stem, None, [folder], missing=missing, encode=encode)

    def column(cells, labels="x|y|" * 9, **entry):
        """Load a table of one feature."""
        rows = io.StringIO()
        cells = zip(cells.split("|"), labels.split("|"), strict=False)
        csv.writer(rows).writerows([["f", "target"], *cells])
        return read(rows.getvalue(), **entry)

    def labels(names, **entry):
        """Load a table of these labels and return its classes."""
        return column("1|2|3|4", names, **entry).classes

    def parquet(column, labels=("x", "y", "x")):
        path = folder / "f.parquet"
        pd.DataFrame({"f": column, "target": labels}).to_parquet(path)
        return load("f", None, [folder])

    def config(booster, **keys):
        plain = {"name": "c", "datasets": ["iris"], "split": {"holdout": 0.3}, "rounds": 2}
        return Experiment.load({**plain, "boosters": [booster], **keys}, data=folder).plan()

    def forest(n_features=1, **changes):
        """Make a forest of one stump."""
        tree = {"feature": [0], "threshold": [0.5], "missing_left": [True], "left": [~0]}
        tree |= {"right": [~1], "node_offset": [0, 1], "leaf_value": [[1.0], [1.0]]}
        tree |= {"leaf_column": [0, 1], "leaf_offset": [0, 2]}
        return Forest(**(tree | changes), n_features=n_features)

    def plants(content, name="plants.csv"):
        sizes = {"n_train": 4, "n_test": 2, "n_features": 2, "n_classes": 2, "n_categorical": 0}
        return read(content, name, **sizes)

    def attribute(kind, cells):
        """Load an ARFF file of one attribute."""
        head = f"@relation r\n@attribute f {kind}\n@attribute class {{x,y}}\n@data\n"
        rows = zip(cells.split("|"), "xyx", strict=True)
        return read(head + "".join(f"{cell},{label}\n" for cell, label in rows), "f.arff")

    def entry(text):
        (folder / "bad.yaml").write_text(text)
        catalog([folder])

    def run_of(asked, **options):
        """Return the first run of a comparison."""
        return comparison_experiment([asked, "splboost"], "iris", rounds=2, **options).runs[0]

    def compared(asked):
        """Return label, name, rounds and parameters of a booster of a comparison."""
        run = run_of(asked)
        return run.method, run.booster.component, run.rounds, run.booster.params.plain()

    def compared_under(noise):
        """Return the label and the parameters of the noise of a comparison."""
        noise = run_of("samme", noise=noise).noise
        return noise.label, noise.params.plain()

    def problem_in(plugin):
        ((_, problem),) = check_plugin(plugin)
        return problem or "none"

    return locals()


def outcome_of(title, given):
    """Return the value of an expression in words, or type and message of its error."""
    lay_out(given)
    try:
        value = eval(title, {**NAMES, **globals(), **names_in(Path.cwd())})
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace(f"{Path.cwd()}/", "")
    return in_words(value) if isinstance(value, Dataset) else str(value)


def in_words(data):
    """Return a line for each column of a data set: its kind, values and categories."""
    lines = []
    features = [column for column in data.columns if column.is_feature]
    for column, x in zip(features, data.X.T, strict=True):
        cells = [number_in_words(value, column.kind) for value in x.tolist()]
        categories = [] if column.values is None else ["of", ", ".join(map(repr, column.values))]
        lines.append(" ".join([f"{column.name}: {column.kind}", *cells, *categories]))
    lines.append(" ".join(["labels:", *(data.classes[k] for k in data.y)]))
    return "\n".join(lines)


def number_in_words(value, kind):
    if np.isnan(value):
        return "?"
    if kind != "date":
        return repr(value).removesuffix(".0")
    day, seconds = divmod(value * 86_400, 86_400)
    text = str(np.datetime64(int(day), "D"))
    return text if not seconds else f"{text}+{seconds:.6g}s"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_outcome_is_that_of_the_list(path, tmp_path, monkeypatch):
    monkeypatch.delenv("BOOSTBENCH_DATA", raising=False)
    wrong = []
    for number, (title, given, expected) in enumerate(read_cases(path)):
        (tmp_path / str(number)).mkdir()
        monkeypatch.chdir(tmp_path / str(number))
        outcome = outcome_of(title, given)
        wrong += [] if matches(expected, outcome) else [(title, outcome)]
    assert wrong == []


if __name__ == "__main__":
    for path in LISTS:
        rewrite(path, outcome_of)
