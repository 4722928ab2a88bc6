"""Spaces of weak classifiers by name: an example, a file of predictions, or a data set's stumps."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from boostbench.data import catalog, load
from boostbench.data.dataset import encode_labels
from boostbench.data.readers import read_labels
from boostbench.data.splits import subsample
from boostbench.errors import BoostbenchError, DataError, UnknownNameError, hint, unknown
from boostbench.theory.spaces import SPACES, Space, all_stumps, example_space


def find_space(
    source: str,
    *,
    settings: Sequence[str] = (),
    target: str | None = None,
    classes: int | None = None,
    rows: int | None = None,
    data: Sequence[Path] = (),
) -> Space:
    """Return the space of a source.

    Parameters
    ----------
    source : str
        An example space, a CSV file of predictions, or a data set, for all its stumps.
    settings : sequence of str, default=()
        Parameters of an example space, ``name=value``.
    target : str or None, default=None
        Column of the true labels of a CSV file; ``y`` by default.
    classes : int or None, default=None
        Number of classes of a CSV file, if not all of them occur.
    rows : int or None, default=None
        Rows to take of a data set, in equal class shares.
    data : sequence of Path, default=()
        Folders with data files.

    Raises
    ------
    BoostbenchError
        If there is no such source, an option is not for it, or it cannot be read.
    """
    is_example = source in SPACES
    is_file = not is_example and (source.endswith(".csv") or Path(source).is_file())
    for option, given, fits, whose in (
        ("--set", settings, is_example, "an example space"),
        ("--target", target, is_file, "a file of predictions"),
        ("--classes", classes, is_file, "a file of predictions"),
        ("--rows", rows, not (is_example or is_file), "a data set"),
    ):
        if given and not fits:
            raise BoostbenchError(f"is for {whose}, which {source!r} is not", where=option)
    if is_example:
        return example_space(source, **dict(_setting(source, text) for text in settings))
    if is_file:
        return _from_file(Path(source), target or "y", classes)
    return _stumps(source, rows, data)


def _setting(name: str, text: str) -> tuple[str, float]:
    key, _, value = (part.strip() for part in text.partition("="))
    where = f"--set {text}"
    parameters = inspect.signature(SPACES[name]).parameters
    if key not in parameters:
        raise BoostbenchError(unknown("parameter", key, parameters, of=repr(name)), where=where)
    kind = type(parameters[key].default)
    try:
        return key, kind(value)
    except ValueError:
        word = "a whole number" if kind is int else "a number"
        raise BoostbenchError(f"{key} must be {word}, found {value!r}", where=where) from None


def _from_file(path: Path, target: str, n_classes: int | None) -> Space:
    """Read a CSV file: a column of answers for each classifier, and one of true labels."""
    columns = read_labels(path)
    names = [name for name in columns if name != target]
    if target not in columns:
        meant = hint(target, columns)
        what = f"has no column {target!r} of true labels; {meant}; --target names another"
        raise DataError(what, where=str(path))
    if not names or not len(columns[target]):
        what = "holds no predictions; expected a column for each classifier, a row for each sample"
        raise DataError(what, where=str(path))
    labels = np.stack([columns[target], *(columns[name] for name in names)], axis=1)
    codes, classes = encode_labels(labels.ravel().tolist())
    codes = codes.reshape(labels.shape)
    K = max(len(classes), 2) if n_classes is None else n_classes
    if len(classes) > K:
        what = f"{len(classes)} different labels, {', '.join(classes[:8])} ..., occur in {path}"
        raise BoostbenchError(what, where=f"--classes {K}")
    # A label that occurs nowhere is cheap to miss, but a class all the same.
    absent = [f"(unseen {k})" for k in range(len(classes), K)]
    return Space(str(path), codes[:, 0], codes[:, 1:], K, [*classes, *absent], names)


def _stumps(name: str, n_rows: int | None, data: Sequence[Path]) -> Space:
    """Take all stumps of a data set, or of some rows of it in equal class shares."""
    try:
        dataset = load(name, None, data)
    except UnknownNameError as error:
        known = [*SPACES, *catalog(data)]
        raise UnknownNameError("example space, file or data set", name, known) from error
    rows = np.arange(dataset.n_rows, dtype=np.int64)
    if n_rows is not None:
        rows = subsample(rows, dataset.y, n_rows, np.random.default_rng(0))
    names = {"features": dataset.feature_names, "classes": dataset.classes}
    try:
        space = all_stumps(dataset.X[rows], dataset.y[rows], dataset.n_classes, **names)
    except BoostbenchError as error:
        what = error.what if n_rows else f"{error.what}; --rows takes a part of the data"
        raise BoostbenchError(what, where=name) from error
    return replace(space, name=dataset.name)
