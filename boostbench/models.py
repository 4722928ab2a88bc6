"""Fitted models in files: from a data file to a model, and from new rows to labels."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from boostbench.api import Paths, paths_of
from boostbench.compare_boosters import Booster, data_of, experiment_on
from boostbench.data.cautions import cautions
from boostbench.data.dataset import Dataset
from boostbench.data.readers import read_rows
from boostbench.errors import BoostbenchError, import_extra
from boostbench.experiments.running.execution import make
from boostbench.experiments.store.record import versions
from boostbench.inputs import load_plugins
from boostbench.reports.text import listed
from boostbench.whole_files import in_home, read_file, write_file

#: Classes, whose names begin with a capital, that a model of this package consists of.
_OURS = re.compile(
    r"boostbench\.(baselines|boosters|data|models|weak_learners)\.([\w.]*\.)?[A-Z]\w*"
    r"|(sklearn|lightgbm|xgboost|catboost)\.([\w.]*\.)?[A-Z]\w*|collections\.OrderedDict"
)
_FILE = re.compile(r"[^'\"{}:=,]+\.py(?=:)")  # of a class, as in ``FILE.py:Class``


@dataclass(frozen=True, eq=False)
class Model:
    """A fitted classifier of tables, with all that is needed to apply it to new rows.

    Attributes
    ----------
    pipeline : sklearn.pipeline.Pipeline
        Encoder and booster, fitted to the numbers 0, 1, ... of the classes.
    classes : tuple of str
        Names of the classes, in the order of their numbers.
    facts : mapping
        Where it comes from: booster, data set with its checksum, label column, numbers of rows,
        rounds (None without), seed, and versions of the packages.
    """

    pipeline: Any
    classes: tuple[str, ...]
    facts: Mapping[str, Any]

    def predict(self, X: Any) -> NDArray[np.str_]:
        """Return the names of the predicted classes of a table, shape (n_rows,)."""
        return np.asarray(np.array(self.classes)[self.pipeline.predict(X)], dtype=np.str_)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the classes, shape (n_rows, n_classes)."""
        return np.asarray(self.pipeline.predict_proba(X), dtype=np.float64)

    def save(self, path: str | Path) -> None:
        """Write the model to a file of the format of skops, completely or not at all.

        Raises
        ------
        BoostbenchError
            If a class of the model is that of a notebook or of the running script: whoever reads
            the model needs a file with it.
        """
        skops = import_extra("skops.io", "serve", where=str(path))
        content = skops.dumps([self.pipeline, [*self.classes], {**self.facts}])
        for name in skops.get_untrusted_types(data=content):
            module = sys.modules.get(name.partition(".")[0])
            if not Path(getattr(module, "__file__", None) or __file__).exists():
                what = f"{name.rpartition('.')[2]} is in no file; write it to one, and import it"
                raise BoostbenchError(what, where=str(path))
        write_file(in_home(path), content)


def booster_for(
    booster: Booster, on: str | Path, seed: int = 0, **options: Any
) -> tuple[str, Any, Dataset]:
    """Return the label of a booster, the unfitted booster for a data set, and the data set.

    Parameters
    ----------
    booster, on, **options
        As for `boostbench.compare_boosters.experiment_on`.
    seed : int, default=0

    Raises
    ------
    BoostbenchError
        If a name, a file or a parameter is invalid, or the booster does not suit the data set.
    """
    if unused := {"noise", "metric", "folds", "repeats"} & options.keys():
        what = f"takes no {listed(sorted(unused))}: it uses all rows and labels as they are"
        raise BoostbenchError(what, where=options["name"])
    with TemporaryDirectory() as folder:
        experiment = experiment_on([booster], on, results=folder, **options)
        if len(experiment.config.boosters) > 1 or len(experiment.config.datasets) > 1:
            what = "one booster, whose parameters have one value each, and one data set are taken"
            raise BoostbenchError(what, where=experiment.config.name)
        run = experiment.runs[0].with_seed(seed)
        ((_, dataset),) = data_of(experiment)
        if skipped := experiment.plan().skipped():
            raise BoostbenchError(next(iter(skipped)))
    made = make(run, dataset.X, dataset.n_classes, run.rounds, classes=dataset.classes)
    return run.method, made, dataset


@contextmanager
def fitting(name: str) -> Iterator[None]:
    """Return a context in which a fit that is refused, e.g. for missing values, names its booster.

    Parameters
    ----------
    name : str
        Label of the booster.
    """
    try:
        yield
    except ValueError as error:
        if isinstance(error, BoostbenchError):
            raise
        reason = str(error).partition("\n")[0]
        raise BoostbenchError(f"booster {name!r} cannot be fitted: {reason}") from error


def fit_model(booster: Booster, on: str | Path, *, seed: int = 0, **options: Any) -> Model:
    """Fit a booster to all rows of a data set.

    Parameters
    ----------
    booster, on
        As for `boostbench.compare`.
    seed : int, default=0
        Seed of the booster.
    **options
        Options ``rounds``, ``target``, ``drop``, ``types``, ``encode``, ``data`` and ``plugins`` of
        `boostbench.compare`.

    Returns
    -------
    model : Model

    Raises
    ------
    BoostbenchError
        If a name, a file or a parameter is invalid.
    """
    name, made, dataset = booster_for(booster, on, seed, name="fit", **options)
    next(cautions(dataset, 0), None)  # refuses labels that tell all rows apart
    with fitting(name):
        made.fit(dataset.X, dataset.y)
    pipeline = dataset.pipeline(made)
    names = [each.name for each in dataset.columns if each.is_feature] or dataset.feature_names
    pipeline[0].fit(pd.DataFrame([dict.fromkeys(names)]))  # the columns have the encoding
    has_rounds = getattr(made, "stop_reason_", "") != "a fit without rounds"
    facts = {
        "booster": name,
        "data": str(on),
        "checksum": dataset.checksum,
        "target": next((each.name for each in dataset.columns if each.kind == "label"), "target"),
        "rows": dataset.n_rows,
        "rounds": made.n_estimators if has_rounds else None,
        "seed": seed,
        "plugins": [*map(str, paths_of(options.get("plugins", ()))), *_FILE.findall(str(booster))],
        "versions": versions("pandas"),
    }
    return Model(pipeline, dataset.classes, facts)


def load_model(path: str | Path, *, trust: Collection[str] = (), plugins: Paths = ()) -> Model:
    """Read a model that `Model.save` wrote.

    Parameters
    ----------
    path : str or path
    trust : collection of str, default=()
        Further classes and functions that the file may use, as ``package.module.Class``. Those of
        the plugins, boostbench, scikit-learn, LightGBM, XGBoost and CatBoost are known.
    plugins : path or sequence of path, default=()
        Plugin files with the booster of the model.

    Raises
    ------
    BoostbenchError
        If the file is no model, or uses something unknown; none of its code is executed then.
    """
    where = str(path)
    skops = import_extra("skops.io", "serve", where=where)
    content = read_file(in_home(path))
    if not content.startswith(b"PK"):
        what = "this is not a model of 'boostbench fit'; pickles are not opened"
        raise BoostbenchError(f"{what}, they may run any code", where=where)
    # The name of the module of a plugin ends in a digest of its path, here and where it was fitted.
    own = {module.__name__[:-8]: module for module in load_plugins(paths_of(plugins))}
    try:
        found = skops.get_untrusted_types(data=content)
        named = {m: own[m[:-8]] for n in found if (m := n.partition(".")[0])[:-8] in own}
        known = [n for n in found if _OURS.fullmatch(n) or n.partition(".")[0] in named]
        if strange := set(found) - {*known, *trust}:
            what = f"the model uses {', '.join(sorted(strange))}, which may run any code; if you"
            how = "trust it, name its file (--plugin), or `trust` in Python"
            raise BoostbenchError(f"{what} {how}", where=where)
        sys.modules.update({**named, **sys.modules})  # what is there stays
        pipeline, classes, facts = skops.loads(content, trusted=found)
        return Model(pipeline, tuple(classes), facts)
    except BoostbenchError:
        raise
    except ModuleNotFoundError as error:
        what = f"the model needs the package or plugin {error.name!r}, which is not here"
        raise BoostbenchError(what, where=where) from error
    except Exception as error:  # a damaged file may raise anything
        reason = str(error).partition("\n")[0]
        what = f"this model cannot be read by boostbench {versions()['boostbench']}: {reason}"
        raise BoostbenchError(what, where=where) from error


def predict_file(
    model: Model, path: str | Path, *, proba: bool = False
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Predict the labels of the rows of a file.

    Parameters
    ----------
    model : Model
    path : str or path
        CSV, ARFF or parquet file with the columns of the training data, in any order.
    proba : bool, default=False
        Whether to add a column ``p(CLASS)`` for each class.

    Returns
    -------
    predicted : DataFrame
        The labels, in the order of the rows.
    remarks : tuple of str
        A line for each column with values that the training data did not have.

    Raises
    ------
    BoostbenchError
        If columns are missing or of another type, with a line for each of them.
    """
    encoder, booster = (step for _, step in model.pipeline.steps)
    frame, place = read_rows(in_home(path), encoder.columns_)
    if len(frame) == 0:
        raise BoostbenchError("there is a header but no row", where=str(path))
    X, remarks = encoder.read(frame, place)
    columns: dict[str, Any] = {model.facts["target"]: np.array(model.classes)[booster.predict(X)]}
    if proba:
        if not hasattr(booster, "predict_proba"):
            raise BoostbenchError(f"{model.facts['booster']} gives no probabilities")
        P = booster.predict_proba(X)
        columns |= {f"p({name})": P[:, k] for k, name in enumerate(model.classes)}
    return pd.DataFrame(columns), remarks
