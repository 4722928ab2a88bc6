"""The spaces of weak classifiers that `boostbench theory conditions` can look at."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boostbench.errors import BoostbenchError, DataError, UnknownNameError, hint, unknown

if TYPE_CHECKING:
    from boostbench.data import Dataset
    from boostbench.theory.spaces import Space


@dataclass(frozen=True)
class NamedSpace:
    """A space of classifiers in the words of its source.

    Attributes
    ----------
    space : Space
    classes : sequence of str
        Names of the labels 0..K-1.
    name_of : callable
        Index of a classifier to its name.
    """

    space: Space
    classes: Sequence[str]
    name_of: Callable[[int], str]


def example_names() -> list[str]:
    """Return the names of the paper's example spaces."""
    from boostbench.theory.spaces import SPACES

    return list(SPACES)


def find_space(
    source: str,
    *,
    settings: Sequence[str] = (),
    target: str | None = None,
    classes: int | None = None,
    rows: int | None = None,
    data: Sequence[Path] = (),
) -> NamedSpace:
    """Return the space that a source stands for.

    Parameters
    ----------
    source : str
        An example space, a CSV file of predictions, or a data set, whose stumps are meant.
    settings : sequence of str
        Parameters of an example space, ``name=value``.
    target : str or None
        Column of the true labels of a CSV file; ``y`` by default.
    classes : int or None
        Number of classes of a CSV file, if not all of them occur.
    rows : int or None
        Rows to take of a data set.
    data : sequence of Path
        Folders with data files.

    Raises
    ------
    BoostbenchError
        If there is no such source, an option is not for it, or it cannot be read.
    """
    is_example = source in example_names()
    is_file = not is_example and (source.endswith(".csv") or Path(source).is_file())
    for option, given, fits, whose in (
        ("--set", bool(settings), is_example, "an example space"),
        ("--target", target is not None, is_file, "a file of predictions"),
        ("--classes", classes is not None, is_file, "a file of predictions"),
        ("--rows", rows is not None, not (is_example or is_file), "a data set"),
    ):
        if given and not fits:
            raise BoostbenchError(f"is for {whose}, which {source!r} is not", where=option)
    if is_example:
        return _example(source, settings)
    if is_file:
        return _from_file(Path(source), target or "y", classes)
    return _stumps(source, rows, data)


def _example(name: str, settings: Sequence[str]) -> NamedSpace:
    from boostbench.theory.spaces import SPACES, example_space

    defaults = {
        key: parameter.default
        for key, parameter in inspect.signature(SPACES[name]).parameters.items()
        if isinstance(parameter.default, (int, float))
    }
    params = dict(_setting(name, text, defaults) for text in settings)
    space = example_space(name, **params)
    return NamedSpace(space, [str(k) for k in range(space.n_classes)], lambda j: f"h{j + 1}")


def _setting(name: str, text: str, defaults: Mapping[str, float]) -> tuple[str, float]:
    key, _, value = (part.strip() for part in text.partition("="))
    where = f"--set {text}"
    if key not in defaults:
        raise BoostbenchError(unknown("parameter", key, defaults, of=repr(name)), where=where)
    kind = type(defaults[key])
    try:
        return key, kind(value)
    except ValueError:
        word = "a whole number" if kind is int else "a number"
        raise BoostbenchError(f"{key} must be {word}, found {value!r}", where=where) from None


def _from_file(path: Path, target: str, n_classes: int | None) -> NamedSpace:
    """Read a CSV file: a column of answers for each classifier, and one of true labels."""
    import numpy as np

    from boostbench.data.dataset import encode_labels
    from boostbench.theory.spaces import Space

    header, lines = _cells(path)
    if target not in header:
        meant = hint(target, header)
        what = f"has no column {target!r} of true labels; {meant}; --target names another"
        raise DataError(what, where=str(path))
    if len(header) < 2:
        raise DataError("has no column of a classifier's answers", where=str(path))
    codes, classes = encode_labels([cell for line in lines for cell in line])
    answers = codes.reshape(len(lines), len(header))
    K = max(len(classes), 2) if n_classes is None else n_classes
    if len(classes) > K:
        what = f"{len(classes)} different labels, {', '.join(classes[:8])} ..., occur in {path}"
        raise BoostbenchError(what, where=f"--classes {K}")
    # A label that occurs nowhere is cheap to miss, but a class all the same.
    absent = [f"(unseen {k})" for k in range(len(classes), K)]
    place = header.index(target)
    names = [name for name in header if name != target]
    space = Space(str(path), answers[:, place], np.delete(answers, place, axis=1), K)
    return NamedSpace(space, [*classes, *absent], names.__getitem__)


def _cells(path: Path) -> tuple[list[str], list[list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            rows = [(reader.line_num, row) for row in reader if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"is not a CSV file in UTF-8: {error}", where=str(path)) from error
    if len(rows) < 2:
        what = "holds no predictions; expected a header and a row for each sample"
        raise DataError(what, where=str(path))
    header = [cell.strip() for cell in rows[0][1]]
    for name in header:
        if header.count(name) > 1:
            raise DataError(f"has two columns called {name!r}", where=str(path))
    for line, row in rows[1:]:
        if len(row) != len(header):
            what = f"has {len(row)} cells, the header {len(header)}"
            raise DataError(what, where=f"{path}:{line}")
        if not all(cell.strip() for cell in row):
            empty = header[[bool(cell.strip()) for cell in row].index(False)]
            raise DataError(f"no label in column {empty!r}", where=f"{path}:{line}")
    return header, [[cell.strip() for cell in row] for _, row in rows[1:]]


def _stumps(name: str, n_rows: int | None, data: Sequence[Path]) -> NamedSpace:
    """Take all stumps of a data set, or of some rows of it in equal class shares."""
    import numpy as np

    from boostbench.data import catalog, load
    from boostbench.data.splits import subsample
    from boostbench.theory.spaces import all_stumps

    try:
        dataset = load(name, None, data)
    except UnknownNameError as error:
        known = [*example_names(), *catalog(data)]
        raise UnknownNameError("example space, file or data set", name, known) from error
    rows = np.arange(dataset.n_rows, dtype=np.int64)
    if n_rows is not None:
        rows = subsample(rows, dataset.y, n_rows, np.random.default_rng(0))
    X = dataset.X[rows]
    try:
        space = replace(all_stumps(X, dataset.y[rows], dataset.n_classes), name=dataset.name)
    except BoostbenchError as error:
        what = error.what if n_rows else f"{error.what}; --rows takes a part of the data"
        raise BoostbenchError(what, where=name) from error
    return NamedSpace(space, dataset.classes, lambda j: _stump(dataset, X, space.predictions[:, j]))


def _stump(dataset: Dataset, X: Any, answers: Any) -> str:
    """Return a stump's answers in words, with the first feature that gives them."""
    import numpy as np

    classes = dataset.classes
    if (answers == answers[0]).all():
        return f"always {classes[answers[0]]}"
    for feature, name in enumerate(dataset.feature_names):
        order = np.argsort(X[:, feature], kind="stable")
        values, sorted_answers = X[order, feature], answers[order]
        (changes,) = np.nonzero(np.diff(sorted_answers))
        at = changes[0]
        if len(changes) == 1 and values[at] < values[at + 1]:
            threshold = (values[at] + values[at + 1]) / 2
            low, high = classes[sorted_answers[0]], classes[sorted_answers[-1]]
            return f"{name} <= {threshold:.6g}: {low}, else {high}"
    raise AssertionError("not a stump")
