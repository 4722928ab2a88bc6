"""Spaces of weak classifiers by name: examples, files of predictions, stumps of data sets."""

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
from boostbench.theory.spaces import SPACES, Space, all_stumps


def find_space(
    source: str,
    *,
    settings: Sequence[str] = (),
    target: str | None = None,
    classes: int | None = None,
    rows: int | None = None,
    data: Sequence[Path] = (),
) -> Space:
    """Return the space of weak classifiers described by a source.

    Parameters
    ----------
    source : str
        Name of an example space, CSV file of predictions, or name of a data set, which stands for
        all its stumps.
    settings : sequence of str, default=()
        Parameters of an example space, as ``name=value``.
    target : str or None, default=None
        Column of the true labels in a CSV file; None means ``"y"``.
    classes : int or None, default=None
        Number of classes of a CSV file, if some classes do not occur in it.
    rows : int or None, default=None
        Number of rows to sample from a data set, stratified by class.
    data : sequence of Path, default=()
        Folders with data files.

    Raises
    ------
    BoostbenchError
        If the source does not exist or cannot be read, or an option does not apply to it.
    """
    is_example = source in SPACES
    is_file = not is_example and (source.endswith(".csv") or Path(source).is_file())
    for option, value, applies, kind in (
        ("--set", settings, is_example, "an example space"),
        ("--target", target, is_file, "a file of predictions"),
        ("--classes", classes, is_file, "a file of predictions"),
        ("--rows", rows, not (is_example or is_file), "a data set"),
    ):
        if value and not applies:
            raise BoostbenchError(f"is for {kind}, which {source!r} is not", where=option)
    if is_example:
        return SPACES[source](**dict(_parse_setting(source, text) for text in settings))
    if is_file:
        return _space_of_file(Path(source), target or "y", classes)
    return _space_of_stumps(source, rows, data)


def _parse_setting(name: str, text: str) -> tuple[str, float]:
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


def _space_of_file(path: Path, target: str, n_classes: int | None) -> Space:
    """Read a CSV file with a column of predictions per classifier and a column of true labels."""
    columns = read_labels(path)
    names = [name for name in columns if name != target]
    if target not in columns:
        raise DataError(
            f"has no column {target!r} of true labels; {hint(target, columns)}; "
            "--target names another",
            where=str(path),
        )
    if not names or not len(columns[target]):
        raise DataError(
            "holds no predictions; expected a column for each classifier, a row for each sample",
            where=str(path),
        )
    labels = np.stack([columns[target], *(columns[name] for name in names)], axis=1)
    codes, classes = encode_labels(labels.ravel().tolist())
    codes = codes.reshape(labels.shape)
    K = max(len(classes), 2) if n_classes is None else n_classes
    if len(classes) > K:
        raise BoostbenchError(
            f"{len(classes)} different labels, {', '.join(classes[:8])} ..., occur in {path}",
            where=f"--classes {K}",
        )
    absent = [f"(unseen {k})" for k in range(len(classes), K)]
    return Space(str(path), codes[:, 0], codes[:, 1:], K, [*classes, *absent], names)


def _space_of_stumps(name: str, n_rows: int | None, data: Sequence[Path]) -> Space:
    """Return all stumps of a data set, or of a sample of its rows, stratified by class."""
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
